//! Tables: few rows, logarithms and counts, weights of rows and classes, calibrated probabilities.

mod common;

use common::small::{With, fit, setup};
use ngsll::config::Task;
use ngsll::dataset::{Column, Table};
use ngsll::objective::ValueScale;
use ngsll::random::{Purpose, normal, stream};
use ngsll::{Config, Dataset, Prediction};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> ChaCha8Rng {
    stream(seed, Purpose::Sample, 0, 0)
}

/// Columns a, b, c, … of normal numbers, and what `label` makes of each row.
fn numbers(
    n: usize,
    columns: usize,
    seed: u64,
    mut label: impl FnMut(&[f64], &mut ChaCha8Rng) -> String,
) -> Dataset {
    let mut rng = rng(seed);
    let values: Vec<Vec<f32>> = (0..columns).map(|_| normal(&mut rng, n)).collect();
    let row = |i: usize| values.iter().map(|column| f64::from(column[i])).collect::<Vec<_>>();
    let labels: Vec<String> = (0..n).map(|i| label(&row(i), &mut rng)).collect();
    let column = |(c, values): (usize, &Vec<f32>)| {
        let name = char::from(b'a' + c as u8).to_string();
        Column::numeric(name, values.iter().map(|&v| f64::from(v))).unwrap()
    };
    let table = Table::new(values.iter().enumerate().map(column)).unwrap();
    Dataset::new(table).with_labels(labels).unwrap()
}

fn config(sets: &[(&str, &str)]) -> Config {
    let sets = [("training.epochs", "12"), ("generator.units", "32")].iter().chain(sets);
    sets.fold(Config::new(Task::Tabular), |config, (key, value)| config.with(key, value).unwrap())
}

/// With a hundred rows of a linear rule in noise, the linear model is what there is to find.
#[test]
fn few_rows_are_predicted_as_well_as_by_the_rule_behind_them() {
    let rule = |x: &[f64]| 2.0 * x[0] - x[1] + 0.5 * x[2];
    let noisy = |x: &[f64], rng: &mut ChaCha8Rng| {
        let noise = f64::from(normal(rng, 1)[0]);
        format!("{:.4}", 10.0 + rule(x) + noise)
    };
    let (data, new) = (numbers(120, 8, 1, noisy), numbers(2000, 8, 2, noisy));
    let model = fit(config(&[("k", "8")]), &data).model;
    let found = model.evaluate(&new).unwrap().r2.unwrap();
    // The rule itself explains 5.25 of 6.25; of 108 rows a linear model learns nearly all of it.
    assert!(found > 0.78, "R² {found}");
    // Without that start the network has to find it in the noise.
    let without = config(&[("k", "8"), ("training.linear_start", "false")]);
    let without = fit(without, &data).model.evaluate(&new).unwrap().r2.unwrap();
    assert!(found > without + 0.05, "R² {found}, and {without} without a linear start");
}

/// A saved model of few rows is the same model.
#[test]
fn a_linear_start_is_saved_with_the_model() {
    let data = numbers(150, 3, 3, |x, _| if x[0] > 0.1 { "high" } else { "low" }.to_string());
    let model = fit(config(&[]), &data).model;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("model");
    model.save(&folder).unwrap();
    let loaded = ngsll::Model::load(&folder).unwrap();
    assert_eq!(loaded.explain(&data).unwrap(), model.explain(&data).unwrap());
}

