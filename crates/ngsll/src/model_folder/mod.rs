//! The model folder: weights, options, vocabulary or columns, a model card, and checksums of all.
//!
//! | file | holds |
//! |---|---|
//! | `model.safetensors` | the network's weights |
//! | `config.json` | format version, options, what is predicted, sizes, the history of training, other methods' figures |
//! | `vocabulary.json`, `columns.json` or `grid.json` | how samples are read |
//! | `train.toml` | the options as a configuration file |
//! | `README.md` | the model card |
//! | `examples.json` | a few held-out samples, if there are any |
//! | `test_rows.json` | the rows of the data that were set aside, if any were |
//! | `summary.json` | counts over the training data, if they were kept |
//! | `judge.safetensors`, `judge.json` | the judge of its terms, if there is one |
//! | `manifest.json` | size and SHA-256 of each |
//! | `trust.json` | figures of the terms, once they have been measured; it has a separate checksum |

mod card;
mod held_out;
mod manifest;
mod measured;

pub use held_out::{DataDigest, TestRows};

use crate::config::Config;
use crate::drift::DataSummary;
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::examples::Example;
use crate::files::{replace_folder, write_folder};
use crate::findings::Finding;
use crate::gate::GateScope;
use crate::generator::layers::Init;
use crate::generator::{BuiltIn, Dims, Generator, TabularEnsemble, XShape};
use crate::judge::Judge;
use crate::metrics::Yardstick;
use crate::model::Model;
use crate::network::{Explainer, Intercept, LinearPart, MonotonePart, Network};
use crate::objective::Objective;
use crate::random::{Purpose, stream};
use crate::repeats::Spread;
use crate::representation::Representation;
use crate::train::{EpochRecord, Weights, from_bytes, to_bytes, weights_of, with_weights};
use crate::trust::Trust;
use burn::tensor::Device;
use held_out::TEST_ROWS;
use manifest::{MANIFEST, Verified, compact_json, json};
use measured::TRUST;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the folder's layout; raised when it changes.
const FORMAT: u32 = 3;
/// The oldest version that is still read: models that have seen whole samples.
const OLDEST_FORMAT: u32 = 2;
/// The network's weights.
const WEIGHTS: &str = "model.safetensors";
/// Format version, options, and how the model was made.
const CONFIG: &str = "config.json";
/// The options as a configuration file, and the model card: for people, not read here.
const OPTIONS: &str = "train.toml";
const CARD: &str = "README.md";
/// Optional: a folder may have none.
const EXAMPLES: &str = "examples.json";
/// Optional: counts over the training data.
const SUMMARY: &str = "summary.json";
/// Optional, both or none: the weights of the judge's network, and its representation of samples.
const JUDGE_WEIGHTS: &str = "judge.safetensors";
const JUDGE: &str = "judge.json";

/// Notes about the training of a model; shown by `describe` and in the model card.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Notes {
    /// Facts for the model card: name and value.
    pub facts: Vec<(String, String)>,
    /// Every epoch of training.
    pub history: Vec<EpochRecord>,
    /// The options of the command that trained the model, as TOML.
    pub command: String,
    /// The figures of other methods on the same rows, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yardstick: Option<Yardstick>,
    /// The figures of repeated training on parts of the data, if it was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// Findings about the data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// A fingerprint of the training data; older models lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataDigest>,
    /// Held-out samples, as examples. They have a separate file.
    #[serde(skip)]
    pub examples: Vec<Example>,
    /// The rows of the training data that were held out for testing. They have a separate file.
    #[serde(skip)]
    pub test_rows: Option<TestRows>,
}

#[derive(Serialize, Deserialize)]
struct StoredConfig {
    format: u32,
    config: Config,
    objective: Objective,
    #[serde(rename = "sharing")]
    gate_scope: GateScope,
    intercept: bool,
    /// `vocabulary.json`, `columns.json` or `grid.json`.
    representation: String,
    notes: Notes,
}

/// A model folder that was read and verified against its manifest.
///
/// ```no_run
/// use ngsll::ModelFolder;
/// let folder = ModelFolder::open("reviews-model")?;
/// println!("{} epochs, {} examples", folder.notes().history.len(), folder.notes().examples.len());
/// let model = folder.model()?;
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug)]
pub struct ModelFolder {
    path: PathBuf,
    config: Config,
    objective: Objective,
    gate_scope: GateScope,
    intercept: bool,
    representation: Representation,
    notes: Notes,
    /// The bytes of [`WEIGHTS`].
    weights: Vec<u8>,
    /// The judge's representation of samples, and the bytes of [`JUDGE_WEIGHTS`].
    judge: Option<(Representation, Vec<u8>)>,
    trust: Vec<Trust>,
    summary: Option<DataSummary>,
}

