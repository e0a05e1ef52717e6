//! From samples to a model: networks are trained and wrapped for prediction.

use super::{Fitted, TrainingSetup, weights};
use crate::config::Config;
use crate::error::Result;
use crate::evidence::Evidence;
use crate::generator::layers::Init;
use crate::generator::{BuiltIn, Dims, Generator};
use crate::model::Model;
use crate::network::Network;
use crate::plain_network::PlainNetwork;
use crate::train::{Checkpoints, Part, Progress, Stage, Trained, Trainer};
use burn::module::Module;
/// Separates the random numbers of a judge from those of the model that it judges.
const JUDGE_SEED: u64 = 0x6a75_6467_6500_0000;

impl TrainingSetup {
    /// Trains the generator that the options name.
    pub fn fit(
        &self,
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<Fitted> {
        self.fit_generator(|dims, init| self.generator(dims, init), checkpoints, progress)
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
            self.fitted(self.config().clone(), trained, trainer, progress)
        })
    }

    /// Trains the network of a judge: the same, from other random numbers, on subsets of its own kind.
    pub(crate) fn fit_judge(&self, progress: &mut Progress<'_>) -> Result<Network<BuiltIn>> {
        let seed = self.config().seed ^ JUDGE_SEED;
        let build = |dims, init: &mut Init<'_>| self.generator(dims, init);
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
            // Its own choice is learned after the network is finished, so that its judgement is not affected.
            judge.learn_terms(self.with_terms(trained?.network, &self.dims().x, seed), progress)
        })?;
        self.unweighted(trained)
    }

    /// Trains one model for each K and passes each to `done`, in order, as soon as it is ready;
    /// stages shared by the schedules are run once.
    pub fn fit_each(
        &self,
        ks: &[usize],
        progress: &mut Progress<'_>,
        done: &mut dyn FnMut(Fitted) -> Result<()>,
    ) -> Result<()> {
        let network = self.network(|dims, init| self.generator(dims, init))?;
        let configs = ks.iter().map(|&k| self.config_with(k)).collect::<Result<Vec<_>>>()?;
        let schedules: Vec<Vec<Stage>> = ks.iter().map(|&k| self.stages(k)).collect();
        let mut configs = configs.into_iter();
        self.with_trainer(false, |trainer| {
            trainer.train_each(network, &schedules, progress, &mut |trained, progress| {
                let config = configs.next().expect("there are as many results as schedules");
                done(self.fitted(config, trained, trainer, progress)?)
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

    /// The options for another K, checked.
    pub(super) fn config_with(&self, k: usize) -> Result<Config> {
        let mut config = self.config().clone();
        config.k = k;
        Ok(config.check()?.into_config())
    }

    /// Wraps a trained network for prediction, without the features that do not help.
    pub(super) fn fitted<G: Generator>(
        &self,
        config: Config,
        trained: Trained<G>,
        trainer: &Trainer<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Fitted<G>> {
        let (mut representation, objective) = (self.representation.clone(), self.objective.clone());
        let network = self.unweighted(trainer.learn_terms(trained.network, progress)?)?;
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

    pub(super) fn with_trainer<T>(
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
