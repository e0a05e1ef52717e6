//! Small models of each kind of sample, and samples to ask them about.

use crate::common::data;
use ngsll::config::{Config, Overrides, Task};
use ngsll::dataset::{Column, ImageSize, Images, Table};
use ngsll::{Dataset, Model, Ngsll, Samples};

/// By name: `reviews`, `houses`, `digits`.
pub fn trained() -> [(&'static str, Model, Samples); 3] {
    let texts = (0..60).map(|i| ["a good and fine film", "a bad and poor film"][i % 2]);
    let texts = Dataset::texts(texts, (0..60).map(|i| ["pos", "neg"][i % 2])).unwrap();
    let words = [("generator.filters", "8"), ("generator.embedding", "8")];
    let odd = Samples::texts(["a good film", "", "unknown words alone"]);
    let cells = [("generator.channels", "[4, 4]"), ("representation.cells", "[4, 4]")];
    let size = ImageSize { width: 8, height: 8, channels: 1 };
    let image = |pixels| Samples::from(Images::new(size, pixels).unwrap());
    let digits = image((0..40).flat_map(data::digit).collect());
    let digits = Dataset::new(digits).with_labels((0..40).map(|i| i % 2));
    [
        ("reviews", fit(Task::Text, &words, texts), odd),
        ("houses", fit(Task::Tabular, &[], houses()), rows([1.0, f64::NAN], [Some("red"), None])),
        ("digits", fit(Task::Image, &cells, digits.unwrap()), image(data::digit(1))),
    ]
}

/// `prices`, whose answers are numbers.
pub fn prices() -> (&'static str, Model, Samples) {
    let sizes = (0..80).map(|i| (i % 11) as f64);
    let colours = (0..80).map(|i| [Some("red"), Some("blue"), None][i % 3]);
    let price = |i: usize| format!("{}", 1000.5 + 3.25 * (i % 11) as f64 + 0.1 * i as f64);
    let data = Dataset::new(rows(sizes, colours)).with_labels((0..80).map(price)).unwrap();
    ("prices", fit(Task::Tabular, &[], data), rows([1.0], [Some("red")]))
}

fn fit(task: Task, sizes: &[(&str, &str)], data: Dataset) -> Model {
    small(task, sizes).terms(2).epochs(2).fit(&data).unwrap()
}

/// A training with networks of these sizes and of 8 units.
pub fn small(task: Task, sizes: &[(&str, &str)]) -> Ngsll<'static> {
    let mut options = Overrides::new();
    sizes.iter().for_each(|(name, value)| options.set(name, value));
    Ngsll::from_config(options.applied_to(&Config::new(task)).unwrap()).units(8)
}

fn rows<'a>(
    size: impl IntoIterator<Item = f64>,
    colour: impl IntoIterator<Item = Option<&'a str>>,
) -> Samples {
    let size = Column::numeric("size", size).unwrap();
    Table::new([size, Column::categorical("colour", colour)]).unwrap().into()
}

fn houses() -> Dataset {
    let colour = |i: usize| [Some("red"), Some("blue"), Some("green"), None][i % 4];
    let rows = rows((0..80).map(|i| (i % 11) as f64), (0..80).map(colour));
    let kind = |i: usize| if i % 11 > 5 { "big" } else { "small" };
    Dataset::new(rows).with_labels((0..80).map(kind)).unwrap()
}
