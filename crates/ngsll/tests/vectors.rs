//! Texts whose words start from pretrained vectors.

mod common;

use common::small::{With, config, go_on, setup, texts};
use ngsll::config::Task;
use ngsll::representation::{Representation, VectorFilter, WordVectors};
use ngsll::train::weights_of;
use ngsll::{Config, Dataset, Evidence, Judge, Model};

/// Kind words and unkind ones; no training text has those of the second half.
const KIND: [&str; 6] = ["good", "fine", "great", "lovely", "superb", "splendid"];
const UNKIND: [&str; 6] = ["bad", "poor", "dull", "awful", "dreadful", "tedious"];

/// The first number says whether a word is kind.
fn vectors() -> WordVectors {
    let words = KIND.iter().chain(&UNKIND).chain(&["Film", "New York"]);
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    let vector = |place: usize| {
        let kind = [1.0, -1.0, 0.0][(place / KIND.len()).min(2)];
        [2.0 * kind, 0.1 * (place as f32).sin(), 0.1 * (place as f32).cos()]
    };
    let values = (0..words.len()).flat_map(vector).collect();
    WordVectors::new(words, values).unwrap()
}

fn reviews(n: usize, known: bool) -> Dataset {
    let row = |i: usize| {
        let (words, label) = if i.is_multiple_of(2) { (KIND, "praise") } else { (UNKIND, "blame") };
        let word = words[i / 2 % 3 + if known { 0 } else { 3 }];
        (format!("a {word} film"), label)
    };
    texts((0..n).map(row).collect())
}

fn with_vectors(config: Config, fixed: bool) -> Config {
    let mut config = config.with("generator.embedding", "256").unwrap();
    config.generator.set_vectors(vectors().into()).unwrap();
    config.with("generator.vectors_fixed", &fixed.to_string()).unwrap()
}

fn accuracy(model: &Model, data: &Dataset) -> f64 {
    model.evaluate(data).unwrap().accuracy.unwrap()
}

/// The vector of a word, of the first network that has one.
fn vector_of(model: &Model, word: &str) -> Vec<f32> {
    let Representation::Words(words) = model.representation() else {
        unreachable!("they are texts")
    };
    let id = 2 + words.vocabulary().iter().position(|w| w == word).expect("the word is known");
    let tables = weights_of(model.network());
    let name =
        |name: &&String| name.ends_with("embedding.weight") || name.ends_with("vectors.weight");
    let table = &tables[tables.keys().find(name).expect("there is a table")];
    let width = table.shape[1];
    table.values[id * width..][..width].to_vec()
}

#[test]
fn words_that_only_the_vectors_know_are_understood_where_they_are_fixed() {
    let data = reviews(200, true);
    for evidence in [Evidence::Chosen, Evidence::Whole] {
        let base = match evidence {
            Evidence::Chosen => config(Task::Text),
            _ => common::small::whole(Task::Text),
        };
        let fit = |config| setup(config, &data).unwrap().fit(None, &mut go_on).unwrap().model;
        let fixed = fit(with_vectors(base.clone(), true));
        assert_eq!(accuracy(&fixed, &reviews(60, false)), 1.0, "{evidence:?}");
        // Without vectors nothing is known of them.
        assert!(accuracy(&fit(base), &reviews(60, false)) < 0.6);
        let explained = &fixed.with_k(1).unwrap().explain(reviews(1, false)).unwrap()[0];
        assert_eq!(explained.outputs[0].terms[0].name, "lovely");
    }
}

