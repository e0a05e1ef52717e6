//! The whole way, from data of a few samples to the page.

mod common;
#[path = "common/count.rs"]
mod count;

use common::{idx, make_data};
use count::Count;
use ngsll::dataset::{ImageSize, Images};
use ngsll::{Explanation, ModelFolder, Samples};
use ngsll_experiments::{Experiment, K, Observer, ProgressUpdate, Request, reproduce};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn request(folder: &Path, experiments: &[Experiment]) -> Request {
    let mut request = Request::new(experiments.to_vec(), folder.join("data"), folder.join("out"));
    request.seeds = Some(2);
    request.ks = Some(vec![K::Top(1), K::Top(2)]);
    request.quick = true;
    request.jobs = 2;
    request.epochs = Some(1);
    request.command = "ngsll reproduce all --quick".into();
    request
}

fn run(request: &Request) -> usize {
    let count = Count::default();
    let failures = reproduce(request, &count).unwrap();
    assert!(failures.is_empty(), "{failures:?}");
    count.finished()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("out").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The records with this key, in the order in which they were written.
fn records(folder: &Path, key: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("out/records.jsonl")).unwrap_or_default();
    // Only whole lines: a job may be writing the next one.
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["key"] == key).map(|line| line["record"].clone()).collect()
}

/// The only record with this key.
#[track_caller]
fn record(folder: &Path, key: &str) -> Value {
    let mut records = records(folder, key);
    assert_eq!(records.len(), 1, "records of {key}");
    records.remove(0)
}

#[test]
fn all_experiments_fill_the_folder_and_a_second_run_computes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let all = request(folder.path(), &Experiment::ALL);
    assert!(run(&all) > 0);
    let (results, page) = (read(folder.path(), "results.csv"), read(folder.path(), "README.md"));
    for line in ["mnist,ngsll,1,0,", "mnist,dense,all,1,", "mnist,ridge,2,0,", "trec,dnn,all,1,"] {
        assert!(results.contains(line), "no {line} in\n{results}");
    }
    assert!(read(folder.path(), "text-accuracy.svg").contains("MPQA, networks alone"));
    for figure in ["text-accuracy", "mnist-weights", "trec-weights"] {
        assert!(read(folder.path(), &format!("{figure}.svg")).ends_with("</svg>\n"));
        let png = fs::read(folder.path().join(format!("out/{figure}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG"));
        assert!(page.contains(&format!("({figure}.svg)")), "{page}");
    }
    assert!(page.contains("What --quick left out") && page.contains("ngsll-paper"), "{page}");
    assert!(page.contains("ngsll reproduce all --quick"), "{page}");
    for title in ["| NGSLL | 2 |", "| LIME (ours)", "| KernelSHAP (ours)"] {
        assert!(page.contains(title), "no {title} in\n{page}");
    }

    assert_eq!(run(&all), 0, "a second run computes nothing");
    assert_eq!(read(folder.path(), "results.csv"), results);
    assert_eq!(read(folder.path(), "README.md"), page);

    // Nor does a run in a new folder that starts from the records and models of this one.
    let (from, copied) = (folder.path().join("out"), tempfile::tempdir().unwrap());
    let to = copied.path().join("out");
    for model in fs::read_dir(from.join("models")).unwrap() {
        let name = Path::new("models").join(model.unwrap().file_name());
        fs::create_dir_all(to.join(&name)).unwrap();
        for file in fs::read_dir(from.join(&name)).unwrap() {
            let file = name.join(file.unwrap().file_name());
            fs::copy(from.join(&file), to.join(&file)).unwrap();
        }
    }
    fs::copy(from.join("records.jsonl"), to.join("records.jsonl")).unwrap();
    let mut continued = all.clone();
    continued.out = to;
    assert_eq!(run(&continued), 0, "all results are in the records");
    for file in ["results.csv", "times.csv", "README.md", "text-accuracy.svg"] {
        assert_eq!(read(copied.path(), file), read(folder.path(), file), "{file}");
    }
}

