use super::*;
use crate::representation::TextUnit;

fn vocabulary(config: &WordsConfig) -> Vec<String> {
    let texts: Texts =
        ["Good. Very good!", "not 'good', is it?", "Very (very) bad."].into_iter().collect();
    let config = WordsConfig { min_count: 1, ..config.clone() };
    let words = Words::fit(&config, &texts, &[0, 1, 2], Evidence::Chosen).unwrap();
    words.vocabulary().to_vec()
}

/// z of "bad bad good" in the order of its words, and the share of each of its positions.
#[test]
fn a_word_counts_once_however_often_it_occurs() {
    let texts: Texts = ["bad bad good", "good bad"].into_iter().collect();
    let read = |words: &Words| {
        let encoded = words.encode(&texts.clone().into()).unwrap().unwrap();
        let z = words.z(&encoded, 0);
        let (slots, device) = (z.values.len(), Device::default());
        let values = z.values.clone();
        let (_, slots) = words.x(&encoded, &[0], &[z], slots, &device);
        let shares = slots.unwrap().shares;
        (values, shares.map(|shares| shares.into_data().iter::<f32>().collect::<Vec<_>>()))
    };
    let config = WordsConfig { min_count: 1, ..WordsConfig::default() };
    let fit = |evidence| Words::fit(&config, &texts, &[0, 1], evidence).unwrap();
    let chosen = fit(Evidence::Chosen);
    assert_eq!(read(&chosen), (vec![1.0, 1.0], Some(vec![0.5, 0.5, 1.0])));
    assert_eq!(read(&fit(Evidence::Whole)), (vec![2.0, 1.0], None));
    // Older models count.
    let stored = serde_json::to_string(&chosen).unwrap();
    assert!(stored.contains(",\"counts\":false"), "{stored}");
    let old: Words = serde_json::from_str(&stored.replace(",\"counts\":false", "")).unwrap();
    assert_eq!(read(&old), (vec![2.0, 1.0], None));
}

#[test]
fn dividers_are_features_only_if_requested() {
    let without = WordsConfig { punctuation: false, ..WordsConfig::default() };
    let words = vocabulary(&without);
    assert_eq!(words, ["good", "very", "!", "?", "bad", "is", "it", "not"]);
    let with = vocabulary(&WordsConfig::default());
    let also: Vec<&String> = with.iter().filter(|word| !words.contains(word)).collect();
    assert_eq!(also, ["'", ".", "(", ")", ","]);
    let sentences = WordsConfig { unit: TextUnit::Sentence, ..without };
    assert_eq!(vocabulary(&sentences), with, "a sentence is read with all its signs");
}

/// As in models and records of experiments written before the option existed.
#[test]
fn without_the_option_punctuation_is_read_as_before() {
    let old: WordsConfig = serde_json::from_str("{\"min_count\": 3}").unwrap();
    assert!(old.punctuation);
    assert!(!serde_json::to_string(&old).unwrap().contains("punctuation"));
    assert!(!format!("{old:?}").contains("punctuation"));
}
