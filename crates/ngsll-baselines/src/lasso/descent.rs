//! Coordinate descent for ½‖y − Zw‖² + λ‖w‖₁ on centred columns.

use crate::problem::Columns;

/// How far the optimality conditions may be missed, as a share of the λ at which all weights are
/// zero.
pub(super) const TOLERANCE: f64 = 1e-6;

/// Rounds over the active weights after which a strength is given up as too weak.
const MOST_ROUNDS: usize = 100_000;

/// What is left of y, in the form in which steps are cheap.
pub(super) trait Fit {
    /// z_jᵀ(y − Zw).
    fn product(&self, j: usize) -> f64;
    /// Makes w_j larger by `by`.
    fn step(&mut self, j: usize, by: f64);
}

/// Zᵀ(y − Zw) itself, kept up to date with the Gram matrix: for few features and many rows.
pub(super) struct Products<'a> {
    gram: &'a [f64],
    products: Vec<f64>,
}

impl<'a> Products<'a> {
    pub(super) fn new(gram: &'a [f64], products: &[f64]) -> Self {
        Self { gram, products: products.to_vec() }
    }
}

impl Fit for Products<'_> {
    fn product(&self, j: usize) -> f64 {
        self.products[j]
    }

    fn step(&mut self, j: usize, by: f64) {
        let d = self.products.len();
        let line = &self.gram[j * d..][..d];
        self.products.iter_mut().zip(line).for_each(|(product, g)| *product -= by * g);
    }
}

/// y − Zw with sparse columns. The means are not in `residuals` but in `offset`, the same for all
/// rows, so that a step touches only the rows in which the feature occurs.
pub(super) struct Residuals<'a> {
    columns: &'a Columns,
    residuals: Vec<f64>,
    offset: f64,
}

impl<'a> Residuals<'a> {
    pub(super) fn new(columns: &'a Columns, output: usize) -> Self {
        Self { columns, residuals: columns.targets[output].clone(), offset: 0.0 }
    }
}

impl Fit for Residuals<'_> {
    fn product(&self, j: usize) -> f64 {
        // Centred columns and targets: the residuals sum to 0, and the column's mean falls out.
        let terms = self.columns.column(j);
        terms.map(|(row, value)| value * (self.residuals[row] + self.offset)).sum()
    }

    fn step(&mut self, j: usize, by: f64) {
        for (row, value) in self.columns.column(j) {
            self.residuals[row] -= by * value;
        }
        self.offset += by * self.columns.mean(j);
    }
}

/// Weights on their way down a path of penalties.
pub(super) struct Descent<'a, F> {
    fit: F,
    squares: &'a [f64],
    weights: Vec<f64>,
    enough: f64,
}

impl<'a, F: Fit> Descent<'a, F> {
    /// Starts at zero; `strongest` is the λ at which all weights are zero.
    pub(super) fn new(fit: F, squares: &'a [f64], strongest: f64) -> Self {
        Self { fit, squares, weights: vec![0.0; squares.len()], enough: TOLERANCE * strongest }
    }

    /// The weights for `lambda`, from where they are now; None if they do not settle.
    ///
    /// Only weights that are not zero, or must not stay so, are worked on; when they have settled,
    /// a look at all of them tells whether that was enough.
    pub(super) fn run(&mut self, lambda: f64) -> Option<&[f64]> {
        let mut rounds = 0;
        loop {
            let missed: Vec<f64> =
                (0..self.weights.len()).map(|j| self.missed(j, lambda)).collect();
            if missed.iter().all(|missed| *missed <= self.enough) {
                return Some(&self.weights);
            }
            let at_work = |&j: &usize| self.weights[j] != 0.0 || missed[j] > self.enough;
            let active: Vec<usize> = (0..self.weights.len()).filter(at_work).collect();
            loop {
                let moved = active.iter().map(|&j| self.update(j, lambda)).fold(0.0, f64::max);
                rounds += 1;
                if moved <= self.enough {
                    break;
                }
                if rounds == MOST_ROUNDS {
                    return None;
                }
            }
        }
    }

    /// How far weight j is from optimal: z_jᵀ(y − Zw) is λ·sign(w_j), or within ±λ where w_j = 0.
    /// A constant column says nothing and keeps the weight 0.
    fn missed(&self, j: usize, lambda: f64) -> f64 {
        if self.squares[j] == 0.0 {
            return 0.0;
        }
        let product = self.fit.product(j);
        match self.weights[j] {
            0.0 => (product.abs() - lambda).max(0.0),
            weight => (product - lambda * weight.signum()).abs(),
        }
    }

    /// Makes weight j the best while all others stay, and tells by how much it was not.
    fn update(&mut self, j: usize, lambda: f64) -> f64 {
        let (square, old) = (self.squares[j], self.weights[j]);
        let pull = self.fit.product(j) + square * old;
        let new = (pull.abs() - lambda).max(0.0).copysign(pull) / square;
        if new == old {
            return 0.0;
        }
        self.fit.step(j, new - old);
        self.weights[j] = new;
        square * (new - old).abs()
    }
}
