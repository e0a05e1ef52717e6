//! Texts in which one phrase of two words decides: neither of its words alone carries information.

use super::planted::{Planted, Reason, rng};
use ngsll::Dataset;
use ngsll::error::Result;
use rand::RngExt;

/// The first and the second word of the phrase; the label is praise if both or neither is the first
/// of its pair.
const PHRASE: [[&str; 2]; 2] = [["very", "not"], ["good", "bad"]];

/// The number of other words.
const FILLERS: usize = 100;

/// The number of other words in a text.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=16;

/// Draws texts.
pub(super) fn draw(texts: usize, seed: u64, part: u64) -> Result<Planted> {
    let mut rng = rng(seed, part);
    let (mut all, mut labels, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..texts {
        let [first, second] = [rng.random::<bool>(), rng.random::<bool>()];
        let phrase = [PHRASE[0][usize::from(first)], PHRASE[1][usize::from(second)]];
        let length = rng.random_range(LENGTH);
        let mut words: Vec<String> =
            (0..length).map(|_| format!("word{}", rng.random_range(0..FILLERS))).collect();
        let at = rng.random_range(0..=length);
        words.splice(at..at, phrase.map(String::from));
        all.push(words.join(" "));
        labels.push(if first == second { "praise" } else { "blame" });
        reasons.push(Reason::Features(phrase.map(String::from).to_vec()));
    }
    Ok(Planted { data: Dataset::texts(all, labels)?, reasons })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::Samples;

    #[test]
    fn the_phrase_decides_and_neither_of_its_words_alone() {
        let Planted { data, reasons } = draw(400, 3, 0).unwrap();
        let Samples::Texts(texts) = data.samples() else { panic!("they are texts") };
        let mut praised = [0, 0];
        for (row, reason) in reasons.iter().enumerate() {
            let Reason::Features(words) = reason else { panic!("words are features") };
            assert!(texts.get(row).contains(&words.join(" ")), "{}", texts.get(row));
            let praise = ["very good", "not bad"].contains(&words.join(" ").as_str());
            assert_eq!(data.label(row), Some(if praise { "praise" } else { "blame" }));
            if words[0] == "not" {
                praised[usize::from(praise)] += 1;
            }
        }
        assert!(praised.iter().all(|&n| n > 60), "{praised:?}");
    }
}
