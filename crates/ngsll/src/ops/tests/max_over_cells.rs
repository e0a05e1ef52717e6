//! The maximum over cells against Burn's own operations, values and gradients, over random cells.

use super::numbers;
use crate::ops::max_over_cells::{CellPositions, max_over_cells, max_over_cells_plain};
use crate::random::{Purpose, stream};
use crate::test_support::assert_same_on_any_threads;
use burn::tensor::{Device, Tensor, TensorData};
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

type Op = fn(Tensor<3>, &CellPositions) -> Tensor<3>;

/// The output with and without autodiff, and the gradient of the maps.
fn run(
    maps: &[f32],
    [batch, positions, width]: [usize; 3],
    cells: &CellPositions,
    op: Op,
) -> [Vec<f32>; 3] {
    let device = Device::default().autodiff();
    let maps = TensorData::new(maps.to_vec(), [batch, positions, width]);
    let maps = Tensor::<3>::from_data(maps, &device).require_grad();
    let out = op(maps.clone(), cells);
    let count = batch * cells.len() * width;
    let upstream = (1..=count).map(|i| i as f32).collect::<Vec<_>>();
    let upstream = TensorData::new(upstream, [batch, cells.len(), width]);
    let gradients = (out.clone() * Tensor::from_data(upstream, &device)).sum().backward();
    let inferred = op(maps.clone().inner(), cells);
    [numbers(out), numbers(inferred), numbers(maps.grad(&gradients).unwrap())]
}

/// Cells of any positions, which overlap.
fn draw_cells(count: usize, positions: usize, rng: &mut ChaCha8Rng) -> CellPositions {
    let mut cell = || {
        let mut cell: Vec<u32> = (0..positions as u32).filter(|_| rng.random_bool(0.3)).collect();
        if cell.is_empty() {
            cell.push(rng.random_range(0..positions as u32));
        }
        cell
    };
    CellPositions::new((0..count).map(|_| cell()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Values are distinct whole numbers below 2^24: every sum is exact, and no two maxima are equal.
    #[test]
    fn it_equals_its_parts(
        batch in 1_usize..5, positions in 1_usize..20, width in 1_usize..20, count in 1_usize..9,
        seed in any::<u64>()
    ) {
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let cells = draw_cells(count, positions, &mut rng);
        let mut maps: Vec<f32> = (0..batch * positions * width).map(|i| i as f32 - 50.0).collect();
        for i in (1..maps.len()).rev() {
            maps.swap(i, rng.random_range(0..=i));
        }
        let sizes = [batch, positions, width];
        let own = run(&maps, sizes, &cells, max_over_cells);
        prop_assert_eq!(&own[0], &own[1]);
        prop_assert_eq!(own, run(&maps, sizes, &cells, max_over_cells_plain));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Cells of each image's own: the same as image by image, here and in Burn's own operations.
    #[test]
    fn images_may_have_cells_of_their_own(
        batch in 1_usize..5, positions in 1_usize..20, width in 1_usize..9, count in 1_usize..9,
        seed in any::<u64>()
    ) {
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let cells: Vec<CellPositions> =
            (0..batch).map(|_| draw_cells(count, positions, &mut rng)).collect();
        let mut maps: Vec<f32> = (0..batch * positions * width).map(|i| i as f32 - 50.0).collect();
        maps.shuffle(&mut rng);
        let own = CellPositions::by_image(cells.iter().map(|cells| cells.of(0).to_vec()).collect());
        let sizes = [batch, positions, width];
        let together = run(&maps, sizes, &own, max_over_cells);
        prop_assert_eq!(&together, &run(&maps, sizes, &own, max_over_cells_plain));
        let one = |(b, cells): (usize, &CellPositions)| {
            let maps = &maps[b * positions * width..(b + 1) * positions * width];
            let [maxima, ..] = run(maps, [1, positions, width], cells, max_over_cells);
            maxima
        };
        let each: Vec<f32> = cells.iter().enumerate().flat_map(one).collect();
        prop_assert_eq!(&together[0], &each);
    }
}

#[test]
fn of_equal_values_the_first_counts_and_overlapping_cells_add_up() {
    let cells = CellPositions::new(vec![vec![0, 1], vec![1, 2]]);
    let [out, _, gradient] = run(&[4.0, 4.0, 4.0], [1, 3, 1], &cells, max_over_cells);
    assert_eq!((out, gradient), (vec![4.0, 4.0], vec![1.0, 2.0, 0.0]));
    let [_, _, gradient] = run(&[1.0, 4.0, 2.0], [1, 3, 1], &cells, max_over_cells);
    assert_eq!(gradient, [0.0, 3.0, 0.0]);
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let mut rng = stream(6, Purpose::Sample, 0, 0);
    let cells = draw_cells(30, 49, &mut rng);
    let maps: Vec<f32> = (0..64 * 49 * 33).map(|_| rng.random()).collect();
    assert_same_on_any_threads(|| run(&maps, [64, 49, 33], &cells, max_over_cells));
}

#[test]
fn nan_propagates() {
    let cells = CellPositions::new(vec![vec![0, 1, 2]]);
    let [out, inferred, _] = run(&[1.0, f32::NAN, 7.0], [1, 3, 1], &cells, max_over_cells);
    assert!(out[0].is_nan() && inferred[0].is_nan());
}
