//! Several trainings on parts of the data: the spread of their figures shows how far one of them can be trusted.
//!
//! ```
//! use ngsll::repeats::{RepeatPlan, Spread};
//! use ngsll::{Config, Dataset, Device, config::Task};
//! let texts = (0..60).map(|i| ["good not bad", "bad not good"][i % 2]);
//! let data = Dataset::texts(texts, (0..60).map(|i| ["praise", "blame"][i % 2]))?;
//! let mut config = Config::new(Task::Text);
//! config.training.epochs = Some(1);
//! let options = config.check()?;
//! let plan = RepeatPlan::folds(3);
//! let mut spread = Spread::new(plan);
//! for repeat in plan.repeats(&options, &data)? {
//!     let setup = repeat.setup(&options, &data, None, &Device::default())?;
//!     let fitted = setup.fit(None, &mut |_| std::ops::ControlFlow::Continue(()))?;
//!     spread.push(&repeat, fitted.model.evaluate(&repeat.held_out(&data))?);
//! }
//! assert_eq!(spread.runs.len(), 3);
//! assert_eq!(spread.figures()[0].name, "accuracy");
//! # Ok::<(), ngsll::Error>(())
//! ```

use crate::config::Options;
use crate::dataset::{Dataset, split};
use crate::error::{Error, Result};
use crate::metrics::{Metrics, format_figure};
use crate::objective::Answers;
use crate::random::{Purpose, stream};
use crate::setup::{TrainingSetup, answers_and_rows, teach_every_class};
use burn::tensor::Device;
use serde::{Deserialize, Serialize};

/// The plan of repeated training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RepeatPlan {
    /// The number of parts of the data, each of which is held out once; if absent, the test share is held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folds: Option<usize>,
    /// The number of seeds each part is trained with, starting from the configured one.
    pub seeds: u64,
}

/// One of several training runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The fold that is held out, counted from 0.
    fold: Option<usize>,
    seed: u64,
    /// Rows to learn from and to validate.
    own: Vec<usize>,
    held_out: Vec<usize>,
}

/// The metrics of several training runs, each on rows that it has not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spread {
    /// The plan of the runs.
    pub plan: RepeatPlan,
    /// Each run.
    pub runs: Vec<RepeatFigures>,
}

/// The metrics of one of several training runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RepeatFigures {
    /// The fold that was held out, counted from 0; `None` if it was the test share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<usize>,
    /// The seed.
    pub seed: u64,
    /// The metrics on the held-out rows.
    pub metrics: Metrics,
}

/// A metric over several training runs.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MeanAndDeviation {
    /// "accuracy" and the like.
    pub name: &'static str,
    /// The mean.
    pub mean: f64,
    /// The standard deviation of one run (n − 1 in the denominator); 0 for a single one.
    pub deviation: f64,
}

impl RepeatPlan {
    /// Cross-validation if `folds` gives a number of parts; each of them, or the test share, with `seeds` seeds.
    pub fn new(folds: Option<usize>, seeds: u64) -> Self {
        Self { folds, seeds }
    }

    /// Cross-validation in this many parts, with one seed.
    pub fn folds(folds: usize) -> Self {
        Self::new(Some(folds), 1)
    }

    /// The runs, fold by fold: folds are stratified by class, and the test share is in none. The error
    /// names `folds` or `seeds`.
    pub fn repeats(&self, options: &Options, data: &Dataset) -> Result<Vec<Repeat>> {
        let config = options.config();
        if self.seeds == 0 {
            return Err(Error::setting("seeds", 0, "expected a whole number of at least 1"));
        }
        let (answers, rows) = answers_and_rows(config, data, false)?;
        let mut own: Vec<usize> = rows.train.iter().chain(&rows.valid).copied().collect();
        own.sort_unstable();
        let parts: Vec<(Option<usize>, Vec<usize>, Vec<usize>)> = match self.folds {
            Some(folds) => {
                if !(2..=own.len()).contains(&folds) {
                    let expected =
                        format!("expected a number from 2 to {}, the number of samples", own.len());
                    return Err(Error::setting("folds", folds, expected));
                }
                let parts = folds_of(&own, folds, &answers, config.seed);
                let numbered = parts.into_iter().enumerate();
                numbered.map(|(fold, [held_out, own])| (Some(fold), own, held_out)).collect()
            }
            None if rows.test.is_empty() => {
                let expected = "measuring needs a test share or folds";
                return Err(Error::setting("seeds", self.seeds, expected));
            }
            None => vec![(None, own, rows.test)],
        };
        let repeat = |(fold, own, held_out): &(Option<usize>, Vec<usize>, Vec<usize>), i: u64| {
            let (own, held_out) = (own.clone(), held_out.clone());
            Repeat { fold: *fold, seed: config.seed.wrapping_add(i), own, held_out }
        };
        let all = parts.iter().flat_map(|part| (0..self.seeds).map(move |i| repeat(part, i)));
        Ok(all.collect())
    }

