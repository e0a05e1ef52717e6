//! Checks against closed forms and the conditions of a minimum.

use super::loss::PART;
use super::*;
use crate::representation::{Batch, X};
use crate::test_support::{Small, assert_same_on_any_threads};

fn design(batch: &Batch) -> Design {
    let X::Columns(rows) = &batch.x else { panic!("it is a table") };
    Design::new(rows)
}

/// Solves a system of linear equations by Gauss's method.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs())).unwrap();
        a.swap(i, pivot);
        b.swap(i, pivot);
        for j in i + 1..n {
            let factor = a[j][i] / a[i][i];
            let (upper, lower) = a.split_at_mut(j);
            lower[0].iter_mut().zip(&upper[i]).for_each(|(low, up)| *low -= factor * up);
            b[j] -= factor * b[i];
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let rest: f64 = (i + 1..n).map(|j| a[i][j] * x[j]).sum();
        x[i] = (b[i] - rest) / a[i][i];
    }
    x
}

#[test]
fn ridge_regression_solves_the_normal_equations() {
    let batch = Small::table(1).batch();
    let design = design(&batch);
    let n = design.len();
    let targets = Targets::Values((0..n).map(|i| ((i * 7 % 11) as f32 - 5.0) / 3.0).collect());
    let weights: Vec<f32> = (0..n).map(|i| 1.0 + (i % 3) as f32).collect();
    let data = LinearData {
        design: &design,
        targets: &targets,
        weights: &weights,
        outputs: 1,
        counts: false,
    };
    let all: Vec<usize> = (0..n).collect();
    for bends in [0.0, 0.7] {
        let strength = Strength::new(4, bends);
        let model = data.fit(&all, strength);
        // (2 XᵀDX + penalty) w = 2 XᵀDy of the scaled entries, the constant without a penalty.
        let dims = 1 + design.dims();
        let (mut a, mut b) = (vec![vec![0.0; dims]; dims], vec![0.0; dims]);
        let total: f64 = weights.iter().map(|&w| f64::from(w)).sum();
        let Targets::Values(values) = &targets else { panic!("they are numbers") };
        let scales = design.scales(bends, 1);
        for row in 0..n {
            let mut x = dense(&design, row);
            x.iter_mut().zip(&scales).for_each(|(x, scale)| *x *= scale);
            x.insert(0, 1.0);
            let share = 2.0 * f64::from(weights[row]) / total;
            for i in 0..dims {
                b[i] += share * x[i] * f64::from(values[row]);
                (0..dims).for_each(|j| a[i][j] += share * x[i] * x[j]);
            }
        }
        (1..dims).for_each(|i| a[i][i] += strength.path()[3]);
        let mut expected = solve(a, b);
        expected[1..].iter_mut().zip(&scales).for_each(|(v, scale)| *v *= scale);
        let found = model.intercepts.iter().chain(&model.weights);
        let near = found.zip(&expected).all(|(f, e)| (f - e).abs() < 1e-4);
        assert!(near, "{model:?} instead of {expected:?}");
        let bins = scales.iter().filter(|scale| **scale != 0.0 && **scale != 1.0).count();
        assert_eq!(bins > 3, bends != 0.0);
    }
}

/// The factors of a row's weights, one by one.
fn dense(design: &Design, row: usize) -> Vec<f64> {
    let mut x = vec![0.0; design.dims()];
    for column in 0..design.columns() {
        let (at, value) = design.entry(row, column);
        x[at] += value;
        if let Some(bins) = design.bins(row, column) {
            let first = design.columns();
            (bins.start..bins.row).for_each(|passed| x[first + passed] += 1.0);
            x[first + bins.row] += bins.part;
        }
    }
    x
}

/// A number that matters at one end only: a line cannot express that, so bends are found; for a line none are.
#[test]
fn functions_bend_where_held_out_rows_gain_by_it() {
    let batch = Small::table(1).batch();
    let design = design(&batch);
    let n = design.len();
    let number = |row: usize| design.bins(row, 1).map(|_| design.entry(row, 1).1);
    let weights = vec![1.0; n];
    let values = |of: fn(f64) -> f64| {
        Targets::Values((0..n).map(|row| of(number(row).unwrap_or(0.0)) as f32).collect())
    };
    let bends = |targets: &Targets| {
        let data =
            LinearData { design: &design, targets, weights: &weights, outputs: 1, counts: false };
        data.best_strength(3).bends
    };
    assert!(bends(&values(|x| 3.0 * x.max(0.3))) > 0.0);
    assert_eq!(bends(&values(|x| x)), 0.0);
}

