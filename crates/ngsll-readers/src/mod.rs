//! From bytes to records with a label.
//!
//! A [`Reader`] gives the rows of a file or folder in chunks, so that a file larger than memory can be read; the
//! kinds of input are [`TextReader`] (labelled lines, CSV, TSV), [`TableReader`] (CSV, TSV, Parquet), [`IdxReader`]
//! (MNIST's format) and [`FolderReader`] (PNG and JPEG). [`Groups`] merges labels, [`classes`] lists them, and
//! [`split`] parts the rows into training, validation and test sets.

mod chunk;
mod decode;
mod delimited;
mod folder;
mod groups;
mod idx;
mod infer;
mod labels;
mod names;
mod parquet_rows;
mod rows;
mod source;
pub mod split;
mod table;
mod table_reader;
mod text_reader;
mod texts;

pub use chunk::{Chunk, Images, Origin, Samples};
pub use folder::FolderReader;
pub use groups::Groups;
pub use idx::{IdxReader, labels_beside};
pub use infer::infer_columns;
pub use labels::{Labels, classes};
pub use rows::Cell;
pub use table::{Column, ColumnBuilder, ColumnKind, ColumnSpec, MISSING, Table, Values};
pub use table_reader::TableReader;
pub use text_reader::{TextOptions, TextReader};
pub use texts::Texts;

use std::path::Path;

use crate::error::{Place, Result};

/// Rows in the order of the input, a chunk at a time.
pub trait Reader {
    /// The next `max_rows` rows (at least one is asked for), fewer only where the input ends, `None` after its end.
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>>;

    /// The file or folder that is read, for messages.
    fn path(&self) -> &Path;
}

/// All rows that are left, as one chunk; an input without rows is an error.
pub fn read_all(reader: &mut dyn Reader) -> Result<Chunk> {
    match reader.next_chunk(usize::MAX)? {
        Some(chunk) => Ok(chunk),
        None => Err(Place::file(reader.path()).error("it holds no samples, expected at least one")),
    }
}
