//! Predictions from chosen features: the sum is exact at every K, the intercept is the base rate, a column
//! is a feature, and a planted reason is found.

mod common;

use common::small::{
    With, bars, classes3, config, fit, orders, regression, setup, table, texts, whole, with_k,
};
use ngsll::config::Task;
use ngsll::dataset::{Column, ImageSize, Images, Table};
use ngsll::evidence::Choice;
use ngsll::evidence::choice::{Rule, Side};
use ngsll::explanation::Term;
use ngsll::generator::Dropout;
use ngsll::metrics::Evaluation;
use ngsll::network::Gating;
use ngsll::objective::Targets;
use ngsll::random::{Purpose, stream};
use ngsll::representation::{ColumnEncoding, Representation};
use ngsll::{Config, Dataset, Device, Evidence, Explanation, Model, Ngsll, Samples};
use rand::RngExt;
use std::collections::BTreeSet;

/// A model that has hardly learned: what holds for it is not a matter of training.
fn hardly(config: Config, data: &Dataset) -> Model {
    fit(config.with("training.epochs", "2").unwrap(), data).model
}

fn three_texts(n: usize) -> Dataset {
    let row =
        |i: usize| (format!("w{} w{} w{} w{}", i % 3, i % 5, i % 7, i % 3), ["a", "b", "c"][i % 3]);
    texts((0..n).map(row).collect())
}

/// The features that an explanation names, by score.
fn named(explanation: &Explanation) -> Vec<BTreeSet<usize>> {
    let features = |terms: &[Term]| terms.iter().map(|term| term.feature).collect();
    explanation.outputs.iter().map(|output| features(&output.terms)).collect()
}

/// The network's own scores from the given features of one sample, in the user's units.
fn forward_scores(model: &Model, data: &Dataset, row: usize, named: &BTreeSet<usize>) -> Vec<f64> {
    let representation = model.representation();
    let encoded = representation.encode(data.samples()).unwrap();
    let device = Device::default().autodiff();
    let batch = representation.batch(&encoded, &[row], &device);
    let mut kept = batch.all_available().zeros_like();
    let width = batch.weights_per_feature;
    for (slot, &j) in batch.rows[0].indices.iter().enumerate().step_by(width) {
        if named.contains(&(j as usize / width)) {
            let slot = slot / width;
            let one = kept.clone().slice([0..1, slot..slot + 1]).ones_like();
            kept = kept.slice_assign([0..1, slot..slot + 1], one);
        }
    }
    let gating = Gating::Evidence { kept };
    let forward = model.network().forward(&batch, gating, &mut Dropout::off()).unwrap();
    let (factor, offset) = model.objective().units();
    forward.scores.into_data().iter::<f64>().map(|score| score * factor + offset).collect()
}

/// For every kind of sample, one score, several and a number, every k from 1 to d (of a vocabulary as
/// far as a text goes).
#[test]
fn the_terms_add_up_to_what_the_network_says_of_them_alone() {
    for (config, data) in [
        (config(Task::Text), orders(60)),
        (config(Task::Text), three_texts(60)),
        (config(Task::Image), bars(60, 10, 9)),
        (config(Task::Tabular), table(80)),
        (config(Task::Tabular), regression(80)),
        (config(Task::Tabular), classes3(80)),
    ] {
        let model = hardly(config, &data);
        assert_eq!(model.evidence(), Evidence::Chosen);
        for k in 1..=model.largest_k().min(10) {
            let explanations = model.explain_with(&data, Some(k)).unwrap();
            for (row, explanation) in explanations.iter().enumerate() {
                let named = named(explanation);
                assert!(named.iter().all(|own| *own == named[0]), "the classes share the features");
                assert!(named[0].len() <= k);
                let scores = forward_scores(&model, &data, row, &named[0]);
                assert_eq!(scores.len(), explanation.outputs.len());
                for (output, score) in explanation.outputs.iter().zip(scores) {
                    assert_eq!(output.terms.len(), named[0].len());
                    let sum: f64 = output.terms.iter().map(|t| t.contribution).sum();
                    let (sum, unit) = (output.intercept + sum, score.abs().max(1.0));
                    assert!((sum - output.score).abs() < 1e-9 * unit, "{output:?}");
                    assert!((sum - score).abs() < 1e-5 * unit, "{output:?} instead of {score}");
                    for term in &output.terms {
                        let own = term.level + term.weight * term.value;
                        assert!((own - term.contribution).abs() < 1e-12 * unit, "{term:?}");
                    }
                }
            }
            let mut evaluation = Evaluation::new(&model, Some(k)).unwrap();
            evaluation.add(&data).unwrap();
            let metrics = evaluation.finish();
            assert!(metrics.features_max <= k);
            let unit = model.objective().units().0.max(1.0);
            assert!((0.0..1e-4 * unit).contains(&metrics.sum_difference_max), "{metrics:?}");
        }
        for wrong in [0, model.largest_k() + 1] {
            let error = model.explain_with(&data, Some(wrong)).unwrap_err().to_string();
            assert!(error.contains("the number of features"), "{error}");
        }
    }
}

