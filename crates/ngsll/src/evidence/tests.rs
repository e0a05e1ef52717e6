//! Nothing outside the kept features has an influence: whatever else a sample holds, weights and scores are the
//! same to the last bit.

use crate::dataset::{Column, Images, Samples, Table, Texts};
use crate::random::{Purpose, stream};
use crate::representation::{Change, Representation, TextUnit, WordsConfig};
use crate::test_support::{Small, text_networks};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Some features of each sample, by their numbers, in the order of the batch.
fn draw(small: &Small, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let batch = small.batch();
    let mut some = |b: usize| {
        let features = (0..batch.listed(b)).map(|slot| batch.feature_at(b, slot));
        features.filter(|_| rng.random_range(0..5) < 2).collect()
    };
    (0..batch.rows.len()).map(&mut some).collect()
}

/// The weights of the kept features of each sample and output, and all scores.
fn pass(small: &Small, samples: &Samples, kept: &[Vec<usize>]) -> (Vec<Vec<f32>>, Vec<f32>) {
    let small = Small {
        samples: samples.clone(),
        representation: small.representation.clone(),
        network: small.network.clone(),
        device: small.device.clone(),
    };
    let batch = small.batch();
    let forward = small.forward(&batch, &batch.marks(kept.iter().map(|kept| &kept[..])));
    let outputs = small.network.outputs();
    let all: Vec<f32> = forward.sparse_weights.into_data().iter::<f32>().collect();
    let (slots, width) = (batch.active.slots, batch.weights_per_feature);
    let mut weights = Vec::new();
    for (i, all) in all.chunks_exact(slots).enumerate() {
        let b = i / outputs;
        let is_kept =
            |slot: &usize| *slot < batch.listed(b) && kept[b].contains(&batch.feature_at(b, *slot));
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..batch.features()).partition(|slot| is_kept(slot));
        let of = |slot: usize| all[slot * width..(slot + 1) * width].to_vec();
        weights.push(own.into_iter().flat_map(of).collect());
        assert!(others.into_iter().flat_map(of).all(|weight| weight == 0.0));
    }
    (weights, forward.scores.into_data().iter::<f32>().collect())
}

/// The same table with other values in the columns that are not kept.
fn other_table(table: &Table, kept: &[Vec<usize>], rng: &mut ChaCha8Rng) -> Samples {
    let mut column = |(c, column): (usize, &Column)| match column.name() {
        "c" => {
            let mut value = |row: usize| {
                let own = column.text(row).filter(|text| !text.is_empty());
                if kept[row].contains(&c) {
                    return own;
                }
                let other = ["red", "green", "blue", "never seen", ""][rng.random_range(0..5)];
                (!other.is_empty()).then(|| other.to_string())
            };
            Column::categorical("c", (0..table.len()).map(&mut value).collect::<Vec<_>>())
        }
        name => {
            let mut value = |row: usize| {
                let own = column.text(row).map_or(f64::NAN, |text| text.parse().unwrap());
                match rng.random_range(0..3) {
                    _ if kept[row].contains(&c) => own,
                    0 => f64::NAN,
                    1 => rng.random_range(-1e6..1e6),
                    _ => rng.random_range(-2.0..2.0),
                }
            };
            Column::numeric(name, (0..table.len()).map(&mut value).collect::<Vec<_>>()).unwrap()
        }
    };
    Table::new(table.columns().iter().enumerate().map(&mut column)).unwrap().into()
}

/// The same images with other pixels in the cells that are not kept.
fn other_images(
    small: &Small,
    images: &Images,
    kept: &[Vec<usize>],
    rng: &mut ChaCha8Rng,
) -> Samples {
    let Representation::Grid(grid) = &small.representation else { unreachable!("they are images") };
    let cells = grid.cells();
    let mut pixels = Vec::new();
    for (row, kept) in kept.iter().enumerate() {
        let own = images.get(row).iter().zip(&cells);
        pixels.extend(own.map(|(&own, cell)| if kept.contains(cell) { own } else { rng.random() }));
    }
    Images::new(images.size(), pixels).unwrap().into()
}

