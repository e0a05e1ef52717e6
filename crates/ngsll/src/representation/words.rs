//! Text as a bag of words: z_j counts word j, a word that does not occur is masked.

use super::encoded::EncodedX;
use super::kind::{Change, Kind};
use super::{Encoded, SampleView, Schema, SparseRow, TokenView, Tokenizer, X, XShape, tokens};
use crate::dataset::{Samples, Texts};
use crate::error::{Error, Result};
use crate::evidence::Choice;
use crate::evidence::choice::{Rule, Side};
use crate::evidence::subsets::SubsetSizes;
use burn::tensor::{Device, Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `tokenizer` | `words` | how a text is cut | `words`, `whitespace` |
/// | `lowercase` | true | whether case is folded | |
/// | `min_count` | 2 | how often a word must occur in the training part | 1 and up |
/// | `stop_words` | none | words that are never a feature | |
/// | `max_tokens` | 512 | tokens of a text that are read, from its start | 1 and up |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct WordsConfig {
    /// How a text is cut.
    pub tokenizer: Tokenizer,
    /// Whether case is folded.
    pub lowercase: bool,
    /// How often a word must occur in the training part to become a feature.
    pub min_count: usize,
    /// Words that are never a feature.
    pub stop_words: Vec<String>,
    /// Tokens of a text that are read, from its start.
    pub max_tokens: usize,
}

impl Default for WordsConfig {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::Words,
            lowercase: true,
            min_count: 2,
            stop_words: Vec::new(),
            max_tokens: 512,
        }
    }
}

impl WordsConfig {
    /// Refuses counts of zero.
    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in [("min_count", self.min_count), ("max_tokens", self.max_tokens)] {
            if value == 0 {
                return Err(Error::setting(format!("representation.{name}"), 0, "at least 1"));
            }
        }
        Ok(())
    }
}

/// A vocabulary and how to read text with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Words {
    config: WordsConfig,
    vocabulary: Vec<String>,
    ids: HashMap<String, u32>,
}

#[derive(Serialize, Deserialize, Clone)]
struct Stored {
    config: WordsConfig,
    vocabulary: Vec<String>,
}

/// The token id of words that are not in the vocabulary.
const UNKNOWN: u32 = 1;
/// The token id of feature 0.
const FIRST: u32 = 2;

impl Words {
    /// Counts the words of the given rows; the vocabulary is sorted by falling count, then by name.
    pub fn fit(config: &WordsConfig, texts: &Texts, rows: &[usize]) -> Result<Self> {
        config.check()?;
        let mut counts: HashMap<String, usize> = HashMap::new();
        for &row in rows {
            for (word, _) in read(config, texts.get(row)) {
                match counts.get_mut(word.as_ref()) {
                    Some(count) => *count += 1,
                    None => drop(counts.insert(word.into_owned(), 1)),
                }
            }
        }
        let stops: HashSet<Cow<'_, str>> =
            config.stop_words.iter().map(|stop| fold(config, stop)).collect();
        let mut kept: Vec<(String, usize)> = counts
            .into_iter()
            .filter(|(word, count)| *count >= config.min_count && !stops.contains(word.as_str()))
            .collect();
        if kept.is_empty() {
            let expected =
                "no word of the training texts occurs that often; choose a smaller count";
            return Err(Error::setting("representation.min_count", config.min_count, expected));
        }
        kept.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let vocabulary = kept.into_iter().map(|(word, _)| word).collect();
        Ok(Stored { config: config.clone(), vocabulary }.into())
    }

    /// The words, feature j at place j.
    pub fn vocabulary(&self) -> &[String] {
        &self.vocabulary
    }

    /// How text is read.
    pub fn config(&self) -> &WordsConfig {
        &self.config
    }

    /// The tokens of a text: where each stands, and its feature (`None`: out of vocabulary).
    pub fn read(&self, text: &str) -> Vec<(Range<usize>, Option<usize>)> {
        let id = |word: &str| self.ids.get(word).map(|&j| j as usize);
        read(&self.config, text).map(|(word, range)| (range, id(&word))).collect()
    }

    /// Counts of the known words, in the order in which they first occur.
    fn counts(ids: &[u32]) -> SparseRow {
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

    /// The feature that a token id stands for.
    fn feature(id: u32) -> Option<u32> {
        id.checked_sub(FIRST)
    }
}

impl Kind for Words {
    fn reads(&self) -> &'static str {
        "text"
    }

    fn features(&self) -> usize {
        self.vocabulary.len()
    }

    fn name(&self, j: usize) -> String {
        self.vocabulary[j].clone()
    }

    fn x_shape(&self) -> XShape {
        XShape::Tokens { ids: self.vocabulary.len() + FIRST as usize, masked: false }
    }

    fn subset_sizes(&self) -> SubsetSizes {
        SubsetSizes::Any
    }

