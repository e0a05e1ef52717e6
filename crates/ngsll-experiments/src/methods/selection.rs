//! L and U, selected on the validation part.
//!
//! The paper trains every pair to the end and keeps the most accurate. For networks with a gate we
//! compare the validation loss after the first stage (coarse, K = 10), which is the same for all K and a
//! finer measure than an accuracy of 0.99 on 5,000 images. Test samples play no part.

use crate::Dataset;
use crate::pool::Watch;
use crate::problem::Problem;
use crate::store::{Kept, fingerprint};
use ngsll::Config;
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll::generator::GeneratorConfig;
use ngsll::train::Stage;
use serde::{Deserialize, Serialize};

/// L and U of the paper.
pub(super) const CANDIDATES: [(usize, usize); 4] = [(1, 128), (1, 256), (2, 128), (2, 256)];
/// K of the stage that decides.
const COARSE_K: usize = 10;

/// Whether L and U are selected here.
pub(super) fn selects(problem: &Problem<'_>) -> bool {
    problem.budget.select && problem.data.dataset == Dataset::Mnist
}

/// The options with other L and U.
pub(super) fn sized(config: &Config, (layers, units): (usize, usize)) -> Result<Config> {
    config
        .with("generator.layers", &layers.to_string())?
        .with("generator.units", &units.to_string())
}

/// L and U that were selected: kept, so that a stop later in the job does not cost them.
#[derive(Debug, Serialize, Deserialize)]
struct Selected {
    fingerprint: String,
    layers: usize,
    units: usize,
    /// The lowest validation loss of each candidate, in their order.
    losses: Vec<f64>,
}

impl Kept for Selected {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// The options with the L and U whose first stage, as `course` gives it, ends with the lowest
/// validation loss.
pub(super) fn select(
    problem: &Problem<'_>,
    (name, configuration): (&str, String),
    config: Config,
    course: impl Fn(&Prepared, Vec<Stage>) -> Vec<Stage>,
    watch: &mut Watch<'_>,
) -> Result<Config> {
    if !selects(problem) {
        return Ok(config);
    }
    let seed = problem.seed.to_string();
    let fingerprint =
        fingerprint(&["selection", name, &configuration, &problem.data.digest, &seed]);
    let key = format!("{}-{name}-selection-seed{seed}", problem.data.dataset);
    if let Some(known) = problem.store.find::<Selected>(&key, &fingerprint) {
        return sized(&config, (known.layers, known.units));
    }
    let mut losses = Vec::new();
    for size in CANDIDATES {
        let candidate = sized(&config, size)?;
        let mut prepared = problem.prepare(candidate.clone())?;
        let training = &candidate.training;
        let k = COARSE_K.min(prepared.representation.features());
        let stages = training.schedule(k, candidate.epochs(prepared.train_rows.len()))?;
        let mut stages = course(&prepared, stages);
        stages.truncate(1);
        prepared.config.k = stages[0].k;
        prepared.config.training.stages = Some(stages);
        let fitted = prepared.fit(None, &mut |event| watch.event(event))?;
        let reached = fitted.history.iter().map(|record| record.valid_loss);
        losses.push(reached.fold(f64::INFINITY, f64::min));
    }
    let best = (1..losses.len()).fold(0, |b, i| if losses[i] < losses[b] { i } else { b });
    let (layers, units) = CANDIDATES[best];
    problem.store.save(&key, &Selected { fingerprint, layers, units, losses })?;
    sized(&config, (layers, units))
}

/// What tells the configurations of a method apart, in short.
pub(super) fn describe(config: &Config) -> String {
    let sizes = match &config.generator {
        GeneratorConfig::ImageCnn(c) => format!("L={} U={}", c.layers, c.units),
        GeneratorConfig::SentenceCnn(c) => {
            format!("L={} U={} embedding={} dropout={}", c.layers, c.units, c.embedding, c.dropout)
        }
        GeneratorConfig::TokenContext(c) => format!("U={}", c.units),
        GeneratorConfig::TabularMlp(c) => format!("L={} U={}", c.layers, c.units),
    };
    let epochs = config.training.epochs.map_or(String::new(), |n| format!(" epochs={n}"));
    format!("{} {sizes}{epochs}", config.generator.kind())
}
