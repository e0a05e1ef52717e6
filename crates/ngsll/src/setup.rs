//! Samples split and encoded: everything that training needs.

mod few_rows;
mod findings;
mod fit;
mod left_out;
mod linear_start;
mod many_columns;
mod monotone;
mod named_columns;
mod networks;
mod part_rows;
mod target_scale;
mod vectors;
mod weights;

pub(crate) use part_rows::{answers_and_rows, teach_every_class};

use crate::config::{Config, DEFAULT_K, Options};
use crate::dataset::{Dataset, Samples};
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::generator::{BuiltIn, Dims, Generator};
use crate::model::Model;
use crate::objective::{Objective, Targets};
use crate::representation::{Augmentation, Encoded, FirstVectors, Representation};
use crate::train::{EpochRecord, Fingerprint, Part, Stage};
use burn::tensor::Device;
use left_out::LeftOut;
use sha2::{Digest, Sha256};

/// Samples split and encoded: everything that training needs.
#[derive(Debug)]
pub struct TrainingSetup {
    options: Options,
    device: Device,
    /// Whether interrupted training returns the best model so far.
    keep_when_stopped: bool,
    left_out: LeftOut,
    columns_left_out: usize,
    objective: Objective,
    representation: Representation,
    /// The initial vectors of the words of texts, if vectors were given.
    first_vectors: Option<FirstVectors>,
    augmentation: Augmentation,
    rows: PartRows,
    samples: Encoded,
    targets: Targets,
    /// The weight of each sample in the loss, besides that of its class.
    weights: Vec<f32>,
    /// The weight of each class in the loss, if they differ.
    class_weights: Option<Vec<f32>>,
    /// The validation samples with their answers and weights, if they are not a part of the others.
    valid: Option<(Encoded, Targets, Vec<f32>)>,
}

/// The rows of a data set for training, validation and test.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartRows {
    /// Rows for training.
    pub train: Vec<usize>,
    /// Validation rows (of the validation samples, if those were given separately).
    pub valid: Vec<usize>,
    /// Rows that training never sees.
    pub test: Vec<usize>,
}

/// A model and its training history.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fitted<G: Generator = BuiltIn> {
    /// The model.
    pub model: Model<G>,
    /// Every epoch of its training.
    pub history: Vec<EpochRecord>,
}

impl TrainingSetup {
    /// Splits and encodes labelled samples. `valid` are validation samples; without them
    /// a share of the others is used. Training runs on `device`.
    pub fn new(
        options: Options,
        data: &Dataset,
        valid: Option<&Dataset>,
        device: &Device,
    ) -> Result<Self> {
        let options = options.with_image_reading();
        let config = options.config();
        if data.is_empty() || valid.is_some_and(Dataset::is_empty) {
            let expected = "expected at least one to learn from and one to validate";
            return Err(Error::setting("samples", "none", expected));
        }
        let in_column = |error: Error| error.in_column(config.data.target.as_deref());
        let (answers, mut rows) = answers_and_rows(config, data, valid.is_some())?;
        if let Some(valid) = valid {
            rows.valid = (0..valid.len()).collect();
        }
        if rows.train.is_empty() || rows.valid.is_empty() {
            let message = format!("{} samples are too few to train and validate", data.len());
            return Err(data.source().error(message));
        }
        let objective = Objective::fit(&answers, config.data.target_name(), &rows.train)?;
        let evidence = config.training.evidence();
        named_columns::check(data.samples(), config)?;
        monotone::check(data.samples(), config, &objective)?;
        let features = weights::features(data.samples(), config)?;
        let given = features.as_ref().unwrap_or(data.samples());
        let left_out = LeftOut::of(given, config);
        let without = left_out.without(given)?;
        let given = without.as_ref().unwrap_or(given);
        // The paper's method reads all columns.
        let narrowed = match evidence {
            Evidence::Chosen => many_columns::narrowed(given, &answers, &rows.train)?,
            Evidence::Whole => None,
        };
        let read = narrowed.as_ref().unwrap_or(given);
        let representation = config.representation.fit(read, &rows.train, evidence)?;
        let representation = representation.with_monotone(&config.data.monotone());
        let (representation, first_vectors) = vectors::start(representation, &config.generator)?;
        let features = representation.features();
        // With few columns all are terms: the default K then need not be changed.
        let few = evidence == Evidence::Chosen && config.k <= DEFAULT_K;
        if config.k > features && !few {
            let expected = format!("K must be from 1 to {features}, the number of features");
            return Err(Error::setting("k", config.k, expected));
        }
        let still = config.training.keeps_samples_still();
        let augmentation = representation.augmentation(config.training.shift, still)?;
        let samples = representation.encode(data.samples())?;
        let fitted = (&representation, &samples, rows.train.as_slice());
        let objective =
            target_scale::scaled(objective, &answers, &config.training, fitted, config.seed)?;
        let encode_valid = |data: &Dataset| -> Result<_> {
            let targets = objective.targets(data).map_err(in_column)?;
            let weights = weights::of_samples(data, config)?;
            Ok((representation.encode(data.samples())?, targets, weights))
        };
        let targets = objective.targets_of(answers);
        Ok(Self {
            valid: valid.map(encode_valid).transpose()?,
            weights: weights::of_samples(data, config)?,
            class_weights: config
                .training
                .weights_of_classes(&objective, &targets.select(&rows.train))?,
            samples,
            targets,
            options,
            device: device.clone(),
            keep_when_stopped: false,
            left_out,
            columns_left_out: columns_of(given) - columns_of(read),
            objective,
            representation,
            first_vectors,
            augmentation,
            rows,
        })
    }

