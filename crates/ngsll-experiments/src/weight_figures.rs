//! The two figures of weights, drawn from the models that the tables evaluate.

use crate::request::Experiment;
use crate::run_matrix::{RunMatrix, SHOWN_SEED};
use crate::{K, PaperDataset};
use ngsll::dataset::Labels;
use ngsll::error::Result;
use ngsll::explanation::{Explanation, ScoreExplanation};
use ngsll::representation::TokenView;
use ngsll::{Dataset, Model, SampleView};
use ngsll_view::figure::{Digit, Drawn, LabelledSentence, Marked, Word, digits, sentences};

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
    let cells = models[0].1.representation().grid().expect("MNIST consists of images").clone();
    let images = shown.samples().as_images().expect("MNIST consists of images");
    let mut columns: Vec<Digit> = rows
        .iter()
        .enumerate()
        .map(|(i, &row)| Digit::new(data.digits[row].clone(), images.get(i).to_vec()))
        .collect();
    for (_, model) in &models {
        for (i, explanation) in model.explain(&shown)?.iter().enumerate() {
            let terms = &explanation.outputs[0].terms;
            let predicted = label(explanation);
            let weights = terms.iter().map(|term| (term.feature, term.weight)).collect();
            let right = shown.label(i) == Some(&predicted);
            columns[i].drawn.push(Drawn::new(predicted, right, weights));
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
    let test = split.test(&split.setup(split.config())?);
    let models = matrix
        .ks(Experiment::TrecWeights)
        .iter()
        .map(|&k| Ok((format!("K = {k}"), load(matrix, PaperDataset::Trec, "ngsll", k)?)))
        .collect::<Result<Vec<_>>>()?;
    let shown = test.select(&first_of_each(&test));
    let truths = shown.labels().into_iter().flat_map(Labels::iter);
    let mut drawn: Vec<LabelledSentence> = truths.map(LabelledSentence::new).collect();
    for (name, model) in &models {
        for (i, explanation) in model.explain(&shown)?.iter().enumerate() {
            let predicted = label(explanation);
            let output = explanation.outputs.iter().find(|output| output.name == predicted);
            let Some(SampleView::Text { tokens }) = model.view(&shown, i) else {
                unreachable!("TREC consists of texts")
            };
            let words = words(tokens, output);
            drawn[i].marked.push(Marked::new(name, predicted, words));
        }
    }
    Ok(sentences(&drawn))
}

/// The words of a text with their weights in the explanation of a score.
fn words(tokens: Vec<TokenView>, output: Option<&ScoreExplanation>) -> Vec<Word> {
    let weight = |feature: usize| {
        let terms = output.map_or(&[][..], |output| &output.terms);
        terms.iter().find(|term| term.feature == feature).map(|term| term.weight)
    };
    let word = |TokenView { text, feature, .. }: TokenView| {
        Word::new(text, feature.is_some(), feature.and_then(weight))
    };
    tokens.into_iter().map(word).collect()
}

/// The rows of the first questions of each answer type, types in the order of their names.
fn first_of_each(data: &Dataset) -> Vec<usize> {
    let mut types = data.labels().map_or(Vec::new(), |labels| labels.distinct().to_vec());
    types.sort_unstable();
    let of = |class: String| {
        let rows = (0..data.len()).filter(move |&row| data.label(row) == Some(&class));
        rows.take(QUESTIONS_PER_TYPE)
    };
    types.into_iter().flat_map(of).collect()
}

fn load(matrix: &RunMatrix<'_>, dataset: PaperDataset, method: &str, k: K) -> Result<Model> {
    Model::load(matrix.model(dataset, method, k)?.1)
}

fn label(explanation: &Explanation) -> String {
    let class = explanation.prediction.class().expect("the paper's data sets have classes");
    class.label().to_string()
}
