//! Milliseconds per explanation: one sample at a time, warm, after all jobs.

use crate::K;
use crate::grid::{Grid, SHOWN_SEED};
use crate::methods::{dense_z, fit_forest};
use crate::request::Experiment;
use crate::results::csv_text;
use crate::store::{Kept, fingerprint};
use crate::{Dataset, machine, paper, table};
use ngsll::Predictor;
use ngsll::data::{Chunk, Samples};
use ngsll::error::Result;
use ngsll_baselines::{Forest, KernelShap, KernelShapOptions, LimeOptions, lime};
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Ngsll,
    /// On the forest over the cells, as in the paper, and so is the next one.
    Lime,
    KernelShap,
    /// No explanation: what the forest takes for a prediction, of which both ask for thousands.
    Forest,
}

/// Features that LIME and KernelSHAP keep, which is what their authors' packages do by default.
const KEPT: usize = 10;

/// Rows that KernelSHAP fills absent features from.
const BACKGROUND: usize = 10;

fn lime_options() -> LimeOptions {
    LimeOptions { k: KEPT, ..LimeOptions::default() }
}

fn shap_options() -> KernelShapOptions {
    KernelShapOptions { k: Some(KEPT), ..KernelShapOptions::default() }
}

impl Way {
    fn method(self) -> &'static str {
        match self {
            Self::Ngsll => "ngsll",
            Self::Lime => "lime",
            Self::KernelShap => "kernel-shap",
            Self::Forest => "forest",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Ngsll => "NGSLL",
            Self::Lime => "LIME (ours) on a random forest",
            Self::KernelShap => "KernelSHAP (ours) on a random forest",
            Self::Forest => "one prediction of that forest",
        }
    }
}

/// Measures, or takes from the store, every way to explain.
pub fn mnist_time(grid: &Grid<'_>) -> Result<Vec<Timing>> {
    let test = grid.problem(Dataset::Mnist, SHOWN_SEED).data.test.as_ref();
    let test = test.expect("MNIST has test images");
    let samples = grid.budget.timed.min(test.len());
    let ours: Vec<(Way, K)> =
        grid.ks(Experiment::MnistTime).iter().map(|&k| (Way::Ngsll, k)).collect();
    let mut timings = kept_or(grid, samples, &ours, || {
        ngsll(grid, test, grid.ks(Experiment::MnistTime), samples)
    })?;
    let after = [(Way::Lime, K::Top(KEPT)), (Way::KernelShap, K::Top(KEPT)), (Way::Forest, K::All)];
    timings.extend(kept_or(grid, samples, &after, || {
        let forest = Explained::fit(grid, samples)?;
        Ok(vec![forest.lime()?, forest.kernel_shap()?, forest.alone()?])
    })?);
    Ok(timings)
}

/// The kept times of these ways or, where one is missing, those of a new measurement of all.
fn kept_or(
    grid: &Grid<'_>,
    samples: usize,
    ways: &[(Way, K)],
    measure: impl FnOnce() -> Result<Vec<[f64; 3]>>,
) -> Result<Vec<Timing>> {
    let data = grid.problem(Dataset::Mnist, SHOWN_SEED).data;
    let named = |&(way, k): &(Way, K)| -> Result<(String, String)> {
        let model = match way {
            Way::Ngsll => grid.model(Dataset::Mnist, "ngsll", k)?.0,
            Way::Lime => format!("{:?}", lime_options()),
            Way::KernelShap => format!("{:?} {BACKGROUND}", shap_options()),
            Way::Forest => String::new(),
        };
        let of = [
            way.method(),
            &model,
            &samples.to_string(),
            &data.digest,
            &machine::describe(),
            &machine::version(),
        ];
        Ok((format!("time-{}-k{k}", way.method()), fingerprint(&of)))
    };
    let names = ways.iter().map(named).collect::<Result<Vec<_>>>()?;
    let kept: Option<Vec<Timing>> =
        names.iter().map(|(key, fingerprint)| grid.store.find(key, fingerprint)).collect();
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let mut timings = Vec::new();
    for (((way, k), (key, fingerprint)), quartiles) in ways.iter().zip(names).zip(measure()?) {
        let (method, title) = (way.method().to_string(), way.title().to_string());
        let timing = Timing { fingerprint, method, title, k: *k, samples, quartiles };
        grid.store.save(&key, &timing)?;
        timings.push(timing);
    }
    Ok(timings)
}

