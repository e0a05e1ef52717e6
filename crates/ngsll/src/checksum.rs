//! SHA-256 of files, and JSON files that hold a checksum of themselves.

use sha2::{Digest, Sha256};

/// The placeholder for a file's own checksum while it is computed.
pub(crate) const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// SHA-256 as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Gives `write` a text with its length before it, which keeps different lists of texts from giving the same bytes.
pub fn with_length(text: &str, mut write: impl FnMut(&[u8])) {
    write(&(text.len() as u64).to_le_bytes());
    write(text.as_bytes());
}

/// A text with its own checksum, computed together with the bytes it belongs to, in place of the first [`BLANK`].
pub(crate) fn sealed(text: &str, belongs_to: &[u8]) -> String {
    text.replacen(BLANK, &own_checksum(text, belongs_to), 1)
}

/// Whether a text that was [`sealed`] with this checksum is unchanged.
pub(crate) fn is_sealed(text: &str, sha256: &str, belongs_to: &[u8]) -> bool {
    own_checksum(&text.replacen(sha256, BLANK, 1), belongs_to) == sha256
}

fn own_checksum(text: &str, belongs_to: &[u8]) -> String {
    sha256(&[belongs_to, text.as_bytes()].concat())
}
