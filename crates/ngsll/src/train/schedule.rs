//! The training schedule: a list of stages, each with its own gate and optimiser.

use crate::config::option_table;
use crate::error::{Error, Result};
use crate::gate::KHotGate;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One stage of training.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Stage {
    /// K of the gate.
    pub k: usize,
    /// τ of the gate; 0 is the hard gate.
    pub temperature: f32,
    /// The rule that updates weights.
    #[serde(rename = "optimiser")]
    pub optimizer: OptimizerKind,
    /// The step size.
    pub learning_rate: f64,
    /// The stage ends after this many epochs,
    pub max_epochs: usize,
    /// or when the validation loss has not improved for this many.
    pub patience: usize,
    /// The step size comes down to this along a cosine, epoch by epoch; it stays if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_learning_rate: Option<f64>,
    /// The share of each weight that is removed in every update, in units of the step size (AdamW); none if
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_decay: Option<f64>,
}

option_table! {
    Stage:
    (
        "k",
        "must be given",
        "K of the gate; in the last stage the K of the model",
        "a whole number of at least 1",
    ),
    (
        "temperature",
        "must be given",
        "temperature of the gate; 0 is the hard gate, and must be 0 with evidence `chosen`",
        "a number of at least 0",
    ),
    (
        "optimiser",
        "must be given",
        "how weights are updated: Adam (β 0.9 and 0.999, ε 1e-8), or gradient descent with momentum 0.9",
        "adam or momentum",
    ),
    ("learning_rate", "must be given", "the step size", "a number above 0"),
    (
        "max_epochs",
        "must be given",
        "the stage ends after this many epochs",
        "a whole number of at least 1",
    ),
    (
        "patience",
        "must be given",
        "or when the validation loss has not improved for this many epochs",
        "a whole number of at least 1",
    ),
    (
        "final_learning_rate",
        "none: the step size stays",
        "the step size falls to this along a cosine, epoch by epoch",
        "a number above 0",
    ),
    (
        "weight_decay",
        "none",
        "the share of each weight that is removed in every step, in units of the step size (AdamW)",
        "a number of at least 0",
    ),
}

/// Records of experiments are identified by this text, so options added later appear only when set.
impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stage = f.debug_struct("Stage");
        stage
            .field("k", &self.k)
            .field("temperature", &self.temperature)
            .field("optimiser", &self.optimizer)
            .field("learning_rate", &self.learning_rate)
            .field("max_epochs", &self.max_epochs)
            .field("patience", &self.patience);
        if let Some(rate) = self.final_learning_rate {
            stage.field("final_learning_rate", &rate);
        }
        if let Some(decay) = self.weight_decay {
            stage.field("weight_decay", &decay);
        }
        stage.finish()
    }
}

impl Stage {
    /// The step size in an epoch, counted from 0.
    pub(crate) fn rate(&self, epoch: usize) -> f64 {
        let Some(last) = self.final_learning_rate else { return self.learning_rate };
        let part = epoch as f64 / self.max_epochs.saturating_sub(1).max(1) as f64;
        let share = (1.0 + (std::f64::consts::PI * part.min(1.0)).cos()) / 2.0;
        last + (self.learning_rate - last) * share
    }
}

/// The rule that updates weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OptimizerKind {
    /// Adam with β 0.9/0.999 and ε 1e-8.
    Adam,
    /// Stochastic gradient descent with momentum 0.9.
    Momentum,
}

/// A ready-made training schedule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Preset {
    /// Random subsets of the features, for predictions from the chosen ones alone.
    #[default]
    Subsets,
    /// K and τ come down step by step under Adam, then a polish under the hard gate.
    Annealed,
    /// Coarse (K = 10, τ = 1, Adam), then fine (K, τ = 0.1, momentum), as in the paper.
    Paper,
}

/// K of the coarse stage; a larger K keeps its own.
const COARSE_K: usize = 10;

