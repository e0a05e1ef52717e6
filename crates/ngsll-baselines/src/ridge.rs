//! Ridge regression as a classifier: least squares on ±1 targets, strength by cross-validation.
//!
//! Our own solver, since smartcore's refuses fewer rows than features, fits an intercept only on
//! standardised columns and forms the Gram matrix anew for every strength. It holds a few d × d
//! matrices, so it is for dense z of up to a few thousand features.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::moments::{Moments, Solution};
use ngsll::error::{Error, Result};

/// How the strength of the penalty is chosen.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `alphas` | 10⁻³, 10⁻²·⁵, …, 10⁵ | strengths to choose from | each finite and above 0 |
/// | `folds` | 5 | parts of the cross-validation | 2 to the number of rows; unused with one strength |
/// | `seed` | 0 | which row falls into which part | any |
#[derive(Debug, Clone)]
pub struct RidgeOptions {
    /// The strengths to choose from.
    pub alphas: Vec<f64>,
    /// The number of parts of the cross-validation.
    pub folds: usize,
    /// Decides which row falls into which part.
    pub seed: u64,
}

impl Default for RidgeOptions {
    fn default() -> Self {
        let alphas = (-6..=10).map(|half| 10f64.powf(f64::from(half) / 2.0)).collect();
        Self { alphas, folds: 5, seed: 0 }
    }
}

impl RidgeOptions {
    fn check(&self, rows: usize) -> Result<()> {
        if self.alphas.is_empty() {
            return Err(Error::setting("alphas", "[]", "at least one strength is needed"));
        }
        if let Some(alpha) = self.alphas.iter().find(|a| !(a.is_finite() && **a > 0.0)) {
            return Err(Error::setting("alphas", alpha, "a strength is finite and above 0"));
        }
        if self.alphas.len() > 1 && !(2..=rows).contains(&self.folds) {
            let expected = format!("2 to {rows}, the number of rows, are possible");
            return Err(Error::setting("folds", self.folds, expected));
        }
        Ok(())
    }
}

/// A fitted linear model: one output for two classes (positive speaks for class 1), else one for
/// each class.
#[derive(Debug, Clone)]
pub struct Ridge {
    alpha: f64,
    /// `[outputs, features]`
    weights: Vec<Vec<f64>>,
    /// `[outputs]`
    intercepts: Vec<f64>,
    /// For each output the features by falling |weight|, ties to the lower index.
    order: Vec<Vec<usize>>,
}

impl Ridge {
    /// Fits on `z: [rows, d]`, row by row, where `classes[i] < n_classes` is the class of row i.
    ///
    /// The strength with the lowest squared error on held-out rows is kept (of equals the larger),
    /// and the model is fitted with it on all rows. Memory grows with `folds · d²`.
    pub fn fit(
        z: &[f32],
        d: usize,
        classes: &[usize],
        n_classes: usize,
        options: &RidgeOptions,
    ) -> Result<Self> {
        check_data(z, d, classes, n_classes)?;
        options.check(classes.len())?;
        let shift = dense_means(z, d);
        let outputs = if n_classes == 2 { 1 } else { n_classes };
        let parts = part_moments(z, classes, outputs, &shift, options);
        let all = parts.iter().fold(Moments::new(d, outputs), |sum, part| sum.plus(part));
        let alpha = match options.alphas[..] {
            [only] => only,
            _ => choose(&options.alphas, &all, &parts),
        };
        let Solution { weights, mut intercepts } = all.solve(alpha).ok_or_else(|| {
            let expected = "too weak for features that depend on each other; give a larger one";
            Error::setting("alphas", alpha, expected)
        })?;
        for (intercept, weights) in intercepts.iter_mut().zip(&weights) {
            *intercept -= weights.iter().zip(&shift).map(|(w, s)| w * s).sum::<f64>();
        }
        let order = weights.iter().map(|weights| by_magnitude(weights)).collect();
        Ok(Self { alpha, weights, intercepts, order })
    }

    /// The strength that cross-validation chose.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The weights: `[outputs, d]`.
    pub fn weights(&self) -> &[Vec<f64>] {
        &self.weights
    }

    /// The intercepts: `[outputs]`.
    pub fn intercepts(&self) -> &[f64] {
        &self.intercepts
    }

    /// The score of each output for `z_row: [d]`. `Some(k)` keeps the k weights largest in |w| of
    /// each output and leaves out the intercept, as the paper's comparison does; `None` uses all
    /// features and the intercept.
    pub fn scores_at(&self, z_row: &[f32], k: Option<usize>) -> Vec<f64> {
        let term = |output: usize, j: usize| self.weights[output][j] * f64::from(z_row[j]);
        (0..self.weights.len())
            .map(|output| match k {
                Some(k) => self.order[output].iter().take(k).map(|&j| term(output, j)).sum(),
                None => {
                    let sum: f64 = (0..z_row.len()).map(|j| term(output, j)).sum();
                    sum + self.intercepts[output]
                }
            })
            .collect()
    }

