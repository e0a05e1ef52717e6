//! Tables from a few results.

use super::*;
use crate::K;
use crate::methods::{self, Method};

fn result(dataset: &str, method: &str, k: K, seed: u64, test_accuracy: f64) -> RunResult {
    RunResult {
        dataset: dataset.into(),
        method: method.into(),
        k,
        seed,
        test_accuracy,
        validation_accuracy: 0.123,
        seconds_since_job_start: 60.0,
        job_ks: vec![k],
        configuration: String::new(),
        version: "0.1.0".into(),
        machine: "2 cores".into(),
    }
}

#[test]
fn a_row_shows_means_and_deviations_of_its_own_results() {
    let results = [
        result("mnist", "ngsll", K::Top(1), 0, 0.90),
        result("mnist", "ngsll", K::Top(1), 1, 0.92),
        result("mnist", "ngsll", K::Top(5), 0, 0.95),
        result("mnist", "dnn", K::All, 0, 0.99),
        result("mnist", "ridge", K::Top(1), 0, 0.50),
        result("mnist", "ridge", K::All, 0, 0.80),
    ];
    let all = methods::all();
    let all: Vec<&dyn Method> = all.iter().map(Box::as_ref).collect();
    let ks = [K::Top(1), K::Top(5)];
    let section = mnist_accuracy(&all, &ks, &results, &Budget::full());
    let rows: Vec<&str> = section.body.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(
        rows,
        [
            "|  | K = 1 | paper, K = 1 | K = 5 | paper, K = 5 | all features | seeds |",
            "|---|---|---|---|---|---|---|",
            "| NGSLL | 0.9100 ± 0.0141 | 0.994 ± 0.000 | 0.9500 | 0.995 ± 0.001 |  | 2 |",
            "| Ridge | 0.5000 | 0.526 ± 0.000 |  | 0.561 ± 0.000 | 0.8000 | 1 |",
            "| DNN | 0.9900 | 0.992 ± 0.001 | 0.9900 | 0.992 ± 0.001 |  | 1 |",
        ]
    );
    assert!(facts_of(&results).contains("| time of all jobs | 6.0 min on one thread each |"));
}

#[test]
fn a_mean_of_fewer_seeds_than_its_row_says_so() {
    let results = [
        result("trec", "ngsll", K::Top(1), 0, 0.8),
        result("trec", "ngsll", K::Top(1), 1, 0.9),
        result("trec", "dense", K::All, 0, 0.7),
    ];
    let all = methods::all();
    let all: Vec<&dyn Method> = all.iter().map(Box::as_ref).collect();
    let section = text_accuracy(&all, &[K::Top(1), K::All], &results, "figure.svg");
    let row = "| NGSLL | 0.850 ± 0.071 | 0.700 (seeds: 1) | 2 |";
    assert!(section.body.contains(row), "{}", section.body);
    assert!(section.body.contains("| NGSLL without K-HGM |  | 0.700 | 1 |"));
}

fn facts_of(results: &[RunResult]) -> String {
    let request = Request::new(Vec::new(), "data", "out");
    facts(&request, results)
}
