//! Samples that were split and encoded: all that training needs.

mod few_rows;
mod findings;
mod left_out;
mod linear_start;
mod many_columns;
mod monotone;
mod protected;
mod target_scale;
mod weights;

use crate::config::{Config, DEFAULT_K, Options, Task};
use crate::dataset::{Dataset, Samples, split};
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::generator::layers::Init;
use crate::generator::{BuiltIn, Dims, Generator, GeneratorConfig, TabularEnsemble, XShape};
use crate::model::Model;
use crate::network::{Explainer, Intercept, MonotonePart, Network};
use crate::objective::{Answers, Objective, Targets};
use crate::plain_network::PlainNetwork;
use crate::random::{Purpose, stream};
use crate::representation::{Augmentation, Encoded, Representation};
use crate::train::{
    Checkpoints, EpochRecord, Fingerprint, Part, Progress, Stage, Trained, Trainer,
};
use burn::module::Module;
use burn::tensor::Device;
use left_out::LeftOut;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// Sets the random numbers of a judge apart from those of the model that it judges.
const JUDGE_SEED: u64 = 0x6a75_6467_6500_0000;

/// Samples that were split and encoded: all that training needs.
#[derive(Debug)]
pub struct TrainingSetup {
    options: Options,
    device: Device,
    /// Whether a training that is broken off gives a model.
    keep_when_stopped: bool,
    left_out: LeftOut,
    columns_left_out: usize,
    objective: Objective,
    representation: Representation,
    augmentation: Augmentation,
    rows: PartRows,
    samples: Encoded,
    targets: Targets,
    /// What each sample counts in the loss, besides what its class does.
    weights: Vec<f32>,
    /// What a sample of each class counts, where they do not count the same.
    class_weights: Option<Vec<f32>>,
    /// The validation samples with their answers and weights, where they are not a part of the others.
    valid: Option<(Encoded, Targets, Vec<f32>)>,
}

/// Which rows of a data set are for what.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartRows {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows (of the validation samples, where those were given apart) that decide when to stop.
    pub valid: Vec<usize>,
    /// Rows that training never sees.
    pub test: Vec<usize>,
}

/// A model and how it came about.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fitted<G: Generator = BuiltIn> {
    /// The model.
    pub model: Model<G>,
    /// Every epoch of its training.
    pub history: Vec<EpochRecord>,
}