impl ModelFolder {
    /// Reads a folder, checking sizes and checksums.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let mut files = Verified::open(path, &[TRUST])?;
        let stored: StoredConfig = files.config(OLDEST_FORMAT..=FORMAT)?;
        let refused = |name: &str| {
            let path = path.join(name);
            move |message: String| Error::ModelFolder { path, message }
        };
        stored.config.check_sizes().map_err(|e| refused(CONFIG)(e.to_string()))?;
        stored.objective.check().map_err(refused(CONFIG))?;
        let (task, evidence) = (stored.config.task, stored.config.training.evidence());
        let representation: Representation = files.parse(&stored.representation)?;
        representation.check(task, evidence).map_err(refused(&stored.representation))?;
        let mut config = stored.config;
        if evidence == Evidence::Chosen {
            config.choice.get_or_insert_with(|| representation.choice().of_older_models());
        }
        let judge: Option<(Representation, Vec<u8>)> = match files.contains(JUDGE) {
            true => Some((files.parse(JUDGE)?, files.take(JUDGE_WEIGHTS)?)),
            false => None,
        };
        if let Some((representation, _)) = &judge {
            representation.check(task, Evidence::Chosen).map_err(refused(JUDGE))?;
        }
        let examples = if files.contains(EXAMPLES) { files.parse(EXAMPLES)? } else { Vec::new() };
        let test_rows: Option<TestRows> =
            files.contains(TEST_ROWS).then(|| files.parse(TEST_ROWS)).transpose()?;
        if test_rows.as_ref().is_some_and(|rows| !rows.is_possible()) {
            return Err(refused(TEST_ROWS)("it names rows that the data do not have".into()));
        }
        Ok(Self {
            path: path.to_path_buf(),
            config,
            objective: stored.objective,
            gate_scope: stored.gate_scope,
            intercept: stored.intercept,
            representation,
            notes: Notes { examples, test_rows, ..stored.notes },
            weights: files.take(WEIGHTS)?,
            judge,
            trust: measured::in_folder(path, files.manifest())?,
            summary: if files.contains(SUMMARY) { Some(files.parse(SUMMARY)?) } else { None },
        })
    }

    /// Stores figures of a model's terms in its folder, replacing those for the same K;
    /// [`Model::trust`] of the loaded model returns them.
    pub fn keep_trust(path: impl AsRef<Path>, trust: Trust) -> Result<()> {
        measured::keep(path.as_ref(), trust)
    }

    /// The options of the model's training.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Notes about the training of the model, with its held-out samples.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The model, on the CPU.
    pub fn model(self) -> Result<Model> {
        self.model_on(&Device::default())
    }

    /// The model on a device.
    pub fn model_on(self, device: &Device) -> Result<Model> {
        let generator = self.config.generator.clone();
        let path = self.path.join(CONFIG);
        let build = |dims, init: &mut Init<'_>| {
            generator.build(dims, init).map_err(|error| {
                let message = error.to_string();
                Error::ModelFolder { path, message }
            })
        };
        self.model_with(build, device)
    }

    /// A model with a custom generator; `build` makes it with any weights.
    pub fn model_with<G: Generator>(
        self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
        device: &Device,
    ) -> Result<Model<G>> {
        let (outputs, evidence) = (self.objective.outputs(), self.config.training.evidence());
        let mut rng = stream(0, Purpose::Initialize, 0, 0);
        let generator = build(
            self.representation.dims(outputs, evidence),
            &mut Init::unfilled(&mut rng, device),
        )?;
        let intercept = match (self.intercept, evidence) {
            (false, _) => Intercept::None,
            (true, Evidence::Whole) => Intercept::Learned,
            (true, Evidence::Chosen) => Intercept::Fixed(vec![0.0; outputs]),
        };
        let mut network = Network::new(generator, outputs, self.gate_scope, intercept, device);
        let path = self.path.join(WEIGHTS);
        let weights = from_bytes(&self.weights, &path)?;
        let x = self.representation.dims(outputs, evidence).x;
        network = with_parts(network, &weights, &x, &mut Init::unfilled(&mut rng, device));
        let network = with_weights(network, weights, &path)?;
        let judge = self.judge.map(|(representation, weights)| {
            let path = self.path.join(JUDGE_WEIGHTS);
            let dims = representation.dims(outputs, Evidence::Chosen);
            let x = dims.x.clone();
            let mut init = Init::unfilled(&mut rng, device);
            let generator = self.config.generator.build(dims, &mut init)?;
            let intercept = Intercept::Fixed(vec![0.0; outputs]);
            let network = Network::new(generator, outputs, GateScope::Shared, intercept, device);
            let weights = from_bytes(&weights, &path)?;
            let network = with_parts(network, &weights, &x, &mut init);
            let network = with_weights(network, weights, &path)?;
            let generator = &self.config.generator;
            Ok(Judge::new(generator, representation, network, self.objective.clone(), device))
        });
        let judge = judge.transpose()?;
        let model = Model::new(self.config, self.representation, self.objective, network, device);
        let model = model.with_notes(self.notes).with_summary(self.summary);
        let model = match judge {
            Some(judge) => model.with_judge(judge),
            None => model,
        };
        Ok(self.trust.into_iter().fold(model, Model::with_trust))
    }
}