#[test]
fn only_missing_or_changed_results_are_computed() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut ridge = request(folder.path(), &[Experiment::MnistAccuracy]);
    ridge.methods = Some(vec!["ridge".into()]);
    assert_eq!(run(&ridge), 2, "one job for each seed");
    ridge.ks = Some(vec![K::Top(1), K::Top(3)]);
    assert_eq!(run(&ridge), 2, "another K is missing for each seed");
    let key = "mnist-ridge-k3-seed1";
    let before = record(folder.path(), key);
    let text = read(folder.path(), "records.jsonl");
    let others = text.split_inclusive('\n').filter(|line| !line.contains(key));
    fs::write(folder.path().join("out/records.jsonl"), others.collect::<String>()).unwrap();
    assert_eq!(run(&ridge), 1, "only the one that is gone");
    let accuracy = |record: &Value| record["test_accuracy"].as_f64().unwrap();
    assert_eq!(accuracy(&record(folder.path(), key)), accuracy(&before), "with the same result");

    let mut dnn = request(folder.path(), &[Experiment::MnistAccuracy]);
    (dnn.methods, dnn.seeds) = (Some(vec!["dnn".into()]), Some(1));
    assert_eq!(run(&dnn), 1);
    assert_eq!(run(&dnn), 0);
    dnn.epochs = Some(2);
    assert_eq!(run(&dnn), 1, "other epochs, another result");
    dnn.epochs = Some(1);
    assert_eq!(run(&dnn), 0, "which has not replaced the first");
    dnn.epochs = Some(2);
    let labels = folder.path().join("data/mnist/train-labels-idx1-ubyte.gz");
    let mut bytes = fs::read(&labels).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&labels, bytes).unwrap();
    assert_eq!(run(&dnn), 1, "other data, another result");
}

/// Requests a stop once a result exists.
struct StopAt(PathBuf, &'static str);

impl Observer for StopAt {
    fn update(&self, _: &ProgressUpdate) {}

    fn should_stop(&self) -> bool {
        !records(&self.0, self.1).is_empty()
    }
}

#[test]
fn a_stop_in_the_middle_of_a_job_keeps_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut ngsll = request(folder.path(), &[Experiment::MnistAccuracy]);
    (ngsll.methods, ngsll.seeds) = (Some(vec!["ngsll".into()]), Some(1));
    // Not quick: L and U are selected, and the selection is stored as well.
    ngsll.quick = false;
    let stored = |name: &str| records(folder.path(), &format!("mnist-ngsll-{name}"));
    let stopped = reproduce(&ngsll, &StopAt(folder.path().into(), "mnist-ngsll-k1-seed0"));
    assert!(matches!(stopped, Err(ngsll::Error::Interrupted)), "{stopped:?}");
    let before = ["k1-seed0", "selection-seed0"].map(stored);
    assert_eq!(before.each_ref().map(Vec::len), [1, 1]);
    assert!(stored("k2-seed0").is_empty());
    assert_eq!(run(&ngsll), 1);
    assert_eq!(stored("k2-seed0").len(), 1);
    // Computed again, they would be there twice.
    assert_eq!(["k1-seed0", "selection-seed0"].map(stored), before);
}

#[test]
fn drawn_results_are_not_compared_and_a_lost_model_is_trained_again() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut both = request(folder.path(), &[Experiment::MnistAccuracy, Experiment::MnistWeights]);
    (both.methods, both.ks) =
        (Some(vec!["ridge".into()]), Some(vec![K::Top(2), K::Top(1), K::Top(2)]));
    assert_eq!(run(&both), 4, "ridge twice; NGSLL and the one without a gate, to be drawn");
    let page = read(folder.path(), "README.md");
    assert!(page.contains("| Ridge |") && !page.contains("| NGSLL |"), "{page}");
    assert!(page.contains("|  | K = 1 | paper, K = 1 | K = 2 | paper, K = 2 |"), "{page}");
    fs::remove_dir_all(folder.path().join("out/models")).unwrap();
    assert_eq!(run(&both), 2);
    let models =
        || fs::read_dir(folder.path().join("out/models")).unwrap().map(|m| m.unwrap().path());
    let dense = models().find(|path| path.to_string_lossy().contains("mnist-dense")).unwrap();
    fs::write(dense.join("model.safetensors"), "half").unwrap();
    assert_eq!(run(&both), 1, "and so is a damaged one");
    assert_eq!(run(&both), 0);
}

