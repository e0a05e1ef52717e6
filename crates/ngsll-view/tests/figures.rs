//! Figures are well-formed, whatever the names in them.

use ngsll::dataset::{ImageSize, Images};
use ngsll::representation::{Grid, GridConfig};
use ngsll_view::figure::{
    Digit, Drawn, Fonts, LabelledSentence, Marked, Panel, Point, Series, Word, chart, digits, png,
    sentences,
};

const ODD: &str = "a<b> & \"c\" 'd' é→";

/// Parses the file as XML does, by drawing it.
#[track_caller]
fn drawn(svg: &str) {
    assert!(svg.contains("a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; é→"), "{svg}");
    assert!(png(svg, &Fonts::of_system()).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_chart() {
    let point = |place, deviation| Point::new(place, 0.9 + 0.01 * place as f64, deviation);
    let line = Series::new(ODD, vec![point(0, Some(0.01)), point(1, None)]);
    let constant = Series::new("flat", vec![point(0, None)]).constant(true);
    let places = vec!["1".to_string(), "all".to_string()];
    let panel = Panel::new(ODD, places, vec![line, constant]);
    let svg = chart(ODD, "K", "accuracy", &[vec![panel.clone(), panel.clone()], vec![panel]]);
    drawn(&svg);
    assert_eq!(svg.matches("stroke-dasharray").count(), 4, "one in each panel, one in the legend");
    drawn(&chart(ODD, "K", "accuracy", &[]));
}

#[test]
fn digits_show_the_kept_weights_only() {
    let none = Images::empty(ImageSize { width: 28, height: 28, channels: 1 }).unwrap();
    let grid = Grid::fit(&GridConfig::default(), &none).unwrap();
    let mut digit = Digit::new("7", vec![128; 784]);
    digit.drawn.push(Drawn::new(ODD, false, vec![(0, 1.0), (48, -2.0)]));
    let svg = digits(&grid, &["K = 2".into()], &[digit]);
    drawn(&svg);
    assert_eq!(svg.matches("fill-opacity").count(), 2);
    assert_eq!(svg.matches("#b2182b").count(), 1, "one red cell");
    assert_eq!(svg.matches("#2166ac").count(), 1, "one blue cell");
}

#[test]
fn words_are_marked_grey_or_plain() {
    let word = |text: &str, known, weight| Word::new(text, known, weight);
    let words = vec![word(ODD, true, Some(1.0)), word("new", false, None), word("x", true, None)];
    let mut sentence = LabelledSentence::new("NUM");
    sentence.marked.push(Marked::new("K = 1", "NUM", words));
    let svg = sentences(&[sentence]);
    drawn(&svg);
    assert_eq!(svg.matches("rx=\"3\"").count(), 1, "one word is marked");
    assert_eq!(svg.matches("fill=\"#999\"").count(), 1, "one word is grey");
    assert!(!svg.contains("(wrong)"));
}
