//! Finished results of a run and their models, in its folder.

use crate::request::{MODELS, RECORDS};
use crate::{K, PaperDataset};
use ngsll::checksum::with_length;
use ngsll::error::{Error, Result};
use ngsll::examples::Example;
use ngsll::{Model, Notes};
use ngsll_jobs::Records;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Raised when the meaning of a result changes, for instance when a default changes that no
/// configuration writes down.
const FORMAT: u32 = 1;

/// One accuracy: a line of `results.csv`, whose columns have the same names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunResult {
    /// The data set's name.
    pub(crate) dataset: String,
    /// The method's name.
    pub(crate) method: String,
    /// K.
    pub(crate) k: K,
    /// The seed of split and training.
    pub(crate) seed: u64,
    /// The share of test samples classified correctly.
    pub(crate) test_accuracy: f64,
    /// The share of validation samples classified correctly.
    pub(crate) validation_accuracy: f64,
    /// Seconds on one thread from the start of the job until this result existed, including data
    /// preparation, evaluation and, unless it was already stored, the selection of L and U.
    pub(crate) seconds_since_job_start: f64,
    /// Every K of that job; they share their first training stages.
    pub(crate) job_ks: Vec<K>,
    /// A summary of what was selected.
    pub(crate) configuration: String,
    /// The version of the program that computed it.
    pub(crate) version: String,
    /// The machine it was computed on.
    pub(crate) machine: String,
}

/// The key of a result: `mnist-ngsll-k5-seed0`.
pub(crate) fn key(dataset: PaperDataset, method: &str, k: K, seed: u64) -> String {
    format!("{dataset}-{method}-k{k}-seed{seed}")
}

/// A hash of everything a result depends on.
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    hash.update(FORMAT.to_le_bytes());
    for part in parts {
        with_length(part, |bytes| hash.update(bytes));
    }
    // 128 of the 256 bits: 32 hexadecimal digits.
    format!("{:.32x}", hash.finalize())
}

/// The folder of a run, open for reading and appending records.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    records: Records,
}

impl Store {
    /// Creates the folder and its file of records where they do not exist; fails while another process
    /// has them open.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let records = Records::open(&folder.join(RECORDS))?;
        Ok(Self { folder: folder.to_path_buf(), records })
    }

    /// The record with this key and fingerprint, if there is one.
    pub(crate) fn find<R: DeserializeOwned>(&self, key: &str, fingerprint: &str) -> Option<R> {
        self.records.find(key, fingerprint)
    }

    /// Appends a record; it is on disk when this returns.
    pub(crate) fn save(&self, key: &str, fingerprint: &str, record: &impl Serialize) -> Result<()> {
        self.records.save(key, fingerprint, record)
    }

    /// The folder of the model that belongs to a result.
    pub(crate) fn model(&self, key: &str, fingerprint: &str) -> PathBuf {
        // Enough of the fingerprint to tell the models of different configurations apart.
        let short = &fingerprint[..fingerprint.len().min(8)];
        self.folder.join(MODELS).join(format!("{key}-{short}"))
    }

    /// Saves the model of a result together with some example samples, replacing an earlier one.
    pub(crate) fn save_model(
        &self,
        key: &str,
        fingerprint: &str,
        model: Model,
        examples: Vec<Example>,
    ) -> Result<()> {
        let path = self.model(key, fingerprint);
        let models = self.folder.join(MODELS);
        std::fs::create_dir_all(&models).map_err(|e| Error::io(&models, "create", e))?;
        let mut notes = Notes::default();
        (notes.command, notes.examples) = (model.config().to_toml()?, examples);
        let model = model.with_notes(notes);
        if path.exists() { model.save_over(&path) } else { model.save(&path) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(seed: u64) -> RunResult {
        RunResult {
            dataset: "mnist".into(),
            method: "ngsll".into(),
            k: K::Top(5),
            seed,
            test_accuracy: 0.1 + 0.2,
            validation_accuracy: 0.5,
            seconds_since_job_start: 1.5,
            job_ks: vec![K::Top(5), K::All],
            configuration: "L=1".into(),
            version: "0.1.0".into(),
            machine: "2 cores".into(),
        }
    }

    #[test]
    fn a_result_is_found_only_by_its_own_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let (key, own) =
            (key(PaperDataset::Mnist, "ngsll", K::Top(5), 1), fingerprint(&["a", "b"]));
        assert_eq!(store.find::<RunResult>(&key, &own), None);
        store.save(&key, &own, &result(1)).unwrap();
        assert_eq!(store.find(&key, &own), Some(result(1)));
        assert_eq!(store.find::<RunResult>(&key, &fingerprint(&["ab", ""])), None);
        drop(store);
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.find(&key, &own), Some(result(1)), "to the last bit");
    }

    #[test]
    fn a_torn_line_is_ignored_and_the_next_record_is_not_glued_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RECORDS);
        let store = Store::open(folder.path()).unwrap();
        for seed in 0..3 {
            store.save(&seed.to_string(), "f", &result(seed)).unwrap();
        }
        drop(store);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 20]).unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.find("1", "f"), Some(result(1)));
        assert_eq!(store.find::<RunResult>("2", "f"), None);
        store.save("2", "f", &result(7)).unwrap();
        store.save("0", "f", &result(8)).unwrap();
        drop(store);
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.find("2", "f"), Some(result(7)));
        assert_eq!(store.find("0", "f"), Some(result(8)), "the later of two lines");
        assert_eq!(store.find("1", "f"), Some(result(1)));
    }

    #[test]
    fn a_folder_that_another_run_has_open_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let error = Store::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("records.jsonl: another run is using this folder"), "{error}");
        drop(store);
        Store::open(folder.path()).unwrap();
    }
}