/// If there are at most K features, all are terms, whatever the rule.
#[test]
fn every_rule_names_k_features_or_all_there_are() {
    for (config, data) in [
        (config(Task::Text), three_texts(40)),
        (config(Task::Image), bars(40, 10, 9)),
        (config(Task::Tabular), classes3(40)),
    ] {
        let model = hardly(config, &data);
        for rule in [Rule::Search, Rule::Halving, Rule::Gradient, Rule::TwoPass, Rule::TermHalving]
        {
            for side in [Side::Answer, Side::Both] {
                let model = model.clone().with_choice(Choice::new(rule, side));
                for k in 1..=model.largest_k().min(5) {
                    for (row, explanation) in
                        model.explain_with(&data, Some(k)).unwrap().iter().enumerate()
                    {
                        let there = match model.view(&data, row).unwrap() {
                            ngsll::SampleView::Text { tokens } => tokens
                                .iter()
                                .filter_map(|t| t.feature)
                                .collect::<BTreeSet<_>>()
                                .len(),
                            _ => model.largest_k(),
                        };
                        assert_eq!(named(explanation)[0].len(), k.min(there), "{rule:?}, {side:?}");
                    }
                }
            }
        }
    }
}

/// The log odds, the log shares and the mean of the training rows, before training and after.
#[test]
fn the_intercept_is_the_base_rate_of_the_training_rows() {
    let uneven = |i: usize| {
        (format!("w{} w{}", i % 5, i % 3), ["few", "many"][usize::from(!i.is_multiple_of(4))])
    };
    for (config, data) in [
        (config(Task::Text), texts((0..100).map(uneven).collect())),
        (config(Task::Tabular), classes3(100)),
        (config(Task::Tabular), regression(100)),
    ] {
        let setup = setup(config.with("training.epochs", "3").unwrap(), &data).unwrap();
        let model = setup.fit(None, &mut common::small::go_on).unwrap().model;
        let intercepts: Vec<f64> = {
            let explanation = &model.explain(data.select(&[0])).unwrap()[0];
            explanation.outputs.iter().map(|output| output.intercept).collect()
        };
        let expected = match setup.targets().select(&setup.rows().train) {
            Targets::Values(_) => {
                let labels: Vec<f64> =
                    data.labels().unwrap().iter().map(|label| label.parse().unwrap()).collect();
                let train = &setup.rows().train;
                vec![train.iter().map(|&row| labels[row]).sum::<f64>() / train.len() as f64]
            }
            Targets::Classes(classes) => {
                let share = |class: usize| {
                    let own = classes.iter().filter(|&&c| c == class).count();
                    (own as f64 / classes.len() as f64).ln()
                };
                match model.objective().outputs() {
                    1 => vec![share(1) - share(0)],
                    n => (0..n).map(share).collect(),
                }
            }
            _ => unreachable!("there are classes and numbers"),
        };
        assert_eq!(intercepts.len(), expected.len());
        for (found, expected) in intercepts.iter().zip(&expected) {
            let unit = expected.abs().max(1.0);
            assert!((found - expected).abs() < 1e-6 * unit, "{intercepts:?}, {expected:?}");
        }
    }
    // Also where every class counts the same in training.
    let data = texts((0..100).map(uneven).collect());
    let balanced = config(Task::Text).with("training.class_weights", "balanced").unwrap();
    let plain = hardly(config(Task::Text), &data).network().intercepts();
    assert_eq!(hardly(balanced, &data).network().intercepts(), plain);
    // A model without an intercept has none with chosen features either.
    let none = config(Task::Text).with("training.intercept", "false").unwrap();
    assert_eq!(hardly(none, &data).network().intercepts(), [0.0]);
}