impl TrainingSetup {
    /// Splits and encodes labelled samples. `valid` are samples that decide when to stop; without them
    /// a share of the others does. Training runs on `device`.
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
        let objective = Objective::fit(&answers, config.data.target_name(), &rows.train);
        let evidence = config.training.evidence();
        protected::check(data.samples(), config)?;
        monotone::check(data.samples(), config, &objective)?;
        let features = weights::features(data.samples(), config)?;
        let given = features.as_ref().unwrap_or(data.samples());
        let left_out = LeftOut::of(given, config);
        let without = left_out.without(given)?;
        let given = without.as_ref().unwrap_or(given);
        // The paper's method reads what it is given.
        let narrowed = match evidence {
            Evidence::Chosen => many_columns::narrowed(given, &answers, &rows.train)?,
            Evidence::Whole => None,
        };
        let read = narrowed.as_ref().unwrap_or(given);
        let representation = config.representation.fit(read, &rows.train, evidence)?;
        let representation = representation.with_monotone(&config.data.monotone());
        let features = representation.features();
        // Of a few columns all are terms: the default K need not be changed for them.
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
            augmentation,
            rows,
        })
    }

    /// The same, of which a training that the progress callback breaks off gives the model of its best epoch so
    /// far instead of [`Error::Interrupted`].
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

    /// What is predicted.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// How samples are read; fitted on the training rows.
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// How many of a table's columns are not read, as there are too many of them.
    pub fn columns_left_out(&self) -> usize {
        self.columns_left_out
    }

    /// Which rows of the data are for what.
    pub fn rows(&self) -> &PartRows {
        &self.rows
    }

    /// The known answer of every sample.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Names this data with these options: a checkpoint of another run does not fit.
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

    /// The sizes that a generator has to fit.
    pub fn dims(&self) -> Dims {
        self.representation.dims(self.objective.outputs(), self.config().training.evidence())
    }

    /// The options with the defaults that depend on the data filled in, as a TOML file that shows
    /// the stages in a comment.
    pub fn resolved_toml(&self) -> Result<String> {
        self.resolved_toml_with(self.config().k)
    }

    /// The same with another K, for models whose K was found after training.
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

    /// The stages that the options ask for at gate size `k`.
    pub fn stages(&self, k: usize) -> Vec<Stage> {
        self.config().stages(k, self.rows.train.len())
    }

    /// Trains the generator that the options name.
    pub fn fit(
        &self,
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<Fitted> {
        let build = |dims, init: &mut Init<'_>| self.config().generator.build(dims, init);
        self.fit_generator(build, checkpoints, progress)
    }

    /// Trains a generator of the caller's own.
    pub fn fit_generator<G: Generator>(
        &self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<Fitted<G>> {
        let stages = self.stages(self.config().k);
        let network = self.network(build)?;
        self.with_trainer(false, |trainer| {
            let trained = match self.has_few_rows() {
                true => self.train_few(trainer, network, &stages, checkpoints, progress)?,
                false => trainer.train(network, &stages, checkpoints, progress)?,
            };
            self.fitted(self.config().clone(), trained, trainer)
        })
    }

    /// Trains the network of a judge: the same, from other random numbers, on subsets of its own kind.
    pub(crate) fn fit_judge(&self, progress: &mut Progress<'_>) -> Result<Network<BuiltIn>> {
        let build = |dims, init: &mut Init<'_>| self.config().generator.build(dims, init);
        let seed = self.config().seed ^ JUDGE_SEED;
        let network = self.seeded_network(build, self.dims(), self.intercept()?, seed)?;
        let mut network = self.with_monotone(network);
        if self.starts_linear() {
            network = self.on_linear(network)?;
        }
        let stages = self.stages(self.config().k);
        let trained = self.with_trainer(false, |trainer| {
            let (subset_sizes, device) =
                (self.representation.judge_sizes(), trainer.device.clone());
            let judge = Trainer { subset_sizes, seed, device, ..*trainer };
            let trained = match self.has_few_rows() {
                true => self.train_few(&judge, network, &stages, None, progress),
                false => judge.train(network, &stages, None, progress),
            };
            // What it would choose itself: learned when it judges already, so that it judges no differently.
            judge.learn_terms(self.with_terms(trained?.network, &self.dims().x, seed))
        })?;
        self.unweighted(trained)
    }

    /// Trains one model for each K and hands each to `done`, in order, as soon as it is there;
    /// beginnings that their schedules share are run once.
    pub fn fit_each(
        &self,
        ks: &[usize],
        progress: &mut Progress<'_>,
        done: &mut dyn FnMut(Fitted) -> Result<()>,
    ) -> Result<()> {
        let build = |dims, init: &mut Init<'_>| self.config().generator.build(dims, init);
        let network = self.network(build)?;
        let configs = ks.iter().map(|&k| self.config_with(k)).collect::<Result<Vec<_>>>()?;
        let schedules: Vec<Vec<Stage>> = ks.iter().map(|&k| self.stages(k)).collect();
        let mut configs = configs.into_iter();
        self.with_trainer(false, |trainer| {
            trainer.train_each(network, &schedules, progress, &mut |trained| {
                let config = configs.next().expect("there are as many results as schedules");
                done(self.fitted(config, trained, trainer)?)
            })
        })
    }

    /// Trains the plain network (the DNN of the comparisons) through the same schedule.
    pub fn fit_plain_network(&self, progress: &mut Progress<'_>) -> Result<PlainNetwork> {
        let network = self.plain_network(self.config().seed)?;
        let stages = self.stages(self.config().k).into_iter();
        let stages: Vec<Stage> =
            stages.map(|stage| Stage { k: 1, temperature: 0.0, ..stage }).collect();
        let network = self.with_trainer(true, |trainer| {
            Ok(trainer.train(network, &stages, None, progress)?.network)
        })?;
        let (representation, objective) = (self.representation.clone(), self.objective.clone());
        Ok(PlainNetwork::new(representation, objective, network, &self.device))
    }

    /// The plain network with its first weights. It reads [`Batch::plain`](crate::representation::Batch::plain):
    /// its one weight is the score.
    pub fn plain_network(&self, seed: u64) -> Result<Network<BuiltIn>> {
        let dims = self.representation.dims(self.objective.outputs(), Evidence::Whole);
        let dims = Dims { features: 1, ..dims };
        // A network of weights per position or cell has no single output; the paper's networks have.
        let generator = match &self.config().generator {
            GeneratorConfig::TokenContext(c) => GeneratorConfig::SentenceCnn(c.into()),
            GeneratorConfig::CellContext(c) => GeneratorConfig::ImageCnn(c.into()),
            other => other.clone(),
        };
        let intercept = match self.config().training.has_intercept() {
            true => Intercept::Learned,
            false => Intercept::None,
        };
        let build = |dims, init: &mut Init<'_>| generator.build(dims, init);
        self.seeded_network(build, dims, intercept, seed)
    }

    /// The options for another K, checked.
    fn config_with(&self, k: usize) -> Result<Config> {
        let mut config = self.config().clone();
        config.k = k;
        Ok(config.check()?.into_config())
    }

    /// The network of a model; for tables with what its choice and its terms need.
    fn network<G: Generator>(
        &self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
    ) -> Result<Network<G>> {
        let (dims, seed) = (self.dims(), self.config().seed);
        let x = dims.x.clone();
        let network = self.seeded_network(build, dims, self.intercept()?, seed)?;
        let network = self.with_monotone(self.with_terms(network, &x, seed));
        if self.starts_linear() { self.on_linear(network) } else { Ok(network) }
    }

    /// The network of a table with those that say what columns count and add.
    fn with_terms<G: Generator>(&self, network: Network<G>, x: &XShape, seed: u64) -> Network<G> {
        match x {
            XShape::Columns { columns, .. } if self.representation.is_screened() => {
                let mut rng = stream(seed, Purpose::Initialise, 0, 1);
                let device = self.device.clone().autodiff();
                let mut init = Init::new(&mut rng, &device);
                let importance = TabularEnsemble::of_columns(columns, 1, 1, &mut init);
                let explainer = Explainer::new(columns, self.objective.outputs(), &mut init);
                network.with_importance(importance).with_explainer(explainer)
            }
            _ => network,
        }
    }

    /// The network of a table with what its monotone columns need.
    fn with_monotone<G: Generator>(&self, network: Network<G>) -> Network<G> {
        match self.dims().x {
            XShape::Columns { columns, .. } => {
                let device = self.device.clone().autodiff();
                network.with_monotone(MonotonePart::new(&columns, &device))
            }
            _ => network,
        }
    }

    fn seeded_network<G: Generator>(
        &self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
        dims: Dims,
        intercept: Intercept,
        seed: u64,
    ) -> Result<Network<G>> {
        let mut rng = stream(seed, Purpose::Initialise, 0, 0);
        let device = self.device.clone().autodiff();
        let outputs = dims.outputs;
        let generator = build(dims, &mut Init::new(&mut rng, &device))?;
        let gate_scope = self.config().training.gate_scope();
        Ok(Network::new(generator, outputs, gate_scope, intercept, &device))
    }

    /// The constant of each score: learned or, where predictions are made from chosen features, what
    /// is known without any.
    fn intercept(&self) -> Result<Intercept> {
        let training = &self.config().training;
        Ok(match (training.has_intercept(), training.evidence()) {
            (false, _) => Intercept::None,
            (true, Evidence::Whole) => Intercept::Learned,
            (true, Evidence::Chosen) => {
                let part = self.part(&self.rows.train);
                Intercept::Fixed(self.objective.base_scores(&part.targets, &part.weights))
            }
        })
    }

    /// The network with the base rate of classes that were weighted in training: a class is as frequent as
    /// it is, not as it counted, and so are its probabilities.
    fn unweighted<G: Generator>(&self, network: Network<G>) -> Result<Network<G>> {
        let (Some(_), Intercept::Fixed(_)) = (&self.class_weights, self.intercept()?) else {
            return Ok(network);
        };
        let rows = &self.rows.train;
        let weights: Vec<f32> = rows.iter().map(|&row| self.weights[row]).collect();
        let base = self.objective.base_scores(&self.targets.select(rows), &weights);
        Ok(network.with_intercepts(base, &self.device.clone().autodiff()))
    }

    /// Puts a trained network into service, without the features that do not help.
    fn fitted<G: Generator>(
        &self,
        config: Config,
        trained: Trained<G>,
        trainer: &Trainer<'_>,
    ) -> Result<Fitted<G>> {
        let (mut representation, objective) = (self.representation.clone(), self.objective.clone());
        let network = self.unweighted(trainer.learn_terms(trained.network)?)?;
        let trained = Trained { network, ..trained };
        if config.training.screens() && representation.is_screened() {
            let uninformative = trainer.uninformative(&trained.network.valid())?;
            representation = representation.without(uninformative);
        }
        let calibrates = config.training.calibrates();
        let model = Model::new(config, representation, objective, trained.network, &self.device);
        let model = match calibrates && model.evidence() == Evidence::Chosen {
            true => model.calibrated(trainer.valid)?,
            false => model,
        };
        let model = model.right_on_average(trainer.train)?;
        Ok(Fitted { model, history: trained.history })
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

    fn with_trainer<T>(
        &self,
        plain_network: bool,
        run: impl FnOnce(&Trainer<'_>) -> Result<T>,
    ) -> Result<T> {
        let train = self.part(&self.rows.train);
        let valid = match &self.valid {
            Some((samples, targets, weights)) => Part {
                samples,
                rows: self.rows.valid.clone(),
                targets: targets.clone(),
                weights: weights::with_classes(
                    weights.clone(),
                    targets,
                    self.class_weights.as_deref(),
                ),
            },
            None => self.part(&self.rows.valid),
        };
        run(&Trainer {
            representation: &self.representation,
            objective: &self.objective,
            train: &train,
            valid: &valid,
            config: &self.config().training,
            evidence: match plain_network {
                true => Evidence::Whole,
                false => self.config().training.evidence(),
            },
            subset_sizes: self.representation.subset_sizes(),
            augmentation: self.augmentation,
            seed: self.config().seed,
            plain_network,
            stop_after: None,
            keep_when_stopped: self.keep_when_stopped,
            device: self.device.clone().autodiff(),
        })
    }
}

fn columns_of(samples: &Samples) -> usize {
    match samples {
        Samples::Table(table) => table.columns().len(),
        _ => 0,
    }
}

/// The answers of labelled samples, and which of these are for what; none are for validation where others are given.
pub(crate) fn answers_and_rows(
    config: &Config,
    data: &Dataset,
    valid_is_given: bool,
) -> Result<(Answers, PartRows)> {
    let shares = config.data.shares(valid_is_given)?;
    let (tabular, groups) = (config.task == Task::Tabular, config.data.group.as_ref());
    let answers = Answers::read(config.objective, data, tabular, groups)
        .map_err(|error| error.in_column(config.data.target.as_deref()))?;
    let rows = part_rows(&answers, shares, config.seed);
    Ok((answers, rows))
}

/// Parts the samples at random by the shares that validate, test and teach, classes in proportion.
fn part_rows(answers: &Answers, shares: [f64; 3], seed: u64) -> PartRows {
    let mut rng = stream(seed, Purpose::Split, 0, 0);
    // The largest part last: it takes what rounding leaves.
    let mut parts = match answers {
        Answers::Classes(_, classes) => {
            let mut parts = split::stratified(classes, &shares, &mut rng);
            teach_every_class(classes, &mut parts);
            parts
        }
        Answers::Numbers(values) => split::random(values.len(), &shares, &mut rng),
    };
    let mut part = || parts.pop().expect("three shares give three parts");
    let (train, test, valid) = (part(), part(), part());
    PartRows { train, valid, test }
}

/// Moves a row of each class that the last part, the training rows, lacks into it: a class of one
/// or two samples may have been shared out to the others.
pub(crate) fn teach_every_class(classes: &[usize], parts: &mut [Vec<usize>]) {
    let Some((train, others)) = parts.split_last_mut() else { return };
    let mut known: HashSet<usize> = train.iter().map(|&row| classes[row]).collect();
    for other in others {
        other.retain(|&row| {
            let keep = !known.insert(classes[row]);
            if !keep {
                train.push(row);
            }
            keep
        });
    }
    train.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_one_sample_is_learned_from() {
        let classes = [0, 0, 0, 1, 2];
        let mut parts = vec![vec![0, 3], vec![4], vec![1, 2]];
        teach_every_class(&classes, &mut parts);
        assert_eq!(parts, [vec![0], vec![], vec![1, 2, 3, 4]]);
    }
}
