//! The solution is checked by the conditions that make it the minimum, in both of its forms.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::least_squares::{GramSums, MAX_GRAM_FEATURES};
use crate::linear::Terms;
use crate::regression_data::RegressionData;

/// Random rows of which about half the values are zero, and whose columns differ in size.
fn random_rows(rows: usize, d: usize, rng: &mut ChaCha8Rng) -> SparseRows {
    let mut value = |at: usize| {
        let size = (1 + at % d % 4) as f32;
        if rng.random_bool(0.5) { 0.0 } else { size * rng.random_range(-1.0..2.0f32) }
    };
    SparseRows::from_dense(&(0..rows * d).map(&mut value).collect::<Vec<_>>(), d).unwrap()
}

/// The same rows as a Gram matrix and as columns.
fn both_forms(
    rows: &SparseRows,
    classes: &[usize],
    n_classes: usize,
) -> (RegressionData, [LeastSquares; 2]) {
    let data = RegressionData::new(rows, classes, n_classes);
    let all: Vec<usize> = (0..rows.len()).collect();
    let gram = LeastSquares::from_gram_sums(&GramSums::new(&data, &all));
    let columns = LeastSquares::from_rows(&data, &all);
    (data, [gram, columns])
}

/// With residuals r = y − z·w − b: Σr = 0, and Σ z_j r / n is α·sign(w_j), or within ±α where
/// w_j = 0.
fn assert_optimal(data: &RegressionData, n: usize, solution: &Solution, alpha: f64, slack: f64) {
    for (output, weights) in solution.weights.iter().enumerate() {
        let (mut sum, mut products) = (0.0, vec![0.0; weights.len()]);
        for row in 0..n {
            let (indices, values) = data.row(row);
            let terms = || indices.iter().map(|&j| j as usize).zip(values);
            let score = terms().map(|(j, z)| weights[j] * z).sum::<f64>();
            let residual = data.targets[output][row] - score - solution.intercepts[output];
            sum += residual / n as f64;
            terms().for_each(|(j, z)| products[j] += z * residual / n as f64);
        }
        assert!(sum.abs() < 1e-12, "residuals of output {output}: {sum}");
        for (j, (&weight, product)) in weights.iter().zip(products).enumerate() {
            let missed = match weight {
                0.0 => product.abs() - alpha,
                _ => (product - alpha * weight.signum()).abs(),
            };
            assert!(missed < slack, "output {output} weight {j} = {weight}: {product}, α {alpha}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_optimality_conditions_hold_in_both_forms(
        rows in 5usize..60, d in 1usize..40, n_classes in 2usize..4, seed: u64,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let z = random_rows(rows, d, &mut rng);
        let classes: Vec<usize> = (0..rows).map(|_| rng.random_range(0..n_classes)).collect();
        let (data, problems) = both_forms(&z, &classes, n_classes);
        let options = LassoOptions { strengths: 20, ..LassoOptions::default() };
        for problem in problems {
            let alphas = options.alphas(&problem);
            let slack = 2.0 * coordinate_descent::TOLERANCE * alphas[0];
            let path = options.path(&problem, &alphas);
            for (i, (solution, &alpha)) in path.iter().zip(&alphas).enumerate() {
                match solution {
                    Some(solution) => assert_optimal(&data, rows, solution, alpha, slack),
                    // Few rows hardly determine the weights; weak penalties are then given up.
                    None => prop_assert!(i >= alphas.len() / 2 && rows < 2 * d, "{i} of {rows}×{d}"),
                }
            }
        }
    }

    #[test]
    fn weights_are_zero_at_the_strongest_and_not_below(rows in 5usize..60, d in 1usize..40, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let z = random_rows(rows, d, &mut rng);
        let mut classes: Vec<usize> = (0..rows).map(|_| rng.random_range(0..2)).collect();
        (classes[0], classes[1]) = (0, 1);
        let (_, problems) = both_forms(&z, &classes, 2);
        for problem in problems {
            let strongest = LassoOptions::default().alphas(&problem)[0];
            prop_assume!(strongest > 1e-9);
            let path = LassoOptions::default().path(&problem, &[strongest, 0.9 * strongest]);
            let zero = |at: usize| path[at].as_ref().unwrap().weights[0].iter().all(|w| *w == 0.0);
            prop_assert!(zero(0));
            prop_assert!(!zero(1));
        }
    }
}

/// With orthogonal centred columns of square n each weight is Σyz/n, pulled α towards zero.
#[test]
fn orthogonal_columns_have_the_closed_form() {
    // SparseColumns of a 8 × 8 Hadamard matrix, without the constant one; entries (−1)^(bits in common).
    let entry =
        |i: usize, j: usize| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
    let z: Vec<f32> = (0..8).flat_map(|i| (1..8).map(move |j| entry(i, j))).collect();
    let classes = [1, 0, 0, 1, 1, 1, 0, 1];
    let y = classes.map(|class| 2.0 * class as f64 - 1.0);
    let rows = SparseRows::from_dense(&z, 7).unwrap();
    let (_, problems) = both_forms(&rows, &classes, 2);
    let alpha = 0.3;
    for problem in problems {
        let path = LassoOptions::default().path(&problem, &[alpha]);
        let solution = path[0].as_ref().unwrap();
        for j in 0..7 {
            let product = (0..8).map(|i| y[i] * f64::from(z[i * 7 + j])).sum::<f64>() / 8.0;
            let expected = product.signum() * (product.abs() - alpha).max(0.0);
            assert!((solution.weights[0][j] - expected).abs() < 1e-12);
        }
        assert!(solution.weights[0].contains(&0.0));
        assert!((solution.intercepts[0] - 0.25).abs() < 1e-12);
    }
}

/// Word 7 or word 8 tells the class, all others are noise. Either of the two is enough, with the
/// intercept.
#[test]
fn cross_validation_finds_what_matters() {
    for d in [20, MAX_GRAM_FEATURES + 10] {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (mut z, mut classes) = (vec![0.0; 200 * d], Vec::new());
        for row in z.chunks_exact_mut(d) {
            let class = rng.random_range(0..2);
            row[7 + class] = 1.0;
            (0..5).for_each(|_| row[rng.random_range(9..d)] = 1.0);
            classes.push(class);
        }
        let rows = SparseRows::from_dense(&z, d).unwrap();
        let options = LassoOptions::default();
        let lasso = LinearModel::lasso(&rows, &classes, 2, &options).unwrap();
        assert_eq!(lasso.accuracy(&rows, &classes, Terms::All), 1.0);
        let weights = &lasso.weights()[0];
        let distance = weights[8] - weights[7];
        assert!(distance > 1.9, "classes lie {distance} apart, expected nearly 2");
        let noise = weights[9..].iter().fold(0.0, |largest: f64, w| largest.max(w.abs()));
        assert!(noise < 0.01, "noise has a weight of {noise}");
    }
}

#[test]
fn uninformative_features_get_no_weight() {
    let rows = SparseRows::from_dense(&[3.0; 10], 1).unwrap();
    let classes = [0, 1, 0, 1, 0, 1, 0, 1, 1, 1];
    let lasso = LinearModel::lasso(&rows, &classes, 2, &LassoOptions::default()).unwrap();
    assert_eq!(lasso.weights()[0], [0.0]);
    assert!((lasso.intercepts()[0] - 0.2).abs() < 1e-12);
}

#[test]
fn invalid_data_and_options_are_refused() {
    let rows = SparseRows::from_dense(&[1.0, 2.0, 3.0], 1).unwrap();
    let fit = |options: LassoOptions| {
        LinearModel::lasso(&rows, &[0, 1, 0], 2, &options).unwrap_err().to_string()
    };
    let default = LassoOptions::default;
    assert_eq!(fit(default()), "folds = 5: 2 to 3, the number of rows, are possible");
    let strengths = LassoOptions { strengths: 1, ..default() };
    assert_eq!(fit(strengths), "strengths = 1: at least 2 to choose from");
    let weakest = LassoOptions { weakest: 1.0, ..default() };
    assert_eq!(fit(weakest), "weakest = 1: a share above 0 and below 1");
}
