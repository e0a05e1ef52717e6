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

/// One feature determines the class except in one row of ten, another for one in four: by Gini impurity the first is
/// the better split, and a root takes the best of those it sees.
#[test]
fn a_root_is_the_best_split_of_the_features_it_sees() {
    let n = 400;
    let classes: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let lies = |i: usize, one_in: usize| usize::from((i / 2).is_multiple_of(one_in));
    let z: Vec<f32> =
        (0..n).flat_map(|i| [10, 4].map(|one_in| ((i % 2) ^ lies(i, one_in)) as f32)).collect();
    // √2 features: one at every split.
    let forest = Forest::fit(&z, 2, &classes, 2, &ForestOptions::default()).unwrap();
    let roots: Vec<u32> = forest.trees.iter().map(Tree::root).collect();
    let first = roots.iter().filter(|&&feature| feature == 0).count();
    assert!((30..=70).contains(&first), "each feature is seen by about half of them: {first}");
    // The same two and two that say nothing: of two seen, the better one is taken.
    let noisy: Vec<f32> = z
        .chunks_exact(2)
        .enumerate()
        .flat_map(|(i, z)| [z[0], z[1], ((i * 7) % 11) as f32, ((i * 5) % 13) as f32])
        .collect();
    let forest = Forest::fit(&noisy, 4, &classes, 2, &ForestOptions::default()).unwrap();
    let roots: Vec<u32> = forest.trees.iter().map(Tree::root).collect();
    let share = |feature: u32| roots.iter().filter(|&&root| root == feature).count();
    // Of six pairs three hold the first, two more the second, one neither.
    let shares = [share(0), share(1), share(2) + share(3)];
    assert!((35..=65).contains(&shares[0]), "{shares:?}");
    assert!((19..=48).contains(&shares[1]), "{shares:?}");
    assert!((6..=29).contains(&shares[2]), "{shares:?}");
}

/// Trees see different rows: one that lies alone among others is left out of about a third of them.
#[test]
fn every_tree_has_a_bootstrap_sample() {
    let z: Vec<f32> = (0..200).map(|i| i as f32).collect();
    let classes: Vec<usize> = (0..200).map(|i| usize::from(i == 100)).collect();
    let forest = Forest::fit(&z, 1, &classes, 2, &ForestOptions::default()).unwrap();
    let seen = forest.probabilities(&[100.0])[1];
    // (1 − 1/200)^200 = 0.367 never draw it; five standard errors of 100 trees.
    assert!((seen - 0.633).abs() < 0.24, "{seen}");
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
fn invalid_data_and_options_are_refused() {
    let fit = |z: &[f32], d, classes: &[usize], trees| {
        let options = ForestOptions { trees, seed: 0 };
        Forest::fit(z, d, classes, 2, &options).unwrap_err().to_string()
    };
    assert_eq!(
        fit(&[1.0; 5], 2, &[0, 1], 1),
        "number of z values = 5: expected 2 classes times 2 features, at least one"
    );
    assert!(fit(&[], 2, &[], 1).starts_with("number of rows = 0"));
    assert_eq!(fit(&[1.0; 4], 2, &[0, 2], 1), "class of row 2 = 2: the 2 classes are 0 to 1");
    let infinite = [1.0, 2.0, 3.0, f32::INFINITY];
    assert_eq!(fit(&infinite, 2, &[0, 1], 1), "feature 2 of row 2 is not a finite number");
    assert_eq!(fit(&[1.0; 4], 2, &[0, 1], 0), "trees = 0: a forest has at least 1");
}
