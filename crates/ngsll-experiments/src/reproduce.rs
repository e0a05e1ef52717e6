//! From a request to a filled folder.

use crate::budget::Budget;
use crate::dataset::LoadedDataset;
use crate::methods::{self, Method};
use crate::page::{self, Section};
use crate::png_copies::PngCopies;
use crate::request::{Experiment, PAGE, Request};
use crate::run_matrix::RunMatrix;
use crate::store::{RunResult, Store};
use crate::{csv_files, honesty, timing, weight_figures};
use ngsll::error::Result;
use ngsll_jobs::{Failure, Observer, write_atomic};
use std::path::Path;

/// Computes the missing results and writes `results.csv`, the figures and `README.md`.
///
/// Finished results are kept when it is stopped; the same request continues from them. Jobs that fail
/// do not stop the others: they are returned, and named on the page.
pub fn reproduce(request: &Request, observer: &dyn Observer) -> Result<Vec<Failure>> {
    request.check()?;
    if request.is_honesty() {
        return honesty::reproduce(request, observer);
    }
    let budget = request.budget();
    let load = |dataset| LoadedDataset::load(dataset, &request.data);
    let data = request.datasets().into_iter().map(load).collect::<Result<Vec<_>>>()?;
    let store = Store::open(&request.out)?;
    let methods = methods::all();
    let matrix = RunMatrix { methods: &methods, data: &data, budget: &budget, store: &store };
    let specs = matrix.specs(request);
    let jobs = matrix.jobs(&specs)?;
    let failures =
        ngsll_jobs::run(jobs, request.jobs, 1, observer, |spec, job| matrix.compute(spec, job))?;
    let results = matrix.results(&specs)?;
    write_atomic(&request.out.join("results.csv"), csv_files::results(&results).as_bytes())?;
    write_page(request, &budget, &matrix, &results, &failures)?;
    Ok(failures)
}

/// Writes the page, and the files it shows or refers to.
fn write_page(
    request: &Request,
    budget: &Budget,
    matrix: &RunMatrix<'_>,
    results: &[RunResult],
    failures: &[Failure],
) -> Result<()> {
    let copies = PngCopies::new();
    // Methods that are only drawn or timed are not part of a comparison.
    let compared: Vec<&dyn Method> = matrix
        .methods
        .iter()
        .map(Box::as_ref)
        .filter(|method| budget.compares(request, method.name()))
        .collect();
    let figure = |name: &str, svg: &str| draw(&request.out, name, svg, &copies);
    let section = |experiment: Experiment| -> Result<Section> {
        let ks = matrix.ks(experiment);
        Ok(match experiment {
            Experiment::MnistAccuracy => page::mnist_accuracy(&compared, ks, results, budget),
            Experiment::TextAccuracy => {
                let svg = page::text_figure(&compared, ks, results);
                page::text_accuracy(&compared, ks, results, &figure("text-accuracy", &svg)?)
            }
            Experiment::MnistTime => {
                let timings = timing::mnist_time(matrix)?;
                let csv = csv_files::times(&timings);
                write_atomic(&request.out.join("times.csv"), csv.as_bytes())?;
                page::mnist_time(&timings)
            }
            Experiment::MnistWeights => {
                page::mnist_weights(&figure("mnist-weights", &weight_figures::mnist(matrix)?)?)
            }
            Experiment::TrecWeights => {
                page::trec_weights(&figure("trec-weights", &weight_figures::trec(matrix)?)?)
            }
            Experiment::Honesty => unreachable!("it has a page of its own"),
        })
    };
    let mut notes = page::failure_notes(failures);
    let mut sections = Vec::new();
    for experiment in Experiment::ALL.into_iter().filter(|e| request.experiments.contains(e)) {
        match section(experiment) {
            Ok(section) => sections.push(section),
            // It may need a model that a failed job should have trained.
            Err(error) if !failures.is_empty() => {
                notes.push(format!("{experiment:?} is left out: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    notes.extend(copies.note().map(String::from));
    let page = page::page(request, budget, results, &notes, &sections);
    write_atomic(&request.out.join(PAGE), page.as_bytes())
}

/// Writes a figure as SVG, and as PNG where that is built in; returns the name of the SVG file.
pub(crate) fn draw(out: &Path, name: &str, svg: &str, copies: &PngCopies) -> Result<String> {
    let file = format!("{name}.svg");
    write_atomic(&out.join(&file), svg.as_bytes())?;
    copies.write(&out.join(format!("{name}.png")), svg)?;
    Ok(file)
}
