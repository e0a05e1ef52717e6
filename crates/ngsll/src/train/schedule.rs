//! The training schedule: a list of stages, each with its own gate and optimiser.

use crate::error::{Error, Result};
use crate::gate::KHotGate;
use serde::{Deserialize, Serialize};

/// One stage of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Stage {
    /// K of the gate.
    pub k: usize,
    /// τ of the gate; 0 is the hard gate.
    pub temperature: f32,
    /// How weights are updated.
    pub optimiser: OptimizerKind,
    /// The step size.
    pub learning_rate: f64,
    /// The stage ends after this many epochs,
    pub max_epochs: usize,
    /// or when the validation loss has not improved for this many.
    pub patience: usize,
}

/// How weights are updated.
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
    /// K and τ come down step by step under Adam, then a polish under the hard gate.
    #[default]
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
        };
        let mut spent = 0;
        let mut tenths = 0;
        plan.iter()
            .map(|&(stage_k, temperature, optimiser, learning_rate, share)| {
                tenths += share;
                // Cumulative rounding: the parts add up to the whole.
                let max_epochs = (epochs * tenths / 10).saturating_sub(spent).max(1);
                spent += max_epochs;
                let patience = PATIENCE.min(max_epochs);
                Stage {
                    k: stage_k.max(k),
                    temperature,
                    optimiser,
                    learning_rate,
                    max_epochs,
                    patience,
                }
            })
            .collect()
    }
}

/// Epochs without improvement after which a preset's stage ends.
const PATIENCE: usize = 5;

/// Refuses a schedule that cannot be run to a model of gate size `k`.
pub fn check(stages: &[Stage], k: usize) -> Result<()> {
    let Some(last) = stages.last() else {
        return Err(Error::setting("training.stages", "[]", "at least one stage"));
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
            return refuse("learning_rate", stage.learning_rate.to_string(), "a positive number");
        }
        for (field, value) in [("max_epochs", stage.max_epochs), ("patience", stage.patience)] {
            if value == 0 {
                return refuse(field, "0".into(), "at least 1");
            }
        }
    }
    Ok(())
}
