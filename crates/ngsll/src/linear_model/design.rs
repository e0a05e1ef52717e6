//! The rows of a table as a linear model reads them.

use crate::representation::{FARTHEST, Place, TableRows};

/// One entry for each column of each row: a number, a level, or a gap.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Design {
    columns: usize,
    dims: usize,
    /// [rows, columns]
    entries: Vec<(u32, f32)>,
}

impl Design {
    /// The first weights are the columns' slopes, the others the rows of an embedding table (see
    /// [`crate::representation::Place`]), of which numbers that are there read none.
    pub fn new(rows: &TableRows) -> Self {
        let places = rows.places();
        let columns = places.numeric.len();
        let entry = |(at, (place, &value)): (usize, (&Place, &f32))| {
            match places.numeric[at % columns] && !value.is_nan() {
                true => ((at % columns) as u32, value.clamp(-FARTHEST, FARTHEST)),
                // A level that training never saw counts nothing.
                false => ((columns as u32) + place.row, place.part),
            }
        };
        let dims = columns + places.firsts.last().copied().unwrap_or(0);
        let entries = places.places.iter().zip(rows.values()).enumerate().map(entry).collect();
        Self { columns, dims, entries }
    }

    /// Weights of each score.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.entries.len() / self.columns.max(1)
    }

    /// The weight that each column of a row reads, and what it is multiplied by.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let own = &self.entries[row * self.columns..(row + 1) * self.columns];
        own.iter().map(|&(at, value)| (at as usize, f64::from(value)))
    }
}
