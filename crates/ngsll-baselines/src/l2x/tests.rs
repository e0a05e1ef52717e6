//! What L2X learns, and the relaxed choice.

use super::network::relaxed_choice;
use super::*;
use burn::tensor::Tensor;
use ngsll::Config;
use ngsll::config::Task;
use ngsll::dataset::{Column, Table};
use ngsll::random::{Purpose, stream};
use ngsll::representation::WordsConfig;
use rand::RngExt;

/// Four columns of noise; the sign of the third is the label.
fn planted(rows: usize) -> Dataset {
    let mut rng = stream(5, Purpose::Sample, 0, 0);
    let columns: Vec<Vec<f64>> =
        (0..4).map(|_| (0..rows).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
    let labels: Vec<&str> =
        columns[2].iter().map(|&x| if x > 0.0 { "yes" } else { "no" }).collect();
    let columns = columns.into_iter().zip(["a", "b", "c", "d"]);
    let columns = columns.map(|(values, name)| Column::numeric(name, values).unwrap());
    Dataset::table(Table::new(columns).unwrap(), labels).unwrap()
}

fn setup(data: &Dataset, task: Task, evidence: Evidence) -> TrainingSetup {
    let mut config = Config::with_evidence(task, evidence);
    config.k = 1;
    if task == Task::Text {
        let mut words = WordsConfig::default();
        words.min_count = 1;
        config.representation = words.into();
    }
    TrainingSetup::new(config.check().unwrap(), data, None, &Device::default()).unwrap()
}

fn go_on(_: f64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn accuracy(setup: &TrainingSetup, data: &Dataset, choices: &[L2xChoice]) -> f64 {
    let objective = setup.objective();
    let classes = objective.classes();
    let right = choices.iter().enumerate().filter(|(row, choice)| {
        data.label(*row) == Some(&classes[objective.class(&choice.scores)])
    });
    right.count() as f64 / choices.len() as f64
}

#[test]
fn it_finds_the_column_that_decides() {
    let data = planted(1000);
    let setup = setup(&data, Task::Tabular, Evidence::Whole);
    let options = L2xOptions::default().k(1).epochs(20).seed(3);
    let l2x = L2x::fit(&setup, &data, &options, &mut go_on).unwrap();
    let choices = l2x.explain(data.samples()).unwrap();
    let named = |choice: &&L2xChoice| l2x.representation().name(choice.features[0]) == "c";
    let right = choices.iter().filter(named).count();
    assert!(right > 950, "{right} of 1000");
    let accuracy = accuracy(&setup, &data, &choices);
    assert!(accuracy > 0.95, "{accuracy}");
}

#[test]
fn it_finds_the_word_that_decides() {
    let texts = (0..300).map(|i| {
        let decides = ["good", "bad"][i % 2];
        format!("the film number {} was {decides} they say", i % 7)
    });
    let data = Dataset::texts(texts, (0..300).map(|i| i % 2)).unwrap();
    let setup = setup(&data, Task::Text, Evidence::Whole);
    let options = L2xOptions::default().k(1).epochs(15).batch_size(16);
    let l2x = L2x::fit(&setup, &data, &options, &mut go_on).unwrap();
    let choices = l2x.explain(data.samples()).unwrap();
    let accuracy = accuracy(&setup, &data, &choices);
    assert!(accuracy > 0.95, "{accuracy}");
    assert!(choices.iter().all(|choice| choice.features.len() == 1));
}

#[test]
fn a_relaxed_choice_of_everything_that_is_open_is_near_one() {
    let logits = Tensor::<2>::from_data([[0.0, 0.0, -1e9]], &Device::default());
    let mut rng = stream(1, Purpose::Noise, 0, 0);
    let choice = relaxed_choice(logits, 20, 0.05, &mut rng);
    let values: Vec<f64> = choice.into_data().iter::<f64>().collect();
    assert!(values[0] > 0.99 && values[1] > 0.99 && values[2] < 1e-6, "{values:?}");
}

#[test]
fn options_that_cannot_work_are_refused() {
    let data = planted(40);
    let whole = setup(&data, Task::Tabular, Evidence::Whole);
    let refused = |setup: &TrainingSetup, options: &L2xOptions| {
        L2x::fit(setup, &data, options, &mut go_on).unwrap_err().to_string()
    };
    assert_eq!(refused(&whole, &L2xOptions::default().k(0)), "k = 0: at least 1");
    let cold = L2xOptions::default().temperature(0.0);
    assert_eq!(refused(&whole, &cold), "temperature = 0: a number above 0");
    let chosen = setup(&data, Task::Tabular, Evidence::Chosen);
    let message = refused(&chosen, &L2xOptions::default());
    assert!(message.contains("L2X reads whole samples"), "{message}");
}