/// A missing value, a number at its mean and a level that training never saw are terms of their column.
#[test]
fn a_column_speaks_where_it_has_no_slope() {
    let data = table(200);
    let model = fit(config(Task::Tabular), &data).model;
    let Representation::Columns(columns) = model.representation() else {
        unreachable!("it reads a table")
    };
    let ColumnEncoding::Numeric { mean, .. } = columns.encodings()[0] else {
        unreachable!("x is a number")
    };
    let new = Table::new([
        Column::numeric("x", [f64::NAN, mean, 0.4]).unwrap(),
        Column::numeric("y", [0.3, 0.3, f64::NAN]).unwrap(),
        Column::categorical("colour", [Some("red"), None, Some("mauve")]),
    ]);
    let explanations = model.explain_with(Dataset::new(new.unwrap()), Some(3)).unwrap();
    let term = |row: usize, name: &str| {
        let terms = &explanations[row].outputs[0].terms;
        terms.iter().find(|term| term.name == name).unwrap_or_else(|| panic!("{terms:?}"))
    };
    for (row, name, observed) in [
        (0, "x", "missing"),
        (0, "colour", "red"),
        (1, "x", &*mean.to_string()),
        (1, "colour", "missing"),
        (2, "colour", "mauve"),
    ] {
        let term = term(row, name);
        assert_eq!((term.observed.as_deref(), term.value, term.weight), (Some(observed), 0.0, 0.0));
        assert!(term.contribution != 0.0 && term.contribution == term.level, "{term:?}");
    }
    let number = term(2, "x");
    assert!(number.value != 0.0 && number.weight != 0.0 && number.level != 0.0, "{number:?}");
    // A gap that training never saw is not a feature.
    assert!(explanations[2].outputs[0].terms.iter().all(|term| term.name != "y"));
}

#[test]
fn a_value_that_was_never_missing_in_training_says_nothing_where_it_is() {
    let data = classes3(60);
    let model = hardly(with_k(config(Task::Tabular), 3), &data);
    let gap = f64::NAN;
    let columns = [[0.5, gap], [gap, gap], [0.1, gap]];
    let columns = columns.iter().enumerate().map(|(c, v)| Column::numeric(format!("v{c}"), *v));
    let new = Table::new(columns.map(Result::unwrap)).unwrap();
    let samples = Samples::from(new.clone());
    let explanations = model.explain(Dataset::new(new)).unwrap();
    let terms = |row: usize| -> Vec<&str> {
        explanations[row].outputs[0].terms.iter().map(|term| term.name.as_str()).collect()
    };
    let mut named = terms(0);
    named.sort();
    assert_eq!((named, terms(1)), (vec!["v0", "v2"], vec![]));
    for output in &explanations[1].outputs {
        assert_eq!(output.score, output.intercept);
    }
    let representation = model.representation();
    let unknown = [0, 1].map(|row| representation.knows_nothing_of(&samples, row));
    assert_eq!(unknown, [false, true]);
    let unseen = representation.unseen(&samples);
    let found: Vec<(&str, usize)> = unseen.iter().map(|u| (u.column.as_str(), u.missing)).collect();
    assert_eq!(found, [("v0", 1), ("v1", 2), ("v2", 1)]);
    assert!(unseen.iter().all(|column| column.never_missing));
}

