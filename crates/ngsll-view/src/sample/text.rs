//! A text with its chosen words marked.

use crate::colour;
use crate::interpretation::{Interpretation, Score, product};
use crate::markup::{cut, escape};
use crate::terminal::lines::{Piece, Style, clean, wrap};
use ngsll::representation::TokenView;

/// The most characters of a word that are shown.
pub(super) const LONGEST: usize = 80;

/// Keeps a number on the line of its word.
const JOINER: char = '\u{2060}';

/// The sentence with its chosen words, or segments, marked; words out of the vocabulary are grey.
pub(super) fn html(interpretation: &Interpretation, score: &Score, tokens: &[TokenView]) -> String {
    if tokens.is_empty() {
        return "<p class=\"none\">The text is empty.</p>".to_string();
    }
    let (mut words, mut seen) = (String::new(), Vec::new());
    for run in tokens.chunk_by(|_, next| next.continues) {
        if run[0].space_before {
            words.push(' ');
        }
        let text = escape(&written(run));
        let Some(feature) = run[0].feature else {
            words += &format!("<span class=\"oov\" title=\"not in the vocabulary\">{text}</span>");
            continue;
        };
        let Some((term, number)) = score.term(feature) else {
            words += &text;
            continue;
        };
        // A word that occurs twice is one feature: its number is shown once, its sign at each position.
        let signed = number.signed();
        let shown = if seen.contains(&feature) { signed.chars().take(1).collect() } else { signed };
        seen.push(feature);
        words += &format!(
            "<mark class=\"{class}\" style=\"--s:{strength:.2}\" title=\"{title}\">\
             {text}{JOINER}<sup>{shown}</sup></mark>",
            class = colour::class(number.is_negative()),
            strength = interpretation.strength(number),
            title = escape(&product(term, number)),
        );
    }
    format!("<p class=\"text\">{words}</p>")
}

/// The tokens of a segment as they stand in the text.
fn written(run: &[TokenView]) -> String {
    let mut text = cut(&run[0].text, LONGEST);
    for token in &run[1..] {
        if token.space_before {
            text.push(' ');
        }
        text += &cut(&token.text, LONGEST);
    }
    text
}

/// The sentence as lines of the terminal: chosen words, or segments, on a coloured background, or as `[+word+]`.
pub(super) fn lines(
    interpretation: &Interpretation,
    score: &Score,
    tokens: &[TokenView],
    style: Style,
    width: usize,
) -> Vec<String> {
    if tokens.is_empty() {
        return vec!["(the text is empty)".to_string()];
    }
    let piece = |(at, token): (usize, &TokenView)| {
        let text = clean(&token.text);
        let Some(feature) = token.feature else {
            return Piece::new(token.space_before, &text, style.paint(colour::FAINT, &text));
        };
        let Some((_, number)) = score.term(feature) else {
            return Piece::new(token.space_before, &text, text.clone());
        };
        let negative = number.is_negative();
        let sign = if negative { "−" } else { "+" };
        let ends = tokens.get(at + 1).is_none_or(|next| !next.continues);
        if style.colour {
            let sign = if token.continues { "" } else { sign };
            let shown = format!("{sign}{text}");
            let ground = colour::highlight(negative, interpretation.strength(number));
            Piece::new(token.space_before, &shown, style.paint(&ground, &shown))
        } else {
            let opening = if token.continues { String::new() } else { format!("[{sign}") };
            let closing = if ends { format!("{sign}]") } else { String::new() };
            let shown = format!("{opening}{text}{closing}");
            Piece::new(token.space_before, &shown, shown.clone())
        }
    };
    wrap(tokens.iter().enumerate().map(piece), width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExplainedSample;
    use crate::test_samples::{classes, explained, output, text};
    use ngsll::SampleView;

    fn sample() -> ExplainedSample {
        let output = output("high", 0.0, &[("far", 2.0), ("slow", -1.0)]);
        explained(text("far slow road ?zyx"), "high", &[0.3, 0.7], vec![output])
    }

    fn tokens(sample: &ExplainedSample) -> &[TokenView] {
        let SampleView::Text { tokens } = &sample.view else { panic!("the sample is a text") };
        tokens
    }

    #[test]
    fn exactly_the_chosen_words_are_marked_on_the_page() {
        let sample = sample();
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        let html = html(&interpretation, &interpretation.scores[0], tokens(&sample));
        assert_eq!(html.matches("<mark").count(), 2);
        assert!(html.contains("far\u{2060}<sup>+2.00</sup></mark>"), "{html}");
        assert!(
            html.contains("slow\u{2060}<sup>−1.00</sup></mark> road <span class=\"oov\""),
            "{html}"
        );
    }

    #[test]
    fn a_repeated_word_shows_its_number_once() {
        let mut sample = sample();
        let SampleView::Text { tokens: words } = &mut sample.view else { panic!("a text") };
        words[2] = words[0].clone();
        words[2].space_before = true;
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        let html = html(&interpretation, &interpretation.scores[0], tokens(&sample));
        assert_eq!(html.matches("+2.00</sup>").count(), 1);
        assert_eq!(html.matches("<sup>+</sup>").count(), 1);
    }

    #[test]
    fn a_segment_is_marked_as_a_whole() {
        let mut sample = sample();
        let SampleView::Text { tokens: words } = &mut sample.view else { panic!("a text") };
        (words[1].feature, words[1].continues) = (Some(0), true);
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        let html = html(&interpretation, &interpretation.scores[0], tokens(&sample));
        assert_eq!(html.matches("<mark").count(), 1, "{html}");
        assert!(html.contains("far slow\u{2060}<sup>+2.00</sup></mark> road"), "{html}");
        let style = Style { colour: false };
        let lines = lines(&interpretation, &interpretation.scores[0], tokens(&sample), style, 80);
        assert_eq!(lines, ["[+far slow+] road zyx"]);
    }

    #[test]
    fn without_colour_signs_stand_around_the_chosen_words() {
        let sample = sample();
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        let style = Style { colour: false };
        let lines = lines(&interpretation, &interpretation.scores[0], tokens(&sample), style, 80);
        assert_eq!(lines, ["[+far+] [−slow−] road zyx"]);
    }
}
