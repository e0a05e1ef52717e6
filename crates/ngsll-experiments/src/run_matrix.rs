//! The matrix of data sets, methods, seeds and K: which results are needed, which of them exist, and the
//! jobs that compute the rest.

use crate::budget::Budget;
use crate::dataset::LoadedDataset;
use crate::methods::{Method, Outcome};
use crate::request::{Experiment, Request};
use crate::split::SeededSplit;
use crate::store::{RunResult, Store, fingerprint, key};
use crate::{K, PaperDataset, machine};
use ngsll::Model;
use ngsll::error::Result;
use ngsll_jobs::{Job, JobProgress};
use std::path::PathBuf;
use std::time::Instant;

/// The seed whose models are saved, drawn and timed.
pub(crate) const SHOWN_SEED: u64 = 0;

/// The inputs of all results.
pub(crate) struct RunMatrix<'a> {
    pub(crate) methods: &'a [Box<dyn Method>],
    /// The data sets that the request needs.
    pub(crate) data: &'a [LoadedDataset],
    pub(crate) budget: &'a Budget,
    pub(crate) store: &'a Store,
}

/// The results that one job computes: a method on a data set with one seed, for some K.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunSpec {
    pub(crate) dataset: PaperDataset,
    /// The method's index in the matrix.
    pub(crate) method: usize,
    pub(crate) seed: u64,
    /// Ascending, without duplicates.
    pub(crate) ks: Vec<K>,
}

