//! Bounds the unpacked size of a compressed file.

/// Unpacked bytes allowed for a compressed file of any size, and the largest ratio to the file's size beyond that: real
/// data do not compress that well.
const HARMLESS: u64 = 256 << 20;
const LARGEST_RATIO: u64 = 200;

/// The most bytes that a file of `packed` compressed bytes may unpack to.
pub(crate) fn most_unpacked(packed: u64) -> u64 {
    HARMLESS.max(packed.saturating_mul(LARGEST_RATIO))
}

/// The message for a file that exceeds the bound, with the remedy if its content is right.
pub(crate) fn too_much(remedy: &str) -> String {
    format!("it unpacks to more than {LARGEST_RATIO} times its size; {remedy} if that is right")
}
