//! Tasks that the method can learn and a linear model cannot, on small data made here.

mod common;

use common::small::{
    With, bars, classes3, config, fit, go_on, orders, regression, setup, texts, whole, with_k,
};
use ngsll::config::Task;
use ngsll::dataset::{Column, ImageSize, Images, Table};
use ngsll::representation::Representation;
use ngsll::{Config, Dataset, Fitted, Prediction, Samples};
use std::collections::HashSet;

fn accuracy(fitted: &Fitted, data: &Dataset) -> f64 {
    fitted.model.evaluate(data).unwrap().accuracy.unwrap()
}

/// A few texts of five hundred words among short ones: what a word adds does not grow with how often it
/// occurs, so they do not outweigh the others.
#[test]
fn a_few_long_texts_do_not_outweigh_the_short_ones() {
    let fillers = ["the", "food", "was", "staff", "room", "night"];
    let row = |i: usize, length: usize| {
        let word = |t: usize| match t == i % length {
            true => [["superb", "lovely"], ["awful", "dreadful"]][i % 2][i / 2 % 2],
            false => fillers[(i * 7 + t * (t + i)) % fillers.len()],
        };
        let text: Vec<&str> = (0..length).map(word).collect();
        (text.join(" "), ["praise", "blame"][i % 2])
    };
    let length = |i: usize| if i % 20 == 3 { 500 } else { 7 };
    let data = texts((0..300).map(|i| row(i, length(i))).collect());
    let config = with_k(config(Task::Text), 2).with("training.epochs", "8").unwrap();
    let fitted = fit(config, &data);
    let new = texts((300..360).map(|i| row(i, 7)).collect());
    assert_eq!(accuracy(&fitted, &new), 1.0);
}

/// The paper's own example: "funny" favours the film in "this is a funny comedy" and counts against it
/// in "the actor is too bad to be funny". "funny" is the only feature, so z is the same in both and
/// no linear model of z can tell them apart.
#[test]
fn a_word_is_positive_in_one_context_and_negative_in_another() {
    let films = ["comedy", "film", "story", "scene", "drama"];
    let people = ["actor", "hero", "writer", "singer", "clown"];
    let mut rows = Vec::new();
    for i in 0..150 {
        let (film, person) = (films[i % 5], people[i / 5 % 5]);
        rows.push((format!("this is a funny {film}"), "positive"));
        rows.push((format!("the {person} is too bad to be funny"), "negative"));
        rows.push((format!("a funny {film} with a {person}"), "positive"));
        rows.push((format!("that {film} tries hard to be funny"), "negative"));
    }
    let data = texts(rows);
    // Every word but "funny" is kept out of the vocabulary; the network sees that a word is there.
    let others: HashSet<&str> =
        ["this", "is", "a", "the", "too", "bad", "to", "be", "with", "that", "tries", "hard"]
            .into_iter()
            .chain(films)
            .chain(people)
            .collect();
    let mut list: Vec<&str> = others.into_iter().collect();
    list.sort_unstable();
    let config = with_k(whole(Task::Text), 1)
        .with("representation.stop_words", &format!("{list:?}"))
        .unwrap()
        .with("training.epochs", "20")
        .unwrap();
    let fitted = fit(config, &data);
    let new = texts(vec![
        ("this is a funny comedy".to_string(), "positive"),
        ("the actor is too bad to be funny".to_string(), "negative"),
    ]);
    let explanations = fitted.model.explain(&new).unwrap();
    let term = |i: usize| {
        let terms = &explanations[i].outputs[0].terms;
        assert_eq!((terms.len(), terms[0].name.as_str(), terms[0].value), (1, "funny", 1.0));
        terms[0].weight
    };
    // The classes are sorted, so a positive score favours "positive".
    assert!(term(0) > 0.0, "weight {} in the good context", term(0));
    assert!(term(1) < 0.0, "weight {} in the bad context", term(1));
    assert_eq!(accuracy(&fitted, &data), 1.0);
}

#[test]
fn word_order_is_learned_though_the_bag_of_words_is_the_same() {
    let data = orders(400);
    for generator in ["token_context", "sentence_cnn"] {
        for config in [config(Task::Text), whole(Task::Text)] {
            let config = config.with("generator.kind", generator).unwrap();
            let config = config.with("training.epochs", "30").unwrap();
            let accuracy = accuracy(&fit(config, &data), &data);
            assert!(accuracy > 0.95, "{generator}: {accuracy}");
        }
    }
}

#[test]
fn images_of_odd_sizes_are_learned_cell_by_cell() {
    let data = bars(400, 9, 7);
    // Most cells have no part of the bar, so that it takes longer to learn from a few at random.
    for (image, epochs) in [(config(Task::Image), "60"), (whole(Task::Image), "20")] {
        let fitted = fit(image.with("training.epochs", epochs).unwrap(), &data);
        let accuracy = accuracy(&fitted, &data);
        assert!(accuracy > 0.95, "{accuracy}");
        for explanation in fitted.model.explain(&data).unwrap() {
            let terms = &explanation.outputs[0].terms;
            assert!(
                terms.len() == 2 && terms.iter().all(|t| t.feature < 9 && t.value > 0.0),
                "{terms:?}"
            );
        }
    }
    // An image that is one pixel high cannot be pooled, and still has a model.
    let flat = bars(60, 12, 1);
    fit(config(Task::Image).with("representation.cells", "[1, 3]").unwrap(), &flat);
}

