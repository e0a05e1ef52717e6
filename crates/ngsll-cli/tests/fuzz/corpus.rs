//! Inputs that once failed. The files are embedded in the program, which needs no folder of sources to run.

/// Targets and their files.
const FILES: [(&str, &[u8]); 1] = [
    // A palette of seven bytes: the decoder panicked.
    ("images", include_bytes!("corpus/images/palette-of-seven-bytes.png")),
];

/// The files of a target.
pub fn corpus(target: &str) -> impl Iterator<Item = &'static [u8]> {
    FILES.iter().filter(move |(of, _)| *of == target).map(|(_, bytes)| *bytes)
}
