//! Finished cells on disk: what is there is not computed again.

use crate::request::{CELLS, MODELS};
use crate::{Dataset, K};
use ngsll::Predictor;
use ngsll::error::{Error, Result};
use ngsll::examples::Example;
use ngsll::files::write_atomic;
use ngsll::model_folder::Notes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Raised when a cell means something else than before, as when a default changes that its configuration
/// does not write down.
const FORMAT: u32 = 1;

/// One accuracy: a line of `results.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What it was computed from, as a hash.
    pub fingerprint: String,
    /// The data set's name.
    pub dataset: String,
    /// The method's name.
    pub method: String,
    /// K.
    pub k: K,
    /// The seed of split and training.
    pub seed: u64,
    /// Share of the test samples whose class was found.
    pub test_accuracy: f64,
    /// The same of the validation samples.
    pub validation_accuracy: f64,
    /// Seconds on one thread from the start of its job until it was there, data preparation and measuring
    /// included, and selection unless it was kept from a job that had been stopped.
    pub seconds: f64,
    /// The K of that job, which share their first stages.
    pub together: Vec<K>,
    /// What was chosen, in short.
    pub configuration: String,
    /// The program that computed it,
    pub version: String,
    /// and the processor it ran on.
    pub machine: String,
}

/// Names a cell: `mnist-ngsll-k5-seed0`.
pub fn key(dataset: Dataset, method: &str, k: K, seed: u64) -> String {
    format!("{dataset}-{method}-k{k}-seed{seed}")
}

/// A hash of all that a result depends on.
pub fn fingerprint(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    hash.update(FORMAT.to_le_bytes());
    for part in parts {
        // With its length, so that no two lists of parts run into the same bytes.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Enough of a fingerprint to tell files apart.
fn short(fingerprint: &str) -> &str {
    &fingerprint[..fingerprint.len().min(8)]
}

/// The folder that holds them.
#[derive(Debug, Clone)]
pub struct Store {
    out: PathBuf,
}

/// Has a fingerprint.
pub trait Kept: Serialize + DeserializeOwned {
    /// What it was computed from.
    fn fingerprint(&self) -> &str;
}

impl Kept for Cell {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

impl Store {
    /// Makes the folder where it is not there.
    pub fn open(out: &Path) -> Result<Self> {
        let cells = out.join(CELLS);
        std::fs::create_dir_all(&cells).map_err(|e| Error::io(&cells, "create", e))?;
        Ok(Self { out: out.to_path_buf() })
    }

    /// Results of other configurations have other names: none takes the place of another.
    fn path(&self, key: &str, fingerprint: &str) -> PathBuf {
        self.out.join(CELLS).join(format!("{key}-{}.json", short(fingerprint)))
    }

    /// A finished cell with this fingerprint; one that is damaged or of another configuration is none.
    pub fn find<T: Kept>(&self, key: &str, fingerprint: &str) -> Option<T> {
        let text = std::fs::read_to_string(self.path(key, fingerprint)).ok()?;
        serde_json::from_str(&text).ok().filter(|cell: &T| cell.fingerprint() == fingerprint)
    }

    /// Keeps a finished cell.
    pub fn save<T: Kept>(&self, key: &str, cell: &T) -> Result<()> {
        let text = serde_json::to_string_pretty(cell).expect("a cell is plain data");
        write_atomic(&self.path(key, cell.fingerprint()), format!("{text}\n").as_bytes())
    }

    /// The model that belongs to a cell.
    pub fn model(&self, key: &str, fingerprint: &str) -> PathBuf {
        self.out.join(MODELS).join(format!("{key}-{}", short(fingerprint)))
    }

    /// Keeps the model of a cell with some samples to start from, in place of an older one.
    pub fn save_model(
        &self,
        key: &str,
        fingerprint: &str,
        predictor: &Predictor,
        examples: Vec<Example>,
    ) -> Result<()> {
        let path = self.model(key, fingerprint);
        let folder = self.out.join(MODELS);
        std::fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, "create", e))?;
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(|e| Error::io(&path, "replace", e))?;
        }
        let command = predictor.config().to_toml()?;
        let notes = Notes { command, examples, ..Notes::default() };
        predictor.save(&path, &notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_comes_back_only_with_its_own_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let cell = Cell {
            fingerprint: fingerprint(&["a", "b"]),
            dataset: "mnist".into(),
            method: "ngsll".into(),
            k: K::Top(5),
            seed: 1,
            test_accuracy: 0.1 + 0.2,
            validation_accuracy: 0.5,
            seconds: 1.5,
            together: vec![K::Top(5), K::All],
            configuration: "L=1".into(),
            version: "0.1.0".into(),
            machine: "2 cores".into(),
        };
        let key = key(Dataset::Mnist, "ngsll", K::Top(5), 1);
        assert_eq!(store.find::<Cell>(&key, &cell.fingerprint), None);
        store.save(&key, &cell).unwrap();
        assert_eq!(store.find(&key, &cell.fingerprint), Some(cell));
        assert_eq!(store.find::<Cell>(&key, &fingerprint(&["ab", ""])), None);
        std::fs::write(store.path(&key, &fingerprint(&["a", "b"])), "{").unwrap();
        assert_eq!(store.find::<Cell>(&key, &fingerprint(&["a", "b"])), None);
    }
}