/// The methods NGSLL is compared with: one that did not learn would make every other look good.
#[test]
fn the_plain_network_learns_what_needs_order_and_place() {
    let text = |config: Config| config.with("training.epochs", "30").unwrap();
    let image = |config: Config| config.with("training.epochs", "20").unwrap();
    for (config, data) in [
        (text(whole(Task::Text)), orders(400)),
        (image(whole(Task::Image)), bars(400, 9, 7)),
        (text(config(Task::Text)), orders(400)),
        (image(config(Task::Image)), bars(400, 9, 7)),
        (text(config(Task::Tabular)), classes3(400)),
    ] {
        let setup = setup(config, &data).unwrap();
        let network = setup.fit_plain_network(&mut go_on).unwrap();
        let measured = network.quality(&data).unwrap().main().unwrap();
        assert!(measured > 0.95, "{measured}");
    }
}

#[test]
fn several_classes_share_a_gate_if_requested() {
    let data = classes3(600);
    for (sharing, same) in [("shared", true), ("per-class", false)] {
        let config = whole(Task::Tabular).with("training.gate", sharing).unwrap();
        let config = with_k(config, 1).with("training.epochs", "30").unwrap();
        let fitted = fit(config, &data);
        let explanations = fitted.model.explain(&data).unwrap();
        let chosen = |e: &ngsll::Explanation| {
            e.outputs
                .iter()
                .flat_map(|o| o.terms.iter().map(|t| t.feature))
                .collect::<HashSet<_>>()
                .len()
        };
        let most = explanations.iter().map(chosen).max().unwrap();
        assert_eq!(most == 1, same, "{sharing}: up to {most} features");
        let accuracy = accuracy(&fitted, &data);
        assert!(accuracy > 0.9, "{sharing}: {accuracy}");
    }
}

#[test]
fn regression_answers_in_the_target_s_own_units() {
    let data = regression(400);
    for config in [config(Task::Tabular), whole(Task::Tabular)] {
        regression_in_units(config.with("training.epochs", "30").unwrap(), &data);
    }
}

fn regression_in_units(config: Config, data: &Dataset) {
    let fitted = fit(config, data);
    let explanations = fitted.model.explain(data).unwrap();
    let truths: Vec<f64> = data.labels().unwrap().iter().map(|l| l.parse().unwrap()).collect();
    let mean = truths.iter().sum::<f64>() / truths.len() as f64;
    let (mut error, mut total) = (0.0, 0.0);
    for (explanation, truth) in explanations.iter().zip(&truths) {
        let Prediction::Value(value) = explanation.prediction else {
            panic!("a number is predicted")
        };
        let output = &explanation.outputs[0];
        assert_eq!((output.name.as_str(), output.score), ("label", value));
        let sum: f64 = output.terms.iter().map(|t| t.contribution).sum();
        assert!((output.intercept + sum - value).abs() < 1e-9 * value.abs());
        error += (value - truth).powi(2);
        total += (truth - mean).powi(2);
    }
    let r2 = 1.0 - error / total;
    assert!(r2 > 0.9, "R² {r2}");
}

#[test]
fn the_paper_s_course_fresh_noise_and_class_weights_train_too() {
    let data = orders(400);
    let paper = whole(Task::Text).with("training.preset", "paper").unwrap();
    let paper =
        paper.with("training.noise", "fresh").unwrap().with("training.epochs", "30").unwrap();
    let fitted = fit(paper, &data);
    assert!(fitted.model.network().intercepts() == [0.0], "the paper's preset has no intercept");
    assert!(accuracy(&fitted, &data) > 0.9);
    for weights in ["balanced", "{ \"a first\" = 3.0 }"] {
        let config = config(Task::Text).with("training.class_weights", weights).unwrap();
        fit(config, &data);
    }
    let wrong = config(Task::Text).with("training.class_weights", "{ nobody = 3.0 }").unwrap();
    let error = setup(wrong, &data).unwrap_err();
    assert!(error.to_string().contains("a positive weight for one of a first, b first"), "{error}");
}

#[test]
fn a_text_without_any_known_word_falls_back_on_the_intercept() {
    let data = orders(120);
    for config in [config(Task::Text), whole(Task::Text)] {
        let model = fit(config, &data).model;
        let unknown = texts(vec![("zzz qqq".to_string(), "?"), (String::new(), "?")]);
        for explanation in model.explain(&unknown).unwrap() {
            let output = &explanation.outputs[0];
            assert!(output.terms.is_empty());
            assert_eq!(output.score, output.intercept);
        }
    }
}