    /// The runs in words: "in 5 folds", "over 3 seeds", "in 5 folds with 3 seeds each".
    pub fn describe(&self) -> String {
        match (self.folds, self.seeds) {
            (Some(folds), 1) => format!("in {folds} folds"),
            (Some(folds), seeds) => format!("in {folds} folds with {seeds} seeds each"),
            (None, seeds) => format!("over {seeds} seeds"),
        }
    }
}

/// Each fold as the rows that are held out and the others.
fn folds_of(rows: &[usize], folds: usize, answers: &Answers, seed: u64) -> Vec<[Vec<usize>; 2]> {
    // The split into parts is drawn at (0, 0).
    let mut rng = stream(seed, Purpose::Split, 1, 0);
    let shares = vec![1.0 / folds as f64; folds];
    let positions = match answers {
        Answers::Classes(_, classes) => {
            let own: Vec<usize> = rows.iter().map(|&row| classes[row]).collect();
            split::stratified(&own, &shares, &mut rng)
        }
        Answers::Numbers(_) => split::random(rows.len(), &shares, &mut rng),
    };
    let fold = |held_out: &Vec<usize>| {
        let held_out: Vec<usize> = held_out.iter().map(|&position| rows[position]).collect();
        let own = rows.iter().copied().filter(|row| held_out.binary_search(row).is_err());
        let own: Vec<usize> = own.collect();
        let mut parts = [held_out, own];
        if let Answers::Classes(_, classes) = answers {
            teach_every_class(classes, &mut parts);
        }
        parts
    };
    positions.iter().map(fold).collect()
}

impl Repeat {
    /// The run in words, for progress: "fold 2, seed 7".
    pub fn title(&self) -> String {
        match self.fold {
            Some(fold) => format!("fold {}, seed {}", fold + 1, self.seed),
            None => format!("seed {}", self.seed),
        }
    }

    /// The data of this run, split and encoded as for any other.
    pub fn setup(
        &self,
        options: &Options,
        data: &Dataset,
        valid: Option<&Dataset>,
        device: &Device,
    ) -> Result<TrainingSetup> {
        let mut config = options.config().clone();
        config.seed = self.seed;
        config.data.test_fraction = 0.0;
        TrainingSetup::new(config.check()?, &self.own(data), valid, device)
    }

    /// The samples for training and validation.
    pub fn own(&self, data: &Dataset) -> Dataset {
        data.select(&self.own)
    }

    /// The samples that this run does not see.
    pub fn held_out(&self, data: &Dataset) -> Dataset {
        data.select(&self.held_out)
    }
}

impl Spread {
    /// A spread without runs.
    pub fn new(plan: RepeatPlan) -> Self {
        Self { plan, runs: Vec::new() }
    }

    /// Adds a run's metrics on the samples that it did not see.
    pub fn push(&mut self, repeat: &Repeat, metrics: Metrics) {
        self.runs.push(RepeatFigures { fold: repeat.fold, seed: repeat.seed, metrics });
    }

