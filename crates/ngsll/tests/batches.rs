//! An explanation has the same bits alone, among others, and beside a text of a thousand words.

mod common;

use common::small::{
    With, bars, classes3, config, fit, orders, regression, table, texts, whole, with_k,
};
use ngsll::config::Task;
use ngsll::{Config, Dataset, Samples};

/// Networks wide enough for every way that a product of matrices can take.
fn wide(config: Config, more: &[(&str, &str)]) -> Config {
    let sets = [("training.epochs", "2"), ("generator.units", "40")];
    let sets = sets.iter().chain(more);
    sets.fold(with_k(config, 3), |config, (name, value)| config.with(name, value).unwrap())
}

/// Texts of three classes.
fn kinds() -> Dataset {
    let words = ["alpha", "beta", "gamma"];
    let row = |i: usize| (format!("one {} two {}", words[i % 3], words[i / 3 % 3]), words[i % 3]);
    texts((0..90).map(row).collect())
}

/// Samples of which some are much longer than others.
fn of_all_lengths() -> Samples {
    let words = ["alpha", "beta", "one", "two", "unknown", "gamma", "five"];
    let text = |i: usize| {
        let length = if i % 16 == 5 { 1000 } else { i % 9 };
        let words = (0..length).map(|at| words[(at * (i + 1) + i) % words.len()]);
        words.collect::<Vec<_>>().join(" ")
    };
    Samples::texts((0..40).map(text))
}

/// Explains all together, then some alone and in small groups.
#[track_caller]
fn same_bits(config: Config, data: &Dataset, samples: &Samples) {
    let model = fit(config, data).model;
    let together = model.explain(samples).unwrap();
    let scores = model.scores_with(samples, None).unwrap();
    for rows in [&[0][..], &[1], &[5], &[7], &[2, 3], &[30], &[31, 8, 21, 9, 33]] {
        let few = samples.select(rows);
        let (explained, scored) = (model.explain(&few), model.scores_with(&few, None));
        for (i, (explanation, score)) in
            explained.unwrap().into_iter().zip(scored.unwrap()).enumerate()
        {
            assert_eq!(explanation, together[rows[i]], "sample {} of {rows:?}", rows[i]);
            assert_eq!(score, scores[rows[i]], "sample {} of {rows:?}", rows[i]);
        }
    }
}

#[test]
fn texts_by_each_network() {
    let networks: [&[(&str, &str)]; 2] = [&[], &[("generator.kind", "sentence_cnn")]];
    for (data, network) in [(orders(90), networks[0]), (kinds(), networks[0])] {
        for config in [config(Task::Text), whole(Task::Text)] {
            same_bits(wide(config, network), &data, &of_all_lengths());
        }
    }
    for data in [orders(90), kinds()] {
        same_bits(wide(whole(Task::Text), networks[1]), &data, &of_all_lengths());
    }
}

#[test]
fn images_by_each_network() {
    let data = bars(90, 10, 9);
    let samples = data.samples().clone();
    same_bits(wide(config(Task::Image), &[]), &data, &samples);
    let plain = [("generator.kind", "image_cnn")];
    for config in [config(Task::Image), whole(Task::Image)] {
        same_bits(wide(config, &plain), &data, &samples);
    }
}

#[test]
fn rows_by_each_network() {
    for data in [table(90), classes3(90), regression(90)] {
        let samples = data.samples().clone();
        for config in [config(Task::Tabular), whole(Task::Tabular)] {
            same_bits(wide(config, &[]), &data, &samples);
        }
    }
}
