//! Small data sets and networks for training tests.

use ngsll::Config;
use ngsll::config::Task;
use ngsll::data::{Chunk, Column, Images, MISSING, Origin, Samples, Table, Values};
use ngsll::random::{Purpose, stream};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A small network that trains in a second or two.
pub fn config(task: Task) -> Config {
    let with = |config: Config, sets: &[(&str, &str)]| {
        sets.iter().fold(config, |config, (key, value)| config.with(key, value).unwrap())
    };
    let config = Config { k: 2, ..Config::new(task) };
    let config = with(config, &[("training.batch_size", "16"), ("training.epochs", "10")]);
    match task {
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
        Task::Tabular => with(config, &[("generator.units", "32"), ("representation.bins", "8")]),
    }
}

fn chunk(samples: Samples, labels: Vec<String>) -> Chunk {
    let lines = (1..=labels.len() as u64).collect();
    let origin = Origin::Lines { file: "made.here".into(), lines };
    Chunk { samples, labels: Some(labels), origin }
}

/// Texts with their labels.
pub fn texts(rows: Vec<(String, &str)>) -> Chunk {
    let samples = Samples::Texts(rows.iter().map(|(text, _)| text.as_str()).collect());
    chunk(samples, rows.into_iter().map(|(_, label)| label.to_string()).collect())
}

fn rng(n: usize) -> ChaCha8Rng {
    stream(n as u64, Purpose::Sample, 0, 0)
}

/// The same words in two orders: the label says which of "alpha" and "beta" comes first.
pub fn orders(n: usize) -> Chunk {
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

fn column(name: &str, values: Values) -> Column {
    Column { name: name.to_string(), values }
}

fn levels(n: usize, names: &[&str], rng: &mut ChaCha8Rng) -> Values {
    let ids = (0..n).map(|_| rng.random_range(0..names.len() as u32)).collect();
    Values::Categorical { levels: names.iter().map(ToString::to_string).collect(), ids }
}

/// Mixed types with missing values; whether x·y is positive, turned around for colour red.
pub fn table(n: usize) -> Chunk {
    let mut rng = rng(n);
    let (mut x, y) = (numbers(n, &mut rng), numbers(n, &mut rng));
    let mut colour = levels(n, &["red", "green", "blue"], &mut rng);
    let Values::Categorical { ids, .. } = &mut colour else {
        unreachable!("levels are categorical")
    };
    let label = |i: usize| if (x[i] * y[i] > 0.0) ^ (ids[i] == 0) { "yes" } else { "no" };
    let labels = (0..n).map(|i| label(i).to_string()).collect();
    for i in (0..n).step_by(17) {
        x[i] = f64::NAN;
        ids[(i + 3) % n] = MISSING;
    }
    let columns = vec![
        column("x", Values::Numeric(x)),
        column("y", Values::Numeric(y)),
        column("colour", colour),
    ];
    chunk(Samples::Table(Table { columns }), labels)
}

/// Three classes: which of three numbers is the largest.
pub fn classes3(n: usize) -> Chunk {
    let mut rng = rng(n);
    let values: Vec<Vec<f64>> = (0..3).map(|_| numbers(n, &mut rng)).collect();
    let largest = |i: usize| (0..3).max_by(|&a, &b| values[a][i].total_cmp(&values[b][i])).unwrap();
    let labels = (0..n).map(|i| format!("class {}", largest(i))).collect();
    let columns = values
        .iter()
        .enumerate()
        .map(|(c, v)| column(&format!("v{c}"), Values::Numeric(v.clone())));
    chunk(Samples::Table(Table { columns: columns.collect() }), labels)
}

/// A number far from zero, in the hundreds: 500 + 100·x for one level, 500 − 100·x for the other.
pub fn regression(n: usize) -> Chunk {
    let mut rng = rng(n);
    let x = numbers(n, &mut rng);
    let side = levels(n, &["up", "down"], &mut rng);
    let Values::Categorical { ids, .. } = &side else { unreachable!("levels are categorical") };
    let target = |i: usize| 500.0 + 100.0 * x[i] * if ids[i] == 0 { 1.0 } else { -1.0 };
    let labels = (0..n).map(|i| format!("{:.3}", target(i))).collect();
    let columns = vec![column("x", Values::Numeric(x.clone())), column("side", side)];
    chunk(Samples::Table(Table { columns }), labels)
}

/// Images of an odd size: a bright bar that lies or stands, anywhere, on a little noise.
pub fn bars(n: usize, width: usize, height: usize) -> Chunk {
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
    chunk(Samples::Images(Images { width, height, channels: 1, pixels }), labels)
}