#[test]
fn gradients_of_all_losses_are_those_of_differences() {
    let batch = Small::table(1).batch();
    let design = design(&batch);
    let n = design.len();
    let weights = vec![1.0; n];
    let values = || Targets::Values((0..n).map(|i| i as f32 / 9.0).collect());
    for (targets, outputs, counts) in [
        (values(), 1, false),
        (values(), 1, true),
        (Targets::Classes((0..n).map(|i| i % 2).collect()), 1, false),
        (Targets::Classes((0..n).map(|i| i % 3).collect()), 3, false),
    ] {
        let data =
            LinearData { design: &design, targets: &targets, weights: &weights, outputs, counts };
        let all: Vec<usize> = (0..n).collect();
        let dims = design.dims() * outputs;
        let model = Coefficients {
            intercepts: (0..outputs).map(|c| 0.3 * c as f64).collect(),
            weights: (0..dims).map(|i| (i % 5) as f64 * 0.2 - 0.4).collect(),
        };
        let mut gradient = vec![0.0; outputs + dims];
        data.loss(&model, &all, Some(&mut gradient));
        for (i, found) in gradient.iter().enumerate() {
            let at = |by: f64| {
                let mut moved = model.clone();
                match i < outputs {
                    true => moved.intercepts[i] += by,
                    false => moved.weights[i - outputs] += by,
                }
                data.loss(&moved, &all, None)
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((found - difference).abs() < 1e-6, "{i}: {found} {difference}");
        }
    }
}

/// The rows many times over: their mean loss is the same, added up in parts by any number of threads.
#[test]
fn parts_of_many_rows_add_up_to_the_loss_of_all() {
    let batch = Small::table(1).batch();
    let design = design(&batch);
    let n = design.len();
    let (weights, targets) = (vec![1.0; n], Targets::Classes((0..n).map(|i| i % 2).collect()));
    let data = LinearData {
        design: &design,
        targets: &targets,
        weights: &weights,
        outputs: 1,
        counts: false,
    };
    let model = Coefficients {
        intercepts: vec![0.2],
        weights: (0..design.dims()).map(|i| (i % 5) as f64 * 0.2 - 0.4).collect(),
    };
    let once: Vec<usize> = (0..n).collect();
    let many: Vec<usize> = (0..3 * PART).map(|i| i % n).collect();
    let many = &many[..many.len() / n * n];
    let loss = |rows: &[usize]| {
        let mut gradient = vec![0.0; 1 + design.dims()];
        let loss = data.loss(&model, rows, Some(&mut gradient));
        gradient.push(loss);
        gradient
    };
    assert!(many.len() > 2 * PART);
    assert_same_on_any_threads(|| loss(many));
    for (found, expected) in loss(many).iter().zip(loss(&once)) {
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }
}

#[test]
fn folds_hold_every_row_once() {
    let rows: Vec<usize> = (10..33).collect();
    let folds = folds(&rows, FOLDS, 3, 0);
    let mut held: Vec<usize> = folds.iter().flat_map(|(_, held)| held.clone()).collect();
    held.sort_unstable();
    assert_eq!((folds.len(), held), (FOLDS, rows.clone()));
    assert!(folds.iter().all(|(others, held)| others.len() + held.len() == rows.len()));
    assert!(folds.iter().all(|(others, held)| !others.iter().any(|row| held.contains(row))));
}

#[test]
fn the_best_share_is_where_the_loss_is_smallest() {
    let batch = Small::table(1).batch();
    let design = design(&batch);
    let n = design.len();
    let weights = vec![1.0; n];
    let targets = Targets::Values(vec![3.0; n]);
    let data = LinearData {
        design: &design,
        targets: &targets,
        weights: &weights,
        outputs: 1,
        counts: false,
    };
    let all: Vec<usize> = (0..n).collect();
    for (from, to, share) in [(0.5, 13.0, 0.2), (0.5, 2.0, 1.0), (0.0, -5.0, 0.0)] {
        assert_eq!(data.best_share(&all, &vec![from; n], &vec![to; n]), share);
    }
}
