//! What a linear model cannot do, and what must hold for any data.

use proptest::prelude::*;
use rand::RngExt;

use super::*;
use crate::{LinearModel, RidgeOptions, SparseRows, Terms};
use ngsll::random::{Purpose, stream};

/// Points of the square [−1, 1]², of class 1 where the signs differ, and two features of noise.
fn xor(rows: usize, seed: u64) -> (Vec<f32>, Vec<usize>) {
    let mut rng = stream(seed, Purpose::Sample, 0, 0);
    let z: Vec<f32> = (0..rows * 4).map(|_| rng.random_range(-1.0..1.0)).collect();
    let classes = z.chunks_exact(4).map(|row| usize::from(row[0] * row[1] < 0.0)).collect();
    (z, classes)
}

#[test]
fn it_separates_what_a_linear_model_cannot() {
    let ((z, classes), (test_z, test_classes)) = (xor(1000, 1), xor(1000, 2));
    let forest = Forest::fit(&z, 4, &classes, 2, &ForestOptions::default()).unwrap();
    let accuracy = forest.accuracy(&test_z, &test_classes);
    assert!(accuracy > 0.95, "forest {accuracy}");
    let rows = |z: &[f32]| SparseRows::from_dense(z, 4).unwrap();
    let ridge = LinearModel::ridge(&rows(&z), &classes, 2, &RidgeOptions::default()).unwrap();
    let accuracy = ridge.accuracy(&rows(&test_z), &test_classes, Terms::All);
    assert!(accuracy < 0.6, "ridge {accuracy}");
}

#[test]
fn the_seed_decides_and_the_threads_do_not() {
    let (z, classes) = xor(300, 3);
    let fit = |seed, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = ForestOptions { trees: 20, seed };
        pool.install(|| {
            let forest = Forest::fit(&z, 4, &classes, 2, &options).unwrap();
            let probabilities = forest.probabilities(&z);
            (forest, probabilities)
        })
    };
    assert_eq!(fit(5, 1), fit(5, 2));
    assert_ne!(fit(5, 2), fit(6, 2));
}

#[test]
fn a_row_alone_gets_what_it_gets_among_others() {
    let (z, classes) = xor(200, 4);
    let forest = Forest::fit(&z, 4, &classes, 2, &ForestOptions::default()).unwrap();
    let alone: Vec<f64> = z.chunks_exact(4).flat_map(|row| forest.probabilities(row)).collect();
    assert_eq!(alone, forest.probabilities(&z));
}

/// Rows that do not differ share a leaf, and its probabilities are the classes' shares.
#[test]
fn equal_rows_get_the_shares_of_their_classes() {
    let classes: Vec<usize> = (0..3000).map(|i| usize::from(i % 3 == 0)).collect();
    let forest = Forest::fit(&[0.5; 3000], 1, &classes, 2, &ForestOptions::default()).unwrap();
    let probabilities = forest.probabilities(&[0.5]);
    // Five standard errors of a mean over 100 bootstrap samples of 3,000.
    assert!((probabilities[1] - 1.0 / 3.0).abs() < 0.0043, "{probabilities:?}");
}

/// A tree grown to the end gives every row of its sample its class; with one feature that orders
/// the classes, rows outside the sample follow.
#[test]
fn one_feature_is_cut_between_the_classes() {
    let z: Vec<f32> = (0..400).map(|i| i as f32).collect();
    let classes: Vec<usize> = (0..400).map(|i| i / 100).collect();
    let forest = Forest::fit(&z, 1, &classes, 4, &ForestOptions::default()).unwrap();
    assert_eq!(forest.accuracy(&z, &classes), 1.0);
    assert_eq!(forest.probabilities(&[-1e9, 1e9]), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn probabilities_sum_to_one(
        rows in 1usize..80, d in 1usize..6, n_classes in 2usize..5, distinct in 1u32..50, seed: u64,
    ) {
        let mut rng = stream(seed, Purpose::Sample, 1, 0);
        let z: Vec<f32> = (0..rows * d).map(|_| rng.random_range(0..distinct) as f32).collect();
        let classes: Vec<usize> = (0..rows).map(|_| rng.random_range(0..n_classes)).collect();
        let options = ForestOptions { trees: 7, seed };
        let forest = Forest::fit(&z, d, &classes, n_classes, &options).unwrap();
        for row in forest.probabilities(&z).chunks_exact(n_classes) {
            prop_assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
            prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn what_cannot_be_fitted_is_said() {
    let fit = |z: &[f32], d, classes: &[usize], trees| {
        let options = ForestOptions { trees, seed: 0 };
        Forest::fit(z, d, classes, 2, &options).unwrap_err().to_string()
    };
    assert_eq!(
        fit(&[1.0; 5], 2, &[0, 1], 1),
        "number of z values = 5: 2 classes and 2 features, at least one, ask for as many"
    );
    assert!(fit(&[], 2, &[], 1).starts_with("number of rows = 0"));
    assert_eq!(fit(&[1.0; 4], 2, &[0, 2], 1), "class of row 2 = 2: the 2 classes are 0 to 1");
    let infinite = [1.0, 2.0, 3.0, f32::INFINITY];
    assert_eq!(fit(&infinite, 2, &[0, 1], 1), "feature 2 of row 2 is not a finite number");
    assert_eq!(fit(&[1.0; 4], 2, &[0, 1], 0), "trees = 0: a forest has at least 1");
}
