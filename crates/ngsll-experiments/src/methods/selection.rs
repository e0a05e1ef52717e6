//! L and U, selected on the validation part.
//!
//! The paper trains every pair to the end and keeps the most accurate. For networks with a gate we
//! compare the validation loss after the first stage (coarse, K = 10), which is the same for all K and a
//! finer measure than an accuracy of 0.99 on 5,000 images. Test samples play no part.

use crate::Dataset;
use crate::pool::Watch;
use crate::problem::Problem;
use ngsll::Config;
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll::generator::GeneratorConfig;
use ngsll::train::Stage;

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

/// The options with the L and U whose first stage, as `course` gives it, ends with the lowest
/// validation loss.
pub(super) fn select(
    problem: &Problem<'_>,
    config: Config,
    course: impl Fn(&Prepared, Vec<Stage>) -> Vec<Stage>,
    watch: &mut Watch<'_>,
) -> Result<Config> {
    if !selects(problem) {
        return Ok(config);
    }
    let mut best = (f64::INFINITY, config.clone());
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
        let losses = fitted.history.iter().map(|record| record.valid_loss);
        let loss = losses.fold(f64::INFINITY, f64::min);
        if loss < best.0 {
            best = (loss, candidate);
        }
    }
    Ok(best.1)
}

/// The sizes that tell configurations apart, in short.
pub(super) fn describe(config: &Config) -> String {
    let (layers, units) = match &config.generator {
        GeneratorConfig::ImageCnn(c) => (Some(c.layers), c.units),
        GeneratorConfig::SentenceCnn(c) => (Some(c.layers), c.units),
        GeneratorConfig::TokenContext(c) => (None, c.units),
        GeneratorConfig::TabularMlp(c) => (Some(c.layers), c.units),
    };
    let layers = layers.map_or(String::new(), |layers| format!(" L={layers}"));
    let epochs = config.training.epochs.map_or(String::new(), |n| format!(" epochs={n}"));
    format!("{}{layers} U={units}{epochs}", config.generator.kind())
}
