//! Checkpoints: all that an interrupted training needs to end with the same weights.
//!
//! A checkpoint is a folder beside the model that is being made. Each part is written to a new
//! file and renamed; `state.json` comes last and names the others, so a crash in between leaves the
//! checkpoint before.

use super::optimizer::Optimizer;
use super::stage::State;
use super::{EpochRecord, Stage, from_bytes, to_bytes, weights_of, with_weights};
use crate::error::{Error, Result, json_reason};
use crate::files::write_atomic;
use crate::generator::Generator;
use crate::network::Network;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a run is made of; a checkpoint is resumed only by the same run.
pub type Fingerprint = String;

/// Where checkpoints are kept.
#[derive(Debug, Clone)]
pub struct Checkpoints {
    folder: PathBuf,
    fingerprint: Fingerprint,
}

/// How far training has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Position {
    pub stage: usize,
    pub epoch: usize,
    pub step: usize,
    /// Σ of the losses of this epoch's steps.
    pub loss_sum: f64,
    /// Smallest validation loss of the stage; JSON has no infinity, so none is `null`.
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
struct Saved {
    fingerprint: Fingerprint,
    stages: Vec<Stage>,
    position: Position,
    /// Distinguishes the files of this checkpoint from those of the one before.
    generation: u64,
}

impl Checkpoints {
    /// Keeps checkpoints in `folder`, which is created when the first is written.
    pub fn new(folder: impl Into<PathBuf>, fingerprint: Fingerprint) -> Self {
        Self { folder: folder.into(), fingerprint }
    }

    /// Removes the folder.
    pub fn clear(&self) -> Result<()> {
        match std::fs::remove_dir_all(&self.folder) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io(&self.folder, "remove", e))
            }
            _ => Ok(()),
        }
    }

    /// Whether there is a checkpoint to go on from.
    pub fn exists(&self) -> bool {
        self.state_file().exists()
    }

    fn state_file(&self) -> PathBuf {
        self.folder.join("state.json")
    }

    fn file(&self, name: &str, generation: u64) -> PathBuf {
        self.folder.join(format!("{name}.{}", generation % 2))
    }

    fn read_state(&self) -> Result<Option<Saved>> {
        let path = self.state_file();
        if !path.exists() {
            return Ok(None);
        }
        let bytes = read(&path)?;
        let saved = serde_json::from_slice(&bytes).map_err(|e| Error::ModelFolder {
            path,
            message: format!("it is not a checkpoint of this version: {}", json_reason(&e)),
        })?;
        Ok(Some(saved))
    }

    pub(super) fn save<G: Generator>(&self, state: &State<G>, stages: &[Stage]) -> Result<()> {
        std::fs::create_dir_all(&self.folder).map_err(|e| Error::io(&self.folder, "create", e))?;
        let generation = self.read_state()?.map_or(0, |saved| saved.generation + 1);
        write_atomic(&self.file("model", generation), &to_bytes(&weights_of(&state.network)))?;
        write_atomic(&self.file("best", generation), &to_bytes(&weights_of(&state.best)))?;
        write_atomic(&self.file("optimiser", generation), &to_bytes(&state.optimiser.save()))?;
        let saved = Saved {
            fingerprint: self.fingerprint.clone(),
            stages: stages.to_vec(),
            position: state.position.clone(),
            generation,
        };
        let json = serde_json::to_vec(&saved).expect("a position is plain data");
        write_atomic(&self.state_file(), &json)
    }

    pub(super) fn load<G: Generator>(
        &self,
        network: &Network<G>,
        stages: &[Stage],
    ) -> Result<Option<State<G>>> {
        let Some(saved) = self.read_state()? else { return Ok(None) };
        if saved.fingerprint != self.fingerprint || saved.stages != stages {
            return Err(Error::ModelFolder {
                path: self.folder.clone(),
                message: "it belongs to a run with other data or options; use those again, or remove the folder to start over"
                    .into(),
            });
        }
        let module = |name: &str| -> Result<Network<G>> {
            let path = self.file(name, saved.generation);
            with_weights(network.clone(), from_bytes(&read(&path)?, &path)?, &path)
        };
        let path = self.file("optimiser", saved.generation);
        let state = from_bytes(&read(&path)?, &path)?;
        let stage = &stages[saved.position.stage.min(stages.len() - 1)];
        let optimiser = Optimizer::restore((stage, saved.position.epoch), network, state)
            .map_err(|message| Error::ModelFolder { path, message })?;
        Ok(Some(State {
            network: module("model")?,
            best: module("best")?,
            optimiser,
            position: saved.position,
        }))
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::io(path, "read", e))
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