    /// If the progress callback breaks, training returns the best model so far instead of
    /// [`Error::Interrupted`].
    pub fn keeping_when_stopped(self) -> Self {
        Self { keep_when_stopped: true, ..self }
    }

    /// The options, checked.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The options.
    pub fn config(&self) -> &Config {
        self.options.config()
    }

    /// The device of training.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The target of the predictions.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// The representation of samples, fitted on the training rows.
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// The number of words of the training texts with a pretrained vector, and that of other words known only by their
    /// vectors; `None` without such vectors.
    pub fn words_with_vectors(&self) -> Option<[usize; 2]> {
        let others = self.representation.unlearned();
        Some([self.first_vectors.as_ref()?.len() - others, others])
    }

    /// The number of a table's columns that are not read because there are too many.
    pub fn columns_left_out(&self) -> usize {
        self.columns_left_out
    }

    /// The rows of the data for training, validation and test.
    pub fn rows(&self) -> &PartRows {
        &self.rows
    }

    /// The known answer of every sample.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Identifies this data with these options: a checkpoint of another run does not match.
    pub fn fingerprint(&self) -> Fingerprint {
        let PartRows { train, valid, .. } = &self.rows;
        let mut hash = Sha256::new();
        hash.update(format!("{:?} {train:?} {valid:?}", self.config()));
        hash.update(
            serde_json::to_vec(&self.representation).expect("a representation is plain data"),
        );
        let own = Some((&self.samples, &self.targets, &self.weights));
        let valid =
            self.valid.as_ref().map(|(samples, targets, weights)| (samples, targets, weights));
        for (samples, targets, weights) in own.into_iter().chain(valid) {
            samples.digest(&mut hash);
            hash.update(format!("{targets:?} {weights:?}"));
        }
        format!("{:x}", hash.finalize())
    }

    /// The sizes that a generator must fit.
    pub fn dims(&self) -> Dims {
        self.representation.dims(self.objective.outputs(), self.config().training.evidence())
    }

    /// The options with the defaults that depend on the data filled in, as a TOML file that shows
    /// the stages in a comment.
    pub fn resolved_toml(&self) -> Result<String> {
        self.resolved_toml_with(self.config().k)
    }

    /// Returns the setup with another K, for models whose K is found after training.
    pub fn resolved_toml_with(&self, k: usize) -> Result<String> {
        let samples = self.rows.train.len();
        let mut config = self.config().clone();
        config.k = k;
        config.data.examples = Some(config.data.examples());
        config.training.batch_size = Some(config.batch_size(samples));
        config.training.epochs = Some(config.epochs(samples));
        config.training.shift = Some(self.augmentation.shift);
        config.training.intercept = Some(config.training.has_intercept());
        let mut text = config.to_toml()?;
        if config.training.stages.is_none() {
            text += "\n# The stages of the preset. Uncomment them to change one; they then replace preset and epochs.\n";
            for stage in self.stages(config.k) {
                let stage = toml::to_string(&stage).unwrap_or_default();
                text += "#\n# [[training.stages]]\n";
                stage.lines().for_each(|line| text += &format!("# {line}\n"));
            }
        }
        Ok(text)
    }

    /// The stages of training at gate size `k`.
    pub fn stages(&self, k: usize) -> Vec<Stage> {
        self.config().stages(k, self.rows.train.len())
    }

    /// Rows of the data as a part.
    fn part(&self, rows: &[usize]) -> Part<'_> {
        Part {
            samples: &self.samples,
            rows: rows.to_vec(),
            targets: self.targets.select(rows),
            weights: weights::with_classes(
                rows.iter().map(|&row| self.weights[row]).collect(),
                &self.targets.select(rows),
                self.class_weights.as_deref(),
            ),
        }
    }
}

fn columns_of(samples: &Samples) -> usize {
    samples.as_table().map_or(0, |table| table.columns().len())
}