/// The same texts with other words in place of those that are not kept; with `renamed` each word has
/// one substitute, so that the words keep their slots, otherwise every position gets any word, known or not.
fn other_texts(
    small: &Small,
    texts: &Texts,
    kept: &[Vec<usize>],
    renamed: bool,
    rng: &mut ChaCha8Rng,
) -> Samples {
    let Representation::Words(words) = &small.representation else {
        unreachable!("they are texts")
    };
    let mut all = Vec::new();
    for (row, kept) in kept.iter().enumerate() {
        let mut free: Vec<usize> =
            (0..words.vocabulary().len()).filter(|j| !kept.contains(j)).collect();
        free.shuffle(rng);
        let mut names: HashMap<usize, usize> = HashMap::new();
        let mut word = |(_, j): (std::ops::Range<usize>, Option<usize>)| match j {
            Some(j) if kept.contains(&j) => words.vocabulary()[j].clone(),
            Some(j) if renamed => {
                let next = names.len();
                words.vocabulary()[free[*names.entry(j).or_insert(next)]].clone()
            }
            None if renamed => "nowhere".to_string(),
            _ if rng.random() => "nowhere".to_string(),
            _ => words.vocabulary()[free[rng.random_range(0..free.len())]].clone(),
        };
        let text: Vec<String> = words.read(texts.get(row)).into_iter().map(&mut word).collect();
        all.push(text.join(" "));
    }
    all.into_iter().collect::<Texts>().into()
}

#[test]
fn nothing_outside_the_kept_features_can_speak() {
    for small in Small::all() {
        for seed in 0..8 {
            let mut rng = stream(seed, Purpose::Sample, 0, 0);
            let kept = draw(&small, &mut rng);
            let other = match &small.samples {
                Samples::Table(table) => other_table(table, &kept, &mut rng),
                Samples::Images(images) => other_images(&small, images, &kept, &mut rng),
                Samples::Texts(texts) => other_texts(&small, texts, &kept, true, &mut rng),
            };
            assert_ne!(format!("{other:?}"), format!("{:?}", small.samples));
            let (own, other) = (pass(&small, &small.samples, &kept), pass(&small, &other, &kept));
            assert_eq!(own, other);
            // The kept features do have an influence: with nothing kept, the score is the intercept.
            let none = vec![Vec::new(); kept.len()];
            assert_ne!(pass(&small, &small.samples, &none).1, own.1);
        }
    }
}

/// Also where there are fewer other words, or unknown ones, and the slots move: a weight depends on where erased
/// words are, not on which words they are.
#[test]
fn erased_words_are_all_the_same() {
    let small = Small::texts(3, &text_networks().0);
    let Samples::Texts(texts) = &small.samples else { unreachable!("they are texts") };
    for seed in 0..20 {
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let kept = draw(&small, &mut rng);
        let other = other_texts(&small, texts, &kept, false, &mut rng);
        let (own, other) = (pass(&small, &small.samples, &kept), pass(&small, &other, &kept));
        assert_eq!(own.0, other.0);
        for (own, other) in own.1.iter().zip(&other.1) {
            assert!((own - other).abs() < 1e-6, "{own} and {other}");
        }
    }
}

/// Where sentences are the features, no part of an erased sentence matters, and every word of a kept one does,
/// even unknown ones.
#[test]
fn a_sentence_is_kept_or_erased_as_a_whole() {
    let texts = ["A b c. D unknown f! G h?", "D b a. C e f! B h?", "A a a. B b b! C c?"];
    let config = WordsConfig { unit: TextUnit::Sentence, ..WordsConfig::default() };
    let (token, sentence) = text_networks();
    for generator in [token, sentence] {
        let samples: Samples = Texts::from_iter(texts).into();
        let small = Small::with(&config.clone().into(), samples, &generator, 2);
        assert_eq!(small.representation.features(), 3);
        assert_eq!(small.representation.name(2), "sentence 3");
        let kept = vec![vec![1], vec![0, 2], vec![1, 2]];
        let other = ["E f g. D unknown f! C a?", "D b a. A b c! B h?", "H g f. B b b! C c?"];
        let own = pass(&small, &small.samples, &kept);
        assert_eq!(pass(&small, &Texts::from_iter(other).into(), &kept), own);
        let changed = ["A b c. D a f! G h?", texts[1], texts[2]];
        assert_ne!(pass(&small, &Texts::from_iter(changed).into(), &kept).1, own.1);
        // Removing a sentence leaves the numbers of the others unchanged.
        let encoded = small.representation.encode(&small.samples).unwrap();
        let without = small.representation.changed(&encoded, 0, Change::Remove { feature: 1 });
        assert_eq!(small.representation.listed(&without.unwrap(), 0), [0, 2]);
    }
}
