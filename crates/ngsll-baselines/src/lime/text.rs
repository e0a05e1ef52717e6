//! LIME for text.

use super::LimeOptions;
use super::local_surrogate::{LocalSurrogate, on_off_kernel};
use crate::explainer::{Attribution, Responses};
use ngsll::error::{Error, Result};
use ngsll::random::{Purpose, stream};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::collections::HashMap;
use std::hash::Hash;

/// Explains each of `outputs` of the model for a text, given as its tokens (strings or vocabulary
/// indices). All occurrences of a word are removed together; the feature of a word is the position of
/// its first occurrence, so `tokens[feature]` is the word.
///
/// `model` gets a batch of token lists without the removed words (an empty list if none is left) and
/// returns `[lists, outputs]`.
///
/// ```
/// use ngsll_baselines::lime::{LimeOptions, text};
/// let tokens = ["not", "good", "not", "bad"];
/// let model = |texts: &[Vec<&str>]| {
///     Ok(texts.iter().map(|text| if text.contains(&"not") { 0.9 } else { 0.2 }).collect())
/// };
/// let explained = text(&model, &tokens, &[0], &LimeOptions::default())?;
/// assert_eq!(tokens[explained[0].contributions[0].feature], "not");
/// # Ok::<(), ngsll::Error>(())
/// ```
pub fn text<T: Copy + Eq + Hash>(
    model: &impl Fn(&[Vec<T>]) -> Result<Vec<f64>>,
    tokens: &[T],
    outputs: &[usize],
    options: &LimeOptions,
) -> Result<Vec<Attribution>> {
    let n = options.check(5000)?;
    if tokens.is_empty() {
        return Err(Error::setting("number of tokens", 0, "a text to explain has at least one"));
    }
    let (word_of, first) = words(tokens);
    let d = first.len();
    let (rows, weights) = remove_words(d, n, options.seed);
    let responses = Responses::query(n, tokens.len(), |range| {
        let texts: Vec<Vec<T>> = range
            .map(|row| {
                let on = &rows[row * d..][..d];
                let kept = tokens.iter().zip(&word_of).filter(|(_, word)| on[**word] == 1.0);
                kept.map(|(&token, _)| token).collect()
            })
            .collect();
        model(&texts)
    })?;
    let mut explained =
        LocalSurrogate::new(rows, d, weights).explain(&responses, outputs, options.k)?;
    for contribution in explained.iter_mut().flat_map(|e| &mut e.contributions) {
        contribution.feature = first[contribution.feature];
    }
    Ok(explained)
}

/// The word of each token, numbered in order of appearance, and the first position of each word.
fn words<T: Copy + Eq + Hash>(tokens: &[T]) -> (Vec<usize>, Vec<usize>) {
    let mut numbers = HashMap::new();
    let mut first = Vec::new();
    let word_of = tokens.iter().enumerate().map(|(position, token)| {
        *numbers.entry(token).or_insert_with(|| {
            first.push(position);
            first.len() - 1
        })
    });
    (word_of.collect(), first)
}

/// All words, then n − 1 rows from which 1 to d words are removed, where every number, and every choice
/// of that many, is equally likely; and the weights of all rows.
fn remove_words(d: usize, n: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = stream(seed, Purpose::Sample, 0, 0);
    let mut order: Vec<usize> = (0..d).collect();
    let mut rows = vec![1.0; n * d];
    let mut weights = vec![1.0];
    for row in rows.chunks_exact_mut(d).skip(1) {
        let removed = rng.random_range(1..=d);
        for &mut word in order.partial_shuffle(&mut rng, removed).0 {
            row[word] = 0.0;
        }
        weights.push(on_off_kernel(d - removed, d, 100.0, 25.0));
    }
    (rows, weights)
}
