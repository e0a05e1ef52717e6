//! From labelled samples to a predictor in one call.

use crate::config::{Config, Task};
use crate::data::{Chunk, Groups, split};
use crate::error::{Error, Place, Result};
use crate::generator::layers::Init;
use crate::generator::{BuiltIn, Dims, Generator, GeneratorConfig};
use crate::model::Model;
use crate::objective::{Objective, Targets};
use crate::predictor::Predictor;
use crate::random::{Purpose, stream};
use crate::representation::{Encoded, Representation};
use crate::train::{Checkpoints, EpochRecord, Fingerprint, Part, Progress, Stage, Trainer};
use burn::tensor::Device;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// Which samples are for what.
#[derive(Debug, Clone, Copy)]
pub struct Holdout<'a> {
    /// Samples that decide when to stop; `None` takes a share of the training samples.
    pub valid: Option<&'a Chunk>,
    /// That share, used when `valid` is `None`.
    pub valid_fraction: f64,
    /// The share that training never sees, for a test afterwards.
    pub test_fraction: f64,
}

impl Default for Holdout<'_> {
    fn default() -> Self {
        Self { valid: None, valid_fraction: 0.1, test_fraction: 0.0 }
    }
}

/// Samples that were read, split, represented and encoded: all that training needs.
#[derive(Debug)]
pub struct Prepared {
    /// The options.
    pub config: Config,
    /// What is predicted.
    pub objective: Objective,
    /// How samples are read; fitted on the training rows.
    pub representation: Representation,
    /// Rows of the chunk to learn from.
    pub train_rows: Vec<usize>,
    /// Rows of the chunk (or of the validation chunk) that decide when to stop.
    pub valid_rows: Vec<usize>,
    /// Rows of the chunk that were held out.
    pub test_rows: Vec<usize>,
    samples: Encoded,
    targets: Targets,
    /// The validation chunk, where it is one of its own.
    valid: Option<(Encoded, Targets)>,
}

/// A predictor and how it came about.
#[derive(Debug)]
pub struct Fitted<G: Generator = BuiltIn> {
    /// The model in service.
    pub predictor: Predictor<G>,
    /// Every epoch of its training.
    pub history: Vec<EpochRecord>,
}

impl Prepared {
    /// Splits and encodes labelled samples. `target` names what is predicted.
    pub fn new(config: Config, target: &str, chunk: &Chunk, holdout: Holdout<'_>) -> Result<Self> {
        config.generator.check()?;
        if chunk.is_empty() || holdout.valid.is_some_and(Chunk::is_empty) {
            return Err(Error::setting(
                "samples",
                "none",
                "at least one to learn from and to validate",
            ));
        }
        let all: Vec<usize> = (0..chunk.len()).collect();
        let tabular = config.task == Task::Tabular;
        let groups = config.data.group.as_deref().map(Groups::parse).transpose()?;
        let in_column = |error: Error| error.in_column(config.data.target.as_deref());
        let fit = |rows: &[usize]| -> Result<Objective> {
            let objective = Objective::fit(config.objective, target, chunk, rows, tabular)
                .map_err(in_column)?;
            let Some(groups) = &groups else { return Ok(objective) };
            let names = groups.names();
            match objective.classes().iter().find(|class| !names.contains(&class.as_str())) {
                Some(class) => Err(Error::setting("group", class, "a label outside the groups")),
                None => Ok(objective.in_order(&names)),
            }
        };
        let valid_fraction = if holdout.valid.is_some() { 0.0 } else { holdout.valid_fraction };
        let train_fraction = 1.0 - valid_fraction - holdout.test_fraction;
        for (name, share) in
            [("valid-fraction", valid_fraction), ("test-fraction", holdout.test_fraction)]
        {
            if !(0.0..1.0).contains(&share) {
                return Err(Error::setting(name, share, "expected a share from 0 to below 1"));
            }
        }
        if train_fraction <= 0.0 {
            let shares = format!("{valid_fraction} + {}", holdout.test_fraction);
            let expected = "expected a sum below 1, so that something is left to learn from";
            return Err(Error::setting("valid-fraction + test-fraction", shares, expected));
        }
        if holdout.valid.is_none() && valid_fraction == 0.0 {
            let expected = "training needs validation samples: a share above 0 or a file of them";
            return Err(Error::setting("valid-fraction", 0, expected));
        }
        let mut rng = stream(config.seed, Purpose::Split, 0, 0);
        // Largest part last: it takes what rounding leaves.
        let shares = [valid_fraction, holdout.test_fraction, train_fraction];
        let mut parts = match fit(&all)?.targets(chunk).map_err(in_column)? {
            Targets::Classes(classes) => {
                let mut parts = split::stratified(&classes, &shares, &mut rng);
                teach_every_class(&classes, &mut parts);
                parts
            }
            Targets::Values(values) => split::random(values.len(), &shares, &mut rng),
        };
        let mut part = || parts.pop().expect("three fractions give three parts");
        let (train_rows, test_rows, valid_rows) = (part(), part(), part());
        let objective = fit(&train_rows)?;
        let representation = config.representation.fit(&chunk.samples, &train_rows)?;
        let valid = holdout
            .valid
            .map(|chunk| -> Result<_> {
                let targets = objective.targets(chunk).map_err(in_column)?;
                Ok((representation.encode(&chunk.samples)?, targets))
            })
            .transpose()?;
        let valid_rows = match holdout.valid {
            Some(chunk) => (0..chunk.len()).collect(),
            None => valid_rows,
        };
        if train_rows.is_empty() || valid_rows.is_empty() {
            let n = chunk.len();
            let file = Place::file(chunk.place(0).file);
            return Err(file.error(format!("{n} samples are too few to train and validate")));
        }
        let features = representation.features();
        if config.k == 0 || config.k > features {
            let expected = format!("K must be from 1 to {features}, the number of features");
            return Err(Error::setting("k", config.k, expected));
        }
        config.training.schedule(config.k, config.epochs(train_rows.len()))?;
        config.training.shift(&representation)?;
        let (samples, targets) =
            (representation.encode(&chunk.samples)?, objective.targets(chunk)?);
        Ok(Self {
            config,
            objective,
            representation,
            train_rows,
            valid_rows,
            test_rows,
            samples,
            targets,
            valid,
        })
    }

