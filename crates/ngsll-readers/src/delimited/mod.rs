//! Delimited files: their records, and records below a header.

mod encoding;
mod headers;
mod records;

pub(crate) use headers::HeaderedReader;
pub(crate) use records::{RecordReader, is_csv};
