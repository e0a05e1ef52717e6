//! The model folder: weights, options, vocabulary or columns, a model card, and checksums of all.
//!
//! | file | holds |
//! |---|---|
//! | `model.safetensors` | the network's weights |
//! | `config.json` | format version, options, what is predicted, sizes, the course of training |
//! | `vocabulary.json`, `columns.json` or `grid.json` | how samples are read |
//! | `train.toml` | the options as a configuration file |
//! | `README.md` | the model card |
//! | `examples.json` | a few held-out samples, where there are any |
//! | `manifest.json` | size and SHA-256 of each |

use crate::config::Config;
use crate::error::{Error, Result};
use crate::examples::Example;
use crate::files::sibling;
use crate::gate::Sharing;
use crate::generator::layers::Init;
use crate::generator::{BuiltIn, Dims, Generator};
use crate::model::Model;
use crate::objective::Objective;
use crate::predictor::Predictor;
use crate::random::{Purpose, stream};
use crate::representation::Representation;
use crate::train::{EpochRecord, from_bytes, to_bytes, weights_of, with_weights};
use burn::tensor::Device;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Raised when the folder's layout changes.
const FORMAT: u32 = 2;
/// Only people read it, so a folder may be without it.
const EXAMPLES: &str = "examples.json";

/// A model folder's notes about its own making; shown by `describe` and in the model card.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Notes {
    /// Facts for the model card: name and value.
    pub facts: Vec<(String, String)>,
    /// Every epoch of training.
    pub history: Vec<EpochRecord>,
    /// The options of the command that made the model, as TOML.
    pub command: String,
    /// Held-out samples to start from. They have a file of their own: see [`examples`].
    #[serde(skip)]
    pub examples: Vec<Example>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    config: Config,
    objective: Objective,
    sharing: Sharing,
    intercept: bool,
    /// `vocabulary.json`, `columns.json` or `grid.json`.
    representation: String,
    notes: Notes,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    bytes: u64,
    sha256: String,
}

type Manifest = BTreeMap<String, Entry>;

impl<G: Generator> Predictor<G> {
    /// Writes the model folder beside its place and renames it; an existing folder is an error.
    pub fn save(&self, folder: &Path, notes: &Notes) -> Result<()> {
        refuse_existing(folder)?;
        let representation = match self.representation() {
            Representation::Grid(_) => "grid.json",
            Representation::Words(_) => "vocabulary.json",
            Representation::Columns(_) => "columns.json",
        };
        let stored = Stored {
            format: FORMAT,
            config: self.config().clone(),
            objective: self.objective().clone(),
            sharing: self.model().sharing(),
            intercept: self.model().has_intercept(),
            representation: representation.to_string(),
            notes: notes.clone(),
        };
        let command =
            if notes.command.is_empty() { self.config().to_toml()? } else { notes.command.clone() };
        let mut files = vec![
            ("model.safetensors", to_bytes(&weights_of(self.model()))),
            ("config.json", json(&stored)),
            (representation, json(self.representation())),
            ("train.toml", command.into_bytes()),
            ("README.md", card(self, notes).into_bytes()),
        ];
        if !notes.examples.is_empty() {
            files.push((EXAMPLES, json(&notes.examples)));
        }
        let entry = |bytes: &[u8]| Entry { bytes: bytes.len() as u64, sha256: sha256(bytes) };
        let manifest: Manifest = files.iter().map(|(n, b)| (n.to_string(), entry(b))).collect();
        let beside = sibling(folder, "tmp");
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&beside)?;
            for (name, bytes) in &files {
                std::fs::write(beside.join(name), bytes)?;
            }
            std::fs::write(beside.join("manifest.json"), json(&manifest))?;
            std::fs::rename(&beside, folder)
        };
        write().map_err(|e| {
            // The reason is in `e`; a temporary that cannot be removed adds nothing to it.
            let _ = std::fs::remove_dir_all(&beside);
            Error::io(folder, "write", e)
        })
    }

    /// Loads a model folder whose generator is the caller's own; `build` makes it with any weights.
    pub fn load_with(
        folder: &Path,
        build: impl FnOnce(&Config, Dims, &mut Init<'_>) -> Result<G>,
    ) -> Result<Self> {
        let files = Verified::open(folder)?;
        let stored = files.stored()?;
        let representation: Representation = files.parse(&stored.representation)?;
        let device = Device::default();
        let outputs = stored.objective.outputs();
        let mut rng = stream(0, Purpose::Initialise, 0, 0);
        let mut init = Init { rng: &mut rng, device: &device };
        let generator = build(&stored.config, representation.dims(outputs), &mut init)?;
        let model = Model::new(generator, outputs, stored.sharing, stored.intercept, &device);
        let path = folder.join("model.safetensors");
        let weights = from_bytes(files.bytes("model.safetensors")?, &path)?;
        let model = with_weights(model, weights, &path)?;
        Ok(Self::new(stored.config, representation, stored.objective, model))
    }
}

