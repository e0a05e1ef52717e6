//! A data set split by a seed.

use crate::Dataset;
use crate::budget::Budget;
use crate::dataset::{DIGIT_GROUPS, Data};
use crate::store::Store;
use ngsll::Config;
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::examples::{Example, examples};
use ngsll::fit::{Holdout, Prepared};

/// Images of MNIST that decide when to stop, of 60,000.
const MNIST_VALID: f64 = 5_000.0 / 60_000.0;
/// The share of a text set that validates, and the share that tests.
const TEXT_SHARE: f64 = 0.1;

/// What a method is to learn: the same parts for every method with the same seed.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The data set.
    pub data: &'a Data,
    /// Decides the split and all other randomness.
    pub seed: u64,
    /// How much is computed.
    pub budget: &'a Budget,
    /// Where results on the way are kept.
    pub store: &'a Store,
}

impl Problem<'_> {
    /// The library's defaults for this kind of data, with this seed.
    pub fn config(&self) -> Config {
        let dataset = self.data.dataset;
        let mut config = Config { k: 1, seed: self.seed, ..Config::new(dataset.task()) };
        if dataset == Dataset::Mnist {
            config.data.group = Some(DIGIT_GROUPS.to_string());
        }
        // Written down even where it is the default: it goes by the size of the data.
        let epochs = config.epochs(self.train_size());
        config.training.epochs = Some(self.budget.epochs(dataset).unwrap_or(epochs));
        config
    }

    /// About how many samples there are to learn from.
    pub fn train_size(&self) -> usize {
        let Holdout { valid_fraction, test_fraction, .. } = self.holdout();
        let share = 1.0 - valid_fraction - test_fraction;
        (self.data.samples.len() as f64 * share).round() as usize
    }

    /// Splits and encodes.
    pub fn prepare(&self, config: Config) -> Result<Prepared> {
        Prepared::new(config, "label", &self.data.samples, self.holdout())
    }

    /// The samples to learn from.
    pub fn train(&self, prepared: &Prepared) -> Chunk {
        self.data.samples.select(&prepared.train_rows)
    }

    /// The samples that decide when to stop and what to choose.
    pub fn valid(&self, prepared: &Prepared) -> Chunk {
        self.data.samples.select(&prepared.valid_rows)
    }

    /// The samples that nothing but the final accuracy is computed from.
    pub fn test(&self, prepared: &Prepared) -> Chunk {
        match &self.data.test {
            Some(test) => test.clone(),
            None => self.data.samples.select(&prepared.test_rows),
        }
    }

    /// A few validation samples, as training keeps them beside a model.
    pub fn examples(&self) -> Result<Vec<Example>> {
        let prepared = self.prepare(self.config())?;
        let (samples, rows) = (&self.data.samples, &prepared.valid_rows);
        examples(samples, rows, &prepared.objective, prepared.config.data.examples())
    }

    fn holdout(&self) -> Holdout<'static> {
        match self.data.dataset {
            Dataset::Mnist => Holdout { valid_fraction: MNIST_VALID, ..Holdout::default() },
            _ => Holdout {
                valid_fraction: TEXT_SHARE,
                test_fraction: TEXT_SHARE,
                ..Holdout::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods;
    use ngsll::data::split::stratified;
    use ngsll::data::{Origin, Samples};
    use ngsll::random::{Purpose, stream};
    use ngsll::representation::{Grid, Representation};
    use ngsll::train::Preset;

    #[test]
    fn mnist_is_split_into_55_000_and_5_000() {
        // 30,596 of the training images are of the digits 0 to 4.
        let classes: Vec<usize> = (0..60_000).map(|i| usize::from(i >= 30_596)).collect();
        let shares = [MNIST_VALID, 0.0, 1.0 - MNIST_VALID];
        let parts = stratified(&classes, &shares, &mut stream(0, Purpose::Split, 0, 0));
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [5_000, 0, 55_000]);
    }

    /// These defaults are in no fingerprint. Where one changes, the store's FORMAT must be raised.
    #[test]
    fn defaults_that_no_configuration_writes_down_are_the_ones_that_cells_were_computed_with() {
        let grid =
            Representation::Grid(Grid { channels: 1, height: 28, width: 28, rows: 7, columns: 7 });
        let mut training = Config::new(Dataset::Mnist.task()).training;
        assert_eq!([training.batch_size(55_000), training.batch_size(4_762)], [128, 47]);
        assert_eq!((training.shift(&grid).unwrap(), training.has_intercept()), (2, true));
        training.preset = Preset::Paper;
        assert_eq!((training.shift(&grid).unwrap(), training.has_intercept()), (0, false));
    }

    /// The parts depend on data and seed alone: not on the network, K or the course of training.
    #[test]
    fn every_method_learns_from_the_same_part() {
        let n = 100;
        let samples = Chunk {
            samples: Samples::Texts((0..n).map(|i| ["good", "bad"][i % 2]).collect()),
            labels: Some((0..n).map(|i| (i % 2).to_string()).collect()),
            origin: Origin::Lines { file: "memory".into(), lines: (1..=n as u64).collect() },
        };
        let data = Data {
            dataset: Dataset::Mpqa,
            samples,
            test: None,
            digits: Vec::new(),
            digest: String::new(),
        };
        let folder = tempfile::tempdir().unwrap();
        let (budget, store) = (Budget::quick(), Store::open(folder.path()).unwrap());
        let problem = |seed| Problem { data: &data, seed, budget: &budget, store: &store };
        let parts = |problem: Problem<'_>, config: Config| {
            let prepared = problem.prepare(config).unwrap();
            [prepared.train_rows, prepared.valid_rows, prepared.test_rows]
        };
        let first = parts(problem(0), problem(0).config());
        assert_eq!(first.each_ref().map(Vec::len), [80, 10, 10]);
        for config in methods::networks(&problem(0)) {
            assert_eq!(parts(problem(0), Config { k: 2, ..config }), first);
        }
        assert_ne!(parts(problem(1), problem(1).config()), first);
    }
}
