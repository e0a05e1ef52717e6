//! PNG, JPEG and WebP images: one in memory, a folder of them, or a list of files.

mod decode;
mod fit;
mod folder;
#[cfg(feature = "delimited")]
mod list;
mod listing;
mod mask;

pub use decode::decode_into;
pub use folder::{ImageFolderReader, resized_note};
pub use mask::{read_regions, with_regions};
