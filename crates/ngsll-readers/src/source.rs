//! Opening files, gzip-compressed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, Place, Result};

/// The (uncompressed) bytes of a file.
pub(super) type Source = Box<dyn BufRead + Send>;

/// Opens `path`; gzip is recognised by its first two bytes, whatever the file's name.
pub(super) fn open(path: &Path) -> Result<Source> {
    let file = File::open(path).map_err(|error| Error::io(path, "read", error))?;
    let mut file = BufReader::with_capacity(1 << 16, file);
    let start = file.fill_buf().map_err(|error| Error::io(path, "read", error))?;
    if start.starts_with(&[0x1f, 0x8b]) {
        Ok(Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file))))
    } else {
        Ok(Box::new(file))
    }
}

/// The error for a failed read: damaged compression is the file's fault, anything else the system's.
pub(super) fn read_error(path: &Path, error: io::Error) -> Error {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            Place::file(path).error(format!("the gzip data are damaged or cut off ({error})"))
        }
        _ => Error::io(path, "read", error),
    }
}

/// The file's extension in lower case, the one before `.gz` where that is the last.
pub(super) fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map(|(_, extension)| extension.to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_the_one_before_gz() {
        for (name, expected) in
            [("a/b.CSV", "csv"), ("b.tsv.gz", "tsv"), ("b", ""), ("b.gz", ""), ("x.y/b", "")]
        {
            assert_eq!(extension(Path::new(name)), expected, "{name}");
        }
    }
}
