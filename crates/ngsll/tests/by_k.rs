//! Metrics at every k from one pass are those of a pass at that k, where a gate keeps the largest weights.

mod common;

use common::small::{With, classes3, fit, regression, table, whole, with_k};
use ngsll::Dataset;
use ngsll::config::Task;
use ngsll::metrics::{ByK, Evaluation, k_grid};

fn check(data: &Dataset, k: usize, sets: &[(&str, &str)]) {
    check_on(data, data, k, sets);
}

fn check_on(training: &Dataset, data: &Dataset, k: usize, sets: &[(&str, &str)]) {
    let config = with_k(whole(Task::Tabular), k);
    let config = sets.iter().fold(config, |c, (key, value)| c.with(key, value).unwrap());
    let config = config.with("training.epochs", "3").unwrap();
    let model = fit(config, training).model;
    let targets = model.objective().targets(data).unwrap();
    let mut by_k = ByK::new(model.objective(), model.network().gate_scope(), k_grid(k));
    let explanations = model.explain(data).unwrap();
    // In two parts: what is kept between calls is enough.
    let half: Vec<usize> = (0..data.len() / 2).collect();
    let rest: Vec<usize> = (data.len() / 2..data.len()).collect();
    by_k.add(&explanations[..half.len()], &targets.select(&half));
    by_k.add(&explanations[half.len()..], &targets.select(&rest));
    let found = by_k.finish();
    assert_eq!(found.iter().map(|at| at.k).collect::<Vec<_>>(), (1..=k).collect::<Vec<_>>());
    for at in found {
        let mut evaluation = Evaluation::new(&model, Some(at.k)).unwrap();
        evaluation.add(data).unwrap();
        let expected = evaluation.finish();
        assert_eq!(at.accuracy, expected.accuracy, "k = {}", at.k);
        for (found, expected) in [(at.r2, expected.r2), (at.rmse, expected.rmse)] {
            match (found, expected) {
                (Some(f), Some(e)) => assert!((f - e).abs() < 1e-9 * e.abs().max(1.0), "{f} {e}"),
                (found, expected) => assert_eq!(found, expected),
            }
        }
    }
}

#[test]
fn two_classes() {
    check(&table(200), 4, &[]);
}

#[test]
fn three_classes_with_one_gate_each_and_with_one_for_all() {
    check(&classes3(150), 3, &[("training.gate", "per-class")]);
    check(&classes3(150), 3, &[("training.gate", "shared")]);
}

#[test]
fn numbers_in_their_own_units() {
    check(&regression(150), 2, &[]);
}

#[test]
fn a_constant_number_has_no_share_of_its_variance() {
    let training = regression(60);
    let constant = training.clone().with_labels(["499.3"; 60]).unwrap();
    check_on(&training, &constant, 2, &[("objective", "regression")]);
}
