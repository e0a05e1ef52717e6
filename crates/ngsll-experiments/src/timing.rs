//! Milliseconds per explanation: one sample at a time, after a warm-up and after all jobs.

use crate::K;
use crate::methods::{dense_z, fit_forest};
use crate::request::Experiment;
use crate::run_matrix::{RunMatrix, SHOWN_SEED};
use crate::store::fingerprint;
use crate::{PaperDataset, machine, paper, table};
use ngsll::error::Result;
use ngsll::{Dataset, Model};
use ngsll_baselines::{Forest, KernelShap, KernelShapOptions, LimeOptions, lime};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The number of explanations before timing starts.
const WARM_UP: usize = 20;

/// The times of an explainer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timing {
    /// The explainer's name in `times.csv`.
    pub(crate) method: String,
    /// Its name in the table.
    pub(crate) title: String,
    pub(crate) k: K,
    /// The number of timed explanations.
    pub(crate) samples: usize,
    /// Milliseconds: first quartile, median, third quartile.
    pub(crate) quartiles: [f64; 3],
}

/// The explainers that are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Explainer {
    Ngsll,
    /// On a random forest over the cells, as in the paper.
    Lime,
    /// On the same forest.
    KernelShap,
    /// No explanation but a single prediction of that forest; LIME and KernelSHAP need thousands each.
    ForestPrediction,
}

/// The number of features that LIME and KernelSHAP keep: the default of their authors' packages.
const FEATURES_KEPT: usize = 10;

/// The number of background rows that KernelSHAP takes the values of absent features from.
const BACKGROUND: usize = 10;

fn lime_options() -> LimeOptions {
    LimeOptions::default().k(FEATURES_KEPT)
}

fn shap_options() -> KernelShapOptions {
    KernelShapOptions::default().k(FEATURES_KEPT)
}

impl Explainer {
    fn method(self) -> &'static str {
        match self {
            Self::Ngsll => "ngsll",
            Self::Lime => "lime",
            Self::KernelShap => "kernel-shap",
            Self::ForestPrediction => "forest",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Ngsll => "NGSLL",
            Self::Lime => "LIME (ours) on a random forest",
            Self::KernelShap => "KernelSHAP (ours) on a random forest",
            Self::ForestPrediction => "one prediction of that forest",
        }
    }
}

/// The times of all explainers, measured or from the store.
pub(crate) fn mnist_time(matrix: &RunMatrix<'_>) -> Result<Vec<Timing>> {
    let test = matrix.split(PaperDataset::Mnist, SHOWN_SEED).data.test.as_ref();
    let test = test.expect("MNIST has test images");
    let samples = matrix.budget.timed.min(test.len());
    let ngsll: Vec<(Explainer, K)> =
        matrix.ks(Experiment::MnistTime).iter().map(|&k| (Explainer::Ngsll, k)).collect();
    let mut timings = stored_or(matrix, samples, &ngsll, || {
        time_ngsll(matrix, test, matrix.ks(Experiment::MnistTime), samples)
    })?;
    let on_forest = [
        (Explainer::Lime, K::Top(FEATURES_KEPT)),
        (Explainer::KernelShap, K::Top(FEATURES_KEPT)),
        (Explainer::ForestPrediction, K::All),
    ];
    timings.extend(stored_or(matrix, samples, &on_forest, || {
        let forest = ExplainedForest::fit(matrix, samples)?;
        Ok(vec![forest.lime()?, forest.kernel_shap()?, forest.prediction()?])
    })?);
    Ok(timings)
}

/// The stored times of these explainers or, if any is missing, a new measurement of all of them: times
/// are comparable only within one measurement.
fn stored_or(
    matrix: &RunMatrix<'_>,
    samples: usize,
    explainers: &[(Explainer, K)],
    measure: impl FnOnce() -> Result<Vec<[f64; 3]>>,
) -> Result<Vec<Timing>> {
    let data = matrix.split(PaperDataset::Mnist, SHOWN_SEED).data;
    let identify = |&(explainer, k): &(Explainer, K)| -> Result<(String, String)> {
        let model = match explainer {
            Explainer::Ngsll => matrix.model(PaperDataset::Mnist, "ngsll", k)?.0,
            Explainer::Lime => format!("{:?}", lime_options()),
            Explainer::KernelShap => format!("{:?} {BACKGROUND}", shap_options()),
            Explainer::ForestPrediction => String::new(),
        };
        let parts = [
            explainer.method(),
            &model,
            &samples.to_string(),
            &data.digest,
            &machine::describe(),
            &machine::version(),
        ];
        Ok((format!("time-{}-k{k}", explainer.method()), fingerprint(&parts)))
    };
    let ids = explainers.iter().map(identify).collect::<Result<Vec<_>>>()?;
    let stored: Option<Vec<Timing>> =
        ids.iter().map(|(key, fingerprint)| matrix.store.find(key, fingerprint)).collect();
    if let Some(stored) = stored {
        return Ok(stored);
    }
    let mut timings = Vec::new();
    for (((explainer, k), (key, fingerprint)), quartiles) in
        explainers.iter().zip(ids).zip(measure()?)
    {
        let (method, title) = (explainer.method().to_string(), explainer.title().to_string());
        let timing = Timing { method, title, k: *k, samples, quartiles };
        matrix.store.save(&key, &fingerprint, &timing)?;
        timings.push(timing);
    }
    Ok(timings)
}

/// NGSLL, from the image to the named terms. The models take turns, so that changes in the machine's
/// load affect all of them.
fn time_ngsll(
    matrix: &RunMatrix<'_>,
    test: &Dataset,
    ks: &[K],
    samples: usize,
) -> Result<Vec<[f64; 3]>> {
    let load = |&k: &K| Model::load(matrix.model(PaperDataset::Mnist, "ngsll", k)?.1);
    let models = ks.iter().map(load).collect::<Result<Vec<_>>>()?;
    let singles: Vec<Dataset> = (0..samples).map(|row| test.select(&[row])).collect();
    measure(samples, models.len(), &|model, i| models[model].explain(&singles[i]).map(drop))
}

/// A random forest over z, and the data its explainers use.
struct ExplainedForest {
    forest: Forest,
    d: usize,
    /// z of the training images: `[images, d]`
    train: Vec<f32>,
    /// z of the explained images: `[samples, d]`
    test: Vec<f32>,
}

impl ExplainedForest {
    fn fit(matrix: &RunMatrix<'_>, samples: usize) -> Result<Self> {
        let split = matrix.split(PaperDataset::Mnist, SHOWN_SEED);
        let setup = split.setup(split.config())?;
        let d = setup.representation().features();
        let train = dense_z(&setup, &split.train(&setup))?;
        let forest = fit_forest(&setup, &train, SHOWN_SEED)?;
        let rows: Vec<usize> = (0..samples).collect();
        let (test, _) = dense_z(&setup, &split.test(&setup).select(&rows))?;
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

    fn prediction(&self) -> Result<[f64; 3]> {
        let predict = |_, i| {
            std::hint::black_box(self.forest.probabilities(self.sample(i)));
            Ok(())
        };
        Ok(measure(self.test.len() / self.d, 1, &predict)?[0])
    }
}

/// The quartiles of the times of `explain(model, sample)` for each model; the models take turns.
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

/// A quantile of sorted values, with linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = share * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// The times as a table, next to the paper's.
pub(crate) fn markdown(timings: &[Timing]) -> String {
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
    fn quantiles_are_interpolated() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([0.25, 0.5, 0.75].map(|q| quantile(&values, q)), [1.75, 2.5, 3.25]);
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
    }
}