    /// Each metric over all runs that have it.
    pub fn figures(&self) -> Vec<MeanAndDeviation> {
        let names = self.runs.first().map(|run| run.metrics.figures()).unwrap_or_default();
        let figure = |name: &'static str| {
            let own = |run: &RepeatFigures| {
                run.metrics.figures().into_iter().find(|(other, _)| *other == name)
            };
            let values: Vec<f64> = self.runs.iter().filter_map(own).map(|(_, v)| v).collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
            let deviation = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
            MeanAndDeviation { name, mean, deviation }
        };
        names.into_iter().map(|(name, _)| figure(name)).collect()
    }

    /// Facts for the model card: "accuracy in 5 folds" and "0.8712 ± 0.0123".
    pub fn facts(&self) -> Vec<(String, String)> {
        let plan = self.plan.describe();
        let fact = |MeanAndDeviation { name, mean, deviation }| {
            // As many decimals as the mean has.
            let deviation = match mean.abs() < 100.0 {
                true => format!("{deviation:.4}"),
                false => format!("{deviation:.1}"),
            };
            (format!("{name} {plan}"), format!("{} ± {deviation}", format_figure(mean)))
        };
        self.figures().into_iter().map(fact).collect()
    }

    /// The header of a table of all runs.
    pub fn header(&self) -> Vec<String> {
        let first = ["training", "samples"].map(String::from).into_iter();
        first.chain(self.figures().iter().map(|figure| figure.name.to_string())).collect()
    }

    /// The rows of that table: each run, then the mean and the standard deviation.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let figures = self.figures();
        let run = |run: &RepeatFigures| {
            let title = match run.fold {
                Some(fold) => format!("fold {}, seed {}", fold + 1, run.seed),
                None => format!("seed {}", run.seed),
            };
            let own = run.metrics.figures();
            let cell = |name: &str| {
                own.iter()
                    .find(|(other, _)| *other == name)
                    .map_or("–".into(), |f| format_figure(f.1))
            };
            let cells = figures.iter().map(|figure| cell(figure.name));
            [title, run.metrics.n.to_string()].into_iter().chain(cells).collect()
        };
        let last = |title: &str, value: &dyn Fn(&MeanAndDeviation) -> f64| {
            let cells = figures.iter().map(|figure| format_figure(value(figure)));
            [title.to_string(), String::new()].into_iter().chain(cells).collect()
        };
        let mut rows: Vec<Vec<String>> = self.runs.iter().map(run).collect();
        rows.push(last("mean", &|figure| figure.mean));
        rows.push(last("standard deviation", &|figure| figure.deviation));
        rows
    }

    /// The caption of the table.
    pub fn caption(&self) -> String {
        format!(
            "Measured {}, each time on samples that training had not seen",
            self.plan.describe()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Task};
    use crate::dataset::{Column, Table};
    use std::collections::BTreeSet;

    fn table(n: usize, labels: impl Iterator<Item = String>) -> Dataset {
        let size = Column::numeric("size", (0..n).map(|i| (i * 37 % 101) as f64 / 7.0)).unwrap();
        Dataset::table(Table::new([size]).unwrap(), labels.take(n)).unwrap()
    }

    fn options(test_fraction: f64) -> Options {
        let mut config = Config::new(Task::Tabular);
        config.data.test_fraction = test_fraction;
        config.check().unwrap()
    }

    #[test]
    fn every_row_is_held_out_once_and_classes_are_in_proportion() {
        let data = table(103, (0..103).map(|i| if i % 4 == 0 { "a" } else { "b" }.to_string()));
        let repeats = RepeatPlan::folds(5).repeats(&options(0.0), &data).unwrap();
        let held: Vec<usize> = repeats.iter().flat_map(|r| r.held_out.clone()).collect();
        assert_eq!((held.len(), held.iter().collect::<BTreeSet<_>>().len()), (103, 103));
        for repeat in &repeats {
            assert_eq!(repeat.own.len() + repeat.held_out.len(), 103);
            assert!(repeat.held_out.iter().all(|row| !repeat.own.contains(row)));
            let a = repeat.held_out.iter().filter(|&&row| row % 4 == 0).count();
            assert!((5..=6).contains(&a), "{a} of {}", repeat.held_out.len());
        }
        assert_eq!(repeats, RepeatPlan::folds(5).repeats(&options(0.0), &data).unwrap());
    }

    #[test]
    fn the_test_share_is_in_no_fold_and_seeds_are_measured_on_it() {
        let data = table(100, (0..100).map(|i| format!("{}.5", i * 7 % 53)));
        let folds = RepeatPlan { folds: Some(4), seeds: 2 };
        let repeats = folds.repeats(&options(0.2), &data).unwrap();
        assert_eq!(repeats.len(), 8);
        assert!(repeats.iter().all(|r| r.own.len() + r.held_out.len() == 80));
        assert_eq!(repeats[1].title(), "fold 1, seed 1");
        let seeds = RepeatPlan { folds: None, seeds: 3 }.repeats(&options(0.2), &data).unwrap();
        assert_eq!(seeds.iter().map(|r| r.seed).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(seeds.iter().all(|r| r.held_out == seeds[0].held_out && r.held_out.len() == 20));
        let all: BTreeSet<usize> = repeats
            .iter()
            .flat_map(|r| r.held_out.clone())
            .chain(seeds[0].held_out.clone())
            .collect();
        assert_eq!(all.len(), 100);
    }

    #[test]
    fn a_class_of_one_sample_is_learned_from_in_every_fold() {
        let data =
            table(40, (0..40).map(|i| if i == 7 { "rare" } else { ["a", "b"][i % 2] }.into()));
        let repeats = RepeatPlan::folds(5).repeats(&options(0.0), &data).unwrap();
        assert!(repeats.iter().all(|repeat| repeat.own.contains(&7)));
    }

    #[test]
    fn invalid_plans_are_refused() {
        let data = table(40, (0..40).map(|i| format!("{i}.5")));
        let refused =
            |plan: RepeatPlan| plan.repeats(&options(0.0), &data).unwrap_err().to_string();
        assert_eq!(
            refused(RepeatPlan::folds(1)),
            "folds = 1: expected a number from 2 to 40, the number of samples"
        );
        assert_eq!(
            refused(RepeatPlan::folds(41)),
            "folds = 41: expected a number from 2 to 40, the number of samples"
        );
        let seeds = RepeatPlan { folds: None, seeds: 3 };
        assert_eq!(refused(seeds), "seeds = 3: measuring needs a test share or folds");
    }

    #[test]
    fn the_mean_and_the_deviation_of_known_figures() {
        let mut spread = Spread::new(RepeatPlan::folds(2));
        for (fold, rmse) in [1.0, 2.0, 6.0].into_iter().enumerate() {
            let metrics = Metrics { n: 10, rmse: Some(rmse), ..Metrics::default() };
            let (own, held_out) = (Vec::new(), Vec::new());
            spread.push(&Repeat { fold: Some(fold), seed: 0, own, held_out }, metrics);
        }
        let [rmse] = spread.figures()[..] else { panic!("one figure") };
        assert_eq!((rmse.mean, rmse.deviation), (3.0, 7.0_f64.sqrt()));
        assert_eq!(spread.facts(), [("RMSE in 2 folds".into(), "3.0000 ± 2.6458".into())]);
        assert_eq!(spread.rows()[3], ["mean", "", "3.0000"]);
    }
}
