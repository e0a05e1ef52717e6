//! Options of training.

use super::{Preset, Stage, schedule};
use crate::config::option_table;
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::gate::{GateScope, Noise};
use crate::objective::{Objective, Targets, ValueLoss};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Training options. Table of options: [`TrainingConfig::OPTIONS`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct TrainingConfig {
    /// The evidence of predictions; by preset if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The training schedule.
    pub preset: Preset,
    /// Epochs that the preset's stages share; by data size if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<usize>,
    /// Samples per step; by data size if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<usize>,
    /// The initial step size of the preset `subsets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f64>,
    /// Gumbel noise of the K picks.
    pub noise: Noise,
    /// Whether several classes share their features.
    pub gate: GateScope,
    /// Most pixels by which an image is moved in training; by preset and image size if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<usize>,
    /// A learned constant per score; by preset if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intercept: Option<bool>,
    /// The weight in the loss of the straightness of scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slopes: Option<f64>,
    /// Whether columns that do not help on held-out rows are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screening: Option<bool>,
    /// Whether the network learns a correction to a linear model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear_start: Option<bool>,
    /// The share of each weight that is removed in every step of the preset `subsets`, in units of the step
    /// size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_decay: Option<f64>,
    /// Whether probabilities are calibrated on the validation samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<bool>,
    /// The loss for predicting a number.
    #[serde(skip_serializing_if = "is_squared")]
    pub loss: ValueLoss,
    /// Whether the logarithm of a positive number is predicted; if absent, where it helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_target: Option<bool>,
    /// The weights of the classes in the loss.
    pub class_weights: ClassWeights,
    /// Custom stages in place of the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<Stage>>,
}

option_table! {
    TrainingConfig:
    (
        "evidence",
        "chosen; whole with the presets annealed and paper",
        "what predictions are based on: the chosen features alone, or the whole sample as in the paper",
        "chosen or whole",
    ),
    (
        "preset",
        "subsets (evidence whole: annealed)",
        "the training schedule",
        "subsets, annealed or paper",
    ),
    (
        "epochs",
        "by the number of samples",
        "epochs that the stages of the preset share; each has at least one",
        "a whole number of at least 1",
    ),
    (
        "batch_size",
        "a hundredth of the samples, from 16 (tables with evidence chosen: 32) to 128",
        "samples in a step",
        "a whole number of at least 1",
    ),
    ("learning_rate", "0.001", "preset `subsets`: the initial step size", "a number above 0"),
    (
        "weight_decay",
        "0",
        "preset `subsets`: the share of each weight that is removed in every step, in units of the step size",
        "a number of at least 0",
    ),
    (
        "noise",
        "shared",
        "evidence `whole`: whether the K picks share one draw of Gumbel noise or each has its own",
        "shared or fresh",
    ),
    (
        "gate",
        "per-class",
        "evidence `whole`: whether each of several classes has its own K features or all share them",
        "per-class or shared",
    ),
    (
        "shift",
        "a fourteenth of the shorter side (preset paper: 0)",
        "images are moved at random by up to this many pixels in training",
        "a whole number from 0 (off) to below the shorter side",
    ),
    (
        "intercept",
        "true (preset paper: false)",
        "whether each score has a constant: the base rate with evidence `chosen`, otherwise learned",
        "true or false",
    ),
    (
        "calibration",
        "true",
        "evidence `chosen`: whether all terms are multiplied by the one number that fits the probabilities of the validation samples best",
        "true or false",
    ),
    (
        "screening",
        "true",
        "tables, evidence `chosen`: whether columns that do not help on the validation rows are never chosen",
        "true or false",
    ),
    (
        "slopes",
        "1",
        "tables, evidence `chosen`: the weight in the loss of the straightness of scores, so that moving a chosen number moves the score by its slope",
        "a number of at least 0 (off)",
    ),
    (
        "linear_start",
        "true",
        "tables, evidence `chosen`: whether the network learns a correction to a linear model",
        "true or false",
    ),
    (
        "loss",
        "squared",
        "numbers: the loss; `absolute` predicts the median, `huber` gives less weight to errors beyond a standard deviation, `poisson` is for counts",
        "squared, absolute, huber or poisson",
    ),
    (
        "log_target",
        "where it helps",
        "numbers: whether the logarithm of a positive number is predicted, so that terms are factors",
        "true or false",
    ),
    (
        "class_weights",
        "none",
        "the weight of each class in the loss; probabilities still reflect the true class frequencies",
        "none, balanced, or a weight for each class, such as { rare = 5.0 }",
    ),
    ("stages", "those of the preset", "a custom training schedule", "a list of stages"),
}

fn is_squared(loss: &ValueLoss) -> bool {
    *loss == ValueLoss::Squared
}

/// The weights of the classes in the loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "class_weights is none, balanced, or { class = weight }")]
#[non_exhaustive]
pub enum ClassWeights {
    /// `none` or `balanced`.
    Named(NamedWeights),
    /// A weight for each class by name; classes not named count 1.
    Given(BTreeMap<String, f32>),
}

/// Class weights that go by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NamedWeights {
    /// Every sample counts the same.
    None,
    /// Every class counts the same.
    Balanced,
}

impl Default for ClassWeights {
    fn default() -> Self {
        Self::Named(NamedWeights::None)
    }
}

/// Larger batches are typing errors.
const LARGEST_BATCH: usize = 65_536;

