//! An independent judge: the worth of any given features of a sample, chosen by any method.
//!
//! A judge is a separate network trained on random subsets only. It has never seen a
//! choice, so no choice can be a code for it: its prediction from the K features of an explanation
//! measures what those features are worth (EVAL-X of Jethani et al., 2021).

use crate::config::Options;
use crate::dataset::{Dataset, Samples};
use crate::error::{Error, Result};
use crate::evidence::choice::{Rule, choose, choose_against};
use crate::evidence::{Choice, Evidence, subsets};
use crate::generator::{Activations, BuiltIn, Dropout, Generator, GeneratorConfig};
use crate::metrics::Quality;
use crate::model::{Model, in_passes};
use crate::network::Network;
use crate::objective::Objective;
use crate::representation::{Batch, Encoded, Representation};
use crate::setup::TrainingSetup;
use crate::train::{Preset, Progress};
use burn::module::Module;
use burn::tensor::Device;
use std::collections::HashMap;

/// Samples that are judged together.
const BATCH: usize = 32;

/// A network that predicts from any subset of a sample's features.
#[derive(Debug, Clone)]
pub struct Judge {
    pub(crate) representation: Representation,
    pub(crate) network: Network<BuiltIn>,
    objective: Objective,
    activations: Activations,
    device: Device,
}

impl Judge {
    /// Trains a judge for models with these options on the samples that the model learned from: the same
    /// seed splits the samples in the same way.
    pub fn fit(
        options: Options,
        data: &Dataset,
        valid: Option<&Dataset>,
        device: &Device,
        progress: &mut Progress<'_>,
    ) -> Result<Self> {
        let mut config = options.into_config();
        let training = &mut config.training;
        (training.evidence, training.preset, training.stages) = (None, Preset::Subsets, None);
        training.intercept = None;
        // A judge has no K, and its features may be fewer than those of the model, such as levels.
        config.k = 1;
        let setup = TrainingSetup::new(config.check()?, data, valid, device)?;
        let network = setup.fit_judge(progress)?;
        let (representation, objective) =
            (setup.representation().clone(), setup.objective().clone());
        Ok(Self::new(&setup.config().generator, representation, network, objective, device))
    }

    /// Its representation of samples. Its features are those of a model whose predictions are made from chosen
    /// ones: cells, words, columns.
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// The quality of its predictions of labelled samples from the given features of each alone, by their numbers
    /// in [`Judge::representation`].
    pub fn quality(&self, data: &Dataset, kept: &[Vec<usize>]) -> Result<Quality> {
        check_one_each(data, kept)?;
        let targets = self.objective.targets(data)?;
        let scores = self.scores(&self.encode(data.samples())?, kept)?;
        Ok(Quality::of(&self.objective, &scores, &targets))
    }

    /// For each sample, whether `k` other features lead it to predict another class than the given ones do;
    /// `None` if the sample has no others. They are searched for by gradient, so some may exist
    /// even if none were found.
    pub fn contests(
        &self,
        data: &Dataset,
        kept: &[Vec<usize>],
        k: usize,
    ) -> Result<Vec<Option<bool>>> {
        check_one_each(data, kept)?;
        let encoded = self.encode(data.samples())?;
        let scores = self.scores(&encoded, kept)?;
        let classes: Vec<usize> = scores.iter().map(|s| self.objective.class(s)).collect();
        self.contested(&encoded, kept, k, &classes)
    }

    /// Wraps a trained network for prediction.
    pub(crate) fn new(
        generator: &GeneratorConfig,
        representation: Representation,
        network: Network<BuiltIn>,
        objective: Objective,
        device: &Device,
    ) -> Self {
        let trained = network.devices().first().is_some_and(Device::is_autodiff);
        let network = if trained { network.valid() } else { network };
        let (network, device) = (network.train().no_grad(), device.clone().autodiff());
        let dims = representation.dims(objective.outputs(), Evidence::Chosen);
        let activations = Activations::new(generator, &dims);
        Self { representation, network, objective, activations, device }
    }

    /// Returns the judge for a model that differs only in its threshold.
    pub(crate) fn with_objective(&self, objective: Objective) -> Self {
        Self { objective, ..self.clone() }
    }

    /// The judge's numbers of a model's features: for a level, that of its column; `None` for features
    /// the judge does not read, such as a column that never varies.
    pub(crate) fn features_of<G: Generator>(&self, model: &Model<G>) -> Vec<Option<usize>> {
        let own = &self.representation;
        let known: HashMap<String, usize> = (0..own.features()).map(|j| (own.name(j), j)).collect();
        let theirs = model.representation();
        (0..theirs.features()).map(|j| known.get(&theirs.owner_name(j)).copied()).collect()
    }