#[test]
fn fixed_vectors_stay_and_others_are_learned() {
    let data = reviews(200, true);
    let setup = |fixed| setup(with_vectors(config(Task::Text), fixed), &data).unwrap();
    assert_eq!(setup(true).words_with_vectors(), Some([7, 6]));
    assert_eq!(setup(false).words_with_vectors(), Some([7, 0]));
    let fit = |fixed| setup(fixed).fit(None, &mut go_on).unwrap().model;
    let (fixed, learned) = (fit(true), fit(false));
    let given = vectors();
    assert_eq!(vector_of(&fixed, "good"), given.vector(0));
    assert_eq!(vector_of(&fixed, "superb"), given.vector(4));
    // If case is folded, "Film" has the vector of "film".
    assert_eq!(vector_of(&fixed, "film"), given.vector(12));
    assert_ne!(vector_of(&learned, "good"), given.vector(0));
    // All three networks share one table.
    let tables = weights_of(fixed.network());
    let tables =
        tables.keys().filter(|name| name.contains("vectors") || name.contains("embedding.weight"));
    assert_eq!(tables.count(), 1);
    let folder = tempfile::tempdir().unwrap();
    fixed.save(folder.path().join("m")).unwrap();
    let loaded = Model::load(folder.path().join("m")).unwrap();
    let new = reviews(20, false);
    assert_eq!(loaded.explain(&new).unwrap(), fixed.explain(&new).unwrap());
    assert!(
        loaded
            .representation()
            .describe()
            .starts_with("a bag of 8 words and 6 more by their vectors")
    );
}

#[test]
fn a_judge_starts_from_the_vectors_too() {
    let data = reviews(200, true);
    let options = with_vectors(config(Task::Text), true).check().unwrap();
    let judge =
        Judge::fit(options.clone(), &data, None, &ngsll::Device::default(), &mut go_on).unwrap();
    let new = reviews(40, false);
    let encoded = judge.representation().encode(new.samples()).unwrap();
    let kept: Vec<Vec<usize>> =
        (0..new.len()).map(|row| judge.representation().listed(&encoded, row)).collect();
    assert!(kept.iter().all(|kept| kept.len() == 3));
    assert_eq!(judge.quality(&new, &kept).unwrap().accuracy, Some(1.0));
}

#[test]
fn words_that_a_training_can_use_are_wanted() {
    let data = reviews(20, true);
    let mut wanted = VectorFilter::new(&with_vectors(config(Task::Text), false), [&data]).unwrap();
    for (word, expected) in [("good", true), ("FILM", true), ("superb", false), ("New York", false)]
    {
        assert_eq!(wanted.wants(word), expected, "{word}");
    }
    let mut wanted = VectorFilter::new(&with_vectors(config(Task::Text), true), [&data]).unwrap();
    for (word, expected) in [("superb", true), ("New York", false), ("don't", false), ("", false)] {
        assert_eq!(wanted.wants(word), expected, "{word}");
    }
    // The first hundred thousand of the others, and any of the texts' own.
    assert_eq!((0..200_000).filter(|i| wanted.wants(&format!("w{i}"))).count(), 99_999);
    assert!(wanted.wants("film") && !wanted.wants("splendid"));
}

#[test]
fn unusable_vectors_are_refused() {
    let data = reviews(20, true);
    let error = |config: Config| setup(config, &data).unwrap_err().to_string();
    let narrow =
        config(Task::Text).generator.set_vectors(vectors().into()).unwrap_err().to_string();
    assert_eq!(
        narrow,
        "generator.embedding = 16: the word vectors have 3 numbers; leave this option out"
    );
    let unread = config(Task::Text).with("generator.vectors", "glove.txt").unwrap();
    assert!(error(unread).starts_with("generator.vectors = glove.txt: the file has not been read"));
    let nothing = config(Task::Text).with("generator.vectors_fixed", "true").unwrap();
    assert!(error(nothing).starts_with("generator.vectors_fixed = true: there are no vectors"));
    let mut foreign = Config::new(Task::Text);
    let french = WordVectors::new(vec!["bon".into()], vec![1.0, 2.0]).unwrap();
    foreign.generator.set_vectors(french.into()).unwrap();
    assert!(error(foreign).ends_with("no word of the training texts has a vector there"));
    let table = Config::new(Task::Tabular).generator.set_vectors(vectors().into());
    assert!(table.unwrap_err().to_string().contains("only token_context can start from"));
    let words = || vec!["a".to_string(), "b".to_string()];
    for (found, values) in [
        ("3 numbers for 2 words", vec![0.0; 3]),
        ("0 numbers for 2 words", vec![]),
        ("NaN for \"b\"", vec![0.0, 1.0, f32::NAN, 0.0]),
    ] {
        let message = WordVectors::new(words(), values).unwrap_err().to_string();
        assert!(message.contains(found), "{message}");
    }
    assert!(WordVectors::new(vec![], vec![]).is_err());
}
