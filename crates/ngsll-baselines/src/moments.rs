//! Sums over rows, from which a linear model is fitted and judged without seeing the rows again.

/// Sums of z, y and their products over some rows; those of two sets of rows add and subtract.
#[derive(Clone)]
pub(crate) struct Moments {
    rows: f64,
    z: Vec<f64>,
    /// Σ z zᵀ: `[features, features]`, the lower triangle.
    zz: Vec<f64>,
    y: Vec<f64>,
    /// Σ y zᵀ: `[outputs, features]`
    yz: Vec<f64>,
    /// Σ y² of each output.
    yy: Vec<f64>,
}

/// One linear function for each output.
pub(crate) struct Solution {
    /// `[outputs, features]`
    pub(crate) weights: Vec<Vec<f64>>,
    /// `[outputs]`
    pub(crate) intercepts: Vec<f64>,
}

impl Moments {
    pub(crate) fn new(features: usize, outputs: usize) -> Self {
        Self {
            rows: 0.0,
            z: vec![0.0; features],
            zz: vec![0.0; features * features],
            y: vec![0.0; outputs],
            yz: vec![0.0; outputs * features],
            yy: vec![0.0; outputs],
        }
    }

    /// Adds one row, given as its non-zero (feature, value) in rising order of the feature: zeros
    /// cost nothing, which is what makes bags of words affordable.
    pub(crate) fn add_row(&mut self, active: &[(usize, f64)], targets: &[f64]) {
        let features = self.z.len();
        self.rows += 1.0;
        for (at, &(i, value)) in active.iter().enumerate() {
            self.z[i] += value;
            let row = &mut self.zz[i * features..][..features];
            for &(j, other) in &active[..=at] {
                row[j] += value * other;
            }
        }
        for (output, &target) in targets.iter().enumerate() {
            self.y[output] += target;
            self.yy[output] += target * target;
            let row = &mut self.yz[output * features..][..features];
            for &(i, value) in active {
                row[i] += target * value;
            }
        }
    }

    /// The moments of the rows of both.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a + b)
    }

    /// The moments of the rows of `self` that are not among those of `part`.
    pub(crate) fn minus(&self, part: &Self) -> Self {
        self.combine(part, |a, b| a - b)
    }

    fn combine(&self, other: &Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let each = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
        Self {
            rows: f(self.rows, other.rows),
            z: each(&self.z, &other.z),
            zz: each(&self.zz, &other.zz),
            y: each(&self.y, &other.y),
            yz: each(&self.yz, &other.yz),
            yy: each(&self.yy, &other.yy),
        }
    }

    /// The weights and intercept that minimise Σ(y − z·w − b)² + alpha·‖w‖² for each output: the
    /// columns are centred, so that the intercept goes unpunished. None where `alpha` is lost in
    /// the rounding of features that depend on each other.
    pub(crate) fn solve(&self, alpha: f64) -> Option<Solution> {
        let features = self.z.len();
        let mut matrix = self.zz.clone();
        for i in 0..features {
            for j in 0..=i {
                matrix[i * features + j] -= self.z[i] * self.z[j] / self.rows;
            }
            matrix[i * features + i] += alpha;
        }
        cholesky(&mut matrix, features)?;
        let mut solution = Solution { weights: Vec::new(), intercepts: Vec::new() };
        for (output, &sum) in self.y.iter().enumerate() {
            let mean = sum / self.rows;
            let yz = &self.yz[output * features..][..features];
            let right = yz.iter().zip(&self.z).map(|(yz, z)| yz - mean * z).collect();
            let weights = substitute(&matrix, right);
            solution.intercepts.push(mean - dot(&weights, &self.z) / self.rows);
            solution.weights.push(weights);
        }
        Some(solution)
    }

    /// Σ(y − z·w − b)² over the rows and outputs.
    pub(crate) fn squared_error(&self, solution: &Solution) -> f64 {
        let features = self.z.len();
        let mut error = 0.0;
        for (output, (w, b)) in solution.weights.iter().zip(&solution.intercepts).enumerate() {
            let quadratic: f64 = (0..features)
                .map(|i| {
                    let row = &self.zz[i * features..];
                    w[i] * (2.0 * dot(&w[..i], &row[..i]) + w[i] * row[i])
                })
                .sum();
            let yz = &self.yz[output * features..][..features];
            error += self.yy[output] + quadratic + self.rows * b * b
                - 2.0 * (dot(w, yz) + b * self.y[output] - b * dot(w, &self.z));
        }
        error
    }
}

/// Replaces the lower triangle of a positive definite matrix by its Cholesky factor; None where
/// there is none in this precision.
fn cholesky(matrix: &mut [f64], size: usize) -> Option<()> {
    for i in 0..size {
        let (done, rest) = matrix.split_at_mut(i * size);
        let row = &mut rest[..size];
        for j in 0..i {
            let above = &done[j * size..][..=j];
            row[j] = (row[j] - dot(&row[..j], &above[..j])) / above[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        // Below this the pivot is what rounding has left over, and the solution would be noise.
        if !(pivot > size as f64 * f64::EPSILON * row[i] && pivot.is_finite()) {
            return None;
        }
        row[i] = pivot.sqrt();
    }
    Some(())
}

/// Solves L Lᵀ x = right.
fn substitute(factor: &[f64], right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    let mut x = right;
    for i in 0..size {
        let row = &factor[i * size..][..=i];
        x[i] = (x[i] - dot(&x[..i], &row[..i])) / row[i];
    }
    for i in (0..size).rev() {
        let row = &factor[i * size..][..=i];
        x[i] /= row[i];
        let value = x[i];
        for (x, l) in x[..i].iter_mut().zip(row) {
            *x -= value * l;
        }
    }
    x
}

/// The inner product, in eight partial sums that the compiler can keep in vector registers.
fn dot(a: &[f64], b: &[f64]) -> f64 {
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
