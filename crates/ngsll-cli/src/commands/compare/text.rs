//! A comparison as a person reads it.

use super::{Comparison, Disagreement};
use crate::output::table_lines;
use ngsll::Prediction;
use ngsll::dataset::Labels;
use ngsll::metrics::{McNemar, Metrics, format_figure};
use ngsll::readable::{count, count_of};
use ngsll_view::SummaryTable;

/// A difference at least this rare by chance counts as a real one.
const RARE: f64 = 0.05;
/// The most samples that are listed; `--json` has more.
const LISTED: usize = 20;

/// The figures side by side, whether the difference is chance, where the models disagree, and how their terms differ.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let mut lines: Vec<String> = table_lines(&figures(comparison)).collect();
    lines.push(String::new());
    lines.push(verdict(comparison));
    lines.extend(comparison.accuracy_test.map(|test| accuracy(comparison, &test)));
    lines.push(loss(comparison));
    lines.push(String::new());
    lines.extend(disagreements(comparison));
    lines.push(String::new());
    lines.extend(terms(comparison));
    lines
}

fn figures(comparison: &Comparison) -> SummaryTable {
    let [first, second] = &comparison.metrics;
    let named = |metrics: &Metrics| {
        let mut figures = metrics.figures();
        figures.extend(metrics.macro_f1.map(|f1| ("F1 on average", f1)));
        figures
    };
    let others = named(second);
    let row = |(name, a): (&'static str, f64)| {
        let &(_, b) = others.iter().find(|(other, _)| *other == name)?;
        let difference =
            format!("{}{}", if a < b { "−" } else { "+" }, format_figure((a - b).abs()));
        Some(vec![name.to_string(), format_figure(a), format_figure(b), difference])
    };
    let k = comparison.k.map(|k| k.to_string());
    let terms = vec!["K".to_string(), k[0].clone(), k[1].clone(), String::new()];
    let [a, b] = distinct(&comparison.models);
    SummaryTable::new(
        format!("On {}", count_of(first.n, "sample")),
        ["", &a, &b, "difference"],
        named(first).into_iter().filter_map(row).chain([terms]).collect(),
    )
}

/// The models' names, made distinct if both folders have the same.
fn distinct(names: &[String; 2]) -> [String; 2] {
    match names {
        [a, b] if a == b => [format!("{a} (first)"), format!("{b} (second)")],
        names => names.clone(),
    }
}

/// Which is better, by the loss.
fn verdict(comparison: &Comparison) -> String {
    let test = &comparison.loss_test;
    let names = distinct(&comparison.models);
    let (better, worse) = if test.mean < 0.0 { (0, 1) } else { (1, 0) };
    if test.p_value < RARE {
        let by = if comparison.accuracy_test.is_some() { "log loss" } else { "squared error" };
        format!(
            "{} is better than {} by {by}; chance is an unlikely explanation.",
            names[better], names[worse]
        )
    } else {
        "Neither is better: the difference could be chance.".to_string()
    }
}

fn accuracy(comparison: &Comparison, test: &McNemar) -> String {
    let [a, b] = distinct(&comparison.models);
    format!(
        "Accuracy: only {a} is right in {} samples, only {b} in {}; as uneven by chance with p = {} (McNemar's exact test).",
        test.only_first,
        test.only_second,
        p_value(test.p_value)
    )
}

fn loss(comparison: &Comparison) -> String {
    let test = &comparison.loss_test;
    let what = if comparison.accuracy_test.is_some() { "Log loss" } else { "Squared error" };
    let signed = |number: f64| {
        format!("{}{}", if number < 0.0 { "−" } else { "+" }, format_figure(number.abs()))
    };
    let [low, high] = test.interval.map(signed);
    format!(
        "{what}: mean difference {}, 95 % interval {low} to {high} (normal approximation); as large by chance with p = {} (paired permutation test, {} draws).",
        signed(test.mean),
        p_value(test.p_value),
        test.draws
    )
}

/// Never "0": no finite test says never.
fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_string() } else { format!("{p:.4}") }
}

fn disagreements(comparison: &Comparison) -> Vec<String> {
    let all = &comparison.disagreements;
    let [a, b] = distinct(&comparison.models);
    let numbers = comparison.accuracy_test.is_none();
    if all.is_empty() {
        return vec!["The models agree on every sample.".to_string()];
    }
    let shown = all.len().min(LISTED);
    let caption = match (numbers, all.len() > shown) {
        (true, _) => format!("Where they are furthest apart ({})", count_of(shown, "sample")),
        (false, true) => format!(
            "They disagree on {} samples; the {shown} where they are furthest apart (--json has all)",
            count(all.len())
        ),
        (false, false) => format!("They disagree on {}", count_of(all.len(), "sample")),
    };
    let answer = |prediction: &Prediction| match (prediction.class(), prediction.value()) {
        (Some(class), _) => format!("{} ({:.1} %)", class.label(), 100.0 * class.probability()),
        (_, Some(value)) => format_figure(value),
        _ => String::new(),
    };
    let row = |sample: &Disagreement| {
        let [first, second] = &sample.predictions;
        let truth = Labels::number(&sample.truth).filter(|_| numbers).map(format_figure);
        let truth = truth.unwrap_or_else(|| sample.truth.clone());
        vec![sample.row.to_string(), truth, answer(first), answer(second)]
    };
    let rows = all.iter().take(shown).map(row).collect();
    let table = SummaryTable::new(caption, ["row", "truth", &a, &b], rows);
    table_lines(&table).collect()
}

fn terms(comparison: &Comparison) -> Vec<String> {
    let terms = &comparison.terms;
    let Some(overlap) = terms.overlap else {
        return vec!["Terms: neither model names any.".to_string()];
    };
    let correlation = match terms.correlation {
        Some(correlation) => {
            format!(
                "their contributions correlate with {correlation:.2} over {} terms",
                count(terms.pairs)
            )
        }
        None => "their contributions cannot be compared".to_string(),
    };
    vec![format!(
        "Terms: of the features that either names for a sample, both name {:.1} % on average; {correlation}.",
        100.0 * overlap
    )]
}