impl Preset {
    /// The stages for gate size `k` that share about `epochs` epochs.
    ///
    /// ```
    /// use ngsll::train::Preset;
    /// let stages = Preset::Annealed.stages(1, 20);
    /// assert_eq!(stages.iter().map(|s| s.k).collect::<Vec<_>>(), [10, 5, 2, 1, 1]);
    /// assert_eq!(stages.last().unwrap().temperature, 0.0);
    /// assert_eq!(stages.iter().map(|s| s.max_epochs).sum::<usize>(), 20);
    /// ```
    pub fn stages(self, k: usize, epochs: usize) -> Vec<Stage> {
        use OptimizerKind::{Adam, Momentum};
        if self == Self::Subsets {
            return vec![Stage {
                k,
                temperature: 0.0,
                optimizer: Adam,
                learning_rate: 1e-3,
                max_epochs: epochs,
                patience: epochs,
                final_learning_rate: Some(1e-5),
                weight_decay: None,
            }];
        }
        // (K, τ, optimiser, learning rate, share of the epochs in tenths)
        let plan: &[(usize, f32, OptimizerKind, f64, usize)] = match self {
            Preset::Annealed => &[
                (COARSE_K, 1.0, Adam, 1e-3, 4),
                (5, 0.5, Adam, 7e-4, 1),
                (2, 0.3, Adam, 5e-4, 1),
                (1, 0.1, Adam, 3e-4, 2),
                (1, 0.0, Adam, 1e-4, 2),
            ],
            Preset::Paper => &[(COARSE_K, 1.0, Adam, 1e-3, 6), (1, 0.1, Momentum, 1e-4, 4)],
            Preset::Subsets => unreachable!("it has a single stage"),
        };
        let mut spent = 0;
        let mut tenths = 0;
        plan.iter()
            .map(|&(stage_k, temperature, optimizer, learning_rate, share)| {
                tenths += share;
                // Cumulative rounding: the parts add up to the whole.
                let max_epochs = (epochs * tenths / 10).saturating_sub(spent).max(1);
                spent += max_epochs;
                let patience = PATIENCE.min(max_epochs);
                Stage {
                    k: stage_k.max(k),
                    temperature,
                    optimizer,
                    learning_rate,
                    max_epochs,
                    patience,
                    final_learning_rate: None,
                    weight_decay: None,
                }
            })
            .collect()
    }
}

/// Epochs without improvement after which a preset's stage ends.
const PATIENCE: usize = 5;

/// Refuses a schedule that cannot give a model of gate size `k`.
pub fn check(stages: &[Stage], k: usize) -> Result<()> {
    let Some(last) = stages.last() else {
        return Err(Error::setting("training.stages", "[]", "expected at least one stage"));
    };
    if last.k != k {
        let expected = format!("the last stage must have the model's K = {k}");
        return Err(Error::setting("training.stages", format!("k = {}", last.k), expected));
    }
    for stage in stages {
        KHotGate::new(stage.k, stage.temperature)
            .map_err(|error| error.within("training.stages"))?;
        let refuse = |field: &str, value: String, expected: &str| {
            Err(Error::setting(format!("training.stages.{field}"), value, expected))
        };
        if !(stage.learning_rate > 0.0 && stage.learning_rate.is_finite()) {
            return refuse(
                "learning_rate",
                stage.learning_rate.to_string(),
                "expected a number above 0",
            );
        }
        if let Some(rate) =
            stage.final_learning_rate.filter(|rate| !(rate.is_finite() && *rate > 0.0))
        {
            return refuse("final_learning_rate", rate.to_string(), "expected a number above 0");
        }
        // Above 1 in all a weight would change its sign.
        if let Some(decay) =
            stage.weight_decay.filter(|decay| !(*decay >= 0.0 && decay * stage.learning_rate < 1.0))
        {
            let expected =
                "expected a number of at least 0 and below 1 divided by the learning rate";
            return refuse("weight_decay", decay.to_string(), expected);
        }
        for (field, value) in [("max_epochs", stage.max_epochs), ("patience", stage.patience)] {
            if value == 0 {
                return refuse(field, "0".into(), "expected a whole number of at least 1");
            }
        }
    }
    Ok(())
}
