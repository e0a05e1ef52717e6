//! The two figures of weights, from the models that the tables measured.

use crate::grid::{Grid, SHOWN_SEED};
use crate::request::Experiment;
use crate::{Dataset, K};
use ngsll::Predictor;
use ngsll::data::{Chunk, Samples};
use ngsll::error::Result;
use ngsll::explanation::{Explanation, Output, Prediction};
use ngsll::representation::Representation;
use ngsll_view::figure::{Digit, Drawn, Marked, Sentence, Word, digits, sentences};

/// Questions of each kind that are shown.
const QUESTIONS_EACH: usize = 1;
/// Digits.
const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// The first test image of each digit: nothing is picked by hand. Without K-HGM, then each K but 1.
pub fn mnist(grid: &Grid<'_>) -> Result<String> {
    let data = grid.problem(Dataset::Mnist, SHOWN_SEED).data;
    let test = data.test.as_ref().expect("MNIST has test images");
    let rows: Vec<usize> = DIGITS
        .iter()
        .filter_map(|digit| data.digits.iter().position(|label| label == digit))
        .collect();
    let shown = test.select(&rows);
    let mut models =
        vec![("without\nK-HGM".to_string(), load(grid, Dataset::Mnist, "dense", K::All)?)];
    for &k in mnist_ks(grid) {
        models.push((format!("K = {k}"), load(grid, Dataset::Mnist, "ngsll", k)?));
    }
    let Representation::Grid(cells) = models[0].1.representation().clone() else {
        unreachable!("MNIST is images")
    };
    let Samples::Images(images) = &shown.samples else { unreachable!("MNIST is images") };
    let mut columns: Vec<Digit> = rows
        .iter()
        .enumerate()
        .map(|(i, &row)| Digit {
            name: data.digits[row].clone(),
            pixels: images.get(i).to_vec(),
            drawn: Vec::new(),
        })
        .collect();
    for (_, predictor) in &models {
        for (i, explanation) in predictor.explain(&shown.samples, None)?.iter().enumerate() {
            let terms = &explanation.outputs[0].terms;
            let predicted = label(explanation);
            columns[i].drawn.push(Drawn {
                weights: terms.iter().map(|term| (term.feature, term.weight)).collect(),
                right: shown.labels.as_ref().is_some_and(|labels| labels[i] == predicted),
                predicted,
            });
        }
    }
    let names: Vec<String> = models.into_iter().map(|(name, _)| name).collect();
    Ok(digits(&cells, &names, &columns))
}

/// The K that the figure draws: the paper leaves out 1.
fn mnist_ks<'a>(grid: &'a Grid<'_>) -> &'a [K] {
    let ks = grid.ks(Experiment::MnistWeights);
    match ks {
        [K::Top(1), rest @ ..] if !rest.is_empty() => rest,
        ks => ks,
    }
}

/// The first test questions of each kind.
pub fn trec(grid: &Grid<'_>) -> Result<String> {
    let problem = grid.problem(Dataset::Trec, SHOWN_SEED);
    let test = problem.test(&problem.prepare(problem.config())?);
    let models = grid
        .ks(Experiment::TrecWeights)
        .iter()
        .map(|&k| Ok((format!("K = {k}"), load(grid, Dataset::Trec, "ngsll", k)?)))
        .collect::<Result<Vec<_>>>()?;
    let shown = test.select(&first_of_each(&test));
    let Samples::Texts(texts) = &shown.samples else { unreachable!("TREC is text") };
    let truths = shown.labels.clone().unwrap_or_default();
    let mut drawn: Vec<Sentence> =
        truths.into_iter().map(|truth| Sentence { truth, marked: Vec::new() }).collect();
    for (model, predictor) in &models {
        for (i, explanation) in predictor.explain(&shown.samples, None)?.iter().enumerate() {
            let predicted = label(explanation);
            let output = explanation.outputs.iter().find(|output| output.name == predicted);
            let words = words(predictor, texts.get(i), output);
            drawn[i].marked.push(Marked { model: model.clone(), predicted, words });
        }
    }
    Ok(sentences(&drawn))
}

fn words(predictor: &Predictor, text: &str, output: Option<&Output>) -> Vec<Word> {
    let Representation::Words(words) = predictor.representation() else {
        unreachable!("TREC is text")
    };
    let weight = |feature: usize| {
        let terms = output.map_or(&[][..], |output| &output.terms);
        terms.iter().find(|term| term.feature == feature).map(|term| term.weight)
    };
    let word = |(range, feature): (std::ops::Range<usize>, Option<usize>)| Word {
        text: text[range].to_string(),
        known: feature.is_some(),
        weight: feature.and_then(weight),
    };
    words.read(text).into_iter().map(word).collect()
}

fn first_of_each(chunk: &Chunk) -> Vec<usize> {
    let labels = chunk.labels.as_deref().unwrap_or_default();
    let of = |class: String| {
        let rows = (0..labels.len()).filter(move |&row| labels[row] == class);
        rows.take(QUESTIONS_EACH)
    };
    ngsll::data::classes(labels).into_iter().flat_map(of).collect()
}

fn load(grid: &Grid<'_>, dataset: Dataset, method: &str, k: K) -> Result<Predictor> {
    Predictor::load(&grid.model(dataset, method, k)?.1)
}

fn label(explanation: &Explanation) -> String {
    match &explanation.prediction {
        Prediction::Class { label, .. } => label.clone(),
        Prediction::Value(value) => value.to_string(),
    }
}
