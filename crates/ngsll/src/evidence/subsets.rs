//! Random subsets of the features of a sample, to train and to judge on.

use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The distribution of the size of a subset. Explanations need small ones, and the choice starts
/// from large ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubsetSizes {
    /// Cells of an image: mostly a few.
    Few,
    /// Words of a text: any number with equal probability, and all in a third of the cases.
    Any,
    /// Columns of a table: up to six in half of the cases, and often all.
    Columns,
    /// For a judge: a few or any number.
    Judge,
    /// For a judge of images: the same, in half of the cases from all cells, with or without ink, as
    /// methods other than NGSLL may choose either.
    JudgeOfCells,
}

/// Small subsets hold up to this many cells.
const FEW: f64 = 12.0;

impl SubsetSizes {
    /// A size from 0 to n; 0 only if nothing is available, as a network learns nothing from an empty
    /// subset.
    fn draw(self, n: usize, rng: &mut ChaCha8Rng) -> usize {
        let part: f64 = rng.random();
        let share: f64 = rng.random();
        let uniform = 1 + (share * n as f64) as usize;
        let size = match self {
            // As often from 1 to 2 as from 6 to 12.
            Self::Few if part < 0.7 => FEW.powf(share).round() as usize,
            Self::Few if part < 0.9 => uniform,
            Self::Any if part < 2.0 / 3.0 => uniform,
            Self::Columns if part < 0.5 => 1 + (share * 6.0) as usize,
            Self::Columns if part < 0.7 => uniform,
            Self::Judge | Self::JudgeOfCells if part < 0.4 => 1 + (share * FEW) as usize,
            Self::Judge | Self::JudgeOfCells => uniform,
            Self::Few | Self::Any | Self::Columns => n,
        };
        size.min(n)
    }
}

/// Draws a subset of the available features of each sample.
///
/// available: [batch, features], 1 where a feature can be chosen → kept: [batch, features], 1 in the
/// subset
pub fn draw(
    sizes: SubsetSizes,
    available: &[f32],
    features: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<f32> {
    let mut kept = vec![0.0; available.len()];
    let mut open = Vec::with_capacity(features);
    let rows = available.chunks_exact(features).zip(kept.chunks_exact_mut(features));
    for (available, kept) in rows {
        open.clear();
        let blank = sizes == SubsetSizes::JudgeOfCells && rng.random::<bool>();
        open.extend((0..features).filter(|&j| blank || available[j] != 0.0));
        let size = sizes.draw(open.len(), rng);
        for i in 0..size {
            let pick = rng.random_range(i..open.len());
            open.swap(i, pick);
            kept[open[i]] = 1.0;
        }
    }
    kept
}

/// A subset per sample as a tensor: [batch, features]
pub fn tensor(kept: Vec<f32>, features: usize, device: &Device) -> Tensor<2> {
    let rows = kept.len() / features.max(1);
    Tensor::from_data(TensorData::new(kept, [rows, features]), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn subsets_hold_available_features_only_and_every_size_occurs() {
        let available = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0];
        let sizes = [SubsetSizes::Few, SubsetSizes::Any, SubsetSizes::Columns, SubsetSizes::Judge];
        for sizes in sizes {
            let mut rng = stream(1, Purpose::Subset, 0, 0);
            let mut seen = [0; 5];
            for _ in 0..4000 {
                let kept = draw(sizes, &available, 6, &mut rng);
                assert_eq!((kept[1], kept[5]), (0.0, 0.0));
                seen[kept.iter().filter(|&&k| k == 1.0).count()] += 1;
            }
            assert_eq!(seen[0], 0);
            assert!(seen[1..].iter().all(|&n| n > 100), "{sizes:?}: {seen:?}");
        }
    }

    /// Methods other than NGSLL may choose cells without ink.
    #[test]
    fn a_judge_of_cells_sees_blank_ones_half_of_the_time() {
        let available = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0].repeat(4000);
        let mut rng = stream(1, Purpose::Subset, 0, 0);
        let kept = draw(SubsetSizes::JudgeOfCells, &available, 6, &mut rng);
        let count = |j: usize| kept.chunks_exact(6).filter(|kept| kept[j] == 1.0).count();
        let (blank, inked) = (count(1), count(0));
        assert!(blank > 400 && blank < inked, "{blank} and {inked}");
        let only_inked = |kept: &&[f32]| (kept[1], kept[5]) == (0.0, 0.0);
        assert!(kept.chunks_exact(6).filter(only_inked).count() > 2000);
    }

    /// A draw depends on the available features and the stream only, not on the sample's content.
    #[test]
    fn the_same_stream_and_features_give_the_same_subsets() {
        let available = [1.0, 0.0, 1.0, 1.0].repeat(50);
        let run =
            |seed| draw(SubsetSizes::Any, &available, 4, &mut stream(seed, Purpose::Subset, 0, 0));
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn of_no_feature_the_subset_is_empty() {
        let mut rng = stream(1, Purpose::Subset, 0, 0);
        assert_eq!(draw(SubsetSizes::Any, &[0.0, 0.0], 2, &mut rng), [0.0, 0.0]);
    }
}
