//! L and U, selected on the validation part.
//!
//! The paper trains every pair to the end and keeps the most accurate one. For networks with a gate we
//! compare the validation loss after the first stage (coarse, K = 10), which is the same for all K and
//! tells candidates apart better than accuracies near 0.99 on 5,000 images. Test samples are not used.

use crate::PaperDataset;
use crate::split::SeededSplit;
use crate::store::fingerprint;
use ngsll::Config;
use ngsll::error::Result;
use ngsll::generator::GeneratorConfig;
use ngsll::train::Stage;
use ngsll_jobs::JobProgress;
use serde::{Deserialize, Serialize};

/// The paper's L and U.
pub(super) const CANDIDATES: [(usize, usize); 4] = [(1, 128), (1, 256), (2, 128), (2, 256)];
/// K of the stage whose loss is compared.
const COARSE_K: usize = 10;

/// Whether L and U are selected on this data set.
pub(super) fn selects(split: &SeededSplit<'_>) -> bool {
    split.budget.select && split.data.dataset == PaperDataset::Mnist
}

/// The configuration of a network for images with other L and U.
pub(super) fn sized(config: &Config, size: (usize, usize)) -> Config {
    let mut config = config.clone();
    let (layers, units) = match &mut config.generator {
        GeneratorConfig::CellContext(c) => (&mut c.layers, &mut c.units),
        GeneratorConfig::ImageCnn(c) => (&mut c.layers, &mut c.units),
        other => unreachable!("L and U are selected for images, not for {other:?}"),
    };
    (*layers, *units) = size;
    config
}

/// The configuration with explicit stages, and the K that they end with.
pub(super) fn staged(mut config: Config, stages: Vec<Stage>) -> Config {
    config.k = stages.last().map_or(config.k, |stage| stage.k);
    config.training.stages = Some(stages);
    config
}

/// The selected L and U; stored, so that stopping later in the job does not lose them.
#[derive(Debug, Serialize, Deserialize)]
struct Selection {
    layers: usize,
    units: usize,
    /// The lowest validation loss of each candidate, in their order.
    losses: Vec<f64>,
}

/// The configuration with the L and U whose first stage reaches the lowest validation loss; `adapt` turns
/// the library's stages into those of the method, given the number of features.
pub(super) fn select(
    split: &SeededSplit<'_>,
    (name, configuration): (&str, String),
    config: Config,
    adapt: impl Fn(usize, Vec<Stage>) -> Vec<Stage>,
    progress: &mut JobProgress<'_>,
) -> Result<Config> {
    if !selects(split) {
        return Ok(config);
    }
    let seed = split.seed.to_string();
    let fingerprint = fingerprint(&["selection", name, &configuration, &split.data.digest, &seed]);
    let key = format!("{}-{name}-selection-seed{seed}", split.data.dataset);
    if let Some(known) = split.store.find::<Selection>(&key, &fingerprint) {
        return Ok(sized(&config, (known.layers, known.units)));
    }
    // Features and stages are the same for all sizes of the network.
    let setup = split.setup(config.clone())?;
    let features = setup.representation().features();
    let mut stages = adapt(features, setup.stages(COARSE_K.min(features)));
    stages.truncate(1);
    let mut losses = Vec::new();
    for size in CANDIDATES {
        let candidate = staged(sized(&config, size), stages.clone());
        let fitted = split.setup(candidate)?.fit(None, &mut |event| progress.event(event))?;
        let reached = fitted.history.iter().map(|record| record.valid_loss);
        losses.push(reached.fold(f64::INFINITY, f64::min));
    }
    let best = (1..losses.len()).fold(0, |b, i| if losses[i] < losses[b] { i } else { b });
    let (layers, units) = CANDIDATES[best];
    split.store.save(&key, &fingerprint, &Selection { layers, units, losses })?;
    Ok(sized(&config, (layers, units)))
}

/// A summary of what distinguishes the configurations of a method.
pub(super) fn describe(config: &Config) -> String {
    let sizes = match &config.generator {
        GeneratorConfig::ImageCnn(c) => format!("L={} U={}", c.layers, c.units),
        GeneratorConfig::SentenceCnn(c) => {
            format!("L={} U={} embedding={} dropout={}", c.layers, c.units, c.embedding, c.dropout)
        }
        GeneratorConfig::TokenContext(c) => format!("U={}", c.units),
        _ => unreachable!("the paper's data sets are images and texts"),
    };
    let epochs = config.training.epochs.map_or(String::new(), |n| format!(" epochs={n}"));
    format!("{} {sizes}{epochs}", config.generator.kind())
}
