//! From bytes to a [`Dataset`]: the file formats that NGSLL reads.
//!
//! [`ReadDataset`] is the simplest way: it gives [`Dataset`] a constructor for each format. [`open`] is used by the
//! command: it opens a file according to a [`Config`](ngsll::Config) and, for a trained model, its
//! [`Schema`](ngsll::Schema). Below both, a [`Reader`] returns the samples of a file or folder chunk by chunk, so that a
//! file larger than memory can be read.
//!
//! | samples | files | reader | features |
//! |---|---|---|---|
//! | texts | lines, `.csv`, tab-separated, JSON lines | `TextReader` | `delimited` |
//! | tables | `.csv`, `.tsv`, JSON lines, `.parquet` | [`TableReader`], [`read_table`] | `delimited`, `parquet` |
//! | images | IDX, as of MNIST | `IdxReader` | `idx` |
//! | images | folders of PNG, JPEG and WebP | `ImageFolderReader` | `images` |
//! | word vectors | GloVe, word2vec, fastText | [`read_word_vectors`] | `delimited` |
//! | images | a CSV of paths and labels | `ImageFolderReader` | `images`, `delimited` |
//!
//! Delimited and IDX files may be gzip-compressed (feature `gzip`). All features are on by default; a file whose
//! format is switched off is refused with a message that names the feature.

mod column_names;
#[cfg(any(feature = "images", feature = "parquet"))]
mod contained;
#[cfg(feature = "delimited")]
mod delimited;
mod examples;
#[cfg(feature = "idx")]
mod idx;
#[cfg(feature = "images")]
mod images;
mod in_memory;
#[cfg(feature = "delimited")]
mod json_lines;
#[cfg(feature = "delimited")]
mod labelled_columns;
mod memory;
mod open;
#[cfg(any(feature = "delimited", feature = "idx", feature = "images", feature = "parquet"))]
mod read_dataset;
mod reader_note;
mod source;
mod table;
#[cfg(feature = "delimited")]
mod text_reader;
#[cfg(any(
    all(feature = "gzip", any(feature = "delimited", feature = "idx")),
    feature = "parquet"
))]
mod unpacked;
#[cfg(feature = "delimited")]
mod word_vectors;

pub use examples::{examples, typical_row};
#[cfg(feature = "idx")]
pub use idx::{IdxReader, labels_beside};
#[cfg(feature = "images")]
pub use images::{ImageFolderReader, decode_into, read_regions, resized_note, with_regions};
pub use in_memory::InMemory;
pub use open::open;
#[cfg(any(feature = "delimited", feature = "idx", feature = "images", feature = "parquet"))]
pub use read_dataset::ReadDataset;
pub use reader_note::ReaderNote;
pub use table::{TableReader, read_table};
#[cfg(feature = "delimited")]
pub use text_reader::{TextOptions, TextReader};
#[cfg(feature = "delimited")]
pub use word_vectors::{read_word_vectors, with_word_vectors};

use ngsll::dataset::{Dataset, Origin, Samples};
use ngsll::error::{Location, Result};
use std::path::Path;

/// The longest side of an image that a model reads.
#[cfg(any(feature = "idx", feature = "images"))]
const LONGEST_SIDE: u32 = 4096;

/// The longest side of an image file, which is then scaled down.
#[cfg(feature = "images")]
const LONGEST_SOURCE_SIDE: u32 = 16_384;

/// Samples in the order of the input, a chunk at a time.
pub trait Reader {
    /// The next `max_rows` samples (at least one must be requested), fewer only at the end of the input, `None` after it.
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>>;

    /// The path of the file or folder, for messages.
    fn path(&self) -> &Path;

    /// Notes for the user about how the samples so far were read.
    fn notes(&self) -> Vec<ReaderNote> {
        Vec::new()
    }
}

/// The treatment of labels by a reader.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelUse {
    /// Every sample must have one (training, evaluation).
    #[default]
    Required,
    /// They are read if there are any (prediction).
    Optional,
    /// They are not read.
    Ignored,
}

/// All remaining samples; an input without samples is an error.
pub fn read_all(reader: &mut dyn Reader) -> Result<Dataset> {
    match reader.next_chunk(usize::MAX)? {
        Some(dataset) => Ok(dataset),
        None => {
            Err(Location::file(reader.path()).error("it is empty: expected at least one sample"))
        }
    }
}

/// Samples with their labels, if any is known.
fn dataset(
    samples: impl Into<Samples>,
    labels: Option<Vec<String>>,
    origin: Origin,
) -> Result<Dataset> {
    let dataset = Dataset::new(samples).with_origin(origin)?;
    match labels.filter(|labels| labels.iter().any(|label| !label.is_empty())) {
        Some(labels) => dataset.with_labels(labels),
        None => Ok(dataset),
    }
}

/// Samples with their labels and the user's identifier of each, if a column holds one.
fn with_ids(dataset: Dataset, ids: Option<Vec<String>>) -> Result<Dataset> {
    match ids {
        Some(ids) => dataset.with_ids(ids),
        None => Ok(dataset),
    }
}

/// The error for a file of a format that this build does not read.
#[cfg(not(all(
    feature = "delimited",
    feature = "gzip",
    feature = "idx",
    feature = "images",
    feature = "parquet"
)))]
fn feature_is_off(path: &Path, what: &str, feature: &str) -> ngsll::Error {
    Location::file(path)
        .error(format!("{what} cannot be read by a build without the feature {feature:?}"))
}