#[test]
fn a_number_that_varies_by_factors_is_predicted_by_its_logarithm() {
    let price = |x: &[f64], rng: &mut ChaCha8Rng| {
        let noise = 0.1 * f64::from(normal(rng, 1)[0]);
        format!("{:.2}", 1000.0 * (0.8 * x[0] - 0.5 * x[1] + noise).exp())
    };
    let data = numbers(400, 3, 4, price);
    let training = setup(config(&[]), &data).unwrap();
    let scale = training.objective().value_scale();
    assert!(matches!(scale, Some(ValueScale::Log { .. })), "{scale:?}");
    let model = fit(config(&[]), &data).model;
    let new = numbers(500, 3, 5, price);
    let metrics = model.evaluate(&new).unwrap();
    assert!(metrics.r2.unwrap() > 0.9, "{metrics:?}");
    for explanation in model.explain(&new).unwrap() {
        let Prediction::Value(value) = explanation.prediction else { panic!("it is a number") };
        let output = &explanation.outputs[0];
        let sum = output.intercept + output.terms.iter().map(|t| t.contribution).sum::<f64>();
        assert!((sum - output.score).abs() < 1e-9 && (sum.exp() - value).abs() < 1e-6 * value);
        assert_eq!(explanation.exponentiated(), Some(value));
    }
    // Right on average: the mean of logarithms would be too low.
    let truth = |i: usize| new.label(i).unwrap().parse::<f64>().unwrap();
    let truths = (0..new.len()).map(truth).sum::<f64>();
    let values = model.predict(&new).unwrap().iter().map(|p| p.value().unwrap()).sum::<f64>();
    assert!((values / truths - 1.0).abs() < 0.06, "{values} of {truths}");
    // A number that adds up keeps its scale, and so does one whose scale was given.
    let sum = |x: &[f64], _: &mut ChaCha8Rng| format!("{:.3}", 50.0 + 3.0 * x[0] + x[1].exp());
    for (data, sets) in [
        (numbers(400, 3, 6, sum), vec![]),
        (numbers(400, 3, 4, price), vec![("training.log_target", "false")]),
    ] {
        let scale = setup(config(&sets), &data).unwrap().objective().value_scale();
        assert_eq!(scale, Some(ValueScale::Linear));
    }
}

#[test]
fn counts_are_expected_to_be_what_they_are() {
    let rate = |x: &[f64]| (0.7 * x[0] + 0.3).exp();
    let count = |x: &[f64], rng: &mut ChaCha8Rng| {
        // Knuth's way to draw a Poisson number.
        let (limit, mut product, mut k) = ((-rate(x)).exp(), rng.random::<f64>(), 0);
        while product > limit {
            product *= rng.random::<f64>();
            k += 1;
        }
        k.to_string()
    };
    let sets = [("training.loss", "poisson"), ("objective", "regression")];
    for rows in [600, 2600] {
        let data = numbers(rows, 2, 7, count);
        let model = fit(config(&sets), &data).model;
        let new = numbers(300, 2, 8, |x, _| rate(x).to_string());
        let metrics = model.evaluate(&new).unwrap();
        assert!(metrics.r2.unwrap() > 0.85, "{rows} rows: {metrics:?}");
    }
}

#[test]
fn other_losses_find_the_median_and_leave_outliers_alone() {
    let value = |x: &[f64], rng: &mut ChaCha8Rng| {
        let outlier = if rng.random::<f64>() < 0.1 { 300.0 } else { 0.0 };
        format!("{:.3}", 5.0 * x[0] + outlier)
    };
    let data = numbers(2600, 2, 9, value);
    let new = numbers(300, 2, 10, |x, _| (5.0 * x[0]).to_string());
    let off = |loss: &str| {
        let model = fit(config(&[("training.loss", loss)]), &data).model;
        model.evaluate(&new).unwrap().median_error.unwrap()
    };
    let (squared, absolute, huber) = (off("squared"), off("absolute"), off("huber"));
    assert!(squared > 20.0 && absolute < 6.0 && huber < squared, "{squared} {absolute} {huber}");
}

/// Rows without weight teach nothing.
#[test]
fn rows_count_what_a_column_says() {
    let n = 600;
    let data = numbers(n, 2, 11, |x, _| if x[0] > 0.0 { "yes" } else { "no" }.to_string());
    let ngsll::Samples::Table(table) = data.samples() else { panic!("it is a table") };
    // Every third row says the opposite, but counts nothing.
    let labels: Vec<&str> = (0..n)
        .map(|i| match (i % 3, data.label(i).unwrap()) {
            (0, "yes") => "no",
            (0, _) => "yes",
            (_, "yes") => "yes",
            _ => "no",
        })
        .collect();
    let weights = Column::numeric("count", (0..n).map(|i| if i % 3 == 0 { 0.0 } else { 5.0 }));
    let columns = table.columns().iter().cloned().chain([weights.unwrap()]);
    let weighted = Dataset::new(Table::new(columns).unwrap()).with_labels(labels).unwrap();
    let model = fit(config(&[("data.weights", "count")]), &weighted).model;
    // It is not a feature, and prediction does not need it.
    assert_eq!(model.representation().features(), 2);
    let accuracy = model.evaluate(&data).unwrap().accuracy.unwrap();
    assert!(accuracy > 0.95, "{accuracy}");
}

