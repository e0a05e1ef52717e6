//! The page that combines tables and figures.

mod mnist;
mod text;

pub(crate) use mnist::mnist_accuracy;
pub(crate) use text::{text_accuracy, text_figure};

use crate::budget::Budget;
use crate::machine;
use crate::request::{HEADING, Request};
use crate::store::RunResult;
use crate::table::markdown;
use crate::timing::{self, Timing};
use ngsll_jobs::Failure;
use std::collections::{BTreeMap, BTreeSet};

/// A section of the page.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) title: String,
    /// Markdown.
    pub(crate) body: String,
}

/// The whole page.
pub(crate) fn page(
    request: &Request,
    budget: &Budget,
    results: &[RunResult],
    notes: &[String],
    sections: &[Section],
) -> String {
    let head = format!("{HEADING}\n\n{INTRODUCTION}");
    assemble(&head, &facts(request, results), &budget.omissions(request), notes, sections)
}

/// A page of heading and introduction, facts, what was omitted, notes and sections.
pub(crate) fn assemble(
    head: &str,
    facts: &str,
    omissions: &[String],
    notes: &[String],
    sections: &[Section],
) -> String {
    let mut text = format!("{head}\n\n{facts}");
    for (title, items) in [("What --quick left out", omissions), ("Notes", notes)] {
        if !items.is_empty() {
            text += &format!("\n## {title}\n\n");
            items.iter().for_each(|item| text += &format!("- {item}\n"));
        }
    }
    for Section { title, body } in sections {
        text += &format!("\n## {title}\n\n{body}");
    }
    text
}

/// A note for each job without result.
pub(crate) fn failure_notes(failures: &[Failure]) -> Vec<String> {
    failures.iter().map(|f| format!("{} has no result: {}", f.title, f.error)).collect()
}

/// How, by what and where the results were computed.
fn facts(request: &Request, results: &[RunResult]) -> String {
    // The last result of a job has the time of the whole job.
    let mut jobs: BTreeMap<_, f64> = BTreeMap::new();
    for r in results {
        let seconds = jobs.entry((&r.dataset, &r.method, r.seed, &r.job_ks)).or_default();
        *seconds = seconds.max(r.seconds_since_job_start);
    }
    let seconds: f64 = jobs.values().sum();
    let distinct = |of: fn(&RunResult) -> &str| results.iter().map(of).collect();
    let versions = distinct(|result| &result.version);
    facts_table(&request.command, versions, distinct(|result| &result.machine), seconds)
}

/// The same as a table, for results of any kind.
pub(crate) fn facts_table(
    command: &str,
    versions: BTreeSet<&str>,
    machines: BTreeSet<&str>,
    seconds: f64,
) -> String {
    let joined = |all: BTreeSet<&str>| all.into_iter().collect::<Vec<_>>().join("; ");
    let rows = [
        ("command", format!("`{command}`")),
        ("computed by version", joined(versions)),
        ("machine", joined(machines)),
        ("drawn by version", machine::version()),
        ("time of all jobs", format!("{:.1} min on one thread each", seconds / 60.0)),
    ];
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(a, b)| vec![a.to_string(), b]).collect();
    markdown(&["".to_string(), "".to_string()], &rows)
}

/// The number of seeds that a row of a table is the mean of.
fn seeds(results: &[RunResult], dataset: &str, method: &str) -> usize {
    let own = results.iter().filter(|r| r.dataset == dataset && r.method == method);
    own.map(|r| r.seed).collect::<BTreeSet<_>>().len()
}

/// The table of times.
pub(crate) fn mnist_time(timings: &[Timing]) -> Section {
    let body = format!("{TIME}\n\n{}", timing::markdown(timings));
    Section { title: "Time per explanation on MNIST".into(), body }
}

/// The figure of the weights on MNIST.
pub(crate) fn mnist_weights(figure: &str) -> Section {
    let title = "Weights on MNIST";
    let body = format!("{MNIST_WEIGHTS}\n\n![{title}]({figure})\n");
    Section { title: title.into(), body }
}

/// The figure of the weights on TREC.
pub(crate) fn trec_weights(figure: &str) -> Section {
    let title = "Weights on TREC";
    let body = format!("{TREC_WEIGHTS}\n\n![{title}]({figure})\n");
    Section { title: title.into(), body }
}

const INTRODUCTION: &str = "Yoshikawa & Iwata, *Neural Generators of Sparse Local Linear Models for Achieving both Accuracy and \
    Interpretability* (2020). Columns labelled \"paper\" show the authors' numbers; all others were computed by this program. \
    Accuracies are means over lines of [results.csv](results.csv). There, `epochs=` is an upper limit: each training stage \
    ends as soon as the validation loss stops falling (the lines of AME give both numbers).";

const TIME: &str = "One sample at a time, after a warm-up and after all trainings. NGSLL: from the image to the named terms, on one \
    thread. LIME and KernelSHAP: from the cells of the image to the terms, on all cores, for a random forest of 100 trees over the \
    cells; LIME with 5,000 perturbed samples, KernelSHAP with up to 2,146 coalitions and 10 background rows; both implemented in \
    Rust, both keeping 10 cells. The paper's times were measured with other programs on another machine.";

const MNIST_WEIGHTS: &str = "The first test image of each digit; seed 0. Red weights favour high (5–9), blue weights low (0–4); \
    stronger colours mean larger weights within an image. The predicted class is given below each image. Cells without ink are \
    masked and have no weight.";

const TREC_WEIGHTS: &str = "The first test question of each answer type; seed 0. Words on red favour the predicted type, words on \
    blue count against it; stronger colours mean larger weights within a sentence. Grey words are not in the vocabulary. The true \
    type is in bold.";

#[cfg(test)]
mod tests;