impl RunMatrix<'_> {
    /// The runs that a request needs.
    pub(crate) fn specs(&self, request: &Request) -> Vec<RunSpec> {
        let mut all: Vec<RunSpec> = Vec::new();
        let mut add = |dataset: PaperDataset, name: &str, seed: u64, requested: &[K]| {
            let found = self.methods.iter().position(|method| method.name() == name);
            let Some(method) = found.filter(|&at| self.methods[at].runs_on(dataset)) else {
                return;
            };
            let most = self.methods[method].max_seeds(self.budget, dataset);
            if seed >= most && !request.insists_on(name) {
                return;
            }
            let ks = self.methods[method].ks(requested);
            let same = |s: &&mut RunSpec| (s.dataset, s.method, s.seed) == (dataset, method, seed);
            match all.iter_mut().find(same) {
                Some(spec) => spec.ks.extend(ks),
                None => all.push(RunSpec { dataset, method, seed, ks }),
            }
        };
        let compared = |name: &str| self.budget.compares(request, name);
        for experiment in &request.experiments {
            let ks = self.ks(*experiment);
            match experiment {
                Experiment::MnistAccuracy | Experiment::TextAccuracy => {
                    for (dataset, seed) in experiment
                        .datasets()
                        .iter()
                        .flat_map(|d| (0..self.budget.seeds(*d)).map(move |seed| (*d, seed)))
                    {
                        let names = self.methods.iter().map(|method| method.name());
                        names.filter(|n| compared(n)).for_each(|n| add(dataset, n, seed, ks));
                    }
                }
                Experiment::MnistTime => add(PaperDataset::Mnist, "ngsll", SHOWN_SEED, ks),
                Experiment::MnistWeights => {
                    add(PaperDataset::Mnist, "dense", SHOWN_SEED, &[]);
                    add(PaperDataset::Mnist, "ngsll", SHOWN_SEED, ks);
                }
                Experiment::TrecWeights => add(PaperDataset::Trec, "ngsll", SHOWN_SEED, ks),
                Experiment::Honesty => unreachable!("its results are another matrix"),
            }
        }
        for spec in &mut all {
            spec.ks.sort_unstable();
            spec.ks.dedup();
        }
        all.retain(|spec| !spec.ks.is_empty());
        all
    }

    /// The K of an experiment.
    pub(crate) fn ks(&self, experiment: Experiment) -> &[K] {
        match experiment {
            Experiment::MnistAccuracy => &self.budget.image_ks,
            Experiment::TextAccuracy => &self.budget.text_ks,
            _ => &self.budget.shown_ks,
        }
    }

    /// A data set split by a seed.
    pub(crate) fn split(&self, dataset: PaperDataset, seed: u64) -> SeededSplit<'_> {
        let data = self.data.iter().find(|data| data.dataset == dataset);
        let data = data.expect("every data set of the request is loaded");
        SeededSplit { data, seed, budget: self.budget, store: self.store }
    }

    fn split_and_method(&self, spec: &RunSpec) -> (SeededSplit<'_>, &dyn Method) {
        (self.split(spec.dataset, spec.seed), self.methods[spec.method].as_ref())
    }

    /// A hash of everything a result depends on.
    fn fingerprint(&self, spec: &RunSpec, k: K) -> Result<String> {
        let (split, method) = self.split_and_method(spec);
        let configuration = method.configuration(&split)?;
        let (k, seed) = (k.to_string(), spec.seed.to_string());
        Ok(fingerprint(&[method.name(), &configuration, &split.data.digest, &seed, &k]))
    }

    fn key(&self, spec: &RunSpec, k: K) -> String {
        key(spec.dataset, self.methods[spec.method].name(), k, spec.seed)
    }

    /// The stored result, if there is one. Where the model is drawn and timed, it must load as well.
    fn find(&self, spec: &RunSpec, k: K) -> Result<Option<RunResult>> {
        let (key, fingerprint) = (self.key(spec, k), self.fingerprint(spec, k)?);
        let shown = spec.seed == SHOWN_SEED && self.methods[spec.method].keeps_model(k);
        let usable = !shown || Model::load(self.store.model(&key, &fingerprint)).is_ok();
        Ok(self.store.find(&key, &fingerprint).filter(|_| usable))
    }

    /// The fingerprint and the folder of the model of a method.
    pub(crate) fn model(
        &self,
        dataset: PaperDataset,
        name: &str,
        k: K,
    ) -> Result<(String, PathBuf)> {
        let method = self.methods.iter().position(|method| method.name() == name);
        let method = method.expect("models are looked up by the names of methods");
        let spec = RunSpec { dataset, method, seed: SHOWN_SEED, ks: vec![k] };
        let fingerprint = self.fingerprint(&spec, k)?;
        let folder = self.store.model(&self.key(&spec, k), &fingerprint);
        Ok((fingerprint, folder))
    }

    /// The results that exist.
    pub(crate) fn results(&self, specs: &[RunSpec]) -> Result<Vec<RunResult>> {
        let mut results = Vec::new();
        for spec in specs {
            for &k in &spec.ks {
                results.extend(self.find(spec, k)?);
            }
        }
        Ok(results)
    }

    /// A job for each run with a missing result.
    pub(crate) fn jobs(&self, specs: &[RunSpec]) -> Result<Vec<Job<RunSpec>>> {
        let mut jobs = Vec::new();
        for spec in specs {
            let mut missing = spec.clone();
            missing.ks.clear();
            for &k in &spec.ks {
                if self.find(spec, k)?.is_none() {
                    missing.ks.push(k);
                }
            }
            if missing.ks.is_empty() {
                continue;
            }
            let (split, method) = self.split_and_method(spec);
            let trainings = method.trainings(&split, &missing.ks);
            let epochs = trainings * split.config().training.epochs.unwrap_or(1) as f64;
            jobs.push(Job {
                title: title(method.title(), &missing),
                cost: epochs * split.train_size() as f64 * sample_cost(spec.dataset),
                epochs,
                task: missing,
            });
        }
        Ok(jobs)
    }

    /// Computes and stores results.
    pub(crate) fn compute(&self, spec: &RunSpec, progress: &mut JobProgress<'_>) -> Result<()> {
        let (split, method) = self.split_and_method(spec);
        let started = Instant::now();
        method.run(&split, &spec.ks, progress, &mut |outcome| {
            let Outcome { k, test, valid, configuration, model } = outcome;
            let (key, fingerprint) = (self.key(spec, k), self.fingerprint(spec, k)?);
            if let Some(model) = model.filter(|_| spec.seed == SHOWN_SEED) {
                self.store.save_model(&key, &fingerprint, model, split.examples()?)?;
            }
            let result = RunResult {
                dataset: spec.dataset.name().to_string(),
                method: method.name().to_string(),
                k,
                seed: spec.seed,
                test_accuracy: test,
                validation_accuracy: valid,
                seconds_since_job_start: started.elapsed().as_secs_f64(),
                job_ks: spec.ks.clone(),
                configuration,
                version: machine::version(),
                machine: machine::describe(),
            };
            self.store.save(&key, &fingerprint, &result)
        })
    }
}

fn title(method: &str, spec: &RunSpec) -> String {
    let ks: Vec<String> = spec.ks.iter().map(K::to_string).collect();
    format!("{} {method} K={} seed {}", spec.dataset.title(), ks.join(","), spec.seed)
}

/// Roughly how long training takes per sample, relative to MNIST; only used to estimate the time left.
fn sample_cost(dataset: PaperDataset) -> f64 {
    match dataset {
        PaperDataset::Mnist | PaperDataset::Trec => 1.0,
        PaperDataset::Mpqa => 0.4,
        PaperDataset::Subj => 2.3,
    }
}

#[cfg(test)]
mod tests;