    /// The features of each sample that can be chosen, by the judge's numbers.
    pub(crate) fn available(&self, encoded: &Encoded, row: usize) -> Vec<usize> {
        let batch = self.representation.batch(encoded, &[row], &self.device);
        let slots = (0..batch.features()).filter(|&slot| batch.available[slot] != 0.0);
        slots.map(|slot| batch.feature_at(0, slot)).collect()
    }

    /// Encodes samples as the judge reads them.
    pub(crate) fn encode(&self, samples: &Samples) -> Result<Encoded> {
        self.representation.encode(samples)
    }

    /// The scores of each sample from the given features alone, in the user's units.
    pub(crate) fn scores(&self, encoded: &Encoded, kept: &[Vec<usize>]) -> Result<Vec<Vec<f64>>> {
        self.batches(encoded, |batch, rows| {
            self.batch_scores(batch, batch.marks(rows.iter().map(|&row| &kept[row][..])))
        })
    }

    /// For each sample, whether `k` features outside the given ones lead to another class than
    /// `classes`; they are searched for by gradient, so some may exist even if none were found. `None`
    /// if there is no other feature.
    pub(crate) fn contested(
        &self,
        encoded: &Encoded,
        kept: &[Vec<usize>],
        k: usize,
        classes: &[usize],
    ) -> Result<Vec<Option<bool>>> {
        self.batches(encoded, |batch, rows| {
            let own = batch.marks(rows.iter().map(|&row| &kept[row][..]));
            let others = batch.available.iter().zip(&own).map(|(open, own)| open * (1.0 - own));
            let answers: Vec<usize> = rows.iter().map(|&row| classes[row]).collect();
            let others: Vec<f32> = others.collect();
            let some: Vec<bool> = others
                .chunks_exact(batch.features())
                .map(|others| others.iter().any(|mark| *mark != 0.0))
                .collect();
            let found = choose_against(&self.network, batch, others, k, answers.clone())?;
            let scores = self.batch_scores(batch, found)?;
            let other = |((scores, class), some): ((Vec<f64>, usize), bool)| {
                some.then(|| self.objective.class(&scores) != class)
            };
            Ok(scores.into_iter().zip(answers).zip(some).map(other).collect())
        })
    }

    /// The features of each sample that the judge would choose itself, by its own numbers; `None` if it has not
    /// learned what the rule needs.
    pub(crate) fn choices(
        &self,
        encoded: &Encoded,
        k: usize,
        choice: Choice,
    ) -> Result<Option<Vec<Vec<usize>>>> {
        if choice.rule == Rule::Effect && !self.network.knows_importance() {
            return Ok(None);
        }
        let choices = self.batches(encoded, |batch, _| {
            let kept = choose(&self.network, batch, k, choice)?;
            let kept = kept.chunks_exact(batch.features()).enumerate();
            let features = kept.map(|(b, kept)| {
                let slots = (0..kept.len()).filter(|&slot| kept[slot] != 0.0);
                slots.map(|slot| batch.feature_at(b, slot)).collect()
            });
            Ok(features.collect::<Vec<Vec<usize>>>())
        });
        choices.map(Some)
    }

    fn batch_scores(&self, batch: &Batch, marks: Vec<f32>) -> Result<Vec<Vec<f64>>> {
        let kept = subsets::tensor(marks, batch.features(), &self.device);
        let scores = self.network.evidence_scores(batch, &kept, &mut Dropout::off())?;
        let (factor, offset) = self.objective.units();
        let scores: Vec<f64> =
            scores.into_data().iter::<f64>().map(|s| s * factor + offset).collect();
        Ok(scores.chunks_exact(self.objective.outputs()).map(<[f64]>::to_vec).collect())
    }

    fn batches<T: Send>(
        &self,
        encoded: &Encoded,
        read: impl Fn(&Batch, &[usize]) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        in_passes(encoded, self.activations, BATCH, &self.device, |rows| {
            read(&self.representation.batch(encoded, rows, &self.device), rows)
        })
    }
}

/// Refuses lists of features unless there is one for each sample.
fn check_one_each(data: &Dataset, kept: &[Vec<usize>]) -> Result<()> {
    if kept.len() == data.len() {
        return Ok(());
    }
    let expected = format!("expected one list for each of the {} samples", data.len());
    Err(Error::setting("lists of features", kept.len(), expected))
}
