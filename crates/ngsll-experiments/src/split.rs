//! A data set, split by a seed into training, validation and test part.

use crate::PaperDataset;
use crate::budget::Budget;
use crate::dataset::{LoadedDataset, digit_groups};
use crate::store::Store;
use ngsll::error::Result;
use ngsll::examples::Example;
use ngsll::{Config, Dataset, Device, Evidence, TrainingSetup};
use ngsll_readers::examples;

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
    /// The amount of computation.
    pub(crate) budget: &'a Budget,
    /// The folder for intermediate results.
    pub(crate) store: &'a Store,
}

impl SeededSplit<'_> {
    /// The library's defaults for this kind of data, with this seed.
    pub(crate) fn config(&self) -> Config {
        let dataset = self.data.dataset;
        let mut config = Config::with_evidence(dataset.task(), Evidence::Whole);
        (config.k, config.seed) = (1, self.seed);
        if dataset == PaperDataset::Mnist {
            config.data.group = Some(digit_groups());
        }
        // Explicit even where it is the default, which depends on the size of the data.
        let epochs = config.epochs(self.train_size());
        config.training.epochs = Some(self.budget.epochs(dataset).unwrap_or(epochs));
        config
    }

    /// The approximate number of training samples.
    pub(crate) fn train_size(&self) -> usize {
        let (valid, test) = self.shares();
        (self.data.samples.len() as f64 * (1.0 - valid - test)).round() as usize
    }

    /// Splits and encodes the data.
    pub(crate) fn setup(&self, mut config: Config) -> Result<TrainingSetup> {
        // Only here: fingerprints contain the configuration without them.
        (config.data.valid_fraction, config.data.test_fraction) = self.shares();
        TrainingSetup::new(config.check()?, &self.data.samples, None, &Device::default())
    }

    /// The training samples.
    pub(crate) fn train(&self, setup: &TrainingSetup) -> Dataset {
        self.data.samples.select(&setup.rows().train)
    }

    /// The validation samples, used for early stopping and selection.
    pub(crate) fn valid(&self, setup: &TrainingSetup) -> Dataset {
        self.data.samples.select(&setup.rows().valid)
    }

    /// The test samples, used for nothing but the reported accuracy.
    pub(crate) fn test(&self, setup: &TrainingSetup) -> Dataset {
        match &self.data.test {
            Some(test) => test.clone(),
            None => self.data.samples.select(&setup.rows().test),
        }
    }

    /// A few validation samples, as training stores them with a model.
    pub(crate) fn examples(&self) -> Result<Vec<Example>> {
        let setup = self.setup(self.config())?;
        let (samples, rows) = (&self.data.samples, &setup.rows().valid);
        examples(samples, rows, setup.objective(), setup.config().data.examples())
    }

    /// The shares of validation and test samples; MNIST's test images are fixed.
    fn shares(&self) -> (f64, f64) {
        match self.data.dataset {
            PaperDataset::Mnist => (MNIST_VALID, 0.0),
            _ => (TEXT_SHARE, TEXT_SHARE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods;
    use ngsll::dataset::{ImageSize, Images};
    use ngsll::train::Preset;

    /// These defaults are part of no fingerprint: when one changes, the store's `FORMAT` must be raised.
    #[test]
    fn defaults_outside_the_fingerprints_are_unchanged() {
        let size = ImageSize { width: 28, height: 28, channels: 1 };
        let pixels = (0..40 * size.bytes()).map(|i| (i % 251) as u8).collect();
        let images = Images::new(size, pixels).unwrap();
        let data = Dataset::images(images, (0..40).map(|i| i % 2)).unwrap();
        let mut config = Config::new(PaperDataset::Mnist.task());
        let batch_size = |n| config.batch_size(n);
        assert_eq!([batch_size(55_000), batch_size(4_762)], [128, 47]);
        for (preset, shift, intercept) in [(Preset::Annealed, 2, true), (Preset::Paper, 0, false)] {
            config.training.preset = preset;
            let options = config.clone().check().unwrap();
            let setup = TrainingSetup::new(options, &data, None, &Device::default()).unwrap();
            let resolved = setup.resolved_toml().unwrap();
            for line in [format!("shift = {shift}"), format!("intercept = {intercept}")] {
                assert!(resolved.lines().any(|l| l == line), "no {line} in\n{resolved}");
            }
        }
    }

    /// The parts depend on data and seed only: not on the network, K or the training schedule.
    #[test]
    fn every_method_is_trained_on_the_same_part() {
        let data = LoadedDataset::of_texts(PaperDataset::Mpqa, 100, "");
        let folder = tempfile::tempdir().unwrap();
        let (budget, store) = (Budget::quick(), Store::open(folder.path()).unwrap());
        let split = |seed| SeededSplit { data: &data, seed, budget: &budget, store: &store };
        let parts = |split: SeededSplit<'_>, config: Config| {
            let setup = split.setup(config).unwrap();
            setup.rows().clone()
        };
        let first = parts(split(0), split(0).config());
        let sizes = [&first.train, &first.valid, &first.test].map(Vec::len);
        assert_eq!(sizes, [80, 10, 10]);
        for mut config in methods::networks(&split(0)) {
            config.k = 2;
            assert_eq!(parts(split(0), config), first);
        }
        assert_ne!(parts(split(1), split(1).config()), first);
    }
}