impl TrainingConfig {
    /// Refuses a training schedule that cannot give a model of gate size `k`.
    pub(crate) fn check(&self, k: usize) -> Result<()> {
        if self.epochs == Some(0) {
            return Err(Error::setting(
                "training.epochs",
                0,
                "expected a whole number of at least 1",
            ));
        }
        if let Some(size) = self.batch_size.filter(|size| !(1..=LARGEST_BATCH).contains(size)) {
            let expected = format!("expected a whole number from 1 to {LARGEST_BATCH}");
            return Err(Error::setting("training.batch_size", size, expected));
        }
        if self.evidence == Some(Evidence::Chosen) && self.preset != Preset::Subsets {
            let expected =
                "chosen features need the preset subsets; the others train on whole samples";
            return Err(Error::setting("training.evidence", "chosen", expected));
        }
        if let Some(rate) = self.learning_rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
            return Err(Error::setting(
                "training.learning_rate",
                rate,
                "expected a number above 0",
            ));
        }
        for (name, weight) in
            [("training.slopes", self.slopes), ("training.weight_decay", self.weight_decay)]
        {
            if let Some(weight) = weight.filter(|weight| !(weight.is_finite() && *weight >= 0.0)) {
                return Err(Error::setting(name, weight, "expected a number of at least 0"));
            }
        }
        let soft = self.stages.iter().flatten().find(|stage| stage.temperature != 0.0);
        if let (Evidence::Chosen, Some(stage)) = (self.evidence(), soft) {
            let expected = "expected 0, as there is no gate to train with chosen features; \
                            training.evidence = \"whole\" has one";
            let name = "training.stages.temperature";
            return Err(Error::setting(name, stage.temperature, expected));
        }
        self.stages.as_ref().map_or(Ok(()), |stages| schedule::check(stages, k))
    }

    /// The weight in the loss of the straightness of scores.
    pub(crate) fn slope_weight(&self) -> f64 {
        self.slopes.unwrap_or(1.0)
    }

    /// Whether columns that do not help on held-out rows are left out.
    pub(crate) fn screens(&self) -> bool {
        self.screening.unwrap_or(true)
    }

    /// Whether probabilities are calibrated on the validation samples.
    pub(crate) fn calibrates(&self) -> bool {
        self.calibration.unwrap_or(true)
    }

    /// The evidence of predictions: the whole sample with the presets of the paper's method.
    pub fn evidence(&self) -> Evidence {
        self.evidence.unwrap_or(match self.preset {
            Preset::Subsets => Evidence::Chosen,
            Preset::Annealed | Preset::Paper => Evidence::Whole,
        })
    }

    /// The preset that goes with the evidence.
    fn resolved_preset(&self) -> Preset {
        match (self.evidence(), self.preset) {
            (Evidence::Whole, Preset::Subsets) => Preset::Annealed,
            (_, preset) => preset,
        }
    }

    /// The stages for gate size `k`; the preset's share `epochs`.
    pub(crate) fn schedule(&self, k: usize, epochs: usize) -> Vec<Stage> {
        let preset = || {
            let mut stages = self.resolved_preset().stages(k, epochs);
            if self.evidence() == Evidence::Chosen {
                for stage in &mut stages {
                    stage.learning_rate = self.learning_rate.unwrap_or(stage.learning_rate);
                    stage.weight_decay = self.weight_decay;
                }
            }
            stages
        };
        self.stages.clone().unwrap_or_else(preset)
    }

    /// Samples per step: a hundredth of the data, so that small data still gets its number of steps, but
    /// at least `fewest`.
    pub(crate) fn batch_size(&self, samples: usize, fewest: usize) -> usize {
        self.batch_size.unwrap_or((samples / 100).clamp(fewest, 128))
    }

    /// Whether scores have a constant: learned or, with chosen features, the base rate.
    pub fn has_intercept(&self) -> bool {
        self.intercept.unwrap_or(self.preset != Preset::Paper)
    }

    /// Which features the scores of several classes use: with chosen features one set for all.
    pub fn gate_scope(&self) -> GateScope {
        match self.evidence() {
            Evidence::Chosen => GateScope::Shared,
            Evidence::Whole => self.gate,
        }
    }

    /// Whether samples are changed at random only if the options request it.
    pub(crate) fn keeps_samples_still(&self) -> bool {
        self.preset == Preset::Paper
    }

    /// The weight of each class in the loss; `None` if all count the same.
    pub(crate) fn weights_of_classes(
        &self,
        objective: &Objective,
        targets: &Targets,
    ) -> Result<Option<Vec<f32>>> {
        let names = objective.classes();
        match (&self.class_weights, targets) {
            (ClassWeights::Named(NamedWeights::None), _) => Ok(None),
            (_, Targets::Values(_)) => {
                let expected = "only classes can be weighted, the target is a number";
                Err(Error::setting("training.class_weights", "given", expected))
            }
            (ClassWeights::Named(NamedWeights::Balanced), Targets::Classes(classes)) => {
                let mut counts = vec![0_usize; names.len()];
                classes.iter().for_each(|&c| counts[c] += 1);
                let fair = classes.len() as f32 / names.len() as f32;
                Ok(Some(counts.into_iter().map(|n| fair / n.max(1) as f32).collect()))
            }
            (ClassWeights::Given(given), _) => {
                let bad = given
                    .iter()
                    .find(|(name, w)| !names.contains(name) || !w.is_finite() || **w <= 0.0);
                if let Some((name, weight)) = bad {
                    let expected =
                        format!("expected a positive weight for one of {}", names.join(", "));
                    return Err(Error::setting(
                        format!("training.class_weights.{name}"),
                        weight,
                        expected,
                    ));
                }
                Ok(Some(names.iter().map(|name| given.get(name).copied().unwrap_or(1.0)).collect()))
            }
        }
    }
}