#[test]
fn wrong_samples_are_refused_with_a_sentence() {
    let refuse = |data: &Dataset| setup(config(Task::Text), data).unwrap_err().to_string();
    let empty = refuse(&texts(Vec::new()));
    assert!(empty.contains("at least one to learn from"), "{empty}");
    let names: Vec<String> = (0..300).map(|i| format!("name {i}")).collect();
    let each = texts(names.iter().map(|name| ("some words".to_string(), name.as_str())).collect());
    let error = refuse(&each);
    assert!(error.contains("300 different labels in 300 samples"), "{error}");
}

/// A column that never varies is uninformative, and must not explode when it does vary later. Where a column
/// is a feature it is not read at all.
#[test]
fn a_constant_column_stays_harmless() {
    let data = common::small::table(200);
    let Samples::Table(table) = data.samples() else { unreachable!("it is a table") };
    let with_fixed = |value: f64| {
        let fixed = Column::numeric("fixed", vec![value; 200]).unwrap();
        Table::new(table.columns().iter().cloned().chain([fixed])).unwrap()
    };
    let labels = data.labels().unwrap().iter();
    let data = Dataset::table(with_fixed(37.7), labels).unwrap();
    let model = fit(config(Task::Tabular), &data).model;
    let names = |model: &ngsll::Model| {
        let representation = model.representation();
        (0..representation.features()).map(|j| representation.name(j)).collect::<Vec<_>>()
    };
    assert_eq!(names(&model), ["x", "y", "colour"]);
    let Representation::Columns(columns) = model.representation() else {
        unreachable!("it reads a table")
    };
    assert_eq!(columns.constant(), ["fixed"]);
    let explained = model.explain_with(&data, Some(3)).unwrap();
    assert!(explained.iter().all(|e| e.outputs[0].terms.iter().all(|t| t.name != "fixed")));
    let anything = Dataset::new(with_fixed(1e300));
    assert_eq!(model.explain_with(&anything, Some(3)).unwrap(), explained);
    let model = fit(whole(Task::Tabular), &data).model;
    for explanation in model.explain(Dataset::new(with_fixed(38.0))).unwrap() {
        assert!(explanation.outputs[0].score.abs() < 100.0, "{explanation:?}");
    }
    let error = model.explain(Dataset::new(with_fixed(1e300))).unwrap_err().to_string();
    assert!(error.contains("fixed") && error.contains("too large"), "{error}");
}

/// On a grey ground, what is erased must not look like a thing; and a thing may be anywhere.
#[test]
fn a_shape_anywhere_in_a_noisy_grey_picture_is_learned_and_pointed_at() {
    let (side, reach, count) = (32_i32, 6, 500);
    let mut state = 7_u64;
    let mut below = |n: i32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % n as u64) as i32
    };
    let size = ImageSize { width: side as usize, height: side as usize, channels: 1 };
    let (mut pixels, mut labels, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let cross = below(2) == 1;
        let [left, top] = [(); 2].map(|()| reach + below(side - 2 * reach));
        let inside = |pixel: &i32| {
            let (x, y) = ((pixel % side - left).abs(), (pixel / side - top).abs());
            x <= reach && y <= reach && (!cross || x <= 1 || y <= 1)
        };
        let shape: HashSet<i32> = (0..side * side).filter(inside).collect();
        let ground = |pixel| if shape.contains(&pixel) { 170 } else { 90 };
        pixels.extend((0..side * side).map(|pixel| (ground(pixel) + below(61) - 30) as u8));
        labels.push(if cross { "cross" } else { "square" });
        shapes.push(shape);
    }
    let data = Dataset::images(Images::new(size, pixels).unwrap(), labels).unwrap();
    let mut options = Config::new(Task::Image);
    for (name, value) in [
        ("generator.channels", "[16, 32, 64]"),
        ("data.test_fraction", "0.2"),
        ("training.epochs", "25"),
    ] {
        options = options.with(name, value).unwrap();
    }
    let setup = setup(with_k(options, 1), &data).unwrap();
    let fitted = setup.fit(None, &mut go_on).unwrap();
    let test = data.select(&setup.rows().test);
    let accuracy = accuracy(&fitted, &test);
    assert!(accuracy > 0.9, "{accuracy}");
    let Representation::Grid(grid) = setup.representation() else { panic!("they are images") };
    let cells = grid.cells();
    let explanations = fitted.model.explain(&test).unwrap();
    let touches =
        |row: usize, cell: usize| shapes[row].iter().any(|&pixel| cells[pixel as usize] == cell);
    let (mut touching, mut by_chance) = (0.0, 0.0);
    for (&row, explanation) in setup.rows().test.iter().zip(&explanations) {
        touching += f64::from(u8::from(touches(row, explanation.outputs[0].terms[0].feature)));
        by_chance += (0..49).filter(|&cell| touches(row, cell)).count() as f64 / 49.0;
    }
    assert!(touching > 1.5 * by_chance, "{touching} of {by_chance} by chance");
}