#[test]
fn of_a_few_columns_all_are_terms_and_a_larger_k_is_refused() {
    let data = classes3(60);
    let model = hardly(with_k(config(Task::Tabular), 5), &data);
    assert_eq!((model.k(), model.largest_k()), (3, 3));
    assert!(model.explain(&data).unwrap().iter().all(|e| e.outputs[0].terms.len() == 3));
    let refuse = |config: Config| setup(config, &data).unwrap_err().to_string();
    let error = refuse(with_k(config(Task::Tabular), 6));
    assert!(error.contains("K must be from 1 to 3"), "{error}");
    let error = refuse(with_k(whole(Task::Tabular), 4));
    assert!(error.contains("K must be from 1 to 3"), "{error}");
    let error = model.clone().with_k(4).unwrap_err().to_string();
    assert!(error.contains("K must be from 1 to 3, the number of features"), "{error}");
    assert_eq!(model.with_k(2).unwrap().k(), 2);
}

#[test]
fn a_table_of_constant_columns_is_refused() {
    let fixed = Table::new([Column::numeric("fixed", vec![1.0; 40]).unwrap()]).unwrap();
    let data = Dataset::table(fixed, (0..40).map(|i| i % 2)).unwrap();
    let error = setup(with_k(config(Task::Tabular), 1), &data).unwrap_err().to_string();
    assert!(error.contains("expected a column whose values vary"), "{error}");
}

/// The evidence set last counts, also over options from elsewhere.
#[test]
fn the_estimator_takes_its_defaults_from_the_evidence() {
    let data = orders(60);
    let evidence = |ngsll: Ngsll<'_>| {
        let model = ngsll.terms(1).epochs(1).fit(&data).unwrap();
        (model.evidence(), model.config().training.preset)
    };
    use ngsll::train::Preset::{Annealed, Paper, Subsets};
    assert_eq!(evidence(Ngsll::text()), (Evidence::Chosen, Subsets));
    assert_eq!(evidence(Ngsll::text().evidence(Evidence::Whole)), (Evidence::Whole, Annealed));
    assert_eq!(evidence(Ngsll::text().preset(Paper)), (Evidence::Whole, Paper));
    let back = Ngsll::text().preset(Paper).evidence(Evidence::Chosen);
    assert_eq!(evidence(back), (Evidence::Chosen, Subsets));
    for (given, asked) in [("whole", Evidence::Chosen), ("chosen", Evidence::Whole)] {
        let config = Config::new(Task::Text).with("training.evidence", given).unwrap();
        assert_eq!(evidence(Ngsll::from_config(config).evidence(asked)).0, asked);
    }
}

/// One word decides the class, at a random place among words that say nothing.
fn planted_words(n: usize, seed: u64) -> (Dataset, Vec<String>) {
    let mut rng = stream(seed, Purpose::Sample, 0, 0);
    let reasons = ["apple", "brick", "cloud", "drum"];
    let (mut rows, mut planted) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let reason = rng.random_range(0..4);
        let mut words: Vec<String> =
            (0..rng.random_range(5..10)).map(|_| format!("w{}", rng.random_range(0..40))).collect();
        words.insert(rng.random_range(0..=words.len()), reasons[reason].to_string());
        rows.push((words.join(" "), ["first", "second"][reason / 2]));
        planted.push(reasons[reason].to_string());
    }
    (texts(rows), planted)
}

#[test]
fn the_one_word_that_decides_is_the_one_that_is_named() {
    let (data, _) = planted_words(600, 1);
    let config = with_k(config(Task::Text), 1).with("training.epochs", "30").unwrap();
    let model = fit(config, &data).model;
    let (new, planted) = planted_words(200, 2);
    let explanations = model.explain(&new).unwrap();
    let is_found = |(e, word): (&Explanation, &String)| e.outputs[0].terms[0].name == *word;
    let found = explanations.iter().zip(&planted).filter(|pair| is_found(*pair)).count();
    assert!(found >= 190, "{found} of 200");
    assert!(model.evaluate(&new).unwrap().accuracy.unwrap() > 0.95);
    let k = model.smallest_sufficient_k(&new).unwrap();
    assert!((1..=10).contains(&k), "{k} words of ten at most");
}