/// From the image to the named terms. The models take turns, so that all meet the same machine.
fn ngsll(grid: &Grid<'_>, test: &Chunk, ks: &[K], samples: usize) -> Result<Vec<[f64; 3]>> {
    let load = |&k: &K| Predictor::load(&grid.model(Dataset::Mnist, "ngsll", k)?.1);
    let predictors = ks.iter().map(load).collect::<Result<Vec<_>>>()?;
    let singles: Vec<Samples> =
        (0..samples).map(|row| Chunk::select(test, &[row]).samples).collect();
    measure(samples, predictors.len(), &|model, i| {
        predictors[model].explain(&singles[i], None).map(drop)
    })
}

/// A random forest over z, and what it is explained with.
struct Explained {
    forest: Forest,
    d: usize,
    /// z of the images it learned from: [images, d]
    train: Vec<f32>,
    /// z of those that are explained.
    test: Vec<f32>,
}

impl Explained {
    fn fit(grid: &Grid<'_>, samples: usize) -> Result<Self> {
        let problem = grid.problem(Dataset::Mnist, SHOWN_SEED);
        let prepared = problem.prepare(problem.config())?;
        let d = prepared.representation.features();
        let train = dense_z(&prepared, &problem.train(&prepared))?;
        let forest = fit_forest(&prepared, &train, SHOWN_SEED)?;
        let rows: Vec<usize> = (0..samples).collect();
        let (test, _) = dense_z(&prepared, &problem.test(&prepared).select(&rows))?;
        Ok(Self { forest, d, train: train.0, test })
    }

    fn model(&self) -> impl Fn(&[f32], usize) -> Result<Vec<f64>> + '_ {
        |rows, _| Ok(self.forest.probabilities(rows))
    }

    fn sample(&self, i: usize) -> &[f32] {
        &self.test[i * self.d..][..self.d]
    }

    fn lime(&self) -> Result<[f64; 3]> {
        let tabular = lime::Tabular::fit(&self.train, self.d)?;
        let options = lime_options();
        let times = measure(self.test.len() / self.d, 1, &|_, i| {
            tabular.explain(&self.model(), self.sample(i), &[1], &options).map(drop)
        })?;
        Ok(times[0])
    }

    fn kernel_shap(&self) -> Result<[f64; 3]> {
        let background = self.train[..BACKGROUND.min(self.train.len() / self.d) * self.d].to_vec();
        let shap = KernelShap::new(self.model(), background, self.d, shap_options())?;
        let explain = |_, i| shap.explain(self.sample(i), &[1]).map(drop);
        Ok(measure(self.test.len() / self.d, 1, &explain)?[0])
    }

    fn alone(&self) -> Result<[f64; 3]> {
        let predict = |_, i| {
            std::hint::black_box(self.forest.probabilities(self.sample(i)));
            Ok(())
        };
        Ok(measure(self.test.len() / self.d, 1, &predict)?[0])
    }
}

/// `times.csv`: a line for each way to explain.
pub fn csv(timings: &[Timing]) -> String {
    let header = ["method", "k", "samples", "first_quartile_ms", "median_ms", "third_quartile_ms"];
    let records = timings.iter().map(|t| {
        let [low, median, high] = t.quartiles.map(|ms| format!("{ms:.4}"));
        [t.method.clone(), t.k.to_string(), t.samples.to_string(), low, median, high]
    });
    csv_text(header, records)
}

/// Quartiles of the times of `explain(model, sample)` for each model, which take turns.
fn measure(
    samples: usize,
    models: usize,
    explain: &dyn Fn(usize, usize) -> Result<()>,
) -> Result<Vec<[f64; 3]>> {
    for i in 0..WARM_UP.min(samples) {
        (0..models).try_for_each(|model| explain(model, i))?;
    }
    let mut times = vec![Vec::with_capacity(samples); models];
    for i in 0..samples {
        for (model, times) in times.iter_mut().enumerate() {
            let started = Instant::now();
            explain(model, i)?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    let quartiles = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        [0.25, 0.5, 0.75].map(|share| quantile(times, share))
    };
    Ok(times.iter_mut().map(quartiles).collect())
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
                match paper {
                    Some((mean, Some(sd))) => format!("{mean:.2} ± {sd:.2}"),
                    Some((mean, None)) => mean.to_string(),
                    None => String::new(),
                },
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
