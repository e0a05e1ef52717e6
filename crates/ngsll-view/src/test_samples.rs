//! Explanations for the tests.

use crate::ExplainedSample;
use ngsll::dataset::ImageSize;
use ngsll::explanation::{Explanation, ScoreExplanation, Term};
use ngsll::representation::{SampleView, TokenView};
use ngsll::{ClassPrediction, Evidence, Prediction};

/// A score whose terms are features 0, 1, 2, … with z = 1.
pub(crate) fn output(name: &str, intercept: f64, terms: &[(&str, f64)]) -> ScoreExplanation {
    let terms = terms.iter().enumerate();
    let terms = terms.map(|(feature, &(name, weight))| Term::new(feature, name, 1.0, weight));
    ScoreExplanation::new(name, intercept, terms.collect())
}

/// A sample of class `label` with the probabilities given: of "low" and the output's class for one
/// output, of the outputs' classes for several; 0 where none is given.
pub(crate) fn explained(
    view: SampleView,
    label: &str,
    probabilities: &[f64],
    outputs: Vec<ScoreExplanation>,
) -> ExplainedSample {
    let low = (outputs.len() == 1).then_some("low");
    let names = low.into_iter().chain(outputs.iter().map(|o| o.name.as_str()));
    let names: Vec<String> = names.map(String::from).collect();
    let index = names.iter().position(|name| name == label).unwrap_or(0);
    let mut probabilities = probabilities.to_vec();
    probabilities.resize(names.len(), 0.0);
    let class = ClassPrediction::new(index, probabilities, names.into());
    let prediction = Prediction::Class(class);
    ExplainedSample {
        row: 17,
        name: None,
        view,
        truth: None,
        evidence: Evidence::Whole,
        explanation: Explanation::new(prediction, outputs),
    }
}

/// The same, made from the chosen features alone.
pub(crate) fn chosen(sample: ExplainedSample) -> ExplainedSample {
    ExplainedSample { evidence: Evidence::Chosen, ..sample }
}

/// A text whose words are features by position; words that start with `?` are out of vocabulary.
pub(crate) fn text(words: &str) -> SampleView {
    let token = |(i, word): (usize, &str)| {
        let feature = (!word.starts_with('?')).then_some(i);
        let mut token = TokenView::new(word.trim_start_matches('?'), feature);
        token.space_before = i > 0;
        token
    };
    SampleView::Text { tokens: words.split_whitespace().enumerate().map(token).collect() }
}

/// A grey image that gets brighter to the right.
pub(crate) fn picture(width: usize, height: usize, rows: usize, columns: usize) -> SampleView {
    let pixels = (0..width * height).map(|i| (i % width * 255 / width) as u8).collect();
    let size = ImageSize { width, height, channels: 1 };
    SampleView::Image { size, pixels, rows, columns, regions: None, own_regions: false }
}

/// The owned names of classes.
pub(crate) fn classes(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| n.to_string()).collect()
}
