//! The results that are needed, those that exist, and the jobs that compute the rest.
//!
//! The work has two rounds. In the first, methods name features and judges are trained, in any order;
//! in the second, each judge is queried with all features that were named on its data set.

use super::judging::{self, Named};
use super::methods::{Family, JudgedMethod, Picks, Work};
use super::result::{JudgedK, JudgedResult};
use super::sets::{JudgedData, JudgedSet};
use super::size::Size;
use crate::dataset::LoadedDataset;
use crate::store::{Store, fingerprint};
use ngsll::config::Task;
use ngsll::error::{Error, Result};
use ngsll::{Device, Evidence, Judge};
use ngsll_jobs::{Job, JobProgress};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Raised when the meaning of a planted set, a method or the judging changes.
const FORMAT: &str = "3";

/// The inputs of all results.
pub(super) struct Comparison<'a> {
    pub(super) loaded: &'a [LoadedDataset],
    pub(super) size: Size,
    pub(super) sets: Vec<JudgedSet>,
    pub(super) methods: Vec<JudgedMethod>,
    /// K unless the data set decides.
    pub(super) ks: Option<Vec<usize>>,
    /// Finished results.
    pub(super) results: &'a Store,
    /// The features that were named.
    pub(super) picks: &'a Store,
    /// The judges that were trained, by data set and seed.
    pub(super) judges: Mutex<HashMap<(String, u64), Arc<Judge>>>,
}

/// A result that is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spec {
    set: JudgedSet,
    seed: u64,
    method: JudgedMethod,
    k: JudgedK,
}

/// A job of the first round.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FirstRound {
    /// Name features with methods of one family.
    Explain { set: JudgedSet, seed: u64, family: Family, wanted: Vec<(JudgedMethod, usize)> },
    /// Train the judge of a data set.
    TrainJudge { set: JudgedSet, seed: u64 },
}

/// A job of the second round: all results of a data set and seed that are missing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SecondRound {
    set: JudgedSet,
    seed: u64,
    missing: Vec<Spec>,
}

