//! Rows and ±1 targets, as the linear methods fit them.

use crate::sparse_rows::SparseRows;

/// One linear function for each output.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// `[outputs, features]`
    pub(crate) weights: Vec<Vec<f64>>,
    /// `[outputs]`
    pub(crate) intercepts: Vec<f64>,
}

/// z − `shift`, still sparse, and the targets of each output.
pub(crate) struct RegressionData {
    /// The offset subtracted from each column: its mean if it has no zero, else 0. Sums of products
    /// lose digits where a column's mean is large compared with its spread. A column with zeros is
    /// never like that, and shifting it would make sparse rows dense.
    pub(crate) shift: Vec<f64>,
    /// The start of each row in `indices` and `values`, and the end of the last one.
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    /// `[outputs, rows]`
    pub(crate) targets: Vec<Vec<f64>>,
}

impl RegressionData {
    /// From rows and their classes.
    pub(crate) fn new(rows: &SparseRows, classes: &[usize], n_classes: usize) -> Self {
        let shift = dense_means(rows);
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows.iter() {
            indices.extend_from_slice(row.indices);
            values.extend(row.iter().map(|(j, value)| value - shift[j]));
            offsets.push(indices.len());
        }
        Self { shift, offsets, indices, values, targets: targets(classes, n_classes) }
    }

    pub(crate) fn features(&self) -> usize {
        self.shift.len()
    }

    /// The features of a row and their values.
    pub(crate) fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.offsets[row]..self.offsets[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Σ(y − z·w − b)² over the given rows and all outputs.
    pub(crate) fn squared_error(&self, rows: &[usize], solution: &Solution) -> f64 {
        let mut error = 0.0;
        for (output, weights) in solution.weights.iter().enumerate() {
            for &row in rows {
                let (indices, values) = self.row(row);
                let terms =
                    indices.iter().zip(values).map(|(&j, value)| weights[j as usize] * value);
                let score = terms.sum::<f64>() + solution.intercepts[output];
                error += (self.targets[output][row] - score).powi(2);
            }
        }
        error
    }
}

/// One-vs-rest targets, 1 for the rows of the output's class and −1 for the others. Two classes have
/// one output, for class 1; more have one output each.
pub(crate) fn targets(classes: &[usize], n_classes: usize) -> Vec<Vec<f64>> {
    let output_classes = if n_classes == 2 { 1..2 } else { 0..n_classes };
    let target = |class: usize, output: usize| if class == output { 1.0 } else { -1.0 };
    output_classes.map(|o| classes.iter().map(|&c| target(c, o)).collect()).collect()
}

/// The means of the columns without zeros, 0 for the others.
fn dense_means(rows: &SparseRows) -> Vec<f64> {
    let mut sums = vec![(0, 0.0); rows.features()];
    for (j, value) in rows.iter().flat_map(|row| row.iter().collect::<Vec<_>>()) {
        sums[j].0 += 1;
        sums[j].1 += value;
    }
    let mean = |(count, sum)| if count == rows.len() { sum / count as f64 } else { 0.0 };
    sums.into_iter().map(mean).collect()
}
