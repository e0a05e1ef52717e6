//! Least squares on centred columns: what both penalties are solved on.
//!
//! Up to [`GRAM`] features the rows are summed up once in a Gram matrix. A bag of words has many
//! times that, and its Gram matrix would fill memory; there the columns are kept, sparse, and
//! centring happens inside the products with them.

pub(crate) mod columns;
pub(crate) mod moments;

pub(crate) use columns::Columns;
pub(crate) use moments::Moments;

use crate::design::{Design, Solution};

/// The largest number of features for which a Gram matrix is made: 8 MB of it.
pub(crate) const GRAM: usize = 1000;

/// z and y of some rows, each column and each output minus its mean.
pub(crate) struct Problem {
    /// The number of rows.
    pub(crate) rows: f64,
    /// The means of the columns.
    means: Vec<f64>,
    /// The means of the outputs.
    y_means: Vec<f64>,
    /// Σz² of each centred column; 0 where the column is constant.
    pub(crate) squares: Vec<f64>,
    /// Σyz of the centred columns: `[outputs, features]`.
    pub(crate) products: Vec<Vec<f64>>,
    /// The rest.
    pub(crate) form: Form,
}

/// How the columns' products with each other are had.
pub(crate) enum Form {
    /// All of them: `[features, features]`.
    Gram(Vec<f64>),
    /// None; the columns themselves.
    Columns(Columns),
}

impl Problem {
    /// From sums over the rows.
    pub(crate) fn from_moments(sums: &Moments) -> Self {
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
        let centred = |(yz, mean): (&Vec<f64>, &f64)| -> Vec<f64> {
            yz.iter().zip(&sums.z).map(|(yz, z)| yz - mean * z).collect()
        };
        Self {
            rows: n,
            squares: (0..d).map(|j| beyond_rounding(gram[j * d + j], sums.zz[j * d + j])).collect(),
            products: sums.yz.iter().zip(&y_means).map(centred).collect(),
            form: Form::Gram(gram),
            means,
            y_means,
        }
    }

    /// From the given rows, which stay sparse.
    pub(crate) fn from_rows(design: &Design, rows: &[usize]) -> Self {
        let n = rows.len() as f64;
        let (columns, y_means) = Columns::new(design, rows);
        let products = columns.targets.iter().map(|y| columns.transposed(y)).collect();
        Self {
            rows: n,
            squares: (0..design.features()).map(|j| columns.square(j)).collect(),
            products,
            means: columns.means.clone(),
            y_means,
            form: Form::Columns(columns),
        }
    }

    /// The weights with the intercepts that belong to them.
    pub(crate) fn solution(&self, weights: Vec<Vec<f64>>) -> Solution {
        let intercept = |(weights, mean): (&Vec<f64>, &f64)| mean - dot(weights, &self.means);
        let intercepts = weights.iter().zip(&self.y_means).map(intercept).collect();
        Solution { weights, intercepts }
    }
}

/// The square of a centred column, 0 where it is only what rounding has left of `uncentred`.
fn beyond_rounding(square: f64, uncentred: f64) -> f64 {
    if square > 1e-12 * uncentred { square } else { 0.0 }
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