#[test]
fn a_model_keeps_its_rule_of_choice() {
    let data = three_texts(40);
    let folder = tempfile::tempdir().unwrap();
    let model = hardly(config(Task::Text), &data);
    for rule in [Rule::Search, Rule::Halving, Rule::TwoPass] {
        let model = model.clone().with_choice(Choice::new(rule, Side::Answer));
        let path = folder.path().join(format!("{rule:?}"));
        model.save(&path).unwrap();
        let loaded = ngsll::Model::load(&path).unwrap();
        assert_eq!(loaded.choice(), model.choice());
        assert_eq!(loaded.explain(&data).unwrap(), model.explain(&data).unwrap());
    }
}

/// A square of 6×6 pixels somewhere on a noisy ground of 24×24, brighter or darker than it, which decides; and the
/// pixels of each square.
fn squares(n: usize, seed: u64) -> (Dataset, Vec<BTreeSet<usize>>) {
    let mut rng = stream(seed, Purpose::Sample, 0, 0);
    let (mut pixels, mut places) = (Vec::new(), Vec::new());
    for i in 0..n {
        let [left, top] = [(); 2].map(|()| rng.random_range(0..18));
        let lines = (top..top + 6).flat_map(|y| (left..left + 6).map(move |x| 24 * y + x));
        let place: BTreeSet<usize> = lines.collect();
        let grey = |at: usize| if place.contains(&at) { [20, 220][i % 2] } else { 120 };
        pixels.extend((0..576).map(|at| grey(at) + rng.random_range(0..20_u8)));
        places.push(place);
    }
    let size = ImageSize { width: 24, height: 24, channels: 1 };
    let labels = (0..n).map(|i| ["dark", "bright"][i % 2]);
    (Dataset::images(Images::new(size, pixels).unwrap(), labels).unwrap(), places)
}

#[test]
fn the_region_that_decides_is_named_and_is_nothing_else() {
    let options = with_k(config(Task::Image), 1)
        .with("representation.regions", "slic")
        .and_then(|options| options.with("representation.cells", "[5, 5]"))
        .unwrap();
    let model = fit(options, &squares(300, 1).0).model;
    let (test, places) = squares(60, 2);
    let (mut right, mut within) = (0, 0);
    for (row, explanation) in model.explain(&test).unwrap().iter().enumerate() {
        let class = explanation.prediction.class().unwrap().index();
        right += usize::from(model.objective().classes()[class] == ["dark", "bright"][row % 2]);
        let [region] = &explanation.regions[..] else { panic!("one region for K = 1") };
        assert_eq!(region.feature, explanation.outputs[0].terms[0].feature);
        let pixels = region.runs.iter().flat_map(|&[y, x, n]| (x..x + n).map(move |x| 24 * y + x));
        within += usize::from(pixels.collect::<BTreeSet<_>>().is_subset(&places[row]));
        // The score is what the network says of this region alone.
        let named = named(explanation);
        let alone = forward_scores(&model, &test, row, &named[0]);
        assert!((alone[0] - explanation.outputs[0].score).abs() < 1e-4);
    }
    assert!(right >= 57, "{right} of 60 are right");
    assert!(within >= 54, "{within} of 60 name a part of the square and nothing beside it");
    // The same with all regions.
    for explanation in model.explain_with(&test, Some(25)).unwrap() {
        let features: BTreeSet<usize> = explanation.regions.iter().map(|r| r.feature).collect();
        assert_eq!(features, named(&explanation)[0]);
        let covered: usize =
            explanation.regions.iter().flat_map(|r| &r.runs).map(|run| run[2]).sum();
        assert_eq!(covered, 576, "every pixel is in one region");
    }
}
