//! One sample in pieces, for a page that arranges them itself.

use super::{against, headline, sum, truth};
use crate::interpretation::{Interpretation, NothingKnown};
use crate::number_format::{Number, probability_percent};
use crate::{ExplainedSample, Measured, colour, escape, page, sample};
use serde::Serialize;

/// The fragments of one sample; everything but `said` and the names is HTML.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Fragments {
    /// The prediction, with the truth if known.
    pub verdict: String,
    /// The same in plain words, to be read out.
    pub said: String,
    /// The meaning of the colours, the promise and its measured figures.
    pub legend: String,
    /// The picture, to be used by every score; empty unless the sample is an image.
    pub definition: String,
    /// The predicted class first, then by falling score.
    pub scores: Vec<ScoreFragments>,
}

/// The fragments of one score.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ScoreFragments {
    /// The class that it favours, or the target's name.
    pub name: String,
    /// The probability of that class, if the score has one.
    pub probability: Option<f64>,
    /// The same in percent.
    pub percent: Option<String>,
    /// The sample with its chosen features marked; empty for a row.
    pub subject: String,
    /// Grid and chosen cells alone; empty unless the sample is an image.
    pub overlay: String,
    /// The contributions as bars.
    pub bars: String,
    /// The score written out.
    pub sum: String,
    /// Why the predicted class and not this one: a table of differences and their sum. Empty for the
    /// predicted class, for two classes and for a number, and if classes do not share their features.
    pub contrast: String,
}

/// The pieces of a sample; a row may be compared with its `original`.
pub fn fragments(
    sample: &ExplainedSample,
    original: Option<&ExplainedSample>,
    classes: &[String],
    measured: &Measured,
) -> Fragments {
    let mut interpretations: Vec<Interpretation> = [Some(sample), original]
        .into_iter()
        .flatten()
        .map(|c| Interpretation::new(c, classes))
        .collect();
    Interpretation::share_scale(&mut interpretations);
    let (interpretation, before) = (&interpretations[0], interpretations.get(1));
    let scores = interpretation.scores.iter().map(|score| {
        let earlier = before.and_then(|b| Some((b, b.score_like(score)?)));
        let now = (interpretation, score);
        ScoreFragments {
            name: score.output.name.clone(),
            probability: score.probability,
            percent: score.probability.map(probability_percent),
            subject: sample::marked(interpretation, score, "sample"),
            overlay: sample::overlay(interpretation, score),
            bars: match earlier {
                Some(before) => sample::bars_against(before, now),
                None => sample::bars(interpretation, score),
            },
            sum: sum(score, interpretation.side()),
            contrast: interpretation
                .contrast(score)
                .map(|contrast| against(interpretation, &contrast))
                .unwrap_or_default(),
        }
    });
    Fragments {
        verdict: match before {
            Some(before) => versus(before, interpretation),
            None => headline(interpretation) + &truth(interpretation),
        },
        said: said(interpretation),
        legend: page::legend(&interpretations[..1], measured),
        definition: sample::definition(&sample.view, "sample"),
        scores: scores.collect(),
    }
}

/// The prediction in plain words.
fn said(interpretation: &Interpretation) -> String {
    if let Some(NothingKnown { said, .. }) = interpretation.nothing_known() {
        return format!("Here {said} {}", interpretation.predicted());
    }
    match interpretation.certainty() {
        Some(certainty) => format!("Predicted {}, {certainty}", interpretation.predicted()),
        None => format!("Predicted {}", interpretation.predicted()),
    }
}

