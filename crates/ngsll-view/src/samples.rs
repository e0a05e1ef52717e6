//! Explanations for the tests.

use super::{ExplainedSample, Picture, SampleView, Token};
use ngsll::explanation::{ClassProbability, Explanation, Output, Prediction, Term};

/// A score whose terms are features 0, 1, 2, … with z = 1.
pub(super) fn output(name: &str, intercept: f64, terms: &[(&str, f64)]) -> Output {
    let terms: Vec<Term> = terms
        .iter()
        .enumerate()
        .map(|(feature, &(name, contribution))| Term {
            feature,
            name: name.to_string(),
            value: 1.0,
            observed: None,
            weight: contribution,
            contribution,
        })
        .collect();
    let score = intercept + terms.iter().map(|t| t.contribution).sum::<f64>();
    Output { name: name.to_string(), score, intercept, terms }
}

/// A case of class `label` with the probabilities given: of "low" and the output's class for one
/// output, of the outputs' classes for several.
pub(super) fn case(
    view: SampleView,
    label: &str,
    probabilities: &[f64],
    outputs: Vec<Output>,
) -> ExplainedSample {
    let low = (outputs.len() == 1).then_some("low");
    let classes = low.into_iter().chain(outputs.iter().map(|o| o.name.as_str()));
    let named = classes.zip(probabilities);
    let named = named.map(|(c, p)| ClassProbability { class: c.to_string(), probability: *p });
    let prediction = Prediction::Class { label: label.to_string(), probabilities: named.collect() };
    ExplainedSample {
        row: 17,
        file: None,
        view,
        truth: None,
        explanation: Explanation { prediction, outputs },
    }
}

/// A text whose words are features by position; words that start with `?` are out of vocabulary.
pub(super) fn text(words: &str) -> SampleView {
    let token = |(i, word): (usize, &str)| Token {
        text: word.trim_start_matches('?').to_string(),
        feature: (!word.starts_with('?')).then_some(i),
        space_before: i > 0,
    };
    SampleView::Text { tokens: words.split_whitespace().enumerate().map(token).collect() }
}

/// A grey picture that gets brighter to the right.
pub(super) fn picture(width: usize, height: usize, rows: usize, columns: usize) -> Picture {
    let pixels = (0..width * height).map(|i| (i % width * 255 / width) as u8).collect();
    Picture { width, height, channels: 1, pixels, rows, columns }
}

/// The owned names of classes.
pub(super) fn classes(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| n.to_string()).collect()
}
