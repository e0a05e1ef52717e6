//! The whole way, from data of a few samples to the page.

mod common;

use common::{idx, make_data};
use ngsll::Explanation;
use ngsll_experiments::{Experiment, K, News, Observer, Request, reproduce};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts finished jobs.
#[derive(Default)]
struct Count(AtomicUsize);

impl Observer for Count {
    fn news(&self, news: &News) {
        self.0.fetch_add(usize::from(news.finished.is_some()), Ordering::SeqCst);
    }

    fn stop(&self) -> bool {
        false
    }
}

fn request(folder: &Path, experiments: &[Experiment]) -> Request {
    Request {
        experiments: experiments.to_vec(),
        data: folder.join("data"),
        out: folder.join("out"),
        seeds: Some(2),
        ks: Some(vec![K::Top(1), K::Top(2)]),
        methods: None,
        quick: true,
        jobs: 2,
        epochs: Some(1),
        command: "ngsll reproduce all --quick".into(),
    }
}

fn run(request: &Request) -> usize {
    let count = Count::default();
    let failures = reproduce(request, &count).unwrap();
    assert!(failures.is_empty(), "{failures:?}");
    count.0.into_inner()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("out").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The file of a result, whose name begins like this.
fn cell(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = fs::read_dir(folder.join("out/cells")).ok()?;
    let mut paths = files.map(|file| file.unwrap().path());
    paths.find(|path| path.file_name().unwrap().to_string_lossy().starts_with(name))
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
}

#[test]
fn what_is_missing_or_changed_is_computed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut ridge = request(folder.path(), &[Experiment::MnistAccuracy]);
    ridge.methods = Some(vec!["ridge".into()]);
    assert_eq!(run(&ridge), 2, "one job for each seed");
    ridge.ks = Some(vec![K::Top(1), K::Top(3)]);
    assert_eq!(run(&ridge), 2, "another K is missing for each seed");
    let cell = cell(folder.path(), "mnist-ridge-k3-seed1").unwrap();
    let before = fs::read(&cell).unwrap();
    fs::remove_file(&cell).unwrap();
    assert_eq!(run(&ridge), 1, "only the one that is gone");
    let accuracy = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.lines().find(|line| line.contains("test_accuracy")).unwrap().to_string()
    };
    assert_eq!(accuracy(&fs::read(&cell).unwrap()), accuracy(&before), "and it comes out the same");

    let mut dnn = request(folder.path(), &[Experiment::MnistAccuracy]);
    (dnn.methods, dnn.seeds) = (Some(vec!["dnn".into()]), Some(1));
    assert_eq!(run(&dnn), 1);
    assert_eq!(run(&dnn), 0);
    dnn.epochs = Some(2);
    assert_eq!(run(&dnn), 1, "other epochs, another result");
    dnn.epochs = Some(1);
    assert_eq!(run(&dnn), 0, "which has not taken the place of the first");
    dnn.epochs = Some(2);
    let labels = folder.path().join("data/mnist/train-labels-idx1-ubyte.gz");
    let mut bytes = fs::read(&labels).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&labels, bytes).unwrap();
    assert_eq!(run(&dnn), 1, "other data, another result");
}

/// Asks to stop once a result is there.
struct StopAt(PathBuf, &'static str);

impl Observer for StopAt {
    fn news(&self, _: &News) {}

    fn stop(&self) -> bool {
        cell(&self.0, self.1).is_some()
    }
}

#[test]
fn a_stop_in_the_middle_of_a_job_keeps_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut ngsll = request(folder.path(), &[Experiment::MnistAccuracy]);
    (ngsll.methods, ngsll.seeds) = (Some(vec!["ngsll".into()]), Some(1));
    // Not quick: L and U are selected, which is kept as well.
    ngsll.quick = false;
    let cell = |name: &str| cell(folder.path(), &format!("mnist-ngsll-{name}"));
    let stopped = reproduce(&ngsll, &StopAt(folder.path().into(), "mnist-ngsll-k1-seed0"));
    assert!(matches!(stopped, Err(ngsll::Error::Interrupted)), "{stopped:?}");
    let known = ["k1-seed0", "selection-seed0"].map(|name| fs::read(cell(name).unwrap()).unwrap());
    assert!(cell("k2-seed0").is_none());
    assert_eq!(run(&ngsll), 1);
    assert!(cell("k2-seed0").is_some());
    // The seconds in them would differ.
    assert_eq!(
        known,
        ["k1-seed0", "selection-seed0"].map(|name| fs::read(cell(name).unwrap()).unwrap())
    );
}

