//! Opening files, gzip-compressed or not.

#[cfg(any(feature = "delimited", feature = "idx"))]
pub(crate) use bytes::{Source, open, read_error};

#[cfg(any(feature = "images", feature = "parquet"))]
use ngsll::error::{Error, Location, Result};
#[cfg(any(feature = "images", feature = "parquet"))]
use std::fs::File;
use std::path::Path;

/// Opens a file that is read to its end at once or in any order. A pipe may never have one.
#[cfg(any(feature = "images", feature = "parquet"))]
pub(crate) fn open_regular(path: &Path) -> Result<File> {
    let failed = |error| Error::io(path, "read", error);
    // Before it is opened, which waits for whoever writes to a pipe.
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(Location::file(path).error("it is not a regular file"));
    }
    File::open(path).map_err(failed)
}

/// The file's extension in lower case; if that is `.gz`, the one before it.
pub(crate) fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map(|(_, extension)| extension.to_owned()).unwrap_or_default()
}

#[cfg(any(feature = "delimited", feature = "idx"))]
mod bytes {
    #[cfg(feature = "gzip")]
    use crate::unpacked::{most_unpacked, too_much};
    use ngsll::error::{Error, Location, Result};
    use std::fs::File;
    use std::io::{self, BufRead, BufReader, ErrorKind};
    use std::path::Path;

    /// The (uncompressed) bytes of a file.
    pub(crate) type Source = Box<dyn BufRead + Send>;

    /// Opens `path`; gzip is recognised by its first two bytes, whatever the file's name.
    pub(crate) fn open(path: &Path) -> Result<Source> {
        let file = File::open(path).map_err(|error| Error::io(path, "read", error))?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let start = file.fill_buf().map_err(|error| Error::io(path, "read", error))?;
        if start.starts_with(&[0x1f, 0x8b]) { decompress(path, file) } else { Ok(Box::new(file)) }
    }

    #[cfg(feature = "gzip")]
    fn decompress(path: &Path, file: BufReader<File>) -> Result<Source> {
        let packed = file.get_ref().metadata().map_err(|error| Error::io(path, "read", error))?;
        let most = most_unpacked(packed.len());
        let decoder = flate2::bufread::MultiGzDecoder::new(file);
        let source = Unpacked { decoder, left: most };
        Ok(Box::new(BufReader::with_capacity(1 << 16, source)))
    }

    /// The unpacked content of a gzip file, up to a limit.
    #[cfg(feature = "gzip")]
    struct Unpacked<R> {
        decoder: R,
        left: u64,
    }

    #[cfg(feature = "gzip")]
    impl<R: io::Read> io::Read for Unpacked<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.decoder.read(buffer)?;
            let left = self.left.checked_sub(read as u64);
            self.left = left.ok_or_else(|| io::Error::other(too_much("unpack it first")))?;
            Ok(read)
        }
    }

    #[cfg(not(feature = "gzip"))]
    fn decompress(path: &Path, _: BufReader<File>) -> Result<Source> {
        Err(crate::feature_is_off(path, "a gzip-compressed file", "gzip"))
    }

    /// The error for a failed read: damaged compression is the file's fault, anything else the system's.
    pub(crate) fn read_error(path: &Path, error: io::Error) -> Error {
        match error.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                let message = format!("the gzip data are damaged or cut off ({error})");
                Location::file(path).error(message)
            }
            _ => Error::io(path, "read", error),
        }
    }
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
