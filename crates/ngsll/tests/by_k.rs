//! Metrics at every k from one pass are those of a pass at that k.

mod common;

use common::small::{classes3, config, regression, table};
use ngsll::Config;
use ngsll::config::Task;
use ngsll::data::Chunk;
use ngsll::fit::{Holdout, Prepared};
use ngsll::metrics::{ByK, Evaluation, spread};
use std::ops::ControlFlow;

fn check(chunk: &Chunk, k: usize, sets: &[(&str, &str)]) {
    let config = Config { k, ..config(Task::Tabular) };
    let config = sets.iter().fold(config, |c, (key, value)| c.with(key, value).unwrap());
    let config = config.with("training.epochs", "3").unwrap();
    let prepared = Prepared::new(config, "label", chunk, Holdout::default()).unwrap();
    let fitted = prepared.fit(None, &mut |_| ControlFlow::Continue(())).unwrap();
    let predictor = fitted.predictor;
    let targets = predictor.objective().targets(chunk).unwrap();
    let sharing = predictor.model().sharing();
    let mut by_k = ByK::new(predictor.objective(), sharing, spread(k));
    let explanations = predictor.explain(&chunk.samples, None).unwrap();
    // In two parts: what is kept between calls is enough.
    let half: Vec<usize> = (0..chunk.len() / 2).collect();
    let rest: Vec<usize> = (chunk.len() / 2..chunk.len()).collect();
    by_k.add(&explanations[..half.len()], &targets.select(&half));
    by_k.add(&explanations[half.len()..], &targets.select(&rest));
    let found = by_k.finish();
    assert_eq!(found.iter().map(|at| at.k).collect::<Vec<_>>(), (1..=k).collect::<Vec<_>>());
    for at in found {
        let mut evaluation = Evaluation::new(predictor.objective());
        evaluation.add(&predictor.explain(&chunk.samples, Some(at.k)).unwrap(), &targets);
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
    let mut chunk = regression(60);
    chunk.labels = Some(vec!["499.3".to_string(); 60]);
    check(&chunk, 2, &[("objective", "regression")]);
}
