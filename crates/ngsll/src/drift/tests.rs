use super::*;
use crate::config::{Config, Task};
use crate::dataset::{Column, Table};
use crate::{Dataset, Ngsll};

/// Rows of a number and a level; the class is by the number.
fn rows(n: usize, shift: f64, level: impl Fn(usize) -> &'static str) -> Dataset {
    let numbers: Vec<f64> = (0..n).map(|i| (i * 37 % 101) as f64 + shift).collect();
    let labels = numbers.iter().map(|v| if v - shift > 50.0 { "high" } else { "low" });
    let labels: Vec<&str> = labels.collect();
    let columns = [
        Column::numeric("size", numbers).unwrap(),
        Column::categorical("kind", (0..n).map(|i| Some(level(i)))),
    ];
    Dataset::table(Table::new(columns).unwrap(), labels).unwrap()
}

fn kinds(i: usize) -> &'static str {
    ["a", "b", "c"][i % 3]
}

fn summary(data: &Dataset, model: &Model) -> DataSummary {
    let all: Vec<usize> = (0..data.len()).collect();
    DataSummary::of(model, (data, &all), (data, &all)).unwrap().unwrap()
}

#[test]
fn a_table_that_moved_and_one_that_did_not() {
    let data = rows(600, 0.0, kinds);
    let model = Ngsll::table().terms(1).epochs(1).fit(&data).unwrap();
    let before = summary(&data, &model);
    assert_eq!((before.rows, before.explained), (600, 500));
    let still = before.drift(&model, &rows(300, 0.0, kinds)).unwrap();
    assert_eq!(still.findings, []);
    let few = before.drift(&model, &rows(29, 60.0, |_| "a")).unwrap();
    assert!(few.is_too_few() && few.findings.is_empty(), "{few:?}");
    let moved = before.drift(&model, &rows(300, 60.0, |_| "a")).unwrap();
    assert!(!moved.is_too_few());
    let of: Vec<&Variable> = moved.findings.iter().map(|finding| &finding.of).collect();
    let column = |name: &str| Variable::Column(name.to_string());
    assert!(of.contains(&&column("size")) && of.contains(&&column("kind")), "{moved:?}");
    assert!(moved.findings.is_sorted_by(|a, b| a.psi >= b.psi));
    let kind = moved.findings.iter().find(|finding| finding.of == column("kind")).unwrap();
    assert!(kind.is_large());
    let expected = "column \"kind\": a in 100.0 % of the rows, 33.3 % in training (PSI ";
    assert!(kind.sentence.starts_with(expected), "{}", kind.sentence);
}

#[test]
fn the_index_is_that_of_its_definition_and_chance_is_let_pass() {
    let of = Variable::Word("x".to_string());
    let before = Distribution { of, bins: Bins::Occurs, counts: vec![90_000, 10_000] };
    let found = Shift::of(&before, &[70_000, 30_000]).unwrap();
    let psi = 0.2 * (0.3_f64 / 0.1).ln() - 0.2 * (0.7_f64 / 0.9).ln();
    assert!((found.psi - psi).abs() < 1e-4, "{found:?}");
    assert_eq!((found.before, found.now), (0.1, 0.3));
    assert!(
        found.sentence.starts_with("the word \"x\" is in 30.0 % of the texts, 10.0 % in training")
    );
    // Of ten samples, the same shares are chance.
    assert_eq!(Shift::of(&before, &[7, 3]), None);
    assert_eq!(Shift::of(&before, &[0, 0]), None, "nothing was counted");
    let always = Distribution { counts: vec![0, 500], ..before };
    assert_eq!(Shift::of(&always, &[0, 2]), None, "all of them then and now");
}

#[test]
fn numbers_have_bins_with_names() {
    let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
    let bins = Bins::of_numbers(&sorted, 4);
    assert_eq!(bins, Bins::Numbers(vec![25.0, 50.0, 75.0]));
    let named = |number: f64| bins.name(bins.of_number(number));
    assert_eq!(named(25.0), "up to 25");
    assert_eq!(named(25.5), "above 25 up to 50");
    assert_eq!((named(1e9), named(f64::NAN)), ("above 75".to_string(), "missing".to_string()));
    assert_eq!(Bins::of_numbers(&[3.0; 9], 4), Bins::Numbers(vec![]));
    assert_eq!(Bins::of_numbers(&[], 4).len(), 2);
}

#[test]
fn words_that_come_and_words_that_are_not_known() {
    let texts =
        |word: &'static str| (0..200).map(move |i| format!("{} {word}", ["good", "bad"][i % 2]));
    let labels = || (0..200).map(|i| ["praise", "blame"][i % 2]);
    let data = Dataset::texts(texts("film"), labels()).unwrap();
    let model = Ngsll::text().terms(1).epochs(1).fit(&data).unwrap();
    let before = summary(&data, &model);
    assert_eq!(before.drift(&model, &data).unwrap().findings, []);
    let new = Dataset::texts(texts("novel"), labels()).unwrap();
    let moved = before.drift(&model, &new).unwrap();
    let found = |variable: &Variable| moved.findings.iter().any(|finding| finding.of == *variable);
    assert!(found(&Variable::Word("film".to_string())), "{moved:?}");
    assert!(found(&Variable::UnknownWords), "{moved:?}");
    assert!(!found(&Variable::Word("good".to_string())), "{moved:?}");
}

#[test]
fn a_summary_can_be_left_out() {
    let data = rows(100, 0.0, kinds);
    let mut config = Config::new(Task::Tabular);
    config.data.summary = false;
    let model = Ngsll::from_config(config).terms(1).epochs(1).fit(&data);
    let all: Vec<usize> = (0..100).collect();
    let model = model.unwrap();
    assert_eq!(DataSummary::of(&model, (&data, &all), (&data, &all)).unwrap(), None);
    assert!(model.summary().is_none());
}
