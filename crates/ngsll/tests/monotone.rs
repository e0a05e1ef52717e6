//! Monotone columns: the score never goes the wrong way, whatever the data say, for every row and every K.

mod common;

use common::small::{With, config, fit, go_on, setup};
use ngsll::config::Task;
use ngsll::dataset::{Column, Table};
use ngsll::random::{Purpose, stream};
use ngsll::representation::Monotone;
use ngsll::{Config, Dataset, Device, Judge, Model, Samples, Trust};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Incomes and debts with gaps, ages, and towns.
struct LoanRows {
    income: Vec<f64>,
    debt: Vec<f64>,
    age: Vec<f64>,
    town: Vec<Option<&'static str>>,
}

impl LoanRows {
    fn draw(n: usize, rng: &mut ChaCha8Rng) -> Self {
        // Skewed, as incomes are.
        let mut income: Vec<f64> =
            (0..n).map(|_| (rng.random_range(-1.5..1.5_f64)).exp() * 1000.0).collect();
        let mut debt: Vec<f64> = (0..n).map(|_| rng.random_range(0..40) as f64).collect();
        let age: Vec<f64> = (0..n).map(|_| rng.random_range(18.0..80.0)).collect();
        let names = [Some("north"), Some("south"), None];
        let town = (0..n).map(|_| names[rng.random_range(0..3)]).collect();
        (0..n).step_by(11).for_each(|i| income[i] = f64::NAN);
        (3..n).step_by(13).for_each(|i| debt[i] = f64::NAN);
        Self { income, debt, age, town }
    }

    fn samples(self) -> Samples {
        let number = |name: &str, values: Vec<f64>| Column::numeric(name, values).unwrap();
        let columns = [
            number("income", self.income),
            number("debt", self.debt),
            number("age", self.age),
            Column::categorical("town", self.town),
        ];
        Table::new(columns).unwrap().into()
    }

    /// A value to predict that goes against what is promised for half of the incomes and of the debts, and
    /// turns around with the town.
    fn value(&self, i: usize) -> f64 {
        let income = if self.income[i].is_nan() { 1000.0 } else { self.income[i] };
        let debt = if self.debt[i].is_nan() { 0.0 } else { self.debt[i] };
        let hill = -(income.ln() - 7.0).powi(2);
        let turn = if self.town[i] == Some("south") { -1.0 } else { 1.0 };
        hill + turn * income.ln() / 2.0 + (debt / 6.0).sin() + self.age[i] / 40.0
    }
}

fn data(n: usize, label: impl Fn(f64) -> String) -> Dataset {
    let mut rng = stream(5, Purpose::Sample, 0, 0);
    let rows = LoanRows::draw(n, &mut rng);
    let labels: Vec<String> = (0..n).map(|i| label(rows.value(i))).collect();
    Dataset::new(rows.samples()).with_labels(labels).unwrap()
}

fn asked() -> Config {
    let config = config(Task::Tabular).with("data.columns.income.monotone", "up").unwrap();
    config.with("data.columns.debt.monotone", "down").unwrap()
}

/// Scores of random rows whose value of one column goes through ascending values, most of them far from all
/// that training saw, for every K; the column's own term goes the same way.
fn check(model: &Model) {
    let mut rng = stream(6, Purpose::Sample, 0, 0);
    let mut moved = 0;
    for round in 0..12 {
        let mut steps: Vec<f64> = (0..48).map(|_| rng.random_range(-500.0..9000.0)).collect();
        steps.extend([-1e30, -1e7, -1.0, 0.0, 20.0, 39.0, 45.0, 1e6, 1e30]);
        steps.sort_by(f64::total_cmp);
        for (name, direction) in [("income", 1.0), ("debt", -1.0)] {
            // The same row repeatedly, except for one value.
            let one = LoanRows::draw(20, &mut rng);
            let at = round % 20;
            let same = |values: &[f64]| vec![values[at]; steps.len()];
            let mut rows = LoanRows {
                income: same(&one.income),
                debt: same(&one.debt),
                age: same(&one.age),
                town: vec![one.town[at]; steps.len()],
            };
            match name {
                "income" => rows.income = steps.clone(),
                _ => rows.debt = steps.clone(),
            }
            let samples = rows.samples();
            for k in 1..=model.largest_k() {
                let explained = model.explain_with(&samples, Some(k)).unwrap();
                let scores: Vec<f64> = explained.iter().map(|e| e.outputs[0].score).collect();
                let terms: Vec<Option<f64>> = explained
                    .iter()
                    .map(|e| {
                        let own = e.outputs[0].terms.iter().find(|term| term.name == name)?;
                        assert!(
                            own.weight * direction >= -2e-6 * (1.0 + own.level.abs()),
                            "{own:?}"
                        );
                        Some(own.contribution)
                    })
                    .collect();
                // Sums of single-precision numbers: the rounding of what is added up, and no more. Levels
                // and slopes may be large and nearly cancel.
                let size = |i: usize| -> f64 {
                    let terms = explained[i].outputs[0].terms.iter();
                    1.0 + terms.map(|t| t.level.abs() + (t.weight * t.value).abs()).sum::<f64>()
                };
                let rounding = 4.0 * f64::from(f32::EPSILON);
                for i in 1..steps.len() {
                    let near = rounding * size(i - 1).max(size(i));
                    let (before, after) = (scores[i - 1], scores[i]);
                    let rises = (after - before) * direction;
                    assert!(
                        rises >= -near,
                        "{name} from {} to {}, K = {k}: {before} to {after}",
                        steps[i - 1],
                        steps[i],
                    );
                    let (Some(before), Some(after)) = (terms[i - 1], terms[i]) else {
                        assert_eq!(terms[i - 1], terms[i], "the same columns are chosen");
                        continue;
                    };
                    assert!((after - before) * direction >= -near);
                }
                let range = (scores[steps.len() - 1] - scores[0]) * direction;
                moved += usize::from(range > 0.01);
            }
        }
    }
    assert!(moved > 20, "a constant would keep the promise, too: {moved}");
}

