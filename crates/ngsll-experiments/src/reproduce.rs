//! From a request to a filled folder.

use crate::dataset::Data;
use crate::grid::Grid;
use crate::methods::{self, Method};
use crate::page::{self, Section};
use crate::pool::{self, Failure, Observer};
use crate::request::{Experiment, PAGE, Request};
use crate::store::Store;
use crate::{results, time, weights};
use ngsll::error::Result;
use ngsll::files::write_atomic;
use ngsll_view::figure::{Fonts, png};
use std::path::Path;

/// Computes what is missing and writes `results.csv`, the figures and `README.md`.
///
/// Finished cells stay when it is stopped; the same request goes on from there. Jobs that failed are
/// given back and named on the page, which has all the others.
pub fn reproduce(request: &Request, observer: &dyn Observer) -> Result<Vec<Failure>> {
    request.check()?;
    let budget = request.budget();
    let load = |dataset| Data::load(dataset, &request.data);
    let data = request.datasets().into_iter().map(load).collect::<Result<Vec<_>>>()?;
    let store = Store::open(&request.out)?;
    let methods = methods::all();
    let grid = Grid { methods: &methods, data: &data, budget: &budget, store: &store };
    let wanted = grid.wanted(request);
    let jobs = grid.jobs(&wanted)?;
    let failures =
        pool::run(jobs, request.jobs, observer, |wanted, watch| grid.compute(wanted, watch))?;
    let cells = grid.cells(&wanted)?;
    write_atomic(&request.out.join("results.csv"), results::csv(&cells).as_bytes())?;
    let fonts = Fonts::of_system();
    let figure = |name: &str, svg: &str| draw(&request.out, name, svg, &fonts);
    // Those that are only drawn or timed are no part of a comparison.
    let compared: Vec<&dyn Method> = methods
        .iter()
        .map(Box::as_ref)
        .filter(|method| budget.compares(request, method.name()))
        .collect();
    let section = |experiment: Experiment| -> Result<Section> {
        let ks = grid.ks(experiment);
        Ok(match experiment {
            Experiment::MnistAccuracy => page::mnist_accuracy(&compared, ks, &cells, &budget),
            Experiment::TextAccuracy => {
                figure("text-accuracy", &page::text_figure(&compared, ks, &cells))?;
                page::text_accuracy(&compared, ks, &cells, "text-accuracy.svg")
            }
            Experiment::MnistTime => {
                let timings = time::mnist_time(&grid)?;
                write_atomic(&request.out.join("times.csv"), time::csv(&timings).as_bytes())?;
                let body = TIME_SAYS.to_string() + &time::markdown(&timings);
                Section { title: "Time per explanation on MNIST".into(), body }
            }
            Experiment::MnistWeights => {
                figure("mnist-weights", &weights::mnist(&grid)?)?;
                Section { title: "Weights on MNIST".into(), body: MNIST_SAYS.into() }
            }
            Experiment::TrecWeights => {
                figure("trec-weights", &weights::trec(&grid)?)?;
                Section { title: "Weights on TREC".into(), body: TREC_SAYS.into() }
            }
        })
    };
    let mut notes: Vec<String> =
        failures.iter().map(|f| format!("{} has no result: {}", f.title, f.error)).collect();
    let mut sections = Vec::new();
    for experiment in Experiment::ALL.into_iter().filter(|e| request.experiments.contains(e)) {
        match section(experiment) {
            Ok(section) => sections.push(section),
            // It may need a model that was to come from a job that failed.
            Err(error) if !failures.is_empty() => {
                notes.push(format!("{experiment:?} is left out: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    if fonts.is_empty() {
        notes.push("No font was found on this system: the PNG figures have no letters, the SVG figures do.".into());
    }
    let page = page::page(request, &budget, &cells, &notes, &sections);
    write_atomic(&request.out.join(PAGE), page.as_bytes())?;
    Ok(failures)
}

fn draw(out: &Path, name: &str, svg: &str, fonts: &Fonts) -> Result<()> {
    write_atomic(&out.join(format!("{name}.svg")), svg.as_bytes())?;
    write_atomic(&out.join(format!("{name}.png")), &png(svg, fonts)?)
}

const TIME_SAYS: &str = "One sample at a time, warm, after all trainings. NGSLL: from the image to the named terms, on one \
    thread. LIME and KernelSHAP: from the cells of the image to the terms, on all cores, for a random forest of 100 trees over the cells; LIME \
    with 5,000 perturbed samples, KernelSHAP with up to 2,146 coalitions and 10 background rows; both in Rust, both keeping 10 cells. The paper's times are of \
    other programs on another machine.\n\n";
const MNIST_SAYS: &str = "The first test image of each digit; seed 0. Red weights speak for high (5–9), blue ones for low \
    (0–4), stronger colours for larger weights within an image. The predicted class stands below. Cells without ink are \
    masked and have no weight.\n\n![Weights on MNIST](mnist-weights.svg)\n";
const TREC_SAYS: &str = "The first test question of each answer type; seed 0. Words on red speak for the predicted type, \
    words on blue against it, stronger colours for larger weights within a sentence. Grey words are not in the vocabulary. \
    In bold the true type.\n\n![Weights on TREC](trec-weights.svg)\n";