#[test]
fn what_is_only_drawn_is_not_compared_and_a_lost_model_is_made_again() {
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

/// The value of a key in a file that the program wrote.
fn value(path: &Path, key: &str) -> serde_json::Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap()[key].clone()
}

#[test]
fn sizes_are_selected_by_validation_for_every_network() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut full = request(folder.path(), &[Experiment::MnistAccuracy]);
    (full.quick, full.seeds) = (false, Some(1));
    full.methods = Some(["ngsll", "dense", "dnn", "ame-0"].map(String::from).to_vec());
    assert_eq!(run(&full), 4);
    let cell = |name: &str| cell(folder.path(), name).unwrap_or_else(|| panic!("no {name}"));
    let sizes = [(1, 128), (1, 256), (2, 128), (2, 256)];
    for (method, k) in [("ngsll", "1"), ("dense", "all")] {
        let selected = cell(&format!("mnist-{method}-selection-seed0"));
        let losses: Vec<f64> = serde_json::from_value(value(&selected, "losses")).unwrap();
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let (layers, units) = sizes[losses.iter().position(|loss| *loss == least).unwrap()];
        let used = value(&cell(&format!("mnist-{method}-k{k}-seed0")), "configuration");
        assert_eq!(used, format!("image_cnn L={layers} U={units} epochs=1"));
    }
    let files = fs::read_dir(folder.path().join("out/cells")).unwrap();
    let candidates: Vec<PathBuf> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("mnist-dnn-candidate-seed0"))
        .collect();
    assert_eq!(candidates.len(), sizes.len());
    let best = candidates.iter().map(|path| value(path, "valid").as_f64().unwrap());
    let used = cell("mnist-dnn-kall-seed0");
    assert_eq!(
        value(&used, "validation_accuracy").as_f64().unwrap(),
        best.fold(f64::NEG_INFINITY, f64::max)
    );
    let ame = value(&cell("mnist-ame-0-kall-seed0"), "configuration");
    assert_eq!(ame, "epochs=1 of at most 1");
}

/// What the only model that was kept says about an image with ink from row 8 to 13 and column 6 to 21 of 28.
fn explained(folder: &Path) -> Explanation {
    let models: Vec<_> = fs::read_dir(folder.join("out/models")).unwrap().collect();
    assert_eq!(models.len(), 1);
    let predictor = ngsll::Predictor::load(&models[0].as_ref().unwrap().path()).unwrap();
    let ink = |at: usize| (8..14).contains(&(at / 28)) && (6..22).contains(&(at % 28));
    let pixels = (0..28 * 28).map(|at| if ink(at) { 200 } else { 0 }).collect();
    let image = ngsll::data::Images { width: 28, height: 28, channels: 1, pixels };
    predictor.explain(&ngsll::data::Samples::Images(image), None).unwrap().remove(0)
}

#[test]
fn without_a_gate_every_cell_with_ink_has_a_weight() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let mut dense = request(folder.path(), &[Experiment::MnistAccuracy]);
    (dense.methods, dense.seeds) = (Some(vec!["dense".into()]), Some(1));
    run(&dense);
    let model = fs::read_dir(folder.path().join("out/models")).unwrap().next().unwrap().unwrap();
    let examples = ngsll::model_folder::examples(&model.path()).unwrap();
    assert_eq!(examples.len(), 4, "48 images, a twelfth of them validates");
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
fn a_method_that_is_named_has_as_many_seeds_as_were_asked_for() {
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
    // No model can be kept where a file is in the way.
    fs::create_dir_all(folder.path().join("out/cells")).unwrap();
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
fn a_folder_with_a_page_of_somebody_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    make_data(&folder.path().join("data"));
    let all = request(folder.path(), &[Experiment::MnistAccuracy]);
    fs::create_dir_all(folder.path().join("out/cells")).unwrap();
    fs::write(folder.path().join("out/README.md"), "# My battery cells").unwrap();
    let error = all.check().unwrap_err().to_string();
    assert!(error.contains("not the folder of an earlier reproduce"), "{error}");
    // Nor is a table of theirs, beside cells that are none of ours.
    fs::remove_file(folder.path().join("out/README.md")).unwrap();
    all.check().expect("a folder with no cells yet");
    fs::write(folder.path().join("out/results.csv"), "volts").unwrap();
    fs::write(folder.path().join("out/cells/lithium-01.json"), "{}").unwrap();
    all.check().unwrap_err();
    fs::write(folder.path().join("out/cells/mnist-ridge-k1-seed0-0123abcd.json"), "{}").unwrap();
    all.check().expect("one that was stopped before its page");
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
