//! The two figures of weights, drawn from the models that the tables evaluate.

use ngsll_view::figure::{Digit, Drawn, Marked, Sentence, Word, digits, sentences};
use crate::request::Experiment;
use crate::run_matrix::{RunMatrix, SHOWN_SEED};
use crate::{K, PaperDataset};
use ngsll::Predictor;
use ngsll::data::{Chunk, Samples};
use ngsll::error::Result;
use ngsll::explanation::{Explanation, Output, Prediction};
use ngsll::representation::Representation;
use ngsll_view::figure::{Digit, Drawn, Marked, Sentence, Word, digits, sentences};

/// The number of questions shown per answer type.
const QUESTIONS_PER_TYPE: usize = 1;
/// The digits, as MNIST labels them.
const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// The first test image of each digit, so that nothing is hand-picked: without K-HGM, then for each K but 1.
pub(crate) fn mnist(matrix: &RunMatrix<'_>) -> Result<String> {
    let data = matrix.split(PaperDataset::Mnist, SHOWN_SEED).data;
    let test = data.test.as_ref().expect("MNIST has test images");
    let rows: Vec<usize> = DIGITS
        .iter()
        .filter_map(|digit| data.digits.iter().position(|label| label == digit))
        .collect();
    let shown = test.select(&rows);
    let mut models =
        vec![("without\nK-HGM".to_string(), load(matrix, PaperDataset::Mnist, "dense", K::All)?)];
    for &k in mnist_ks(matrix) {
        models.push((format!("K = {k}"), load(matrix, PaperDataset::Mnist, "ngsll", k)?));
    }
    let Representation::Grid(cells) = models[0].1.representation().clone() else {
        unreachable!("MNIST consists of images")
    };
    let Samples::Images(images) = &shown.samples else { unreachable!("MNIST consists of images") };
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

/// The K of the figure; like the paper's it omits 1.
fn mnist_ks<'a>(matrix: &'a RunMatrix<'_>) -> &'a [K] {
    let ks = matrix.ks(Experiment::MnistWeights);
    match ks {
        [K::Top(1), rest @ ..] if !rest.is_empty() => rest,
        ks => ks,
    }
}

/// The first test question of each answer type.
pub(crate) fn trec(matrix: &RunMatrix<'_>) -> Result<String> {
    let split = matrix.split(PaperDataset::Trec, SHOWN_SEED);
    let test = split.test(&split.prepare(split.config())?);
    let models = matrix
        .ks(Experiment::TrecWeights)
        .iter()
        .map(|&k| Ok((format!("K = {k}"), load(matrix, PaperDataset::Trec, "ngsll", k)?)))
        .collect::<Result<Vec<_>>>()?;
    let shown = test.select(&first_of_each(&test));
    let Samples::Texts(texts) = &shown.samples else { unreachable!("TREC consists of texts") };
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
        unreachable!("TREC consists of texts")
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

/// The rows of the first questions of each answer type.
fn first_of_each(chunk: &Chunk) -> Vec<usize> {
    let labels = chunk.labels.as_deref().unwrap_or_default();
    let of = |class: String| {
        let rows = (0..labels.len()).filter(move |&row| labels[row] == class);
        rows.take(QUESTIONS_PER_TYPE)
    };
    ngsll::data::classes(labels).into_iter().flat_map(of).collect()
}

fn load(matrix: &RunMatrix<'_>, dataset: PaperDataset, method: &str, k: K) -> Result<Predictor> {
    Predictor::load(&matrix.model(dataset, method, k)?.1)
}

fn label(explanation: &Explanation) -> String {
    match &explanation.prediction {
        Prediction::Class { label, .. } => label.clone(),
        Prediction::Value(value) => value.to_string(),
    }
}