fn two_classes(value: f64) -> String {
    if value > 0.0 { "yes" } else { "no" }.to_string()
}

#[test]
fn the_score_of_two_classes_never_goes_the_wrong_way() {
    check(&fit(asked(), &data(400, two_classes)).model);
}

#[test]
fn predicted_numbers_never_go_the_wrong_way_on_any_scale() {
    let data = data(400, |value| (value.exp() * 3.0).round().to_string());
    for option in ["training.log_target=false", "training.loss=poisson"] {
        let (name, value) = option.split_once('=').unwrap();
        check(&fit(asked().with(name, value).unwrap(), &data).model);
    }
    let data = self::data(400, |value| value.exp().to_string());
    let logarithms = asked().with("training.log_target", "true").unwrap();
    check(&fit(logarithms, &data).model);
}

#[test]
fn it_holds_without_a_linear_model_and_after_saving() {
    let config = asked().with("training.linear_start", "false").unwrap();
    let data = data(300, |value| value.to_string());
    let model = fit(config, &data).model;
    check(&model);
    let folder = std::env::temp_dir().join(format!("ngsll-monotone-{}", std::process::id()));
    model.save(&folder).unwrap();
    let loaded = Model::load(&folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(loaded.predict(&data).unwrap(), model.predict(&data).unwrap());
    let expected = [("income", Monotone::Up), ("debt", Monotone::Down)];
    assert_eq!(loaded.representation().monotone(), expected);
}

/// An interaction: the steepness of a column depends on another one.
#[test]
fn the_steepness_of_a_column_depends_on_the_others() {
    let mut rng = stream(7, Purpose::Sample, 0, 0);
    let n = 2200;
    let x: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let on: Vec<bool> = (0..n).map(|_| rng.random()).collect();
    let target = |i: usize| if on[i] { 2.0 * x[i] } else { 0.0 };
    let labels: Vec<String> = (0..n).map(|i| target(i).to_string()).collect();
    let level = |on: &bool| Some(if *on { "on" } else { "off" });
    let columns =
        [Column::numeric("x", x).unwrap(), Column::categorical("switch", on.iter().map(level))];
    let data = Dataset::new(Table::new(columns).unwrap()).with_labels(labels).unwrap();
    let config = config(Task::Tabular).with("data.columns.x.monotone", "up").unwrap();
    let config = config.with("training.batch_size", "32").unwrap();
    let model = fit(config, &data).model;
    let r2 = model.evaluate(&data).unwrap().r2.unwrap();
    assert!(r2 > 0.97, "R² {r2}");
}

#[test]
fn impossible_promises_are_refused() {
    let message = |config: ngsll::Result<Config>, data: &Dataset| {
        config.and_then(|config| setup(config, data)).map(|_| ()).unwrap_err().to_string()
    };
    let two = data(80, two_classes);
    let three = data(80, |value| ["a", "b", "c"][(value.abs() * 10.0) as usize % 3].to_string());
    let table = || config(Task::Tabular);
    let up = |column: &str| table().with(&format!("data.columns.{column}.monotone"), "up");
    let and = |name: &str, value: &str| asked().with(name, value);
    let whole = common::small::whole(Task::Tabular).with("data.columns.income.monotone", "up");
    for (config, data, expected) in [
        (
            up("incom"),
            &two,
            "data.columns.incom.monotone = up: the data have no column of this name",
        ),
        (up("town"), &two, "the column holds categories"),
        (up("income"), &three, "this is for a number or two classes, and the target has 3"),
        (whole, &two, "this needs evidence chosen"),
        (and("generator.kind", "tabular_mlp"), &two, "this needs the generator tabular_ensemble"),
        (
            and("choice", "{rule = \"two_pass\", side = \"both\"}"),
            &two,
            "this needs choice.rule effect",
        ),
        (and("data.drop", "[\"debt\"]"), &two, "the column is left out by data.drop"),
        (table().with("data.columns.income.monotone", "sideways"), &two, "expected up or down"),
    ] {
        let message = message(config, data);
        assert!(message.contains(expected), "{message}");
    }
    let texts = Dataset::texts(["a b", "b c"].repeat(20), ["x", "y"].repeat(20)).unwrap();
    let text = config(Task::Text).with("data.columns.income.monotone", "up");
    assert!(message(text, &texts).ends_with("only tables have columns"));
}

#[test]
fn a_judge_reads_monotone_columns_as_its_model_does() {
    let data = data(200, two_classes);
    let config = asked().with("training.epochs", "2").unwrap();
    let model = fit(config.clone(), &data).model;
    let options = config.check().unwrap();
    let judge = Judge::fit(options, &data, None, &Device::default(), &mut go_on).unwrap();
    let trust = Trust::measure(&model, &judge, &data, Some(2)).unwrap();
    assert!(!trust.what_if.is_empty() && trust.chosen.accuracy.is_some(), "{trust:?}");
}
