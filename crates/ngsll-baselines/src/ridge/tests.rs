//! The solution is checked by what makes it the minimum, and against fits of each part.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::least_squares::{GramSums, MAX_GRAM_FEATURES};
use crate::linear::Terms;
use crate::regression_data::RegressionData;
use ngsll::representation::SparseRow;

/// Random z: [rows, d] whose columns have different means and spreads, some entries zero.
fn random_z(rows: usize, d: usize, seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let value = |at: usize, rng: &mut ChaCha8Rng| {
        let j = at % d;
        let value = rng.random_range(-1.0..1.0f32) * (1 + j) as f32 + (j % 3) as f32 * 10.0;
        if j % 2 == 1 && rng.random_bool(0.5) { 0.0 } else { value }
    };
    (0..rows * d).map(|at| value(at, &mut rng)).collect()
}

/// Bags of words: a few features a row, each with a small count.
fn random_counts(rows: usize, d: usize, seed: u64) -> SparseRows {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut count = |_| if rng.random_bool(0.2) { rng.random_range(1..4) as f32 } else { 0.0 };
    sparse(&(0..rows * d).map(&mut count).collect::<Vec<_>>(), d)
}

fn sparse(z: &[f32], d: usize) -> SparseRows {
    SparseRows::from_dense(z, d).unwrap()
}

fn random_classes(rows: usize, n_classes: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..rows).map(|_| rng.random_range(0..n_classes)).collect()
}

fn one_alpha(alpha: f64) -> RidgeOptions {
    RidgeOptions { alphas: vec![alpha], ..RidgeOptions::default() }
}

fn y(class: usize, output: usize, n_classes: usize) -> f64 {
    let speaks_for = if n_classes == 2 { 1 } else { output };
    if class == speaks_for { 1.0 } else { -1.0 }
}

/// At the minimum of Σ(z·w + b − y)² + α‖w‖² the residuals sum to 0 and Zᵀ(Zw + b − y) + αw = 0.
fn assert_optimal(ridge: &LinearModel, rows: &SparseRows, classes: &[usize], n_classes: usize) {
    for (output, w) in ridge.weights().iter().enumerate() {
        let mut gradient: Vec<f64> = w.iter().map(|w| ridge.alpha() * w).collect();
        let (mut residuals, mut size) = (0.0, 0.0f64);
        for (row, &class) in rows.iter().zip(classes) {
            let residual = ridge.scores(row, Terms::All)[output] - y(class, output, n_classes);
            residuals += residual;
            for (j, z) in row.iter() {
                gradient[j] += z * residual;
                size = size.max(z.abs());
            }
        }
        let tolerance = 1e-10 * size * classes.len() as f64;
        assert!(residuals.abs() < tolerance, "residuals of output {output}: {residuals}");
        for (j, g) in gradient.iter().enumerate() {
            assert!(g.abs() < tolerance, "output {output} feature {j}: {g} against {tolerance}");
        }
    }
}

#[test]
fn the_normal_equations_hold() {
    for (rows, d, n_classes, alpha) in
        [(40, 5, 2, 1e-3), (40, 5, 3, 1.0), (60, 23, 2, 10.0), (10, 30, 4, 0.5)]
    {
        let z = sparse(&random_z(rows, d, 1), d);
        let classes = random_classes(rows, n_classes, 2);
        let ridge = LinearModel::ridge(&z, &classes, n_classes, &one_alpha(alpha)).unwrap();
        assert_eq!(ridge.weights().len(), if n_classes == 2 { 1 } else { n_classes });
        assert_optimal(&ridge, &z, &classes, n_classes);
    }
}

#[test]
fn one_feature_has_the_closed_form() {
    // Centred z: −1.5, −0.5, 0.5, 1.5; Σz² = 5, Σzy = 4; w = 4/(5 + 3), b = 0 − w·2.5.
    let z = sparse(&[1.0, 2.0, 3.0, 4.0], 1);
    let ridge = LinearModel::ridge(&z, &[0, 0, 1, 1], 2, &one_alpha(3.0)).unwrap();
    assert!((ridge.weights()[0][0] - 0.5).abs() < 1e-14);
    assert!((ridge.intercepts()[0] + 1.25).abs() < 1e-14);
}

#[test]
fn a_mean_far_above_the_spread_costs_no_digits() {
    let mut z = random_z(50, 4, 3);
    for row in z.chunks_exact_mut(4) {
        row[0] = 1e6 + row[0].round();
        row[2] = 1e6;
    }
    let classes = random_classes(50, 2, 4);
    let z = sparse(&z, 4);
    let ridge = LinearModel::ridge(&z, &classes, 2, &one_alpha(1e-3)).unwrap();
    assert_optimal(&ridge, &z, &classes, 2);
    assert_eq!(ridge.weights()[0][2], 0.0);
}