/// The network with those of its optional parts that have weights: not every model has them.
fn with_parts<G: Generator>(
    mut network: Network<G>,
    weights: &Weights,
    x: &XShape,
    init: &mut Init<'_>,
) -> Network<G> {
    let has = |part: &str| weights.keys().any(|name| name.split('.').next() == Some(part));
    let (outputs, device) = (network.outputs(), init.device);
    if let Some(columns) = x.columns() {
        if has("importance") {
            network = network.with_importance(TabularEnsemble::of_columns(columns, 1, 1, init));
        }
        if has("explainer") {
            network = network.with_explainer(Explainer::new(columns, outputs, init));
        }
        if has("linear") {
            network = network.with_linear(LinearPart::empty(columns, outputs, init));
        }
        network = network.with_monotone(MonotonePart::new(columns, device));
    }
    if has("scale") { network.with_scale(1.0, device) } else { network }
}

impl Model<BuiltIn> {
    /// Loads a model folder onto the CPU, checking sizes and checksums.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self> {
        ModelFolder::open(folder)?.model()
    }

    /// Loads a model folder onto a device.
    pub fn load_on(folder: impl AsRef<Path>, device: &Device) -> Result<Self> {
        ModelFolder::open(folder)?.model_on(device)
    }
}

impl<G: Generator> Model<G> {
    /// Writes the model folder under a temporary name, syncs it to disk and renames it; an existing folder
    /// is an error.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = folder.as_ref();
        refuse_existing(folder)?;
        write_folder(folder, &self.files()?)
    }

    /// Saves in place of the folder that the model was loaded from, which remains until the
    /// new one is complete.
    pub fn save_over(&self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = folder.as_ref();
        replace_folder(folder, &self.files()?)
    }

    /// The files of the model folder.
    fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let (notes, representation) = (self.notes(), self.representation().file_name());
        // With the rule of choice, so that a later default does not change what the model answers.
        let chooses = self.evidence() == Evidence::Chosen;
        let choice = chooses.then(|| self.choice()).or(self.config().choice);
        let stored = StoredConfig {
            format: FORMAT,
            config: Config { choice, ..self.config().clone() },
            objective: self.objective().clone(),
            gate_scope: self.network().gate_scope(),
            intercept: self.network().has_intercept(),
            representation: representation.to_string(),
            notes: notes.clone(),
        };
        let command =
            if notes.command.is_empty() { self.config().to_toml()? } else { notes.command.clone() };
        let mut files = vec![
            (WEIGHTS, to_bytes(&weights_of(self.network()))),
            (CONFIG, json(&stored)),
            (representation, json(self.representation())),
            (OPTIONS, command.into_bytes()),
            (CARD, self.card("An NGSLL model").into_bytes()),
        ];
        if !notes.examples.is_empty() {
            files.push((EXAMPLES, json(&notes.examples)));
        }
        if let Some(test_rows) = &notes.test_rows {
            files.push((TEST_ROWS, compact_json(test_rows)));
        }
        if let Some(summary) = self.summary() {
            files.push((SUMMARY, compact_json(summary)));
        }
        if let Some(judge) = self.judge() {
            files.push((JUDGE_WEIGHTS, to_bytes(&weights_of(&judge.network))));
            files.push((JUDGE, json(&judge.representation)));
        }
        let manifest = manifest::of(&files);
        if !self.trust().is_empty() {
            files.push((TRUST, measured::of(self.trust(), &manifest)));
        }
        files.push((MANIFEST, manifest));
        Ok(files)
    }
}

/// Refuses a folder or file that already exists.
#[doc(hidden)]
pub fn refuse_existing(path: &Path) -> Result<()> {
    if path.exists() { Err(Error::AlreadyExists { path: path.to_path_buf() }) } else { Ok(()) }
}
