//! `trust.json`: figures measured of a model's terms, by ascending K.
//!
//! The manifest does not list it. Evaluations write it long after the model was saved, and several may run side by
//! side: with an entry in the manifest, two of them could leave a folder that does not fit its manifest and is refused.
//! So the file verifies itself: its checksum covers the manifest and the file, and figures that were changed,
//! or belong to another model or judge, do not match it.

use super::manifest::{self, json, parse};
use crate::checksum::{BLANK, is_sealed, sealed};
use crate::error::{Error, Result};
use crate::files::{read_bounded, write_atomic};
use crate::trust::Trust;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Optional: absent until terms are measured.
pub(super) const TRUST: &str = "trust.json";

/// The most bytes of the file.
const LARGEST: u64 = 16 << 20;

#[derive(Serialize, Deserialize)]
struct Measured {
    sha256: String,
    measured: Vec<Trust>,
}

/// The bytes of the file, for the model of this manifest.
pub(super) fn of(measured: &[Trust], manifest: &[u8]) -> Vec<u8> {
    let blank = Measured { sha256: BLANK.into(), measured: measured.to_vec() };
    let text = String::from_utf8(json(&blank)).expect("JSON is text");
    sealed(&text, manifest).into_bytes()
}

/// The figures in a folder with this manifest; empty if there is no file.
pub(super) fn in_folder(folder: &Path, manifest: &[u8]) -> Result<Vec<Trust>> {
    let path = folder.join(TRUST);
    if matches!(path.try_exists(), Ok(false)) {
        return Ok(Vec::new());
    }
    let bytes = read_bounded(&path, LARGEST)?;
    let Measured { sha256, measured } = parse(&bytes, &path)?;
    let text = String::from_utf8_lossy(&bytes);
    if is_sealed(&text, &sha256, manifest) {
        return Ok(measured);
    }
    let message = "its checksum does not match these figures and this model; remove the file and measure again";
    Err(Error::ModelFolder { path, message: message.into() })
}

/// Adds figures to those in a folder, replacing any for the same K.
pub(super) fn keep(folder: &Path, trust: Trust) -> Result<()> {
    let manifest = manifest::read(folder)?;
    let mut measured = in_folder(folder, &manifest)?;
    trust.keep_in(&mut measured);
    write_atomic(&folder.join(TRUST), &of(&measured, &manifest))
}