    /// Names this data with these options: a checkpoint of another run does not fit.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hash = Sha256::new();
        hash.update(format!("{:?} {:?} {:?}", self.config, self.train_rows, self.valid_rows));
        hash.update(
            serde_json::to_vec(&self.representation).expect("a representation is plain data"),
        );
        for (samples, targets) in
            [Some((&self.samples, &self.targets)), self.valid.as_ref().map(|(s, t)| (s, t))]
                .into_iter()
                .flatten()
        {
            samples.digest(&mut hash);
            hash.update(format!("{targets:?}"));
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The sizes that a generator has to fit.
    pub fn dims(&self) -> Dims {
        self.representation.dims(self.objective.outputs())
    }

    /// The options with the defaults that depend on the data filled in, as a TOML file that shows
    /// the stages in a comment.
    pub fn resolved_toml(&self) -> Result<String> {
        let samples = self.train_rows.len();
        let mut config = self.config.clone();
        config.data.examples = Some(config.data.examples());
        config.training.batch_size = Some(config.training.batch_size(samples));
        config.training.epochs = Some(config.epochs(samples));
        config.training.shift = Some(config.training.shift(&self.representation)?);
        config.training.intercept = Some(config.training.has_intercept());
        let mut text = config.to_toml()?;
        if config.training.stages.is_none() {
            text += "\n# The preset's stages; uncomment them to change one. They then count instead of preset and epochs.\n";
            for stage in self.stages()? {
                let stage = toml::to_string(&stage).unwrap_or_default();
                text += "#\n# [[training.stages]]\n";
                stage.lines().for_each(|line| text += &format!("# {line}\n"));
            }
        }
        Ok(text)
    }

    /// The stages that the options ask for.
    pub fn stages(&self) -> Result<Vec<Stage>> {
        self.config.training.schedule(self.config.k, self.config.epochs(self.train_rows.len()))
    }

    /// Trains the generator that the options name.
    pub fn fit(
        &self,
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<Fitted> {
        self.fit_with(|dims, init| self.config.generator.build(dims, init), checkpoints, progress)
    }

    /// Trains a generator of the caller's own.
    pub fn fit_with<G: Generator>(
        &self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<Fitted<G>> {
        let stages = self.stages()?;
        let device = Device::default().autodiff();
        let model = self.model(build, self.dims(), &device)?;
        let trained = self.with_trainer(false, &device, |trainer| {
            trainer.train(model, &stages, checkpoints, progress)
        })?;
        Ok(self.fitted(self.config.clone(), trained))
    }

    /// Trains one model for each K and hands each to `done`, in order, as soon as it is there;
    /// beginnings that their schedules share are run once.
    pub fn fit_each(
        &self,
        ks: &[usize],
        progress: &mut Progress<'_>,
        done: &mut dyn FnMut(Fitted) -> Result<()>,
    ) -> Result<()> {
        let device = Device::default().autodiff();
        let model =
            self.model(|dims, init| self.config.generator.build(dims, init), self.dims(), &device)?;
        let schedule = |&k: &usize| {
            self.config.training.schedule(k, self.config.epochs(self.train_rows.len()))
        };
        let schedules = ks.iter().map(schedule).collect::<Result<Vec<_>>>()?;
        let mut ks = ks.iter();
        self.with_trainer(false, &device, |trainer| {
            trainer.train_each(model, &schedules, progress, &mut |trained| {
                let k = *ks.next().expect("there are as many results as schedules");
                done(self.fitted(Config { k, ..self.config.clone() }, trained))
            })
        })
    }

    /// Trains the plain network (the DNN of the comparisons) through the same schedule
    /// and gives its accuracy, or R², on each of the labelled chunks.
    pub fn black_box(&self, chunks: &[&Chunk], progress: &mut Progress<'_>) -> Result<Vec<f64>> {
        let device = Device::default().autodiff();
        let dims = Dims { features: 1, ..self.dims() };
        // A network of weights per position has no single output; the paper's text network has.
        let generator = match &self.config.generator {
            GeneratorConfig::TokenContext(c) => GeneratorConfig::SentenceCnn(c.into()),
            other => other.clone(),
        };
        let model = self.model(|dims, init| generator.build(dims, init), dims, &device)?;
        let stages: Vec<Stage> = self
            .stages()?
            .into_iter()
            .map(|stage| Stage { k: 1, temperature: 0.0, ..stage })
            .collect();
        self.with_trainer(true, &device, |trainer| {
            use burn::module::Module;
            let model = trainer.train(model, &stages, None, progress)?.model.valid();
            let measure = |chunk: &&Chunk| -> Result<f64> {
                let samples = &self.representation.encode(&chunk.samples)?;
                let (rows, targets) = ((0..chunk.len()).collect(), self.objective.targets(chunk)?);
                Ok(trainer.evaluate(&model, &Part { samples, rows, targets }, 1)?.1)
            };
            chunks.iter().map(measure).collect()
        })
    }

    fn model<G: Generator>(
        &self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
        dims: Dims,
        device: &Device,
    ) -> Result<Model<G>> {
        let mut rng = stream(self.config.seed, Purpose::Initialise, 0, 0);
        let generator = build(dims, &mut Init { rng: &mut rng, device })?;
        let training = &self.config.training;
        Ok(Model::new(generator, dims.outputs, training.gate, training.has_intercept(), device))
    }

    fn fitted<G: Generator>(&self, config: Config, trained: crate::train::Trained<G>) -> Fitted<G> {
        let (representation, objective) = (self.representation.clone(), self.objective.clone());
        let predictor = Predictor::new(config, representation, objective, trained.model);
        Fitted { predictor, history: trained.history }
    }

    /// Rows of the chunk as a part.
    fn part(&self, rows: &[usize]) -> Part<'_> {
        Part { samples: &self.samples, rows: rows.to_vec(), targets: self.targets.select(rows) }
    }

    fn with_trainer<T>(
        &self,
        black_box: bool,
        device: &Device,
        run: impl FnOnce(&Trainer<'_>) -> Result<T>,
    ) -> Result<T> {
        let train = self.part(&self.train_rows);
        let valid = match &self.valid {
            Some((samples, targets)) => {
                Part { samples, rows: self.valid_rows.clone(), targets: targets.clone() }
            }
            None => self.part(&self.valid_rows),
        };
        run(&Trainer {
            representation: &self.representation,
            objective: &self.objective,
            train: &train,
            valid: &valid,
            config: &self.config.training,
            seed: self.config.seed,
            black_box,
            device: device.clone(),
        })
    }
}

/// Moves a row of each class that the last part, the training rows, lacks into it: a class of one
/// or two samples may have been shared out to the others.
fn teach_every_class(classes: &[usize], parts: &mut [Vec<usize>]) {
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
