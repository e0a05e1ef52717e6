//! Milliseconds per explanation: one sample at a time, warm, nothing else running.

use crate::K;
use crate::grid::{Grid, SHOWN_SEED};
use crate::request::Experiment;
use crate::store::{Kept, fingerprint, key};
use crate::{Dataset, machine, paper, table};
use ngsll::Predictor;
use ngsll::data::{Chunk, Samples};
use ngsll::error::Result;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Explanations before the clock starts.
const WARM_UP: usize = 20;

/// The times of one way to explain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// What was measured, as a hash.
    pub fingerprint: String,
    /// The method's name.
    pub method: String,
    /// As tables name it.
    pub title: String,
    /// K.
    pub k: K,
    /// How many samples.
    pub samples: usize,
    /// Milliseconds: first quartile, median, third quartile.
    pub quartiles: [f64; 3],
}

impl Kept for Timing {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// A way to explain one sample.
struct Explainer<'a> {
    method: &'static str,
    title: &'static str,
    k: K,
    /// Explains sample i.
    explain: Box<dyn Fn(usize) -> Result<()> + 'a>,
}

/// Measures, or takes from the store, every way to explain.
pub fn mnist_time(grid: &Grid<'_>) -> Result<Vec<Timing>> {
    let data = grid.problem(Dataset::Mnist, SHOWN_SEED).data;
    let test = data.test.as_ref().expect("MNIST has test images");
    let samples = grid.budget.timed.min(test.len());
    let singles: Vec<Samples> =
        (0..samples).map(|row| Chunk::select(test, &[row]).samples).collect();
    let mut timings = Vec::new();
    for explainer in explainers(grid, &singles)? {
        let key = format!("time-{}-k{}", explainer.method, explainer.k);
        let of = [
            explainer.method,
            &explainer.k.to_string(),
            &samples.to_string(),
            &data.digest,
            &machine::processor().unwrap_or_default(),
            &machine::version(),
        ];
        let fingerprint = fingerprint(&of);
        let timing = match grid.store.find(&key, &fingerprint) {
            Some(timing) => timing,
            None => {
                let Explainer { method, title, k, .. } = explainer;
                let quartiles = measure(samples, &explainer.explain)?;
                let method = method.to_string();
                let timing =
                    Timing { fingerprint, method, title: title.into(), k, samples, quartiles };
                grid.store.save(&key, &timing)?;
                timing
            }
        };
        timings.push(timing);
    }
    Ok(timings)
}

/// The ways to explain. LIME and KernelSHAP on the forest go here.
fn explainers<'a>(grid: &Grid<'_>, singles: &'a [Samples]) -> Result<Vec<Explainer<'a>>> {
    let mut all = Vec::new();
    for &k in grid.ks(Experiment::MnistTime) {
        let key = key(Dataset::Mnist, "ngsll", k, SHOWN_SEED);
        let predictor = Predictor::load(&grid.store.model(&key))?;
        all.push(Explainer {
            method: "ngsll",
            title: "NGSLL",
            k,
            explain: Box::new(move |i| predictor.explain(&singles[i], None).map(drop)),
        });
    }
    Ok(all)
}

fn measure(samples: usize, explain: &dyn Fn(usize) -> Result<()>) -> Result<[f64; 3]> {
    for i in 0..WARM_UP.min(samples) {
        explain(i)?;
    }
    let mut times = Vec::with_capacity(samples);
    for i in 0..samples {
        let started = Instant::now();
        explain(i)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok([0.25, 0.5, 0.75].map(|share| quantile(&times, share)))
}

/// Of sorted values, linear between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = share * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// The times as a table, with the paper's beside.
pub fn markdown(timings: &[Timing]) -> String {
    let header = ["", "K", "median ms", "quartiles", "samples", "paper, mean ms"];
    let rows: Vec<Vec<String>> = timings
        .iter()
        .map(|timing| {
            let [low, median, high] = timing.quartiles;
            let paper = paper::mnist_time(&timing.method, timing.k);
            vec![
                timing.title.clone(),
                timing.k.to_string(),
                format!("{median:.3}"),
                format!("{low:.3} – {high:.3}"),
                timing.samples.to_string(),
                paper.map_or(String::new(), |(mean, sd)| format!("{mean:.2} ± {sd:.2}")),
            ]
        })
        .collect();
    table::markdown(&header.map(String::from), &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([0.25, 0.5, 0.75].map(|q| quantile(&values, q)), [1.75, 2.5, 3.25]);
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
    }
}
