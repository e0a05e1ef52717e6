//! Least squares on centred columns, which both penalties are solved on.
//!
//! Up to [`MAX_GRAM_FEATURES`] features the rows are summed up once in a Gram matrix. A bag of words
//! has many times as many, and its Gram matrix would fill the memory; there the columns stay sparse
//! and are centred within the products with them.

mod gram_sums;
mod sparse_columns;

pub(crate) use gram_sums::GramSums;
pub(crate) use sparse_columns::SparseColumns;

use rayon::prelude::*;

use crate::regression_data::{RegressionData, Solution};

/// The largest number of features for which a Gram matrix is formed; it then takes 8 MB.
pub(crate) const MAX_GRAM_FEATURES: usize = 1000;

/// The least-squares problem of some rows, with every column of z and every target centred.
pub(crate) struct LeastSquares {
    /// The number of rows.
    pub(crate) rows: f64,
    /// Column means: `[features]`.
    means: Vec<f64>,
    /// Target means: `[outputs]`.
    y_means: Vec<f64>,
    /// Σz² of each centred column, 0 where the column is constant: `[features]`.
    pub(crate) squared_norms: Vec<f64>,
    /// Zᵀy of centred columns and targets: `[outputs, features]`.
    pub(crate) products: Vec<Vec<f64>>,
    /// Z itself, or ZᵀZ.
    pub(crate) storage: Storage,
}

/// Statistics of the centred columns.
pub(crate) enum Storage {
    /// ZᵀZ: `[features, features]`.
    Gram(Vec<f64>),
    /// Z, sparse.
    Columns(SparseColumns),
}

impl LeastSquares {
    /// From sums over the rows.
    pub(crate) fn from_gram_sums(sums: &GramSums) -> Self {
        let (d, n) = (sums.z.len(), sums.rows);
        let means: Vec<f64> = sums.z.iter().map(|z| z / n).collect();
        let y_means: Vec<f64> = sums.y.iter().map(|y| y / n).collect();
        let mut gram = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..=i {
                let product = sums.zz[i * d + j] - sums.z[i] * means[j];
                gram[i * d + j] = product;
                gram[j * d + i] = product;
            }
        }
        let squared_norm = |j: usize| zero_if_rounding(gram[j * d + j], sums.zz[j * d + j]);
        let centered = |(yz, mean): (&Vec<f64>, &f64)| -> Vec<f64> {
            yz.iter().zip(&sums.z).map(|(yz, z)| yz - mean * z).collect()
        };
        Self {
            rows: n,
            squared_norms: (0..d).map(squared_norm).collect(),
            products: sums.yz.iter().zip(&y_means).map(centered).collect(),
            storage: Storage::Gram(gram),
            means,
            y_means,
        }
    }

    /// From the given rows, which stay sparse.
    pub(crate) fn from_rows(data: &RegressionData, rows: &[usize]) -> Self {
        let (columns, y_means) = SparseColumns::new(data, rows);
        Self {
            rows: rows.len() as f64,
            squared_norms: (0..data.features()).map(|j| columns.squared_norm(j)).collect(),
            products: columns.targets.iter().map(|y| columns.transpose_times(y)).collect(),
            means: columns.means.clone(),
            y_means,
            storage: Storage::Columns(columns),
        }
    }

    /// The weights, `[outputs, features]`, with their intercepts.
    pub(crate) fn solution(&self, weights: Vec<Vec<f64>>) -> Solution {
        let intercept = |(weights, mean): (&Vec<f64>, &f64)| mean - dot(weights, &self.means);
        let intercepts = weights.iter().zip(&self.y_means).map(intercept).collect();
        Solution { weights, intercepts }
    }

    /// Solves the outputs in parallel, where `path(output)` gives the weights for each of `alphas`
    /// strengths. A strength has a solution if every output has one.
    pub(crate) fn solve_outputs(
        &self,
        alphas: usize,
        path: impl Fn(usize) -> Vec<Option<Vec<f64>>> + Send + Sync,
    ) -> Vec<Option<Solution>> {
        let outputs = (0..self.products.len()).into_par_iter();
        let paths: Vec<Vec<Option<Vec<f64>>>> = outputs.map(path).collect();
        let weights = |alpha: usize| -> Option<Vec<Vec<f64>>> {
            paths.iter().map(|path| path[alpha].clone()).collect()
        };
        (0..alphas).map(|alpha| weights(alpha).map(|weights| self.solution(weights))).collect()
    }
}

/// The squared norm of a centred column, or 0 where it is only the rounding error of `uncentered`.
fn zero_if_rounding(squared_norm: f64, uncentered: f64) -> f64 {
    if squared_norm > 1e-12 * uncentered { squared_norm } else { 0.0 }
}

/// The inner product, in eight partial sums that the compiler can keep in vector registers.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a_blocks, b_blocks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_blocks.zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + tail
}
