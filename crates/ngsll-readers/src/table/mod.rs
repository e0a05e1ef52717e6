//! Tables: delimited and Parquet files, with columns known in advance or inferred from the content.

mod dates_among_levels;
mod decimal;
#[cfg(feature = "delimited")]
mod delimited_rows;
mod infer;
mod inferred_column;
#[cfg(feature = "delimited")]
mod json_rows;
mod numbers_among_levels;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod reader;
mod rows;
mod slips;

pub use infer::read_table;
pub(crate) use infer::read_with;
pub use reader::TableReader;
pub(crate) use reader::unknown_target;

#[cfg(any(feature = "delimited", feature = "parquet"))]
use {
    crate::LabelUse, ngsll::Dataset, ngsll::config::DataConfig, ngsll::error::Result,
    std::path::Path,
};

/// The message about the target of a row without one.
const IS_MISSING: &str = "is missing; every row needs one";

/// Reads a delimited file with a header, whatever its name; column kinds are inferred from the content.
#[cfg(feature = "delimited")]
pub(crate) fn read_csv(path: &Path, target: &str) -> Result<Dataset> {
    let rows = rows::open_delimited(path)?;
    Ok(infer::read_rows(rows, path, target, &DataConfig::default(), LabelUse::Required)?.0)
}

/// Reads a Parquet file, whatever its name; its types decide the column kinds.
#[cfg(feature = "parquet")]
pub(crate) fn read_parquet(path: &Path, target: &str) -> Result<Dataset> {
    let rows = rows::open_parquet(path)?;
    Ok(infer::read_rows(rows, path, target, &DataConfig::default(), LabelUse::Required)?.0)
}
