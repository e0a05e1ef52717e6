//! The whole comparison on data sets of a few samples.

#[path = "../../tests/common/count.rs"]
mod count;

use super::*;
use crate::request::Experiment;
use count::Count;
use methods::JudgedMethod;
use ngsll_jobs::ProgressUpdate;
use std::fs;
use std::path::Path;

fn request(folder: &Path) -> Request {
    let out = folder.join("out");
    let mut request = Request::new(vec![Experiment::Honesty], folder.join("data"), out);
    (request.seeds, request.epochs, request.jobs) = (Some(1), Some(1), 2);
    request.command = "ngsll reproduce honesty".into();
    request
}

/// Runs on few samples of the given sets; gives the number of jobs.
fn run_small(request: &Request, sets: &[JudgedSet]) -> usize {
    let mut size = Size::of(request);
    size.most = Some([60, 4]);
    let count = Count::default();
    let failures = run(request, size, sets.to_vec(), &count).unwrap();
    assert!(failures.is_empty(), "{failures:?}");
    count.finished()
}

#[test]
fn every_method_is_judged_on_every_kind_and_a_second_run_computes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = request(folder.path());
    all.ks = Some(vec![K::Top(1), K::Top(3)]);
    let sets = [JudgedSet::Syn(4), JudgedSet::Phrase, JudgedSet::Shapes];
    // For each set a judge, its judging, NGSLL twice, the DNN and the simple rules; L2X for each K.
    assert_eq!(run_small(&all, &sets), 3 * 6 + 2 + 1 + 2);
    let read = |name: &str| fs::read_to_string(all.out.join(name)).unwrap();
    let (results, page) = (read("results.csv"), read("README.md"));
    for method in JudgedMethod::ALL {
        for set in sets.into_iter().filter(|set| method.runs_on(set.task())) {
            let k = if set.k_by_row() { "relevant" } else { "" };
            let line = format!("\n{},{},{k}", set.name(), method.name());
            assert!(results.contains(&line), "no {line} in\n{results}");
        }
    }
    assert!(page.starts_with(HEADING) && page.contains("(planted.svg)"), "{page}");
    assert!(read("planted.svg").ends_with("</svg>\n"));

    assert_eq!(run_small(&all, &sets), 0, "a second run computes nothing");
    assert_eq!((read("results.csv"), read("README.md")), (results, page));
    // The named features are still there when the results are gone: they are only judged again.
    fs::remove_file(all.out.join("records.jsonl")).unwrap();
    assert_eq!(run_small(&all, &sets), 3 * 2);
}

#[test]
fn results_are_consistent_with_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut some = request(folder.path());
    some.methods = Some(vec!["whole".into(), "random".into(), "gradient-input".into()]);
    run_small(&some, &[JudgedSet::Syn(5)]);
    let csv = fs::read_to_string(some.out.join("results.csv")).unwrap();
    let mut lines = csv::Reader::from_reader(csv.as_bytes());
    let header = lines.headers().unwrap().clone();
    let records: Vec<csv::StringRecord> = lines.records().map(Result::unwrap).collect();
    let field = |record: &csv::StringRecord, name: &str| -> Option<f64> {
        record[header.iter().position(|h| h == name).unwrap()].parse().ok()
    };
    assert_eq!(records.len(), 3);
    for record in &records {
        let [own, judge, gap] =
            ["own_accuracy", "judge_accuracy", "encoding_gap"].map(|name| field(record, name));
        match &record[1] {
            "whole" => assert!((own.unwrap() - judge.unwrap() - gap.unwrap()).abs() < 2e-6),
            "gradient-input" => assert!(own.is_some() && gap.is_none()),
            _ => assert!(own.is_none() && gap.is_none()),
        }
        // As many columns are named as are relevant.
        assert_eq!(field(record, "precision"), field(record, "recall"));
    }
}

#[test]
fn invalid_comparisons_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |change: &dyn Fn(&mut Request)| {
        let mut request = request(folder.path());
        change(&mut request);
        request.check().unwrap_err().to_string()
    };
    let message = refused(&|r| r.methods = Some(vec!["ridge".into()]));
    assert!(
        message.starts_with("methods = ridge: expected some of chosen,whole,l2x,"),
        "{message}"
    );
    let message = refused(&|r| r.ks = Some(vec![K::Top(1), K::All]));
    assert_eq!(message, "k = all: numbers only: with all features there is nothing to choose");
    let message = refused(&|r| r.experiments.push(Experiment::MnistTime));
    assert!(message.contains("it needs a separate folder"), "{message}");
}

#[test]
fn requested_k_count_where_the_data_do_not_decide() {
    let asked = [1, 7];
    assert_eq!(JudgedSet::Shapes.ks(Some(&asked), true), asked);
    assert_eq!(JudgedSet::Syn(4).ks(Some(&asked), false), [3, 5]);
    assert_eq!(JudgedSet::Phrase.ks(None, true), [2]);
    let names: std::collections::BTreeSet<String> =
        JudgedSet::ALL.iter().map(|set| set.name()).collect();
    assert_eq!(names.len(), JudgedSet::ALL.len());
}