    /// The class of `z_row: [d]`, by sign for two classes, else by the largest score, ties to the
    /// lower class.
    pub fn class_at(&self, z_row: &[f32], k: Option<usize>) -> usize {
        match self.scores_at(z_row, k)[..] {
            [score] => usize::from(score > 0.0),
            ref scores => {
                (1..scores.len()).fold(0, |b, c| if scores[c] > scores[b] { c } else { b })
            }
        }
    }

    /// The share of the rows of `z: [rows, d]` whose class is found. NaN where there are no rows.
    pub fn accuracy_at(&self, z: &[f32], classes: &[usize], k: Option<usize>) -> f64 {
        let rows = z.chunks_exact(self.weights[0].len()).zip(classes);
        let right = rows.filter(|(row, class)| self.class_at(row, k) == **class).count();
        right as f64 / classes.len() as f64
    }
}

fn check_data(z: &[f32], d: usize, classes: &[usize], n_classes: usize) -> Result<()> {
    if n_classes < 2 {
        return Err(Error::setting("n_classes", n_classes, "a classifier needs at least 2"));
    }
    if d == 0 || classes.is_empty() || classes.len().checked_mul(d) != Some(z.len()) {
        let expected = format!(
            "{} classes and {d} features ask for as many values, at least one",
            classes.len()
        );
        return Err(Error::setting("number of z values", z.len(), expected));
    }
    if let Some((row, class)) = classes.iter().enumerate().find(|(_, c)| **c >= n_classes) {
        let expected = format!("the {n_classes} classes are 0 to {}", n_classes - 1);
        return Err(Error::setting(format!("class of row {}", row + 1), class, expected));
    }
    if let Some(at) = z.iter().position(|v| !v.is_finite()) {
        let what = format!("feature {} of row {}", at % d + 1, at / d + 1);
        return Err(Error::NotFinite { what, hint: String::new() });
    }
    Ok(())
}

/// The mean of each column that has no zero, else 0. Sums of products lose digits where a column's
/// mean is large against its spread; with a zero in the column that cannot be, and to shift it
/// would make sparse rows dense.
fn dense_means(z: &[f32], d: usize) -> Vec<f64> {
    let rows = (z.len() / d) as f64;
    let mut sums = vec![Some(0.0); d];
    for row in z.chunks_exact(d) {
        for (sum, &value) in sums.iter_mut().zip(row) {
            *sum = sum.filter(|_| value != 0.0).map(|sum: f64| sum + f64::from(value));
        }
    }
    sums.into_iter().map(|sum| sum.map_or(0.0, |sum| sum / rows)).collect()
}

/// The moments of each part of the cross-validation, of z minus `shift` and ±1 targets; the rows
/// are dealt to the parts in an order that the seed gives.
fn part_moments(
    z: &[f32],
    classes: &[usize],
    outputs: usize,
    shift: &[f64],
    options: &RidgeOptions,
) -> Vec<Moments> {
    let d = shift.len();
    let folds = if options.alphas.len() == 1 { 1 } else { options.folds };
    let mut rows: Vec<usize> = (0..classes.len()).collect();
    rows.shuffle(&mut ChaCha8Rng::seed_from_u64(options.seed));
    let mut parts = vec![Moments::new(d, outputs); folds];
    let mut active = Vec::new();
    for (dealt, row) in rows.into_iter().enumerate() {
        let values = z[row * d..][..d].iter().zip(shift).map(|(&z, s)| f64::from(z) - s);
        active.clear();
        active.extend(values.enumerate().filter(|(_, value)| *value != 0.0));
        parts[dealt % folds].add_row(&active, &targets(classes[row], outputs));
    }
    parts
}

/// +1 for the output that speaks for `class`, −1 for the others.
fn targets(class: usize, outputs: usize) -> Vec<f64> {
    let first = if outputs == 1 { 1 } else { 0 };
    (first..first + outputs).map(|c| if c == class { 1.0 } else { -1.0 }).collect()
}

/// The strength with the lowest squared error on held-out parts, of equals the larger. A strength
/// too weak to be solved for never wins against one that can be.
fn choose(alphas: &[f64], all: &Moments, parts: &[Moments]) -> f64 {
    let trainings: Vec<Moments> = parts.iter().map(|part| all.minus(part)).collect();
    let error = |alpha: f64| -> f64 {
        let held_out = parts.iter().zip(&trainings);
        held_out
            .map(|(part, training)| {
                training
                    .solve(alpha)
                    .map_or(f64::INFINITY, |solution| part.squared_error(&solution))
            })
            .sum()
    };
    let mut best = (f64::INFINITY, alphas[0]);
    for &alpha in alphas {
        let found = error(alpha);
        if found < best.0 || (found == best.0 && alpha > best.1) {
            best = (found, alpha);
        }
    }
    best.1
}

/// The features by falling |weight|, ties to the lower index.
fn by_magnitude(weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()));
    order
}

#[cfg(test)]
mod tests;
