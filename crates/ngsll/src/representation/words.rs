//! Text as a bag of words: z_j is 1 where word j occurs (or, with evidence `whole`, counts it); a word that
//! does not occur is masked. Or as a list of segments, sentences or phrases, by their positions: z_j is 1 where
//! segment j contains a known word.

mod config;
mod vectors;

pub use config::WordsConfig;
pub(crate) use vectors::FirstVectors;
pub use vectors::{VectorFilter, WordVectors};

use super::encoded::EncodedX;
use super::kind::{Change, Kind};
use super::segments::segments;
use super::tokenizer::{is_divider, tokens_of};
use super::{CutTexts, Encoded, SampleView, Schema, SparseRow, TokenSlots, TokenView, X, XShape};
use crate::dataset::{Samples, Texts};
use crate::error::{Error, Result};
use crate::evidence::choice::{Rule, Side};
use crate::evidence::subsets::SubsetSizes;
use crate::evidence::{Choice, Evidence};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A vocabulary and how to read text with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredWords", into = "StoredWords")]
pub struct Words {
    config: WordsConfig,
    vocabulary: Vec<String>,
    ids: HashMap<String, u32>,
    /// Whether scripts without spaces are cut into words and emoji kept together; not in older models.
    segmented: bool,
    /// The most segments of any training text, if segments are the features; the rest of a longer text belongs to
    /// the last.
    most_segments: Option<usize>,
    /// The number of words at the end that no training text has: they are known by their vectors alone.
    unlearned: usize,
    /// Whether z counts how often a word occurs, instead of marking that it does. A word's weight is then the sum
    /// over its positions, not their mean, and its term grows with the square of its count: one
    /// long text would outweigh all others.
    counts: bool,
}

#[derive(Serialize, Deserialize, Clone)]
struct StoredWords {
    config: WordsConfig,
    vocabulary: Vec<String>,
    #[serde(default)]
    segmented: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    most_segments: Option<usize>,
    #[serde(default, skip_serializing_if = "is_zero")]
    unlearned: usize,
    /// Older models count.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    counts: bool,
}

fn yes() -> bool {
    true
}

