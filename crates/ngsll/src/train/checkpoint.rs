//! Checkpoints: everything that an interrupted training run needs to end with the same weights.
//!
//! A checkpoint is a folder beside the model being trained. Each part is written to a new
//! file and renamed; `state.json` comes last, with the checksums of the others and of itself, so a
//! crash in between leaves the checkpoint before. Only one training run at a time can use the folder.

use super::optimizer::Optimizer;
use super::stage::State;
use super::{EpochRecord, Stage, from_bytes, to_bytes, weights_of, with_weights};
use crate::checksum::{BLANK, is_sealed, sealed, sha256};
use crate::error::{Error, Result, from_json};
use crate::files::{create_folders, read_bounded, sync, write_atomic};
use crate::generator::{Generator, outlined_parameters};
use crate::network::Network;
use holder::Holder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

mod holder;

/// The identity of a run; a checkpoint is resumed only by the same run.
pub type Fingerprint = String;

/// The file that makes a folder a checkpoint.
const STATE: &str = "state.json";
/// Parts of a checkpoint beside the state file.
const PARTS: [&str; 3] = ["model", "best", "optimiser"];
/// The most bytes of the state file.
const LARGEST_STATE: u64 = 64 << 20;
/// The most bytes of a part for each of the network's parameters, as an optimiser keeps up to three numbers of each,
/// and for the names of all.
const OF_PARAMETER: u64 = 16;
const NAMES: u64 = 16 << 20;

/// The folder of checkpoints.
#[derive(Debug, Clone)]
pub struct Checkpoints {
    folder: PathBuf,
    fingerprint: Fingerprint,
    /// Locks the folder, from [`Checkpoints::hold`] on until all clones are dropped.
    holder: Arc<Mutex<Option<Holder>>>,
}

/// The position in the course of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Position {
    pub stage: usize,
    pub epoch: usize,
    pub step: usize,
    /// Σ of the losses of this epoch's steps.
    pub loss_sum: f64,
    /// Smallest validation loss of the stage; `null` if none, as JSON has no infinity.
    #[serde(with = "infinite_as_null")]
    pub best_loss: f64,
    /// Epochs since then.
    pub stale: usize,
    pub history: Vec<EpochRecord>,
}

impl Default for Position {
    fn default() -> Self {
        let (stage, epoch, step, loss_sum, stale) = (0, 0, 0, 0.0, 0);
        Self { stage, epoch, step, loss_sum, best_loss: f64::INFINITY, stale, history: Vec::new() }
    }
}

#[derive(Serialize, Deserialize)]
struct SavedState {
    /// Of this file.
    sha256: String,
    fingerprint: Fingerprint,
    stages: Vec<Stage>,
    position: Position,
    /// Distinguishes the files of this checkpoint from those of the one before.
    generation: u64,
    /// SHA-256 of each part.
    parts: BTreeMap<String, String>,
}

impl Checkpoints {
    /// Keeps checkpoints in `folder`, which is created when training starts.
    pub fn new(folder: impl Into<PathBuf>, fingerprint: Fingerprint) -> Self {
        Self { folder: folder.into(), fingerprint, holder: Arc::default() }
    }

    /// Locks the folder for this training until this value and its clones are dropped; another training that
    /// uses it is an error. Training calls this itself.
    pub fn hold(&self) -> Result<()> {
        let mut holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        if holder.is_none() {
            create_folders(&self.folder).map_err(|e| Error::io(&self.folder, "create", e))?;
            *holder = Some(Holder::new(&self.folder)?);
        }
        Ok(())
    }

    /// Removes the folder: the state file first, so that a partial checkpoint is never resumed.
    pub fn clear(&self) -> Result<()> {
        let remove = || -> io::Result<()> {
            fs::remove_file(self.state_file()).or_else(not_found)?;
            if self.folder.is_dir() {
                sync(&self.folder)?;
            }
            fs::remove_dir_all(&self.folder).or_else(not_found)
        };
        remove().map_err(|e| Error::io(&self.folder, "remove", e))
    }

    /// Whether there is a checkpoint to go on from.
    pub fn exists(&self) -> bool {
        self.state_file().exists()
    }

