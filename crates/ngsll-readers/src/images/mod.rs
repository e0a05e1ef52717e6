//! PNG and JPEG images: one in memory, or a folder of them.

mod decode;
mod folder;

pub use decode::decode_into;
pub use folder::ImageFolderReader;
