//! Tables: delimited and Parquet files, with columns that are known or that the content decides.

mod dates_among_levels;
mod decimal;
#[cfg(feature = "delimited")]
mod delimited_rows;
mod infer;
mod inferred_column;
#[cfg(feature = "delimited")]
mod json_rows;
mod memory;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod reader;
mod rows;
mod words_among_numbers;

pub use infer::read_table;
pub(crate) use infer::read_with;
pub use reader::TableReader;
pub(crate) use reader::unknown_target;

#[cfg(any(feature = "delimited", feature = "parquet"))]
use {
    crate::LabelUse, ngsll::Dataset, ngsll::config::DataConfig, ngsll::error::Result,
    std::path::Path,
};

/// The message for a row without label where every row needs one.
const TARGET_IS_MISSING: &str = "the target is missing; every row needs one";

/// Reads a delimited file with a header, whatever its name; content decides about the columns.
#[cfg(feature = "delimited")]
pub(crate) fn read_csv(path: &Path, target: &str) -> Result<Dataset> {
    let rows = rows::open_delimited(path)?;
    Ok(infer::read_rows(rows, path, target, &DataConfig::default(), LabelUse::Required)?.0)
}

/// Reads a Parquet file, whatever its name; its types decide about the columns.
#[cfg(feature = "parquet")]
pub(crate) fn read_parquet(path: &Path, target: &str) -> Result<Dataset> {
    let rows = rows::open_parquet(path)?;
    Ok(infer::read_rows(rows, path, target, &DataConfig::default(), LabelUse::Required)?.0)
}
