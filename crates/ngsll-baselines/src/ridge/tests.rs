//! The solution is checked by what makes it the minimum, and against fits of each part.

use rand::RngExt;

use super::*;

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
fn assert_optimal(ridge: &Ridge, z: &[f32], d: usize, classes: &[usize], n_classes: usize) {
    for (output, w) in ridge.weights().iter().enumerate() {
        let mut gradient: Vec<f64> = w.iter().map(|w| ridge.alpha() * w).collect();
        let (mut residuals, mut size) = (0.0, 0.0f64);
        for (row, &class) in z.chunks_exact(d).zip(classes) {
            let residual = ridge.scores_at(row, None)[output] - y(class, output, n_classes);
            residuals += residual;
            for (g, &z) in gradient.iter_mut().zip(row) {
                *g += f64::from(z) * residual;
                size = size.max(f64::from(z).abs());
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
        let (z, classes) = (random_z(rows, d, 1), random_classes(rows, n_classes, 2));
        let ridge = Ridge::fit(&z, d, &classes, n_classes, &one_alpha(alpha)).unwrap();
        assert_eq!(ridge.weights().len(), if n_classes == 2 { 1 } else { n_classes });
        assert_optimal(&ridge, &z, d, &classes, n_classes);
    }
}

#[test]
fn one_feature_has_the_closed_form() {
    // Centred z: −1.5, −0.5, 0.5, 1.5; Σz² = 5, Σzy = 4; w = 4/(5 + 3), b = 0 − w·2.5.
    let ridge = Ridge::fit(&[1.0, 2.0, 3.0, 4.0], 1, &[0, 0, 1, 1], 2, &one_alpha(3.0)).unwrap();
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
    let ridge = Ridge::fit(&z, 4, &classes, 2, &one_alpha(1e-3)).unwrap();
    assert_optimal(&ridge, &z, 4, &classes, 2);
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
            let (mut held_out, mut training) = (Vec::new(), (Vec::new(), Vec::new()));
            for (dealt, &row) in order.iter().enumerate() {
                let z_row = &z[row * d..][..d];
                if dealt % 4 == fold {
                    held_out.push((z_row, classes[row]));
                } else {
                    training.0.extend_from_slice(z_row);
                    training.1.push(classes[row]);
                }
            }
            let ridge =
                Ridge::fit(&training.0, d, &training.1, n_classes, &one_alpha(alpha)).unwrap();
            for (z_row, class) in held_out {
                let scores = ridge.scores_at(z_row, None).into_iter().enumerate();
                error += scores.map(|(o, s)| (s - y(class, o, n_classes)).powi(2)).sum::<f64>();
            }
        }
        error
    };
    let errors: Vec<f64> = alphas.iter().map(|&alpha| error(alpha)).collect();
    let best = (1..alphas.len()).fold(0, |b, i| if errors[i] < errors[b] { i } else { b });
    assert!(best > 0 && best < alphas.len() - 1, "the grid spans the minimum: {errors:?}");
    let ridge = Ridge::fit(&z, d, &classes, n_classes, &options).unwrap();
    assert_eq!(ridge.alpha(), alphas[best]);
    assert_optimal(&ridge, &z, d, &classes, n_classes);
}

#[test]
fn k_keeps_the_largest_weights_and_drops_the_intercept() {
    let ridge = Ridge {
        alpha: 1.0,
        weights: vec![vec![1.0, -3.0, 2.0, -2.0]],
        intercepts: vec![10.0],
        order: vec![by_magnitude(&[1.0, -3.0, 2.0, -2.0])],
    };
    let z = [1.0, 1.0, 2.0, 0.5];
    let score = |k| ridge.scores_at(&z, k)[0];
    let scores = [Some(0), Some(1), Some(2), Some(3), Some(4), Some(9), None].map(score);
    assert_eq!(scores, [0.0, -3.0, 1.0, 0.0, 1.0, 1.0, 11.0]);
    assert_eq!([Some(0), Some(1), Some(2)].map(|k| ridge.class_at(&z, k)), [0, 0, 1]);
    assert_eq!(ridge.accuracy_at(&[z, z].concat(), &[1, 0], None), 0.5);
}

#[test]
fn separable_classes_are_told_apart() {
    for n_classes in [2, 3] {
        let classes = random_classes(90, n_classes, 7);
        let mut z = random_z(90, 3, 8);
        for (row, &class) in z.chunks_exact_mut(3).zip(&classes) {
            row.iter_mut().for_each(|v| *v *= 0.01);
            row[class] += 5.0;
        }
        let options = RidgeOptions::default();
        let ridge = Ridge::fit(&z, 3, &classes, n_classes, &options).unwrap();
        assert_eq!(ridge.accuracy_at(&z, &classes, None), 1.0);
        assert_eq!(ridge.accuracy_at(&z, &classes, Some(3)), 1.0);
    }
}

#[test]
fn what_cannot_be_fitted_is_said() {
    let fit = |z: &[f32], d, classes: &[usize], n_classes, options: RidgeOptions| {
        Ridge::fit(z, d, classes, n_classes, &options).unwrap_err().to_string()
    };
    let default = RidgeOptions::default;
    let (z, c) = ([1.0, 2.0, 3.0, 4.0], [0, 1]);
    let options = |alphas: &[f64], folds| RidgeOptions { alphas: alphas.to_vec(), folds, seed: 0 };
    assert_eq!(fit(&z, 2, &c, 1, default()), "n_classes = 1: a classifier needs at least 2");
    assert_eq!(
        fit(&z, 3, &c, 2, default()),
        "number of z values = 4: 2 classes and 3 features ask for as many values, at least one"
    );
    assert!(fit(&[], 2, &[], 2, default()).starts_with("number of z values = 0"));
    assert_eq!(fit(&z, 2, &[0, 2], 2, default()), "class of row 2 = 2: the 2 classes are 0 to 1");
    assert_eq!(
        fit(&[1.0, 2.0, 3.0, f32::NAN], 2, &c, 2, default()),
        "feature 2 of row 2 is not a finite number"
    );
    assert_eq!(fit(&z, 2, &c, 2, default()), "folds = 5: 2 to 2, the number of rows, are possible");
    assert_eq!(
        fit(&z, 2, &c, 2, options(&[1.0, -1.0], 2)),
        "alphas = -1: a strength is finite and above 0"
    );
    assert_eq!(fit(&z, 2, &c, 2, options(&[], 2)), "alphas = []: at least one strength is needed");
    let twins = [1e8, 1e8, -1e8, -1e8];
    assert_eq!(
        fit(&twins, 2, &c, 2, options(&[1e-3], 2)),
        "alphas = 0.001: too weak for features that depend on each other; give a larger one"
    );
}