#[test]
fn sizes_are_selected_by_validation_for_every_network() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut full = request(folder.path(), &[Experiment::MnistAccuracy]);
    (full.quick, full.seeds) = (false, Some(1));
    full.methods = Some(["ngsll", "dense", "dnn", "ame-0"].map(String::from).to_vec());
    assert_eq!(run(&full), 4);
    let record = |key: &str| record(folder.path(), key);
    let sizes = [(1, 128), (1, 256), (2, 128), (2, 256)];
    for (method, k) in [("ngsll", "1"), ("dense", "all")] {
        let selection = record(&format!("mnist-{method}-selection-seed0"));
        let losses: Vec<f64> = serde_json::from_value(selection["losses"].clone()).unwrap();
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let (layers, units) = sizes[losses.iter().position(|loss| *loss == least).unwrap()];
        let used = record(&format!("mnist-{method}-k{k}-seed0"));
        assert_eq!(used["configuration"], format!("image_cnn L={layers} U={units} epochs=1"));
    }
    let candidates = records(folder.path(), "mnist-dnn-candidate-seed0");
    assert_eq!(candidates.len(), sizes.len());
    let best = candidates.iter().map(|candidate| candidate["valid"].as_f64().unwrap());
    assert_eq!(
        record("mnist-dnn-kall-seed0")["validation_accuracy"].as_f64().unwrap(),
        best.fold(f64::NEG_INFINITY, f64::max)
    );
    assert_eq!(record("mnist-ame-0-kall-seed0")["configuration"], "epochs=1 of at most 1");
}

/// The explanation, by the only saved model, of an image with ink from row 8 to 13 and column 6 to 21 of 28.
fn explained(folder: &Path) -> Explanation {
    let models: Vec<_> = fs::read_dir(folder.join("out/models")).unwrap().collect();
    assert_eq!(models.len(), 1);
    let model = ngsll::Model::load(models[0].as_ref().unwrap().path()).unwrap();
    let ink = |at: usize| (8..14).contains(&(at / 28)) && (6..22).contains(&(at % 28));
    let pixels = (0..28 * 28).map(|at| if ink(at) { 200 } else { 0 }).collect();
    let size = ImageSize { width: 28, height: 28, channels: 1 };
    let image = Samples::from(Images::new(size, pixels).unwrap());
    model.explain(&image).unwrap().remove(0)
}

#[test]
fn without_a_gate_every_cell_with_ink_has_a_weight() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut dense = request(folder.path(), &[Experiment::MnistAccuracy]);
    (dense.methods, dense.seeds) = (Some(vec!["dense".into()]), Some(1));
    run(&dense);
    let model = fs::read_dir(folder.path().join("out/models")).unwrap().next().unwrap().unwrap();
    let folder_of_model = ModelFolder::open(model.path()).unwrap();
    assert_eq!(folder_of_model.notes().examples.len(), 4, "48 images, a twelfth of them validates");
    let output = explained(folder.path()).outputs.remove(0);
    let mut cells: Vec<usize> = output.terms.iter().map(|t| t.feature).collect();
    cells.sort_unstable();
    // 2 × 5 cells of 4 × 4 pixels.
    let expected: Vec<usize> = (2..4).flat_map(|r| (1..6).map(move |c| 7 * r + c)).collect();
    assert_eq!(cells, expected);
    assert_ne!(output.intercept, 0.0);
}

#[test]
fn the_paper_s_course_without_a_gate_has_the_paper_s_numbers_beside_it_and_no_intercept() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut paper = request(folder.path(), &[Experiment::MnistAccuracy]);
    (paper.methods, paper.seeds) = (Some(vec!["dense-paper".into()]), Some(1));
    assert_eq!(run(&paper), 1);
    let page = read(folder.path(), "README.md");
    let row = page.lines().find(|l| l.starts_with("| NGSLL without K-HGM, preset paper |"));
    assert!(row.is_some_and(|row| row.contains("| 0.967 ± 0.009 |")), "{page}");
    let output = explained(folder.path()).outputs.remove(0);
    assert_eq!((output.terms.len(), output.intercept), (10, 0.0), "every cell with ink");
}

#[test]
fn a_named_method_has_all_requested_seeds() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut images = request(folder.path(), &[Experiment::MnistAccuracy]);
    images.methods = Some(vec!["ame-0".into()]);
    images.seeds = None;
    assert_eq!(run(&images), 1);
    images.seeds = Some(2);
    assert_eq!(run(&images), 1, "the second");
    (images.methods, images.quick) = (None, false);
    run(&images);
    let seeds = |method: &str| {
        let results = read(folder.path(), "results.csv");
        results.lines().filter(|line| line.starts_with(&format!("mnist,{method},all,"))).count()
    };
    assert_eq!([seeds("ame-0"), seeds("ame-0.05"), seeds("dnn")], [1, 1, 2]);
}

