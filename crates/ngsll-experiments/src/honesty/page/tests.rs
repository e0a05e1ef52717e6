//! Tables and figures from a few results.

use super::*;

fn result(
    dataset: &str,
    method: JudgedMethod,
    k: JudgedK,
    seed: u64,
    figures: [f64; 3],
) -> JudgedResult {
    let [own, judge, precision] = figures;
    let known = |value: f64| value.is_finite().then_some(value);
    JudgedResult {
        dataset: dataset.into(),
        method: method.name().into(),
        k,
        seed,
        samples: 200,
        own_accuracy: known(own),
        judge_accuracy: judge,
        judge_accuracy_all: 0.97,
        encoding_gap: known(own).filter(|_| method.predicts_from_features()).map(|own| own - judge),
        contest_rate: Some(0.25),
        precision: known(precision),
        recall: known(precision / 2.0),
        ms_per_explanation: 1.5,
        seconds_since_job_start: 60.0,
        version: "0.1.0".into(),
        machine: "2 cores".into(),
    }
}

fn page_of(results: &[JudgedResult]) -> (String, Vec<(String, String)>) {
    let mut figures = Vec::new();
    let sections = sections(results, |name: &str, svg: &str| {
        figures.push((name.to_string(), svg.to_string()));
        Ok::<_, ()>(format!("{name}.svg"))
    });
    let body = |section: &Section| format!("## {}\n{}", section.title, section.body);
    (sections.unwrap().iter().map(body).collect(), figures)
}

const NONE: f64 = f64::NAN;

#[test]
fn a_table_shows_means_over_seeds_and_the_gap_of_methods_that_predict() {
    let (one, five) = (JudgedK::Top(1), JudgedK::Top(5));
    let results = [
        result("mnist", JudgedMethod::Chosen, one, 0, [0.90, 0.90, NONE]),
        result("mnist", JudgedMethod::Chosen, one, 1, [0.92, 0.91, NONE]),
        result("mnist", JudgedMethod::Chosen, five, 0, [0.99, 0.98, NONE]),
        result("mnist", JudgedMethod::Whole, one, 0, [0.99, 0.75, NONE]),
        result("mnist", JudgedMethod::Lime, one, 0, [0.99, 0.80, NONE]),
        result("mnist", JudgedMethod::Random, one, 0, [NONE, 0.5, NONE]),
    ];
    let (page, figures) = page_of(&results);
    for line in [
        "| MNIST | K = 1 | K = 5 | ms per explanation |",
        "| NGSLL chosen | 0.905 ± 0.007 | 0.980 | 1.50 |",
        "| LIME | 0.800 |  | 1.50 |",
        "| all features | 0.970 | 0.970 |  |",
        "200 test samples, 2 seeds.",
        "| NGSLL chosen | 0.910 → 0.905: 0.005 | 0.990 → 0.980: 0.010 |",
        "| NGSLL whole | 0.990 → 0.750: 0.240 |  |",
        "| random | 0.25 |  |",
    ] {
        assert!(page.lines().any(|l| l == line), "no {line} in\n{page}");
    }
    assert!(!page.contains("| LIME | 0.990 →"), "LIME does not predict\n{page}");
    assert!(!page.contains("Planted reasons"), "there are none");
    assert_eq!(figures.len(), 1);
    let (name, svg) = &figures[0];
    assert_eq!(name, "judge-accuracy");
    assert!(svg.contains("MNIST") && svg.contains("NGSLL chosen") && svg.contains("all features"));
}

#[test]
fn planted_sets_show_precision_and_recall() {
    let results = [
        result("syn4", JudgedMethod::Chosen, JudgedK::Relevant, 0, [0.8, 0.79, 1.0]),
        result("shapes", JudgedMethod::Chosen, JudgedK::Top(1), 0, [0.9, 0.9, 0.9]),
        result("shapes", JudgedMethod::Chosen, JudgedK::Top(3), 0, [0.9, 0.9, 0.8]),
        result("syn4", JudgedMethod::Random, JudgedK::Relevant, 0, [NONE, 0.5, 0.4]),
    ];
    let (page, figures) = page_of(&results);
    for line in [
        "| precision (recall) | Syn4 | Shapes, K = 1 | Shapes, K = 3 |",
        "| NGSLL chosen | 1.000 (0.500) | 0.900 (0.450) | 0.800 (0.400) |",
        "| random | 0.400 (0.200) |  |  |",
        "| NGSLL chosen | 0.800 → 0.790: 0.010 | 0.900 → 0.900: 0.000 | 0.900 → 0.900: 0.000 |",
    ] {
        assert!(page.lines().any(|l| l == line), "no {line} in\n{page}");
    }
    let (name, svg) = &figures[0];
    assert_eq!(name, "planted");
    assert!(svg.contains("Syn4") && svg.contains("K = 3"));
}

#[test]
fn the_time_of_a_job_counts_once() {
    let (one, five) = (JudgedK::Top(1), JudgedK::Top(5));
    let of = |method, k| result("mnist", method, k, 0, [0.9, 0.9, NONE]);
    // One job of the DNN, and two of L2X.
    let results = [
        of(JudgedMethod::Lime, one),
        of(JudgedMethod::Lime, five),
        of(JudgedMethod::L2x, one),
        of(JudgedMethod::L2x, five),
    ];
    let facts = facts("ngsll reproduce honesty", &results);
    assert!(facts.contains("| time of all jobs | 3.0 min on one thread each |"), "{facts}");
}