    fn choice(&self) -> Choice {
        Choice::new(Rule::Halving, Side::Answer)
    }

    fn encode(&self, samples: &Samples) -> Result<Option<Encoded>> {
        let Samples::Texts(texts) = samples else { return Ok(None) };
        let (mut ids, mut ends) = (Vec::new(), Vec::with_capacity(texts.len()));
        for text in texts.iter() {
            let id = |word: &str| self.ids.get(word).map_or(UNKNOWN, |&j| j + FIRST);
            ids.extend(read(&self.config, text).map(|(word, _)| id(&word)));
            ends.push(ids.len());
        }
        Ok(Some(Encoded { len: texts.len(), x: EncodedX::Tokens { ids, ends } }))
    }

    fn z(&self, encoded: &Encoded, row: usize) -> SparseRow {
        Self::counts(encoded.tokens(row))
    }

    /// ids: [batch, time], token slots: [batch, time]
    fn x(
        &self,
        encoded: &Encoded,
        rows: &[usize],
        sparse: &[SparseRow],
        slots: usize,
        device: &Device,
    ) -> (X, Option<Tensor<2, Int>>) {
        let texts: Vec<&[u32]> = rows.iter().map(|&r| encoded.tokens(r)).collect();
        let time = texts.iter().map(|t| t.len()).max().unwrap_or(0).max(1);
        let mut ids = vec![0_i64; rows.len() * time];
        let mut token_slots = vec![slots as i64; rows.len() * time];
        for (b, (text, row)) in texts.iter().zip(sparse).enumerate() {
            let slot_of: HashMap<u32, usize> =
                row.indices.iter().enumerate().map(|(slot, &j)| (j, slot)).collect();
            for (t, &id) in text.iter().enumerate() {
                ids[b * time + t] = i64::from(id);
                if let Some(j) = Self::feature(id) {
                    token_slots[b * time + t] = slot_of[&j] as i64;
                }
            }
        }
        let tensor =
            |values| Tensor::from_data(TensorData::new(values, [rows.len(), time]), device);
        (X::Tokens(tensor(ids)), Some(tensor(token_slots)))
    }

    fn changed(&self, encoded: &Encoded, row: usize, change: Change) -> Option<Encoded> {
        let Change::Remove { feature } = change else { return None };
        let other = |id: &&u32| Self::feature(**id) != Some(feature as u32);
        let ids: Vec<u32> = encoded.tokens(row).iter().filter(other).copied().collect();
        Some(Encoded { len: 1, x: EncodedX::Tokens { ends: vec![ids.len()], ids } })
    }

    fn schema(&self) -> Schema {
        Schema::Text
    }

    fn view(&self, samples: &Samples, row: usize) -> Option<SampleView> {
        let Samples::Texts(texts) = samples else { return None };
        let text = texts.get(row);
        let mut end = 0;
        let token = |(range, feature): (Range<usize>, Option<usize>)| {
            let space_before = range.start > end;
            end = range.end;
            TokenView { text: text[range].to_string(), feature, space_before }
        };
        let mut tokens: Vec<TokenView> = self.read(text).into_iter().map(token).collect();
        if !text[end..].trim().is_empty() {
            let rest = "… (the rest is not read)".to_string();
            tokens.push(TokenView { text: rest, feature: None, space_before: true });
        }
        Some(SampleView::Text { tokens })
    }

    fn describe(&self) -> String {
        let words = &self.vocabulary;
        let shown = words.iter().take(LISTED).cloned().collect::<Vec<_>>().join(" ");
        let more = if words.len() > LISTED { " …" } else { "" };
        format!("a bag of {} words: {shown}{more}", words.len())
    }

    fn file_name(&self) -> &'static str {
        "vocabulary.json"
    }
}

/// Words that a description lists; of more, only the first.
const LISTED: usize = 12;

fn fold<'a>(config: &WordsConfig, word: &'a str) -> Cow<'a, str> {
    if config.lowercase { Cow::Owned(word.to_lowercase()) } else { Cow::Borrowed(word) }
}

fn read<'a>(
    config: &'a WordsConfig,
    text: &'a str,
) -> impl Iterator<Item = (Cow<'a, str>, Range<usize>)> {
    tokens(text, config.tokenizer)
        .take(config.max_tokens)
        .map(|range| (fold(config, &text[range.clone()]), range))
}

impl From<Stored> for Words {
    fn from(stored: Stored) -> Self {
        let number = |(j, word): (usize, &String)| (word.clone(), j as u32);
        let ids = stored.vocabulary.iter().enumerate().map(number).collect();
        Self { config: stored.config, vocabulary: stored.vocabulary, ids }
    }
}

impl From<Words> for Stored {
    fn from(words: Words) -> Self {
        Self { config: words.config, vocabulary: words.vocabulary }
    }
}
