//! z of many samples, without the zeros.

use ngsll::error::{Error, Result};
use ngsll::representation::SparseRow;

/// Rows of z in compressed sparse row format: the nonzero features of each row and their values.
///
/// ```
/// use ngsll_baselines::SparseRows;
/// let rows = SparseRows::from_dense(&[0.0, 2.0, 0.0, 1.0, 0.0, 3.0], 3)?;
/// assert_eq!((rows.len(), rows.features()), (2, 3));
/// assert_eq!(rows.row(1).indices, [0, 2]);
/// assert_eq!(rows.row(1).values, [1.0, 3.0]);
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SparseRows {
    features: usize,
    /// The start of each row in `indices` and `values`, and the end of the last one.
    offsets: Vec<usize>,
    /// Features, rising within a row.
    indices: Vec<u32>,
    /// None of them zero.
    values: Vec<f32>,
}

/// The nonzero features of one row of [`SparseRows`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SparseRowView<'a> {
    /// Feature numbers j, rising.
    pub indices: &'a [u32],
    /// z_j of each.
    pub values: &'a [f32],
}

impl SparseRowView<'_> {
    /// (j, z_j) of each feature.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.indices.iter().zip(self.values).map(|(&j, &v)| (j as usize, f64::from(v)))
    }
}

impl SparseRows {
    /// No rows yet, of `features` features each.
    pub fn new(features: usize) -> Self {
        Self { features, offsets: vec![0], indices: Vec::new(), values: Vec::new() }
    }

    /// The rows of `z: [rows, features]`.
    pub fn from_dense(z: &[f32], features: usize) -> Result<Self> {
        if features == 0 || !z.len().is_multiple_of(features) {
            let expected = format!("a multiple of {features}, the number of features, above 0");
            return Err(Error::setting("number of z values", z.len(), expected));
        }
        let mut rows = Self::new(features);
        for row in z.chunks_exact(features) {
            rows.push_terms(row.iter().copied().enumerate())?;
        }
        Ok(rows)
    }

    /// The given rows, as a representation gives them.
    pub fn from_rows(rows: impl IntoIterator<Item = SparseRow>, features: usize) -> Result<Self> {
        let mut all = Self::new(features);
        for row in rows {
            all.push(&row)?;
        }
        Ok(all)
    }

    /// Adds a row whose features may come in any order.
    pub fn push(&mut self, row: &SparseRow) -> Result<()> {
        let terms = row.indices.iter().zip(&row.values).map(|(&j, &value)| (j as usize, value));
        let mut terms: Vec<(usize, f32)> = terms.collect();
        terms.sort_by_key(|&(j, _)| j);
        if let Some(twice) = terms.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let name = format!("feature of row {}", self.len() + 1);
            return Err(Error::setting(name, twice[0].0, "a row names a feature once"));
        }
        self.push_terms(terms.into_iter())
    }

    fn push_terms(&mut self, terms: impl Iterator<Item = (usize, f32)>) -> Result<()> {
        let row = self.len() + 1;
        let start = self.indices.len();
        for (j, value) in terms.filter(|&(_, value)| value != 0.0) {
            let wrong = if j >= self.features {
                let expected = format!("below {}, the number of features", self.features);
                Some(Error::setting(format!("feature of row {row}"), j, expected))
            } else if !value.is_finite() {
                let what = format!("feature {} of row {row}", j + 1);
                Some(Error::NotFinite { what, hint: String::new() })
            } else {
                None
            };
            if let Some(error) = wrong {
                self.indices.truncate(start);
                self.values.truncate(start);
                return Err(error);
            }
            self.indices.push(j as u32);
            self.values.push(value);
        }
        self.offsets.push(self.indices.len());
        Ok(())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// d, the number of features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// One row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> SparseRowView<'_> {
        let range = self.offsets[row]..self.offsets[row + 1];
        SparseRowView { indices: &self.indices[range.clone()], values: &self.values[range] }
    }

    /// All rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = SparseRowView<'_>> {
        (0..self.len()).map(|row| self.row(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_sorted_and_rid_of_zeros() {
        let mut rows = SparseRows::new(5);
        rows.push(&SparseRow::from_iter([(4, 1.0), (1, -2.0), (2, 0.0)])).unwrap();
        rows.push(&SparseRow::default()).unwrap();
        assert_eq!(
            rows,
            SparseRows::from_dense(&[0., -2., 0., 0., 1., 0., 0., 0., 0., 0.], 5).unwrap()
        );
    }

    #[test]
    fn an_invalid_row_is_refused_and_leaves_no_trace() {
        let mut rows = SparseRows::new(3);
        let push = |rows: &mut SparseRows, features: [(u32, f32); 2]| {
            rows.push(&SparseRow::from_iter(features)).unwrap_err().to_string()
        };
        assert_eq!(
            push(&mut rows, [(0, 1.0), (3, 1.0)]),
            "feature of row 1 = 3: below 3, the number of features"
        );
        assert_eq!(
            push(&mut rows, [(1, 1.0), (1, 1.0)]),
            "feature of row 1 = 1: a row names a feature once"
        );
        let nan = push(&mut rows, [(0, 1.0), (2, f32::NAN)]);
        assert_eq!(nan, "feature 3 of row 1 is not a finite number");
        assert_eq!(rows, SparseRows::new(3));
        let error = SparseRows::from_dense(&[1.0; 4], 3).unwrap_err().to_string();
        assert_eq!(
            error,
            "number of z values = 4: a multiple of 3, the number of features, above 0"
        );
    }
}