fn is_yes(counts: &bool) -> bool {
    *counts
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The token id of words that are not in the vocabulary.
const UNKNOWN: u32 = 1;
/// The token id of feature 0.
const FIRST: u32 = 2;

impl Words {
    /// Counts the words of the given rows; the vocabulary is sorted by falling count, then by name.
    pub fn fit(
        config: &WordsConfig,
        texts: &Texts,
        rows: &[usize],
        evidence: Evidence,
    ) -> Result<Self> {
        config.check()?;
        let mut counts: HashMap<String, usize> = HashMap::new();
        for &row in rows {
            for (word, _) in read(config, texts.get(row), true) {
                match counts.get_mut(word.as_ref()) {
                    Some(count) => *count += 1,
                    None => drop(counts.insert(word.into_owned(), 1)),
                }
            }
        }
        let is_feature = may_be_feature(config);
        let mut kept: Vec<(String, usize)> = counts
            .into_iter()
            .filter(|(word, count)| *count >= config.min_count && is_feature(word))
            .collect();
        if kept.is_empty() {
            let expected =
                "no word of the training texts occurs that often; choose a smaller count";
            return Err(Error::setting("representation.min_count", config.min_count, expected));
        }
        kept.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let vocabulary = kept.into_iter().map(|(word, _)| word).collect();
        let count = |row: &usize| {
            let text = texts.get(*row);
            let tokens: Vec<_> = read(config, text, true).map(|(_, range)| range).collect();
            let last = segments(text, &tokens, config.unit, config.phrase()).last().copied();
            last.map_or(0, |last| last as usize + 1)
        };
        let most_segments =
            (!config.unit.is_word()).then(|| rows.iter().map(count).max().unwrap_or(0).max(1));
        let (config, counts) = (config.clone(), evidence == Evidence::Whole);
        let (segmented, unlearned) = (true, 0);
        Ok(StoredWords { config, vocabulary, segmented, most_segments, unlearned, counts }.into())
    }

    /// The words, in the order of their features.
    pub fn vocabulary(&self) -> &[String] {
        &self.vocabulary
    }

    /// The number of words, at the end of the vocabulary, that are in no training text and known by their vectors
    /// alone.
    pub fn unlearned(&self) -> usize {
        self.unlearned
    }

    /// Whether z counts how often a word occurs, instead of marking that it does.
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// The options for reading text.
    pub fn config(&self) -> &WordsConfig {
        &self.config
    }

    /// The tokens of a text: the position of each, and its feature (`None`: out of vocabulary, or a segment
    /// without any known word).
    pub fn read(&self, text: &str) -> Vec<(Range<usize>, Option<usize>)> {
        let tokens = read(&self.config, text, self.segmented);
        let (words, ranges): (Vec<_>, Vec<_>) = tokens.unzip();
        let ids: Vec<u32> = words.iter().map(|word| self.id(word)).collect();
        let features: Vec<Option<usize>> = match self.segments(text, &ranges) {
            None => ids.iter().map(|&id| Self::feature(id).map(|j| j as usize)).collect(),
            Some(segments) => {
                let z = Self::known_segments(&ids, &segments);
                let known = |s: &u32| Some(*s as usize).filter(|&s| z.values[s] != 0.0);
                segments.iter().map(known).collect()
            }
        };
        ranges.into_iter().zip(features).collect()
    }

    /// Whether a text has more tokens than are read.
    pub fn is_cut(&self, text: &str) -> bool {
        self.tokens(text).nth(self.config.max_tokens).is_some()
    }

    /// The number of tokens in a text, whether read or not.
    pub fn length(&self, text: &str) -> usize {
        self.tokens(text).count()
    }

    fn tokens(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        tokens_of(text, self.config.tokenizer, self.segmented)
    }

    /// The token id of a word as it is read.
    fn id(&self, word: &str) -> u32 {
        self.ids.get(word).map_or(UNKNOWN, |&j| j + FIRST)
    }

    /// The segment of each token, if segments are the features.
    fn segments(&self, text: &str, tokens: &[Range<usize>]) -> Option<Vec<u32>> {
        let last = (self.most_segments? as u32).saturating_sub(1);
        let segments = segments(text, tokens, self.config.unit, self.config.phrase());
        Some(segments.into_iter().map(|segment| segment.min(last)).collect())
    }

    /// All segments of a text; those without a known word are masked.
    fn known_segments(ids: &[u32], segments: &[u32]) -> SparseRow {
        let mut row = SparseRow::default();
        for (&id, &segment) in ids.iter().zip(segments) {
            if row.indices.last() != Some(&segment) {
                row.push(segment as usize, 0.0);
            }
            if let (Some(value), Some(_)) = (row.values.last_mut(), Self::feature(id)) {
                *value = 1.0;
            }
        }
        row
    }

    /// The number of occurrences of each known word, in the order in which they first appear.
    fn occurrences(ids: &[u32]) -> SparseRow {
        let mut row = SparseRow::default();
        let mut slots: HashMap<u32, usize> = HashMap::new();
        for j in ids.iter().filter_map(|&id| Self::feature(id)) {
            let slot = *slots.entry(j).or_insert(row.indices.len());
            match row.values.get_mut(slot) {
                Some(count) => *count += 1.0,
                None => row.push(j as usize, 1.0),
            }
        }
        row
    }

    /// The feature of a token id.
    fn feature(id: u32) -> Option<u32> {
        id.checked_sub(FIRST)
    }
}

impl Kind for Words {
    fn reads(&self) -> &'static str {
        "text"
    }

    fn features(&self) -> usize {
        self.most_segments.unwrap_or(self.vocabulary.len())
    }

    /// A word, or `sentence 3`, counted from 1.
    fn name(&self, j: usize) -> String {
        match self.most_segments {
            None => self.vocabulary[j].clone(),
            Some(_) => format!("{} {}", self.config.unit.name(), j + 1),
        }
    }

    fn x_shape(&self) -> XShape {
        XShape::Tokens { ids: self.vocabulary.len() + FIRST as usize, masked: false }
    }

    fn subset_sizes(&self) -> SubsetSizes {
        SubsetSizes::Any
    }

    fn choice(&self) -> Choice {
        Choice::new(Rule::Search, Side::Answer)
    }

    fn encode(&self, samples: &Samples) -> Result<Option<Encoded>> {
        let Samples::Texts(texts) = samples else { return Ok(None) };
        let (mut ids, mut ends) = (Vec::new(), Vec::with_capacity(texts.len()));
        let mut segments = self.most_segments.map(|_| Vec::new());
        for text in texts.iter() {
            let tokens = read(&self.config, text, self.segmented);
            let (words, ranges): (Vec<_>, Vec<_>) = tokens.unzip();
            ids.extend(words.iter().map(|word| self.id(word)));
            segments
                .iter_mut()
                .zip(self.segments(text, &ranges))
                .for_each(|(all, s)| all.extend(s));
            ends.push(ids.len());
        }
        Ok(Some(Encoded { len: texts.len(), x: EncodedX::Tokens { ids, ends, segments } }))
    }

    fn z(&self, encoded: &Encoded, row: usize) -> SparseRow {
        let ids = encoded.tokens(row);
        match encoded.segments(row) {
            None if self.counts => Self::occurrences(ids),
            None => {
                let SparseRow { indices, values } = Self::occurrences(ids);
                SparseRow { indices, values: vec![1.0; values.len()] }
            }
            Some(segments) => Self::known_segments(ids, segments),
        }
    }

    /// ids: [batch, time], token slots: [batch, time]
    fn x(
        &self,
        encoded: &Encoded,
        rows: &[usize],
        sparse: &[SparseRow],
        slots: usize,
        device: &Device,
    ) -> (X, Option<TokenSlots>) {
        let texts: Vec<&[u32]> = rows.iter().map(|&r| encoded.tokens(r)).collect();
        let time = texts.iter().map(|t| t.len()).max().unwrap_or(0).max(1);
        let mut ids = vec![0_i64; rows.len() * time];
        let mut token_slots = vec![slots as i64; rows.len() * time];
        for (b, (text, row)) in texts.iter().zip(sparse).enumerate() {
            let slot_of: HashMap<u32, usize> =
                row.indices.iter().enumerate().map(|(slot, &j)| (j, slot)).collect();
            let segments = encoded.segments(rows[b]);
            for (t, &id) in text.iter().enumerate() {
                ids[b * time + t] = i64::from(id);
                // A segment is kept with all its words, including unknown ones.
                let feature = segments.map_or_else(|| Self::feature(id), |s| Some(s[t]));
                if let Some(j) = feature {
                    token_slots[b * time + t] = slot_of[&j] as i64;
                }
            }
        }
        let shape = [rows.len(), time];
        let tensor = |values| Tensor::from_data(TensorData::new(values, shape), device);
        // The weight of a segment is not divided by its length.
        let averages = !self.counts && self.most_segments.is_none();
        let shares = averages.then(|| {
            let shares = shares(&token_slots, time, slots);
            Tensor::from_data(TensorData::new(shares, shape), device)
        });
        (X::Tokens(tensor(ids)), Some(TokenSlots { slots: tensor(token_slots), shares }))
    }

    fn changed(&self, encoded: &Encoded, row: usize, change: Change) -> Option<Encoded> {
        let Change::Remove { feature } = change else { return None };
        let (tokens, removed) = (encoded.tokens(row), Some(feature as u32));
        let Some(segments) = encoded.segments(row) else {
            let other = |id: &&u32| Self::feature(**id) != removed;
            let ids = tokens.iter().filter(other).copied().collect();
            return Some(Encoded { len: 1, x: EncodedX::text(ids, None) });
        };
        // The segments after it keep their numbers, and so their names.
        let left = tokens.iter().zip(segments).filter(|(_, s)| Some(**s) != removed);
        let (ids, segments) = left.unzip();
        Some(Encoded { len: 1, x: EncodedX::text(ids, Some(segments)) })
    }

    fn schema(&self) -> Schema {
        Schema::Text
    }

    fn view(&self, samples: &Samples, row: usize) -> Option<SampleView> {
        let Samples::Texts(texts) = samples else { return None };
        let text = texts.get(row);
        let (mut end, mut last) = (0, None);
        let token = |(range, feature): (Range<usize>, Option<usize>)| {
            let space_before = range.start > end;
            end = range.end;
            let continues = self.most_segments.is_some() && feature.is_some() && feature == last;
            last = feature;
            TokenView { text: text[range].to_string(), feature, space_before, continues }
        };
        let mut tokens: Vec<TokenView> = self.read(text).into_iter().map(token).collect();
        if !text[end..].trim().is_empty() {
            let rest = "… (the rest is not read)".to_string();
            let (feature, space_before, continues) = (None, true, false);
            tokens.push(TokenView { text: rest, feature, space_before, continues });
        }
        Some(SampleView::Text { tokens })
    }

    /// The words of a segment, whose name is only a number.
    fn observed(&self, samples: &Samples, row: usize, j: usize) -> Option<String> {
        let (Samples::Texts(texts), Some(_)) = (samples, self.most_segments) else { return None };
        let text = texts.get(row);
        let tokens = self.read(text).into_iter();
        let mut own = tokens.filter(|(_, feature)| *feature == Some(j)).map(|(range, _)| range);
        let first = own.next()?;
        let end = own.next_back().map_or(first.end, |last| last.end);
        Some(text[first.start..end].to_string())
    }

    fn cut_texts(&self, samples: &Samples) -> Option<CutTexts> {
        let cut = samples.as_texts()?.iter().filter(|text| self.is_cut(text));
        Some(CutTexts::new(cut.map(|text| self.length(text)), self.config.max_tokens))
    }

    fn knows_nothing_of(&self, samples: &Samples, row: usize) -> bool {
        let Samples::Texts(texts) = samples else { return false };
        self.read(texts.get(row)).iter().all(|(_, feature)| feature.is_none())
    }

    fn describe(&self) -> String {
        let words = &self.vocabulary;
        let shown = words.iter().take(LISTED).cloned().collect::<Vec<_>>().join(" ");
        let more = if words.len() > LISTED { " …" } else { "" };
        let counted = match self.unlearned {
            0 => format!("{} words", words.len()),
            others => format!("{} words and {others} more by their vectors", words.len() - others),
        };
        match self.most_segments {
            None => format!("a bag of {counted}: {shown}{more}"),
            Some(most) => {
                let unit = self.config.unit.name();
                format!("texts of up to {most} {unit}s, with {counted}: {shown}{more}")
            }
        }
    }

    fn file_name(&self) -> &'static str {
        "vocabulary.json"
    }

    fn check(&self) -> Result<(), String> {
        self.config.check().map_err(|error| error.to_string())?;
        if self.vocabulary.is_empty() {
            return Err("it has no words".into());
        }
        if self.ids.len() != self.vocabulary.len() {
            return Err("it contains a word twice".into());
        }
        if self.unlearned >= self.vocabulary.len() {
            return Err("no word of it was learned".into());
        }
        let is_word = self.config.unit.is_word();
        match self.most_segments {
            None if is_word => Ok(()),
            Some(1..=config::LARGEST) if !is_word => Ok(()),
            most => Err(format!("{most:?} segments do not match its unit")),
        }
    }
}