    /// Whether the checkpoint, if there is one, is that of a run with these data and options.
    pub fn may_be_resumed(&self) -> Result<bool> {
        Ok(self.read_state()?.is_none_or(|saved| saved.fingerprint == self.fingerprint))
    }

    fn state_file(&self) -> PathBuf {
        self.folder.join(STATE)
    }

    fn file(&self, name: &str, generation: u64) -> PathBuf {
        self.folder.join(format!("{name}.{}", generation % 2))
    }

    fn read_state(&self) -> Result<Option<SavedState>> {
        let path = self.state_file();
        if !path.exists() {
            return Ok(None);
        }
        let refused = |message: String| Error::ModelFolder { path: path.clone(), message };
        let bytes = read_bounded(&path, LARGEST_STATE)?;
        let text = String::from_utf8_lossy(&bytes);
        let saved: SavedState = from_json(text.as_bytes())
            .map_err(|e| refused(format!("it is not a checkpoint of this version: {e}")))?;
        if !is_sealed(&text, &saved.sha256, &[]) {
            return Err(refused("its checksum does not match: the file was changed".into()));
        }
        Ok(Some(saved))
    }

    pub(super) fn save<G: Generator>(&self, state: &State<G>, stages: &[Stage]) -> Result<()> {
        self.hold()?;
        let generation = self.read_state()?.map_or(0, |saved| saved.generation + 1);
        let mut parts = BTreeMap::new();
        for name in PARTS {
            let bytes = to_bytes(&match name {
                "model" => weights_of(&state.network),
                "best" => weights_of(&state.best),
                _ => state.optimizer.save(),
            });
            write_atomic(&self.file(name, generation), &bytes)?;
            parts.insert(name.to_string(), sha256(&bytes));
        }
        let saved = SavedState {
            sha256: BLANK.into(),
            fingerprint: self.fingerprint.clone(),
            stages: stages.to_vec(),
            position: state.position.clone(),
            generation,
            parts,
        };
        let json = serde_json::to_string(&saved).expect("a position is plain data");
        write_atomic(&self.state_file(), sealed(&json, &[]).as_bytes())
    }

    /// The bytes of a part, if they are those that were written.
    fn part(
        &self,
        name: &str,
        saved: &SavedState,
        parameters: usize,
    ) -> Result<(Vec<u8>, PathBuf)> {
        let path = self.file(name, saved.generation);
        let bytes = read_bounded(&path, NAMES + OF_PARAMETER * parameters as u64)?;
        if saved.parts.get(name) != Some(&sha256(&bytes)) {
            let message = "its checksum does not match the checkpoint: the file was changed";
            return Err(Error::ModelFolder { path, message: message.into() });
        }
        Ok((bytes, path))
    }

    pub(super) fn load<G: Generator>(
        &self,
        network: &Network<G>,
        stages: &[Stage],
    ) -> Result<Option<State<G>>> {
        self.hold()?;
        let Some(saved) = self.read_state()? else { return Ok(None) };
        if saved.fingerprint != self.fingerprint || saved.stages != stages {
            return Err(Error::ModelFolder {
                path: self.folder.clone(),
                message: "it belongs to a run with other data or options, or of another version of this program; use those again, or remove the folder to start over"
                    .into(),
            });
        }
        let parameters = outlined_parameters(network);
        let module = |name: &str| -> Result<Network<G>> {
            let (bytes, path) = self.part(name, &saved, parameters)?;
            with_weights(network.clone(), from_bytes(&bytes, &path)?, &path)
        };
        let (bytes, path) = self.part("optimiser", &saved, parameters)?;
        let state = from_bytes(&bytes, &path)?;
        let stage = &stages[saved.position.stage.min(stages.len() - 1)];
        let optimizer = Optimizer::restore((stage, saved.position.epoch), network, state)
            .map_err(|message| Error::ModelFolder { path, message })?;
        Ok(Some(State {
            network: module("model")?,
            best: module("best")?,
            optimizer,
            position: saved.position,
        }))
    }
}

fn not_found(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

mod infinite_as_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}