/// Two predictions side by side, and the change: of the value, or of the probability of the class that
/// is predicted now.
fn versus(before: &Interpretation, now: &Interpretation) -> String {
    let value = |r: &Interpretation| r.sample.explanation.prediction.value();
    let change = match (value(before), value(now)) {
        (Some(was), Some(is)) => {
            let decimals = now.scores.first().map_or(2, |s| s.sum.score.decimals());
            Some((Number::new(is - was, decimals), String::new()))
        }
        _ => {
            let of = |r: &Interpretation| r.probability_of(now.predicted());
            let points = of(now).zip(of(before)).map(|(is, was)| 100.0 * (is - was));
            points.map(|p| (Number::new(p, 1), format!(" points for {}", now.predicted())))
        }
    };
    let change = change.map_or(String::new(), |(number, unit)| {
        let class = if number.is_zero() { "none" } else { colour::class(number.is_negative()) };
        let text = if number.is_zero() { "=".to_string() } else { number.signed() };
        let unit = escape(&unit);
        format!("<div class=\"change\"><span>Change</span><p class=\"{class}\"><b>{text}</b>{unit}</p></div>")
    });
    format!(
        "<div class=\"versus\"><div><span>Original</span>{}</div><div><span>Now</span>{}</div>{change}</div>",
        headline(before),
        headline(now),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::{chosen, classes, explained, output, picture, text};
    use ngsll::{Prediction, SampleView};

    #[test]
    fn a_text_without_a_known_word_says_so() {
        let sample =
            explained(text("?zyx ?qqq"), "low", &[0.5, 0.5], vec![output("high", 0.0, &[])]);
        let fragments = drawn(&sample, None, &["low", "high"]);
        let said = "the model knows no word of this text";
        assert!(fragments.verdict.starts_with("<h2>No known word</h2>"), "{}", fragments.verdict);
        assert!(fragments.verdict.contains(said) && fragments.said.contains(said));
        let lines = crate::terminal(&sample, &classes(&["low", "high"]), false, 200);
        assert!(lines.starts_with(&format!("row 17: {said}; its answer")), "{lines}");
        let known = explained(text("far ?qqq"), "low", &[0.5, 0.5], vec![output("high", 0.0, &[])]);
        assert!(drawn(&known, None, &["low", "high"]).verdict.starts_with("<h2>low"));
    }

    fn drawn(
        sample: &ExplainedSample,
        original: Option<&ExplainedSample>,
        names: &[&str],
    ) -> Fragments {
        fragments(sample, original, &classes(names), &Measured::default())
    }

    fn row(size: &str, score: f64) -> ExplainedSample {
        let cells = vec![("size".to_string(), size.to_string())];
        let mut sample = explained(
            SampleView::Row { cells },
            "",
            &[],
            vec![output("price", 10.0, &[("size", score)])],
        );
        sample.explanation.prediction = Prediction::Value(10.0 + score);
        sample
    }

    #[test]
    fn every_class_has_its_pieces_and_the_predicted_is_first() {
        let outputs = [("a", 1.0), ("b", 3.0), ("c", 2.0)];
        let outputs = outputs.map(|(name, x)| output(name, 0.0, &[("x", x)])).to_vec();
        let sample = explained(text("x y"), "b", &[0.1, 0.6, 0.3], outputs);
        let found = drawn(&sample, None, &["a", "b", "c"]);
        let names: Vec<_> = found.scores.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["b", "c", "a"]);
        assert_eq!(found.said, "Predicted b, 60.0 %");
        assert_eq!(found.scores[1].percent.as_deref(), Some("30.0 %"));
        for score in &found.scores {
            assert_eq!(score.subject.matches("<mark").count(), 1);
            assert_eq!(score.bars.matches("<th").count(), 1);
            assert!(score.sum.contains("class=\"sum\"") && score.overlay.is_empty());
        }
        assert!(found.definition.is_empty());
    }

    #[test]
    fn the_predicted_class_is_set_against_each_other_one() {
        let outputs = [("a", 1.0), ("b", 3.0), ("<c>", 2.0)];
        let outputs = outputs.map(|(name, x)| output(name, 0.5, &[("x", x), ("y", 1.0)])).to_vec();
        let three = chosen(explained(text("x y"), "b", &[0.1, 0.6, 0.3], outputs));
        let found = drawn(&three, None, &["a", "b", "<c>"]);
        let [predicted, runner_up, last] = &found.scores[..] else { panic!("three scores") };
        assert!(predicted.contrast.is_empty());
        assert!(runner_up.contrast.contains(">&lt;c&gt;</th>"), "{}", runner_up.contrast);
        // x: 3 for b and 2 for c; y is the same for both.
        assert!(runner_up.contrast.contains("+3.00</td><td class=\"number pos\">+2.00</td>"));
        assert!(
            runner_up.contrast.contains("<b>=</b> <b>1.00</b> → <b>b</b>"),
            "{}",
            runner_up.contrast
        );
        assert!(last.contrast.contains("<b>=</b> <b>2.00</b> → <b>b</b>"), "{}", last.contrast);
        assert!(
            found.legend.contains("saw nothing else") && found.legend.contains("remain visible")
        );
        assert!(found.legend.contains("has not been measured"), "{}", found.legend);
        assert!(predicted.sum.contains("with no feature known: 33.3 %"), "{}", predicted.sum);
    }

    #[test]
    fn an_image_has_an_overlay_for_each_class() {
        let cell = |x: f64| [("row 1, column 1", x)];
        let outputs = vec![output("low", 0.0, &cell(-2.0)), output("<high>", 0.0, &cell(2.0))];
        let sample = explained(picture(4, 4, 2, 2), "<high>", &[0.0004, 0.9996], outputs);
        let found = drawn(&sample, None, &["low", "<high>"]);
        assert_eq!(found.scores[1].overlay.matches("<rect").count(), 1);
        assert_eq!(found.scores[0].overlay.matches("<rect").count(), 1);
        assert!(!found.scores[0].overlay.contains("<use"));
        assert!(found.scores[0].subject.contains("href=\"#sample\""));
        assert!(found.definition.contains("id=\"sample\""));
    }

    #[test]
    fn a_changed_row_stands_beside_the_original() {
        let found = drawn(&row("7", 2.0), Some(&row("5", -1.0)), &[]);
        assert!(found.verdict.contains("<h2>9.00</h2>"), "{}", found.verdict);
        assert!(found.verdict.contains("<h2>12.00</h2>"), "{}", found.verdict);
        assert!(found.verdict.contains("<p class=\"pos\"><b>+3.00</b></p>"), "{}", found.verdict);
        assert!(found.scores[0].bars.contains("5 → 7"), "{}", found.scores[0].bars);
        assert!(
            found.scores[0].bars.contains("--s:0.50") && found.scores[0].bars.contains("--s:1.00")
        );
    }
}