impl Predictor<BuiltIn> {
    /// Loads a model folder, checking sizes and checksums.
    pub fn load(folder: &Path) -> Result<Self> {
        Self::load_with(folder, |config, dims, init| config.generator.build(dims, init))
    }
}

/// What a model folder says about its own making.
pub fn notes(folder: &Path) -> Result<Notes> {
    Ok(Verified::open(folder)?.stored()?.notes)
}

/// The held-out samples that a model folder keeps; none for a folder without their file.
pub fn examples(folder: &Path) -> Result<Vec<Example>> {
    let files = Verified::open(folder)?;
    if files.files.contains_key(EXAMPLES) { files.parse(EXAMPLES) } else { Ok(Vec::new()) }
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

/// A folder's files, read and found to be what the manifest says.
struct Verified<'a> {
    folder: &'a Path,
    files: BTreeMap<String, Vec<u8>>,
}

impl<'a> Verified<'a> {
    fn open(folder: &'a Path) -> Result<Self> {
        let path = folder.join("manifest.json");
        let read = |path: &Path| std::fs::read(path).map_err(|e| Error::io(path, "read", e));
        if !folder.is_dir() || matches!(path.try_exists(), Ok(false)) {
            let message = match folder.exists() {
                true => "there is no manifest.json in it, so it is not a model folder",
                false => "there is no such model folder",
            };
            let (path, message) = (folder.to_path_buf(), message.to_string());
            return Err(Error::ModelFolder { path, message });
        }
        let bytes = read(&path)?;
        let manifest: Manifest = parse(&bytes, &path)?;
        // Nothing vouches for the manifest itself, so it must be as we write it, byte for byte.
        if json(&manifest) != bytes {
            let message = "it is not as this program writes it: the file was changed".to_string();
            return Err(Error::ModelFolder { path, message });
        }
        let mut files = BTreeMap::new();
        for (name, entry) in manifest {
            // The manifest may name plain files of this folder only.
            let path = folder.join(&name);
            let damaged = |message: String| Error::ModelFolder { path: path.clone(), message };
            if Path::new(&name).components().count() != 1 {
                return Err(damaged("the manifest names a file outside the folder".into()));
            }
            let bytes = read(&path)?;
            if bytes.len() as u64 != entry.bytes {
                let found = bytes.len();
                return Err(damaged(format!(
                    "it has {found} bytes, the manifest says {}",
                    entry.bytes
                )));
            }
            if sha256(&bytes) != entry.sha256 {
                return Err(damaged(
                    "its checksum is not the manifest's: the file was changed".into(),
                ));
            }
            files.insert(name, bytes);
        }
        Ok(Self { folder, files })
    }

    fn bytes(&self, name: &str) -> Result<&[u8]> {
        self.files.get(name).map(Vec::as_slice).ok_or_else(|| Error::ModelFolder {
            path: self.folder.join(name),
            message: "the manifest does not list it".into(),
        })
    }

    fn parse<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        parse(self.bytes(name)?, &self.folder.join(name))
    }

    fn stored(&self) -> Result<Stored> {
        let value: serde_json::Value = self.parse("config.json")?;
        let path = self.folder.join("config.json");
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => serde_json::from_value(value)
                .map_err(|e| Error::ModelFolder { path, message: e.to_string() }),
            format => {
                let found = format.map_or("none".to_string(), |f| f.to_string());
                let message =
                    format!("format version {found}, this program reads version {FORMAT}");
                Err(Error::ModelFolder { path, message })
            }
        }
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| Error::ModelFolder {
        path: path.to_path_buf(),
        message: format!("it is damaged: {e}"),
    })
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("model descriptions are plain data");
    bytes.push(b'\n');
    bytes
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The model card.
fn card<G: Generator>(predictor: &Predictor<G>, notes: &Notes) -> String {
    let config = predictor.config();
    let mut text = format!(
        "# An NGSLL model\n\nEvery score of this model is the sum of at most {} named terms.\n\n| | |\n|---|---|\n",
        config.k
    );
    for (name, value) in &notes.facts {
        text += &format!("| {name} | {} |\n", value.replace('|', "\\|"));
    }
    text + "\n## Use\n```\nngsll describe THIS-FOLDER\nngsll explain THIS-FOLDER --data FILE\nngsll evaluate THIS-FOLDER --data FILE\n```\n\
            In Rust: `ngsll::Predictor::load(folder)?.explain(&samples, None)?`\n\n\
            The explanation is exact in the named features; the network that wrote the weights has read the whole sample.\n"
}