/// The strength that wins when every fold is fitted and judged row by row.
#[test]
fn cross_validation_agrees_with_fitting_each_part() {
    let (rows, d, n_classes) = (30, 8, 3);
    let (z, classes) = (random_z(rows, d, 5), random_classes(rows, n_classes, 6));
    let alphas: Vec<f64> = (-2..6).map(|e| 10f64.powi(e)).collect();
    let options = RidgeOptions { alphas: alphas.clone(), folds: 4, seed: 9 };
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(9));
    let error = |alpha: f64| -> f64 {
        let mut error = 0.0;
        for fold in 0..4 {
            let (mut held_out, mut training) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
            for (dealt, &row) in order.iter().enumerate() {
                let part = if dealt % 4 == fold { &mut held_out } else { &mut training };
                part.0.extend_from_slice(&z[row * d..][..d]);
                part.1.push(classes[row]);
            }
            let (rows, classes) = (sparse(&training.0, d), &training.1);
            let ridge = LinearModel::ridge(&rows, classes, n_classes, &one_alpha(alpha)).unwrap();
            for (row, class) in sparse(&held_out.0, d).iter().zip(held_out.1) {
                let scores = ridge.scores(row, Terms::All).into_iter().enumerate();
                error += scores.map(|(o, s)| (s - y(class, o, n_classes)).powi(2)).sum::<f64>();
            }
        }
        error
    };
    let errors: Vec<f64> = alphas.iter().map(|&alpha| error(alpha)).collect();
    let best = (1..alphas.len()).fold(0, |b, i| if errors[i] < errors[b] { i } else { b });
    assert!(best > 0 && best < alphas.len() - 1, "the grid spans the minimum: {errors:?}");
    let z = sparse(&z, d);
    let ridge = LinearModel::ridge(&z, &classes, n_classes, &options).unwrap();
    assert_eq!(ridge.alpha(), alphas[best]);
    assert_optimal(&ridge, &z, &classes, n_classes);
}

#[test]
fn separable_classes_are_separated() {
    for n_classes in [2, 3] {
        let classes = random_classes(90, n_classes, 7);
        let mut z = random_z(90, 3, 8);
        for (row, &class) in z.chunks_exact_mut(3).zip(&classes) {
            row.iter_mut().for_each(|v| *v *= 0.01);
            row[class] += 5.0;
        }
        let options = RidgeOptions::default();
        let z = sparse(&z, 3);
        let ridge = LinearModel::ridge(&z, &classes, n_classes, &options).unwrap();
        assert_eq!(ridge.accuracy(&z, &classes, Terms::All), 1.0);
        assert_eq!(ridge.accuracy(&z, &classes, Terms::Top(3)), 1.0);
    }
}

/// Both solvers, on the same data, for strengths of which the weakest starts from the others.
#[test]
fn conjugate_gradients_agree_with_factoring() {
    for (rows, d, n_classes) in [(60, 12, 2), (40, 60, 3), (80, 30, 2)] {
        let z = random_counts(rows, d, 11);
        let data = RegressionData::new(&z, &random_classes(rows, n_classes, 12), n_classes);
        let all: Vec<usize> = (0..rows).collect();
        let alphas = [1e4, 10.0, 0.1];
        let options = RidgeOptions::default();
        let dense = LeastSquares::from_gram_sums(&GramSums::new(&data, &all));
        let columns = LeastSquares::from_rows(&data, &all);
        let paths = options.path(&dense, &alphas).into_iter().zip(options.path(&columns, &alphas));
        for (factored, iterated) in paths {
            let (factored, iterated) = (factored.unwrap(), iterated.unwrap());
            let close = |a: &[f64], b: &[f64]| {
                let size = a.iter().fold(0.0, |size: f64, a| size.max(a.abs()));
                a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-7 * size, "{a} {b}"));
            };
            close(&factored.intercepts, &iterated.intercepts);
            let outputs = factored.weights.iter().zip(&iterated.weights);
            outputs.for_each(|(a, b)| close(a, b));
        }
    }
}

/// More features than a Gram matrix is made for.
#[test]
fn many_sparse_features_are_fitted() {
    let (rows, d) = (120, MAX_GRAM_FEATURES + 50);
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let classes = random_classes(rows, 3, 14);
    let mut z = SparseRows::new(d);
    for &class in &classes {
        let mut row = SparseRow::from_iter([(class as u32, 1.0)]);
        for _ in 0..10 {
            let j = rng.random_range(3..d as u32);
            if !row.indices.contains(&j) {
                row.push(j as usize, rng.random_range(1..4) as f32);
            }
        }
        z.push(&row).unwrap();
    }
    let options = RidgeOptions { alphas: vec![0.1, 1.0, 10.0], ..RidgeOptions::default() };
    let ridge = LinearModel::ridge(&z, &classes, 3, &options).unwrap();
    assert_optimal(&ridge, &z, &classes, 3);
    assert_eq!(ridge.accuracy(&z, &classes, Terms::Top(1)), 1.0);
}

#[test]
fn invalid_data_and_options_are_refused() {
    let fit = |z: &[f32], classes: &[usize], n_classes, options: RidgeOptions| {
        LinearModel::ridge(&sparse(z, 2), classes, n_classes, &options).unwrap_err().to_string()
    };
    let default = RidgeOptions::default;
    let (z, c) = ([1.0, 2.0, 3.0, 4.0], [0, 1]);
    let options = |alphas: &[f64], folds| RidgeOptions { alphas: alphas.to_vec(), folds, seed: 0 };
    assert_eq!(fit(&z, &c, 1, default()), "n_classes = 1: a classifier needs at least 2");
    assert_eq!(
        fit(&z, &[0], 2, default()),
        "number of rows = 2: expected as many as the 1 classes, at least one"
    );
    assert!(fit(&[], &[], 2, default()).starts_with("number of rows = 0"));
    assert_eq!(fit(&z, &[0, 2], 2, default()), "class of row 2 = 2: the 2 classes are 0 to 1");
    assert_eq!(fit(&z, &c, 2, default()), "folds = 5: 2 to 2, the number of rows, are possible");
    assert_eq!(
        fit(&z, &c, 2, options(&[1.0, -1.0], 2)),
        "alphas = -1: a strength is finite and above 0"
    );
    assert_eq!(fit(&z, &c, 2, options(&[], 2)), "alphas = []: at least one strength is needed");
    let twins = [1e8, 1e8, -1e8, -1e8];
    assert_eq!(
        fit(&twins, &c, 2, options(&[1e-3], 2)),
        "strength = 0.001: too weak for features that depend on each other; give a larger one"
    );
}
