//! Small data sets and networks for training tests.

use ngsll::config::{Overrides, Task};
use ngsll::dataset::{Column, ImageSize, Images, Table};
use ngsll::random::{Purpose, stream};
use ngsll::train::Event;
use ngsll::{Config, Dataset, Device, Evidence, Fitted, Samples, TrainingSetup};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// Options by the names they have in files, which is shorter than their fields.
pub trait With: Sized {
    /// The same with one option changed.
    fn with(&self, name: &str, value: &str) -> ngsll::Result<Self>;
}

impl With for Config {
    fn with(&self, name: &str, value: &str) -> ngsll::Result<Self> {
        let mut one = Overrides::new();
        one.set(name, value);
        one.applied_to(self)
    }
}

/// A small network with the default evidence, the chosen features, that trains in a second or two.
pub fn config(task: Task) -> Config {
    small(Config::new(task))
}

/// The same for the paper's method, which reads whole samples and has a gate.
pub fn whole(task: Task) -> Config {
    small(Config::with_evidence(task, Evidence::Whole))
}

fn small(config: Config) -> Config {
    let with = |config: Config, sets: &[(&str, &str)]| {
        sets.iter().fold(config, |config, (key, value)| config.with(key, value).unwrap())
    };
    let config =
        with(with_k(config, 2), &[("training.batch_size", "16"), ("training.epochs", "10")]);
    match config.task {
        Task::Text => with(
            config,
            &[
                ("generator.embedding", "16"),
                ("generator.filters", "16"),
                ("generator.units", "16"),
            ],
        ),
        Task::Image => with(
            config,
            &[
                ("generator.channels", "[8, 8]"),
                ("generator.units", "16"),
                ("representation.cells", "[3, 3]"),
            ],
        ),
        Task::Tabular => with(
            config,
            &[
                ("generator.units", "32"),
                ("representation.bins", "8"),
                ("representation.distinct_bins", "8"),
            ],
        ),
        _ => unreachable!("there are three kinds of samples"),
    }
}

/// The same with another K.
pub fn with_k(mut config: Config, k: usize) -> Config {
    config.k = k;
    config
}

/// The same with another seed.
pub fn with_seed(mut config: Config, seed: u64) -> Config {
    config.seed = seed;
    config
}

/// The data, ready for training on the CPU.
pub fn setup(config: Config, data: &Dataset) -> ngsll::Result<TrainingSetup> {
    TrainingSetup::new(config.check()?, data, None, &Device::default())
}

/// A training without progress.
pub fn fit(config: Config, data: &Dataset) -> Fitted {
    setup(config, data).unwrap().fit(None, &mut go_on).unwrap()
}

/// Lets a training go on.
pub fn go_on(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn labelled(samples: impl Into<Samples>, labels: Vec<String>) -> Dataset {
    Dataset::new(samples).with_labels(labels).unwrap()
}

/// Texts with their labels.
pub fn texts(rows: Vec<(String, &str)>) -> Dataset {
    Dataset::texts(rows.iter().map(|(text, _)| text), rows.iter().map(|(_, label)| label)).unwrap()
}

fn rng(n: usize) -> ChaCha8Rng {
    stream(n as u64, Purpose::Sample, 0, 0)
}

/// The same words in two orders: the label says which of "alpha" and "beta" comes first.
pub fn orders(n: usize) -> Dataset {
    let mut rng = rng(n);
    let row = |i: usize| {
        let filler = ["one", "two", "three", "four"][rng.random_range(0..4)];
        let more = "five ".repeat(rng.random_range(0..3));
        let (text, label) =
            if i.is_multiple_of(2) { ("alpha beta", "a first") } else { ("beta alpha", "b first") };
        (format!("{filler} {text} {more}"), label)
    };
    texts((0..n).map(row).collect())
}

fn numbers(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn column(name: &str, values: Vec<f64>) -> Column {
    Column::numeric(name, values).unwrap()
}

fn levels<'a>(n: usize, names: &[&'a str], rng: &mut ChaCha8Rng) -> Vec<Option<&'a str>> {
    (0..n).map(|_| Some(names[rng.random_range(0..names.len() as u32) as usize])).collect()
}

fn labelled_table(columns: impl IntoIterator<Item = Column>, labels: Vec<String>) -> Dataset {
    labelled(Table::new(columns).unwrap(), labels)
}

/// Mixed types with missing values; whether x·y is positive, turned around for colour red.
pub fn table(n: usize) -> Dataset {
    let mut rng = rng(n);
    let (mut x, y) = (numbers(n, &mut rng), numbers(n, &mut rng));
    let mut colour = levels(n, &["red", "green", "blue"], &mut rng);
    let label =
        |i: usize| if (x[i] * y[i] > 0.0) ^ (colour[i] == Some("red")) { "yes" } else { "no" };
    let labels = (0..n).map(|i| label(i).to_string()).collect();
    for i in (0..n).step_by(17) {
        x[i] = f64::NAN;
        colour[(i + 3) % n] = None;
    }
    let colour = Column::categorical("colour", colour);
    labelled_table([column("x", x), column("y", y), colour], labels)
}

/// Three classes: which of three numbers is the largest.
pub fn classes3(n: usize) -> Dataset {
    let mut rng = rng(n);
    let values: Vec<Vec<f64>> = (0..3).map(|_| numbers(n, &mut rng)).collect();
    let largest = |i: usize| (0..3).max_by(|&a, &b| values[a][i].total_cmp(&values[b][i])).unwrap();
    let labels = (0..n).map(|i| format!("class {}", largest(i))).collect();
    let columns = values.iter().enumerate().map(|(c, v)| column(&format!("v{c}"), v.clone()));
    labelled_table(columns, labels)
}

/// A number far from zero, in the hundreds: 500 + 100·x for one level, 500 − 100·x for the other.
pub fn regression(n: usize) -> Dataset {
    let mut rng = rng(n);
    let x = numbers(n, &mut rng);
    let side = levels(n, &["up", "down"], &mut rng);
    let target = |i: usize| 500.0 + 100.0 * x[i] * if side[i] == Some("up") { 1.0 } else { -1.0 };
    let labels = (0..n).map(|i| format!("{:.3}", target(i))).collect();
    labelled_table([column("x", x.clone()), Column::categorical("side", side)], labels)
}

/// Images of an odd size: a bright bar that lies or stands, anywhere, on a little noise.
pub fn bars(n: usize, width: usize, height: usize) -> Dataset {
    let mut rng = rng(n);
    let mut pixels = Vec::new();
    for i in 0..n {
        let (row, column) = (rng.random_range(0..height), rng.random_range(0..width));
        for y in 0..height {
            for x in 0..width {
                let bar = if i.is_multiple_of(2) { y == row } else { x == column };
                pixels.push(if bar { 255 } else { rng.random_range(0..40) });
            }
        }
    }
    let labels =
        (0..n).map(|i| if i.is_multiple_of(2) { "lies" } else { "stands" }.to_string()).collect();
    let images = Images::new(ImageSize { width, height, channels: 1 }, pixels).unwrap();
    labelled(images, labels)
}
