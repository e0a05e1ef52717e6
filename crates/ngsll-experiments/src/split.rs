//! A data set, split by a seed into training, validation and test part.

use crate::PaperDataset;
use crate::budget::Budget;
use crate::dataset::{DIGIT_GROUPS, LoadedDataset};
use crate::store::Store;
use ngsll::Config;
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::examples::{Example, examples};
use ngsll::fit::{Holdout, Prepared};

/// The validation share of MNIST: 5,000 of 60,000 images.
const MNIST_VALID: f64 = 5_000.0 / 60_000.0;
/// The validation share of a text data set, and its test share.
const TEXT_SHARE: f64 = 0.1;

/// A data set with a seed. Every method gets the same parts for the same seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeededSplit<'a> {
    pub(crate) data: &'a LoadedDataset,
    /// Determines the split and all other randomness.
    pub(crate) seed: u64,
    /// How much is computed.
    pub(crate) budget: &'a Budget,
    /// Where intermediate results are stored.
    pub(crate) store: &'a Store,
}

impl SeededSplit<'_> {
    /// The library's defaults for this kind of data, with this seed.
    pub(crate) fn config(&self) -> Config {
        let dataset = self.data.dataset;
        let mut config = Config { k: 1, seed: self.seed, ..Config::new(dataset.task()) };
        if dataset == PaperDataset::Mnist {
            config.data.group = Some(DIGIT_GROUPS.to_string());
        }
        // Explicit even where it is the default, which depends on the size of the data.
        let epochs = config.epochs(self.train_size());
        config.training.epochs = Some(self.budget.epochs(dataset).unwrap_or(epochs));
        config
    }

    /// The approximate number of training samples.
    pub(crate) fn train_size(&self) -> usize {
        let Holdout { valid_fraction, test_fraction, .. } = self.holdout();
        let share = 1.0 - valid_fraction - test_fraction;
        (self.data.samples.len() as f64 * share).round() as usize
    }

    /// Splits and encodes the data.
    pub(crate) fn prepare(&self, config: Config) -> Result<Prepared> {
        Prepared::new(config, "label", &self.data.samples, self.holdout())
    }

    /// The training samples.
    pub(crate) fn train(&self, prepared: &Prepared) -> Chunk {
        self.data.samples.select(&prepared.train_rows)
    }

    /// The validation samples, used for early stopping and selection.
    pub(crate) fn valid(&self, prepared: &Prepared) -> Chunk {
        self.data.samples.select(&prepared.valid_rows)
    }

    /// The test samples, used for nothing but the reported accuracy.
    pub(crate) fn test(&self, prepared: &Prepared) -> Chunk {
        match &self.data.test {
            Some(test) => test.clone(),
            None => self.data.samples.select(&prepared.test_rows),
        }
    }

    /// A few validation samples, as training stores them with a model.
    pub(crate) fn examples(&self) -> Result<Vec<Example>> {
        let prepared = self.prepare(self.config())?;
        let (samples, rows) = (&self.data.samples, &prepared.valid_rows);
        examples(samples, rows, &prepared.objective, prepared.config.data.examples())
    }

    fn holdout(&self) -> Holdout<'static> {
        match self.data.dataset {
            PaperDataset::Mnist => Holdout { valid_fraction: MNIST_VALID, ..Holdout::default() },
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

    /// These defaults are part of no fingerprint: when one changes, the store's `FORMAT` must be raised.
    #[test]
    fn defaults_outside_the_fingerprints_are_unchanged() {
        let grid =
            Representation::Grid(Grid { channels: 1, height: 28, width: 28, rows: 7, columns: 7 });
        let mut training = Config::new(PaperDataset::Mnist.task()).training;
        assert_eq!([training.batch_size(55_000), training.batch_size(4_762)], [128, 47]);
        assert_eq!((training.shift(&grid).unwrap(), training.has_intercept()), (2, true));
        training.preset = Preset::Paper;
        assert_eq!((training.shift(&grid).unwrap(), training.has_intercept()), (0, false));
    }

    /// The parts depend on data and seed only: not on the network, K or the training schedule.
    #[test]
    fn every_method_is_trained_on_the_same_part() {
        let data = LoadedDataset::of_texts(PaperDataset::Mpqa, 100, "");
        let folder = tempfile::tempdir().unwrap();
        let (budget, store) = (Budget::quick(), Store::open(folder.path()).unwrap());
        let split = |seed| SeededSplit { data: &data, seed, budget: &budget, store: &store };
        let parts = |split: SeededSplit<'_>, config: Config| {
            let prepared = split.prepare(config).unwrap();
            [prepared.train_rows, prepared.valid_rows, prepared.test_rows]
        };
        let first = parts(split(0), split(0).config());
        assert_eq!(first.each_ref().map(Vec::len), [80, 10, 10]);
        for config in methods::networks(&split(0)) {
            assert_eq!(parts(split(0), Config { k: 2, ..config }), first);
        }
        assert_ne!(parts(split(1), split(1).config()), first);
    }
}
