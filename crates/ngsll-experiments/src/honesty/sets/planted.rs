//! Samples whose reasons are known.

use ngsll::Dataset;
use ngsll::random::{Purpose, stream};
use ngsll::representation::{Grid, Representation};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// Labelled samples, and the reason for the label of each.
#[derive(Debug)]
pub(crate) struct Planted {
    pub(crate) data: Dataset,
    pub(crate) reasons: Vec<Reason>,
}

/// The reason for the label of a sample.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reason {
    /// These columns or words.
    Features(Vec<String>),
    /// A shape made of these pixels.
    Pixels(Vec<usize>),
}

impl Reason {
    /// The relevant features, by their numbers in a representation: for a shape, the cells that it touches.
    pub(crate) fn features(&self, representation: &Representation) -> BTreeSet<usize> {
        match self {
            Self::Pixels(pixels) => {
                let cells = representation.grid().map(Grid::cells).unwrap_or_default();
                pixels.iter().filter_map(|&pixel| cells.get(pixel).copied()).collect()
            }
            Self::Features(names) => {
                let all = 0..representation.features();
                all.filter(|&j| names.contains(&representation.name(j))).collect()
            }
        }
    }
}

/// The random numbers of a part (0: for training, 1: to judge) of a planted set.
pub(super) fn rng(seed: u64, part: u64) -> ChaCha8Rng {
    // Separate from the library's draws with the same seed.
    stream(seed, Purpose::Sample, 0x0070_6c61_6e74, part)
}

/// Mean precision and recall of chosen features: which of them are relevant, and which of the relevant
/// ones are among them. A sample without a chosen feature has precision 0.
pub(crate) fn precision_and_recall(
    chosen: &[Vec<usize>],
    relevant: &[BTreeSet<usize>],
) -> (f64, f64) {
    let (mut precision, mut recall) = (0.0, 0.0);
    for (chosen, relevant) in chosen.iter().zip(relevant) {
        let right = chosen.iter().filter(|feature| relevant.contains(feature)).count() as f64;
        precision += right / chosen.len().max(1) as f64;
        recall += right / relevant.len().max(1) as f64;
    }
    let n = chosen.len().max(1) as f64;
    (precision / n, recall / n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::dataset::{ImageSize, Images};
    use ngsll::representation::{GridConfig, RepresentationConfig};
    use ngsll::{Evidence, Samples};

    #[test]
    fn precision_and_recall_by_hand() {
        let relevant = [BTreeSet::from([1, 2]), BTreeSet::from([0, 3, 4, 5]), BTreeSet::from([7])];
        // 1 of 2 right and 1 of 2 found; 2 of 2 right and 2 of 4 found; none chosen.
        let chosen = [vec![2, 3], vec![3, 0], vec![]];
        let (precision, recall) = precision_and_recall(&chosen, &relevant);
        assert_eq!((precision, recall), ((0.5 + 1.0) / 3.0, (0.5 + 0.5) / 3.0));
    }

    #[test]
    fn a_shape_s_cells_are_those_it_touches() {
        let size = ImageSize { width: 4, height: 4, channels: 1 };
        let samples = Samples::from(Images::new(size, vec![9; 16]).unwrap());
        let mut grid = GridConfig::default();
        grid.cells = [2, 2];
        let grid = RepresentationConfig::from(grid).fit(&samples, &[0], Evidence::Chosen).unwrap();
        // Pixel 2 is in the upper right cell, pixels 9 and 13 in the lower left.
        let reason = Reason::Pixels(vec![2, 9, 13]);
        assert_eq!(reason.features(&grid), BTreeSet::from([1, 2]));
    }
}
