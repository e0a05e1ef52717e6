//! A random forest, the model that LIME and KernelSHAP explain in the paper's table of times.
//!
//! Hand-written because smartcore's forest predicts classes but no probabilities, which both explainers
//! need, and grows its trees one after the other. The defaults are the usual ones: 100 trees grown
//! until their leaves are pure, each on a bootstrap sample, each split the best by Gini impurity
//! among √d features drawn at random; a leaf's class shares are averaged over the trees.

mod levels;
mod split;
mod tree;

use rayon::prelude::*;

use crate::classes::{argmax, check_classes, count_correct};
use crate::options::setters;
use levels::Levels;
use ngsll::error::{Error, Result};
use tree::Tree;

/// Training options of a [`Forest`].
///
/// | setter | default | purpose | range |
/// |---|---|---|---|
/// | `trees` | 100 | number of trees | 1 and up |
/// | `seed` | 0 | the rows and features that each tree sees | any |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForestOptions {
    /// The number of trees.
    pub(crate) trees: usize,
    /// Decides which rows and features each tree sees.
    pub(crate) seed: u64,
}

impl Default for ForestOptions {
    fn default() -> Self {
        Self { trees: Self::TREES, seed: 0 }
    }
}

setters!(ForestOptions { trees: usize, seed: u64 });

impl ForestOptions {
    /// The default of [`trees`](Self::trees).
    pub const TREES: usize = 100;
}

/// A fitted random forest.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    features: usize,
    n_classes: usize,
    trees: Vec<Tree>,
}

/// Rows that pass through a tree while its nodes are in the cache.
const BLOCK: usize = 64;

/// Rows of a block that descend a tree together.
const LANES: usize = 8;

impl Forest {
    /// Fits on `z: [rows, features]`, where `classes[i] < n_classes` is the class of row i. The
    /// same seed gives the same forest on any number of threads.
    pub fn fit(
        z: &[f32],
        features: usize,
        classes: &[usize],
        n_classes: usize,
        options: &ForestOptions,
    ) -> Result<Self> {
        if features == 0 || classes.len().checked_mul(features) != Some(z.len()) {
            let rows = classes.len();
            let expected =
                format!("expected {rows} classes times {features} features, at least one");
            return Err(Error::setting("number of z values", z.len(), expected));
        }
        check_classes(classes.len(), classes, n_classes)?;
        if let Some(at) = z.iter().position(|v| !v.is_finite()) {
            let what = format!("feature {} of row {}", at % features + 1, at / features + 1);
            return Err(Error::NotFinite { what, hint: String::new() });
        }
        if options.trees == 0 {
            return Err(Error::setting("trees", 0, "a forest has at least 1"));
        }
        let levels: Vec<Levels> =
            (0..features).into_par_iter().map(|j| Levels::new(z, features, j)).collect();
        let grow = |tree: usize| Tree::grow(&levels, classes, n_classes, options.seed, tree as u64);
        let trees = (0..options.trees).into_par_iter().map(grow).collect();
        Ok(Self { features, n_classes, trees })
    }

    /// The number of features of a row.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The probability of each class: `z: [rows, features]` → `[rows, n_classes]`.
    ///
    /// # Panics
    /// If `z` does not consist of whole rows.
    pub fn probabilities(&self, z: &[f32]) -> Vec<f64> {
        assert!(z.len().is_multiple_of(self.features), "rows have {} values", self.features);
        let mut probabilities = vec![0.0; z.len() / self.features * self.n_classes];
        let (z_block, p_block) = (BLOCK * self.features, BLOCK * self.n_classes);
        if z.len() <= z_block {
            // A few rows are done before other threads wake up.
            self.write(z, &mut probabilities);
        } else {
            let blocks = probabilities.par_chunks_mut(p_block).zip(z.par_chunks(z_block));
            blocks.for_each(|(probabilities, z)| self.write(z, probabilities));
        }
        probabilities
    }

    /// Adds up the trees' class shares in `probabilities`, which are zero, and averages them.
    fn write(&self, z: &[f32], probabilities: &mut [f64]) {
        let rows: Vec<&[f32]> = z.chunks_exact(self.features).collect();
        let (lanes, rest) = rows.as_chunks::<LANES>();
        for tree in &self.trees {
            let shares = lanes.iter().flat_map(|rows| tree.shares(*rows));
            let shares = shares.chain(rest.iter().flat_map(|row| tree.shares([*row])));
            for (sums, shares) in probabilities.chunks_exact_mut(self.n_classes).zip(shares) {
                sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
            }
        }
        probabilities.iter_mut().for_each(|p| *p /= self.trees.len() as f64);
    }

    /// The share of the rows of `z: [rows, features]` whose most probable class, ties to the lower
    /// one, is correct; NaN without rows.
    pub fn accuracy(&self, z: &[f32], classes: &[usize]) -> f64 {
        let probabilities = self.probabilities(z);
        let predicted = probabilities.chunks_exact(self.n_classes).map(argmax);
        count_correct(predicted, classes) as f64 / classes.len() as f64
    }
}

#[cfg(test)]
mod tests;
