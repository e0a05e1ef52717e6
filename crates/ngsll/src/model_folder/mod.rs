//! The model folder: weights, options, vocabulary or columns, a model card, and checksums of all.
//!
//! | file | holds |
//! |---|---|
//! | `model.safetensors` | the network's weights |
//! | `config.json` | format version, options, what is predicted, sizes, the history of training |
//! | `vocabulary.json`, `columns.json` or `grid.json` | how samples are read |
//! | `train.toml` | the options as a configuration file |
//! | `README.md` | the model card |
//! | `examples.json` | a few held-out samples, where there are any |
//! | `manifest.json` | size and SHA-256 of each |

mod manifest;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::examples::Example;
use crate::files::{sibling, write_folder};
use crate::gate::GateScope;
use crate::generator::layers::Init;
use crate::generator::{BuiltIn, Dims, Generator};
use crate::model::Model;
use crate::network::Network;
use crate::objective::Objective;
use crate::random::{Purpose, stream};
use crate::representation::Representation;
use crate::train::{EpochRecord, from_bytes, to_bytes, weights_of, with_weights};
use burn::tensor::Device;
use manifest::{Verified, json};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Raised when the folder's layout changes.
const FORMAT: u32 = 2;
/// The network's weights.
const WEIGHTS: &str = "model.safetensors";
/// Optional: a folder may have none.
const EXAMPLES: &str = "examples.json";

/// A model folder's notes about its own making; shown by `describe` and in the model card.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Notes {
    /// Facts for the model card: name and value.
    pub facts: Vec<(String, String)>,
    /// Every epoch of training.
    pub history: Vec<EpochRecord>,
    /// The options of the command that made the model, as TOML.
    pub command: String,
    /// Held-out samples to start from. They have a file of their own.
    #[serde(skip)]
    pub examples: Vec<Example>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
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

/// A model folder that was read once and found to be what its manifest says.
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
}

impl ModelFolder {
    /// Reads a folder, checking sizes and checksums.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let mut files = Verified::open(path)?;
        let stored: Stored = files.config(FORMAT)?;
        let representation = files.parse(&stored.representation)?;
        let examples = if files.contains(EXAMPLES) { files.parse(EXAMPLES)? } else { Vec::new() };
        Ok(Self {
            path: path.to_path_buf(),
            config: stored.config,
            objective: stored.objective,
            gate_scope: stored.gate_scope,
            intercept: stored.intercept,
            representation,
            notes: Notes { examples, ..stored.notes },
            weights: files.take(WEIGHTS)?,
        })
    }

    /// What the folder says about its own making, with the held-out samples that it keeps.
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
        self.model_with(|dims, init| generator.build(dims, init), device)
    }

    /// A model whose generator is the caller's own; `build` makes it with any weights.
    pub fn model_with<G: Generator>(
        self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
        device: &Device,
    ) -> Result<Model<G>> {
        let outputs = self.objective.outputs();
        let mut rng = stream(0, Purpose::Initialise, 0, 0);
        let generator =
            build(self.representation.dims(outputs), &mut Init { rng: &mut rng, device })?;
        let network = Network::new(generator, outputs, self.gate_scope, self.intercept, device);
        let path = self.path.join(WEIGHTS);
        let network = with_weights(network, from_bytes(&self.weights, &path)?, &path)?;
        let model = Model::new(self.config, self.representation, self.objective, network, device);
        Ok(model.with_notes(self.notes))
    }
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
    /// Writes the model folder beside its place, syncs it to disk and renames it; an existing folder
    /// is an error.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = folder.as_ref();
        refuse_existing(folder)?;
        let (notes, representation) = (self.notes(), self.representation().file_name());
        let stored = Stored {
            format: FORMAT,
            config: self.config().clone(),
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
            ("config.json", json(&stored)),
            (representation, json(self.representation())),
            ("train.toml", command.into_bytes()),
            ("README.md", self.card().into_bytes()),
        ];
        if !notes.examples.is_empty() {
            files.push((EXAMPLES, json(&notes.examples)));
        }
        files.push(("manifest.json", manifest::of(&files)));
        write_folder(folder, &sibling(folder, "tmp"), &files)
    }

    /// The model card.
    fn card(&self) -> String {
        let mut text = format!(
            "# An NGSLL model\n\nEvery score of this model is the sum of at most {} named terms.\n\n| | |\n|---|---|\n",
            self.k()
        );
        for (name, value) in &self.notes().facts {
            text += &format!("| {name} | {} |\n", value.replace('|', "\\|"));
        }
        text + "\n## Use\n```\nngsll describe THIS-FOLDER\nngsll explain THIS-FOLDER --data FILE\nngsll evaluate THIS-FOLDER --data FILE\n```\n\
                In Rust: `ngsll::Model::load(folder)?.explain(&samples)?`\n\n\
                The explanation is exact in the named features; the network that wrote the weights has read the whole sample.\n"
    }
}

/// Refuses a folder or file that is already there.
pub fn refuse_existing(folder: &Path) -> Result<()> {
    if folder.exists() {
        return Err(Error::ModelFolder {
            path: folder.to_path_buf(),
            message: "it exists already, and nothing is overwritten; choose another name".into(),
        });
    }
    Ok(())
}