/// The test images are all blank, one of them of another class: whatever a model says of blank images, it is
/// right about one of twenty or about nineteen, as it is about no other part.
#[test]
fn tables_show_what_the_test_part_says() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let path = folder.path().join("data/mnist/t10k-images-idx3-ubyte.gz");
    fs::write(&path, idx(&[20, 28, 28], &[0; 20 * 28 * 28])).unwrap();
    let labels: Vec<u8> = (0..20).map(|i| if i == 0 { 1 } else { 8 }).collect();
    let path = folder.path().join("data/mnist/t10k-labels-idx1-ubyte.gz");
    fs::write(&path, idx(&[20], &labels)).unwrap();
    let mut images = request(folder.path(), &[Experiment::MnistAccuracy]);
    images.methods =
        Some(["ngsll", "dense", "dnn", "ridge", "forest", "ame-0"].map(String::from).to_vec());
    (images.seeds, images.ks) = (Some(1), Some(vec![K::Top(1)]));
    run(&images);
    let page = read(folder.path(), "README.md");
    for title in ["NGSLL", "NGSLL without K-HGM", "DNN", "Ridge", "Random forest", "AME, α = 0"] {
        let row = page.lines().find(|line| line.starts_with(&format!("| {title} |"))).unwrap();
        let accuracy = row.split('|').nth(2).unwrap().trim();
        assert!(["0.0500", "0.9500"].contains(&accuracy), "{row}");
    }
}

#[test]
fn a_job_that_fails_is_named_on_the_page_and_costs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut two = request(folder.path(), &[Experiment::MnistAccuracy, Experiment::MnistWeights]);
    (two.methods, two.seeds) = (Some(vec!["ngsll".into(), "ridge".into()]), Some(1));
    // No model can be saved where a file is in the way.
    fs::create_dir_all(folder.path().join("out")).unwrap();
    fs::write(folder.path().join("out/models"), "").unwrap();
    let failures = reproduce(&two, &Count::default()).unwrap();
    assert_eq!(failures.len(), 2, "NGSLL and the one without a gate: {failures:?}");
    let page = read(folder.path(), "README.md");
    assert!(page.contains("- MNIST NGSLL K=1,2 seed 0 has no result: "), "{page}");
    assert!(page.contains("| Ridge | 0") && page.contains("MnistWeights is left out"), "{page}");
    fs::remove_file(folder.path().join("out/models")).unwrap();
    assert_eq!(run(&two), 2);
    assert!(!read(folder.path(), "README.md").contains("has no result"));
}

#[test]
fn a_folder_with_other_content_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let all = request(folder.path(), &[Experiment::MnistAccuracy]);
    let write =
        |name: &str, text: &str| fs::write(folder.path().join("out").join(name), text).unwrap();
    fs::create_dir_all(folder.path().join("out/models")).unwrap();
    write("README.md", "# My battery records");
    let error = all.check().unwrap_err().to_string();
    assert!(error.contains("not the folder of an earlier reproduce"), "{error}");
    // Nor is a table of theirs overwritten, next to records that are not ours.
    fs::remove_file(folder.path().join("out/README.md")).unwrap();
    all.check().expect("a folder with no records yet");
    write("results.csv", "volts");
    write("records.jsonl", "{\"cell\":\"lithium-01\"}\n");
    all.check().unwrap_err();
    let record = r#"{"key":"mnist-ridge-k1-seed0","fingerprint":"0123abcd","record":{}}"#;
    write("records.jsonl", &format!("{record}\n"));
    all.check().expect("one that was stopped before its page");
    // Without its records a page cannot be drawn again; writing a new one would lose it.
    fs::remove_file(folder.path().join("out/records.jsonl")).unwrap();
    write("README.md", "# The paper's experiments, computed again\n");
    all.check().unwrap_err();
}

#[test]
fn a_method_for_other_data_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut images = request(folder.path(), &[Experiment::MnistAccuracy]);
    images.methods = Some(vec!["ridge".into(), "dense-sentence".into()]);
    let error = images.check().unwrap_err().to_string();
    assert_eq!(error, "methods = dense-sentence: the method is not for MNIST");
}

#[test]
fn the_number_of_jobs_side_by_side_does_not_change_a_result() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let accuracies = |jobs: usize| {
        let mut text =
            request(folder.path(), &[Experiment::TrecWeights, Experiment::MnistAccuracy]);
        (text.jobs, text.out) = (jobs, folder.path().join(format!("out{jobs}")));
        run(&text);
        let results = fs::read_to_string(text.out.join("results.csv")).unwrap();
        // Without the seconds.
        let short = |line: &str| line.split(',').take(6).collect::<Vec<_>>().join(",");
        (
            results.lines().map(short).collect::<Vec<_>>(),
            fs::read(text.out.join("trec-weights.svg")).unwrap(),
        )
    };
    assert_eq!(accuracies(1), accuracies(3));
}
