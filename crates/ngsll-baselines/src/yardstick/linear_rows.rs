//! Rows of a table as a linear model reads them.

use super::LabelledTable;
use crate::sparse_rows::SparseRows;
use ngsll::Evidence;
use ngsll::dataset::{Column, Values};
use ngsll::error::Result;
use ngsll::representation::{ColumnsConfig, Representation, RepresentationConfig};

/// Standardised numbers and a 0/1 feature for each level, fitted on the training rows, then a 0/1
/// feature for each column that says whether its value is missing. A missing number stands at its mean.
pub(super) struct LinearRows {
    representation: Representation,
}

impl LinearRows {
    /// Means, deviations and levels of the training rows.
    pub fn fit(train: &LabelledTable<'_>) -> Result<Self> {
        let config = RepresentationConfig::Columns(ColumnsConfig::default());
        let rows: Vec<usize> = (0..train.table.len()).collect();
        let representation = config.fit(train.samples, &rows, Evidence::Whole)?;
        Ok(Self { representation })
    }

    pub fn rows(&self, data: &LabelledTable<'_>) -> Result<SparseRows> {
        let Self { representation } = self;
        let (encoded, columns) = (representation.encode(data.samples)?, data.table.columns());
        let first_flag = representation.features();
        let row = |row: usize| {
            let mut z = representation.z(&encoded, row);
            for c in (0..columns.len()).filter(|&c| is_missing(&columns[c], row)) {
                z.indices.push((first_flag + c) as u32);
                z.values.push(1.0);
            }
            z
        };
        SparseRows::from_rows((0..data.table.len()).map(row), first_flag + columns.len())
    }
}

fn is_missing(column: &Column, row: usize) -> bool {
    match column.values() {
        Values::Numeric(values) => values[row].is_nan(),
        Values::Categorical(categories) => categories.id(row).is_none(),
        _ => false,
    }
}