/// A class with a larger weight in training is not more frequent for that.
#[test]
fn weighted_classes_keep_their_frequency() {
    let rare = |x: &[f64], rng: &mut ChaCha8Rng| {
        let p = 1.0 / (1.0 + (3.0 - x[0]).exp());
        if rng.random::<f64>() < p { "rare" } else { "usual" }.to_string()
    };
    let (data, new) = (numbers(2600, 2, 12, rare), numbers(4000, 2, 13, rare));
    let model = fit(config(&[("training.class_weights", "balanced")]), &data).model;
    let names = ["rare", "usual"];
    assert_eq!(model.objective().classes(), names);
    let share = |data: &Dataset| {
        let rare = (0..data.len()).filter(|&i| data.label(i) == Some("rare")).count();
        rare as f64 / data.len() as f64
    };
    let predictions = model.predict(&new).unwrap();
    let probability = |p: &Prediction| p.class().unwrap().probabilities()[0];
    let mean = predictions.iter().map(probability).sum::<f64>() / new.len() as f64;
    assert!((mean - share(&new)).abs() < 0.03, "{mean} instead of {}", share(&new));
    let known = model.network().intercepts()[0];
    let base = share(&data);
    assert!((known - ((1.0 - base) / base).ln()).abs() < 0.1, "{known}");
}

/// Calibration multiplies every term by the same number and leaves the base rate alone.
#[test]
fn calibration_keeps_what_terms_say() {
    let noisy = |x: &[f64], rng: &mut ChaCha8Rng| {
        let p = 1.0 / (1.0 + (-x[0]).exp());
        if rng.random::<f64>() < p { "yes" } else { "no" }.to_string()
    };
    let (data, new) = (numbers(2600, 4, 14, noisy), numbers(50, 4, 15, noisy));
    let explained = |calibration: &str| {
        let model = fit(config(&[("training.calibration", calibration)]), &data).model;
        model.explain_with(&new, Some(2)).unwrap()
    };
    let (with, without) = (explained("true"), explained("false"));
    let mut numbers = Vec::new();
    for (with, without) in with.iter().zip(&without) {
        let (with, without) = (&with.outputs[0], &without.outputs[0]);
        assert_eq!(with.intercept, without.intercept);
        let sum = with.intercept + with.terms.iter().map(|t| t.contribution).sum::<f64>();
        assert!((sum - with.score).abs() < 1e-9);
        let terms = with.terms.iter().zip(&without.terms);
        numbers.extend(terms.filter(|(_, b)| b.contribution.abs() > 0.05).map(|(a, b)| {
            assert_eq!(a.name, b.name);
            a.contribution / b.contribution
        }));
    }
    let [least, most] = [f64::min, f64::max].map(|f| numbers.iter().copied().reduce(f).unwrap());
    assert!(numbers.len() > 40 && most - least < 1e-4, "from {least} to {most}");
    // The border between the classes stays: no term is made larger.
    assert!((0.5..1.0001).contains(&least), "{least}");
}

#[test]
fn of_many_columns_those_are_read_that_say_something() {
    let n = 150;
    let mut rng = rng(16);
    let values: Vec<Vec<f32>> = (0..140).map(|_| normal(&mut rng, n)).collect();
    let column = |(c, v): (usize, &Vec<f32>)| {
        Column::numeric(format!("v{c}"), v.iter().map(|&v| f64::from(v))).unwrap()
    };
    let labels: Vec<&str> =
        (0..n).map(|i| if values[33][i] > 0.0 { "up" } else { "down" }).collect();
    let table = Table::new(values.iter().enumerate().map(column)).unwrap();
    let data = Dataset::new(table).with_labels(labels).unwrap();
    let training = setup(config(&[("training.epochs", "2")]), &data).unwrap();
    assert_eq!((training.columns_left_out(), training.representation().features()), (40, 100));
    let model = training.fit(None, &mut common::small::go_on).unwrap().model;
    assert!(model.evaluate(&data).unwrap().accuracy.unwrap() > 0.85);
}
