//! Which cells are wanted, which of them are done, and the jobs that compute the rest.

use crate::budget::Budget;
use crate::dataset::Data;
use crate::methods::{Found, Method};
use crate::pool::{Job, Watch};
use crate::problem::Problem;
use crate::request::{Experiment, Request};
use crate::store::{Cell, Store, fingerprint, key};
use crate::{Dataset, K, machine};
use ngsll::Predictor;
use ngsll::error::Result;
use std::path::PathBuf;
use std::time::Instant;

/// The seed whose models are kept, drawn and timed.
pub const SHOWN_SEED: u64 = 0;

/// Everything that cells are computed from.
pub struct Grid<'a> {
    /// The methods.
    pub methods: &'a [Box<dyn Method>],
    /// The data sets that are read.
    pub data: &'a [Data],
    /// How much is computed.
    pub budget: &'a Budget,
    /// Where finished cells are.
    pub store: &'a Store,
}

/// Cells that one job computes: a method with a seed, for some K.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The data set.
    pub dataset: Dataset,
    /// The method's place in the list.
    pub method: usize,
    /// The seed.
    pub seed: u64,
    /// The K, rising.
    pub ks: Vec<K>,
}

impl Grid<'_> {
    /// The cells that the request asks for.
    pub fn wanted(&self, request: &Request) -> Vec<Wanted> {
        let mut all: Vec<Wanted> = Vec::new();
        let mut add = |dataset: Dataset, name: &str, seed: u64, asked: &[K]| {
            let found = self.methods.iter().position(|method| method.name() == name);
            let Some(method) = found.filter(|&at| self.methods[at].runs_on(dataset)) else {
                return;
            };
            let most = self.methods[method].most_seeds(self.budget, dataset);
            if seed >= most && !request.insists_on(name) {
                return;
            }
            let ks = self.methods[method].ks(asked);
            let same = |w: &&mut Wanted| (w.dataset, w.method, w.seed) == (dataset, method, seed);
            match all.iter_mut().find(same) {
                Some(wanted) => wanted.ks.extend(ks),
                None => all.push(Wanted { dataset, method, seed, ks }),
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
                Experiment::MnistTime => add(Dataset::Mnist, "ngsll", SHOWN_SEED, ks),
                Experiment::MnistWeights => {
                    add(Dataset::Mnist, "dense", SHOWN_SEED, &[]);
                    add(Dataset::Mnist, "ngsll", SHOWN_SEED, ks);
                }
                Experiment::TrecWeights => add(Dataset::Trec, "ngsll", SHOWN_SEED, ks),
            }
        }
        for wanted in &mut all {
            wanted.ks.sort_unstable();
            wanted.ks.dedup();
        }
        all.retain(|wanted| !wanted.ks.is_empty());
        all
    }

    /// The K of an experiment.
    pub fn ks(&self, experiment: Experiment) -> &[K] {
        match experiment {
            Experiment::MnistAccuracy => &self.budget.image_ks,
            Experiment::TextAccuracy => &self.budget.text_ks,
            _ => &self.budget.shown_ks,
        }
    }

    /// The problem of a data set with a seed.
    pub fn problem(&self, dataset: Dataset, seed: u64) -> Problem<'_> {
        let data = self.data.iter().find(|data| data.dataset == dataset);
        let data = data.expect("every data set of the request was read");
        Problem { data, seed, budget: self.budget, store: self.store }
    }

    /// What a cell depends on.
    pub fn fingerprint(&self, wanted: &Wanted, k: K) -> Result<String> {
        let (problem, method) =
            (self.problem(wanted.dataset, wanted.seed), &self.methods[wanted.method]);
        let configuration = method.configuration(&problem)?;
        let (k, seed) = (k.to_string(), wanted.seed.to_string());
        Ok(fingerprint(&[method.name(), &configuration, &problem.data.digest, &seed, &k]))
    }

    fn key(&self, wanted: &Wanted, k: K) -> String {
        key(wanted.dataset, self.methods[wanted.method].name(), k, wanted.seed)
    }

    /// The cell, if it is done. Where models are drawn and timed, its model must be there as well, and whole.
    fn find(&self, wanted: &Wanted, k: K) -> Result<Option<Cell>> {
        let (key, fingerprint) = (self.key(wanted, k), self.fingerprint(wanted, k)?);
        let method = &self.methods[wanted.method];
        let shown = wanted.seed == SHOWN_SEED && method.keeps_model(k);
        let whole = !shown || Predictor::load(&self.store.model(&key, &fingerprint)).is_ok();
        Ok(self.store.find(&key, &fingerprint).filter(|_| whole))
    }

    /// What the model of a method depends on, and the folder it is in.
    pub fn model(&self, dataset: Dataset, name: &str, k: K) -> Result<(String, PathBuf)> {
        let method = self.methods.iter().position(|method| method.name() == name);
        let method = method.expect("models are asked for by the names of methods");
        let wanted = Wanted { dataset, method, seed: SHOWN_SEED, ks: vec![k] };
        let fingerprint = self.fingerprint(&wanted, k)?;
        let folder = self.store.model(&self.key(&wanted, k), &fingerprint);
        Ok((fingerprint, folder))
    }

    /// The cells that are done.
    pub fn cells(&self, wanted: &[Wanted]) -> Result<Vec<Cell>> {
        let mut cells = Vec::new();
        for wanted in wanted {
            for &k in &wanted.ks {
                cells.extend(self.find(wanted, k)?);
            }
        }
        Ok(cells)
    }

    /// A job for each method and seed of which a cell is missing.
    pub fn jobs(&self, wanted: &[Wanted]) -> Result<Vec<Job<Wanted>>> {
        let mut jobs = Vec::new();
        for wanted in wanted {
            let mut missing = wanted.clone();
            missing.ks.clear();
            for &k in &wanted.ks {
                if self.find(wanted, k)?.is_none() {
                    missing.ks.push(k);
                }
            }
            if missing.ks.is_empty() {
                continue;
            }
            let (problem, method) =
                (self.problem(wanted.dataset, wanted.seed), &self.methods[wanted.method]);
            let trainings = method.trainings(&problem, &missing.ks);
            let epochs = trainings * problem.config().training.epochs.unwrap_or(1) as f64;
            jobs.push(Job {
                title: title(method.title(), &missing),
                cost: epochs * problem.train_size() as f64 * sample_cost(wanted.dataset),
                epochs,
                task: missing,
            });
        }
        Ok(jobs)
    }

    /// Computes and keeps cells.
    pub fn compute(&self, wanted: &Wanted, watch: &mut Watch<'_>) -> Result<()> {
        let (problem, method) =
            (self.problem(wanted.dataset, wanted.seed), &self.methods[wanted.method]);
        let started = Instant::now();
        method.run(&problem, &wanted.ks, watch, &mut |found| {
            let Found { k, test, valid, configuration, predictor } = found;
            let (key, fingerprint) = (self.key(wanted, k), self.fingerprint(wanted, k)?);
            if let Some(predictor) = predictor.filter(|_| wanted.seed == SHOWN_SEED) {
                self.store.save_model(&key, &fingerprint, &predictor, problem.examples()?)?;
            }
            let cell = Cell {
                fingerprint,
                dataset: wanted.dataset.name().to_string(),
                method: method.name().to_string(),
                k,
                seed: wanted.seed,
                test_accuracy: test,
                validation_accuracy: valid,
                seconds: started.elapsed().as_secs_f64(),
                together: wanted.ks.clone(),
                configuration,
                version: machine::version(),
                machine: machine::describe(),
            };
            self.store.save(&key, &cell)
        })
    }
}

fn title(method: &str, wanted: &Wanted) -> String {
    let ks: Vec<String> = wanted.ks.iter().map(K::to_string).collect();
    format!("{} {method} K={} seed {}", wanted.dataset.title(), ks.join(","), wanted.seed)
}

/// About how long a sample is trained on, against one of MNIST; only to guess the time left.
fn sample_cost(dataset: Dataset) -> f64 {
    match dataset {
        Dataset::Mnist | Dataset::Trec => 1.0,
        Dataset::Mpqa => 0.4,
        Dataset::Subj => 2.3,
    }
}