impl Comparison<'_> {
    /// The results that are needed, in the order of the page.
    pub(super) fn specs(&self) -> Vec<Spec> {
        let mut all = Vec::new();
        for &set in &self.sets {
            for seed in 0..self.size.seeds() {
                for &method in self.methods.iter().filter(|method| method.runs_on(set.task())) {
                    let spec = |k| Spec { set, seed, method, k };
                    match set.k_by_row() {
                        true => all.push(spec(JudgedK::Relevant)),
                        false => {
                            all.extend(self.ks(set).into_iter().map(|k| spec(JudgedK::Top(k))))
                        }
                    }
                }
            }
        }
        all
    }

    /// K of the explanations on a data set.
    fn ks(&self, set: JudgedSet) -> Vec<usize> {
        set.ks(self.ks.as_deref(), self.size.quick)
    }

    /// K of the explanations that a result needs.
    fn needed_ks(&self, spec: &Spec) -> Vec<usize> {
        match spec.k {
            JudgedK::Top(k) => vec![k],
            JudgedK::Relevant => self.ks(spec.set),
        }
    }

    /// The files of a data set that has some.
    fn files(&self, set: JudgedSet) -> Option<&LoadedDataset> {
        self.loaded.iter().find(|files| JudgedSet::Paper(files.dataset) == set)
    }

    /// A hash of everything that the features depend on which a method names.
    fn picks_fingerprint(&self, spec: &Spec, k: usize) -> Result<String> {
        let Spec { set, seed, method, .. } = *spec;
        let evidence = match method.family() {
            Family::Chosen | Family::Simple => Evidence::Chosen,
            Family::Whole | Family::L2x | Family::Dnn => Evidence::Whole,
        };
        let config = set.config(&self.size, seed, evidence).to_toml()?;
        let digest = self.files(set).map_or("planted", |files| &files.digest);
        let sizes = format!("{} {}", self.size.learned(set), self.size.judged(set));
        let (k, seed) = (k.to_string(), seed.to_string());
        let parts = [FORMAT, &set.name(), digest, &sizes, method.name(), &config, &seed, &k];
        Ok(fingerprint(&parts))
    }

    /// A hash of everything that a result depends on.
    fn fingerprint(&self, spec: &Spec) -> Result<String> {
        let picks = self.needed_ks(spec).into_iter().map(|k| self.picks_fingerprint(spec, k));
        let mut parts = picks.collect::<Result<Vec<_>>>()?;
        parts.push(spec.set.config(&self.size, spec.seed, Evidence::Chosen).to_toml()?);
        Ok(fingerprint(&parts.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    fn key(spec: &Spec, k: impl std::fmt::Display) -> String {
        format!("{}-{}-k{k}-seed{}", spec.set.name(), spec.method.name(), spec.seed)
    }

    fn find(&self, spec: &Spec) -> Result<Option<JudgedResult>> {
        Ok(self.results.find(&Self::key(spec, spec.k), &self.fingerprint(spec)?))
    }

    fn find_picks(&self, spec: &Spec, k: usize) -> Result<Option<Picks>> {
        Ok(self.picks.find(&Self::key(spec, k), &self.picks_fingerprint(spec, k)?))
    }

    /// The results that exist.
    pub(super) fn results(&self, specs: &[Spec]) -> Result<Vec<JudgedResult>> {
        let found = specs.iter().map(|spec| self.find(spec)).collect::<Result<Vec<_>>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The jobs that name missing features, and that train the judges of missing results.
    pub(super) fn first_round(&self, specs: &[Spec]) -> Result<Vec<Job<FirstRound>>> {
        let mut tasks: Vec<FirstRound> = Vec::new();
        for spec in specs {
            if self.find(spec)?.is_some() {
                continue;
            }
            let Spec { set, seed, method, .. } = *spec;
            let judge = FirstRound::TrainJudge { set, seed };
            if !tasks.contains(&judge) {
                tasks.push(judge);
            }
            for k in self.needed_ks(spec) {
                if self.find_picks(spec, k)?.is_none() {
                    add(&mut tasks, (set, seed), (method, k));
                }
            }
        }
        Ok(tasks.into_iter().map(|task| self.job(task)).collect())
    }

    fn job(&self, task: FirstRound) -> Job<FirstRound> {
        let (set, seed, title, trainings, explained) = match &task {
            FirstRound::TrainJudge { set, seed } => (*set, *seed, "judge".to_string(), 1.5, 0.0),
            FirstRound::Explain { set, seed, family, wanted } => {
                let ks: BTreeSet<usize> = wanted.iter().map(|(_, k)| *k).collect();
                let slow = |m: &&(JudgedMethod, usize)| {
                    matches!(m.0, JudgedMethod::Lime | JudgedMethod::KernelShap)
                };
                let slow = wanted.iter().filter(slow).count() as f64 / ks.len() as f64;
                let shown: Vec<String> = ks.iter().map(usize::to_string).collect();
                let title = format!("{} K={}", family.title(), shown.join(","));
                (*set, *seed, title, family.trainings(ks.len()), slow * PERTURBATIONS)
            }
        };
        let config = set.config(&self.size, seed, Evidence::Whole);
        let files = self.files(set).map_or(usize::MAX, |files| files.samples.len());
        let n = files.min(self.size.learned(set));
        let epochs = trainings * config.epochs(n) as f64;
        // A prediction costs a third of a training step.
        let seen = epochs * n as f64 + explained * self.size.judged(set) as f64 / 3.0;
        Job {
            title: format!("{} {title} seed {seed}", set.title()),
            cost: seen * sample_cost(set),
            epochs,
            task,
        }
    }

    /// Runs a job of the first round.
    pub(super) fn compute(&self, task: &FirstRound, progress: &mut JobProgress<'_>) -> Result<()> {
        match task {
            FirstRound::TrainJudge { set, seed } => {
                self.judge(&set.prepare(self.loaded, &self.size, *seed)?, progress).map(drop)
            }
            FirstRound::Explain { set, seed, family, wanted } => {
                let (started, size) = (Instant::now(), &self.size);
                let prepared = set.prepare(self.loaded, size, *seed)?;
                let work = Work { prepared: &prepared, size, wanted, started };
                family.run(&work, progress, &mut |method, k, picks| {
                    let spec = Spec { set: *set, seed: *seed, method, k: JudgedK::Top(k) };
                    let fingerprint = self.picks_fingerprint(&spec, k)?;
                    self.picks.save(&Self::key(&spec, k), &fingerprint, &picks)
                })
            }
        }
    }

    /// The judge of a data set; trained where it is not there yet.
    fn judge(&self, prepared: &JudgedData, progress: &mut JobProgress<'_>) -> Result<Arc<Judge>> {
        let key = (prepared.set.name(), prepared.seed);
        let judges = || self.judges.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(judge) = judges().get(&key) {
            return Ok(judge.clone());
        }
        let options = prepared.set.config(&self.size, prepared.seed, Evidence::Chosen).check()?;
        let (data, device) = (&prepared.samples, Device::default());
        let judge = Judge::fit(options, data, None, &device, &mut |event| progress.event(event))?;
        let judge = Arc::new(judge);
        judges().insert(key, judge.clone());
        Ok(judge)
    }

    /// The jobs that judge the features that were named.
    pub(super) fn second_round(&self, specs: &[Spec]) -> Result<Vec<Job<SecondRound>>> {
        let mut jobs: Vec<Job<SecondRound>> = Vec::new();
        for spec in specs {
            let named = self.needed_ks(spec).into_iter().map(|k| self.find_picks(spec, k));
            let named = named.collect::<Result<Vec<_>>>()?;
            // Features that a failed job should have named are missing.
            if self.find(spec)?.is_some() || named.iter().any(Option::is_none) {
                continue;
            }
            let Spec { set, seed, .. } = *spec;
            let cost = sample_cost(set) * self.size.judged(set) as f64;
            match jobs.iter_mut().find(|job| (job.task.set, job.task.seed) == (set, seed)) {
                Some(job) => {
                    job.task.missing.push(*spec);
                    (job.cost, job.epochs) = (job.cost + cost, job.epochs + 1.0);
                }
                None => jobs.push(Job {
                    title: format!("{} judging seed {seed}", set.title()),
                    cost,
                    epochs: 1.0,
                    task: SecondRound { set, seed, missing: vec![*spec] },
                }),
            }
        }
        Ok(jobs)
    }

    /// Runs a job of the second round.
    pub(super) fn judge_all(
        &self,
        task: &SecondRound,
        progress: &mut JobProgress<'_>,
    ) -> Result<()> {
        let prepared = task.set.prepare(self.loaded, &self.size, task.seed)?;
        let judge = self.judge(&prepared, progress)?;
        let judging = judging::Judging::new(&judge, &prepared)?;
        for (nth, spec) in task.missing.iter().enumerate() {
            if progress.advance_to(nth as f64).is_break() {
                return Err(Error::Interrupted);
            }
            let picks =
                self.needed_ks(spec).into_iter().map(|k| Ok((k, self.find_picks(spec, k)?)));
            let picks = picks.collect::<Result<Vec<(usize, Option<Picks>)>>>()?;
            let picks = picks.into_iter().filter_map(|(k, picks)| Some((k, picks?))).collect();
            let named = Named { method: spec.method, k: spec.k, picks };
            let result = judging.result(&named)?;
            self.results.save(&Self::key(spec, spec.k), &self.fingerprint(spec)?, &result)?;
        }
        Ok(())
    }
}

/// Adds a method's K to the job of its family. L2X is trained for each K, so each is a job.
fn add(tasks: &mut Vec<FirstRound>, at: (JudgedSet, u64), added: (JudgedMethod, usize)) {
    let of = added.0.family();
    let own = tasks.iter_mut().find_map(|task| match task {
        FirstRound::Explain { set, seed, family, wanted }
            if (*set, *seed) == at && *family == of && of != Family::L2x =>
        {
            Some(wanted)
        }
        _ => None,
    });
    match own {
        Some(wanted) => wanted.push(added),
        None => {
            let (set, seed) = at;
            tasks.push(FirstRound::Explain { set, seed, family: of, wanted: vec![added] });
        }
    }
}

/// A rough number of predictions for LIME or KernelSHAP.
const PERTURBATIONS: f64 = 2000.0;

/// Roughly how long training takes per sample, relative to MNIST; only used to order the jobs and to
/// estimate the time left.
fn sample_cost(set: JudgedSet) -> f64 {
    match set {
        JudgedSet::Shapes => 5.0,
        set => match set.task() {
            Task::Tabular => 0.2,
            _ => 1.0,
        },
    }
}
