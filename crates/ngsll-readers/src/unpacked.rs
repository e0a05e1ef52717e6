//! How much a compressed file may unpack to.

/// Unpacked bytes of a compressed file of any size, and how many times larger than the file they may be beyond that: no
/// data that somebody has collected are so uniform.
const HARMLESS: u64 = 256 << 20;
const LARGEST_RATIO: u64 = 200;

/// The most bytes that a file of so many compressed ones may hold.
pub(crate) fn most_unpacked(packed: u64) -> u64 {
    HARMLESS.max(packed.saturating_mul(LARGEST_RATIO))
}

/// What is wrong with a file that holds more, and what to do if it is right.
pub(crate) fn too_much(remedy: &str) -> String {
    format!("it unpacks to more than {LARGEST_RATIO} times its size; {remedy} if that is right")
}
