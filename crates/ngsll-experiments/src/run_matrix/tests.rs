//! The committed record of the paper's experiments: `reproduce` can continue from it, and its tables
//! follow from it.

use super::*;
use crate::{csv_files, methods, page};
use std::path::Path;

/// The data sets of the record: number of samples outside the fixed test part, and digest of the files.
const DATA: [(PaperDataset, usize, &str); 4] = [
    (
        PaperDataset::Mnist,
        60_000,
        "227111746c1956b229de0ae762b7dbf2885be3ac547ca613501aaed94e0a39d0",
    ),
    (
        PaperDataset::Mpqa,
        10_603,
        "7d10b89be7d1c8a36dd5d41da5b02f04659f215e2960f7ae744bec1c5923065d",
    ),
    (
        PaperDataset::Subj,
        10_000,
        "de8073303d7d9781499656504795d947815790a0b0f6c4290bd4e3cc707262b7",
    ),
    (PaperDataset::Trec, 5_952, "b2db59109aa96856c056f953a3fdc18e5b0bf160e28a87d9783a9abb8334a8e9"),
];

/// If this fails because a result is missing, something that its fingerprint contains was renamed or
/// changed; see [`Method::configuration`]. Without renaming it back, all results have to be recomputed.
#[test]
fn the_committed_records_hold_every_result_and_give_the_committed_tables() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/runs/2026-11-15-paper");
    let read = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
    // A copy, because opening a store may write to it.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("records.jsonl"), read("records.jsonl")).unwrap();
    let store = Store::open(folder.path()).unwrap();
    // Fingerprints depend on the number and digest of the samples, not on the samples themselves.
    let data = DATA.map(|(dataset, n, digest)| LoadedDataset::of_texts(dataset, n, digest));
    let request = Request::new(Experiment::ALL.to_vec(), "data", "out");
    let (methods, budget) = (methods::all(), request.budget());
    let matrix = RunMatrix { methods: &methods, data: &data, budget: &budget, store: &store };

    let mut results: Vec<RunResult> = Vec::new();
    for spec in matrix.specs(&request) {
        for &k in &spec.ks {
            let (key, fingerprint) = (matrix.key(&spec, k), matrix.fingerprint(&spec, k).unwrap());
            let found = store.find(&key, &fingerprint);
            results.push(found.unwrap_or_else(|| panic!("no record of {key} with {fingerprint}")));
        }
    }
    assert_eq!(csv_files::results(&results), read("results.csv"));

    let methods: Vec<&dyn Method> = methods.iter().map(Box::as_ref).collect();
    let page = read("README.md");
    for section in [
        page::mnist_accuracy(&methods, &budget.image_ks, &results, &budget),
        page::text_accuracy(&methods, &budget.text_ks, &results, "text-accuracy.svg"),
    ] {
        for row in section.body.lines().filter(|line| line.starts_with('|')) {
            assert!(page.lines().any(|line| line == row), "the page has no row {row}");
        }
    }
}