/// The share of each position in its slot, so that a sum over them is a mean: [batch, time]
fn shares(token_slots: &[i64], time: usize, slots: usize) -> Vec<f32> {
    let mut counts = vec![0.0_f32; slots + 1];
    let mut shares = Vec::with_capacity(token_slots.len());
    for text in token_slots.chunks_exact(time) {
        counts.fill(0.0);
        text.iter().for_each(|&slot| counts[slot as usize] += 1.0);
        shares.extend(text.iter().map(|&slot| 1.0 / counts[slot as usize]));
    }
    shares
}

/// The most words that a description lists; the rest are counted.
const LISTED: usize = 12;

/// The words that may be features: those not left out by an option and, if words are the features, no signs that only
/// divide a text, unless the options include them. A sentence or phrase is read with all its signs.
fn may_be_feature(config: &WordsConfig) -> impl Fn(&str) -> bool {
    let stops: HashSet<Cow<'_, str>> =
        config.stop_words.iter().map(|stop| fold(config, stop)).collect();
    let skips_dividers = !config.punctuation && config.unit.is_word();
    move |word| !(stops.contains(word) || skips_dividers && is_divider(word))
}

fn fold<'a>(config: &WordsConfig, word: &'a str) -> Cow<'a, str> {
    if config.lowercase { Cow::Owned(word.to_lowercase()) } else { Cow::Borrowed(word) }
}

fn read<'a>(
    config: &'a WordsConfig,
    text: &'a str,
    segmented: bool,
) -> impl Iterator<Item = (Cow<'a, str>, Range<usize>)> {
    tokens_of(text, config.tokenizer, segmented)
        .take(config.max_tokens)
        .map(|range| (fold(config, &text[range.clone()]), range))
}

impl From<StoredWords> for Words {
    fn from(stored: StoredWords) -> Self {
        let number = |(j, word): (usize, &String)| (word.clone(), j as u32);
        let ids = stored.vocabulary.iter().enumerate().map(number).collect();
        let StoredWords { config, vocabulary, segmented, most_segments, unlearned, counts } =
            stored;
        Self { config, vocabulary, ids, segmented, most_segments, unlearned, counts }
    }
}

impl From<Words> for StoredWords {
    fn from(words: Words) -> Self {
        let Words { config, vocabulary, segmented, most_segments, unlearned, counts, .. } = words;
        Self { config, vocabulary, segmented, most_segments, unlearned, counts }
    }
}

#[cfg(test)]
mod tests;
