//! Options for reading texts.

use crate::config::option_table;
use crate::error::{Error, Result};
use crate::representation::{TextUnit, Tokenizer};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How features are made from texts. Table of options: [`WordsConfig::OPTIONS`].
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct WordsConfig {
    /// How a text is cut into tokens.
    pub tokenizer: Tokenizer,
    /// Whether case is folded.
    pub lowercase: bool,
    /// The minimum number of occurrences of a word in the training part to become a feature.
    pub min_count: usize,
    /// Words that are never a feature.
    pub stop_words: Vec<String>,
    /// Whether full stops, commas, quotation marks, brackets and dashes are features if words are. Written only
    /// if they are not: an absent value means they are, as in files written before the option existed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub punctuation: bool,
    /// Tokens of a text that are read, from its start.
    pub max_tokens: usize,
    /// The part of a text that is a feature.
    #[serde(skip_serializing_if = "TextUnit::is_word")]
    pub unit: TextUnit,
    /// Words of a phrase; three if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phrase: Option<usize>,
}

option_table! {
    WordsConfig:
    (
        "tokenizer",
        "words",
        "how a text is cut: `words` takes runs of letters and digits, the words of scripts without spaces, emoji, and every other visible character by itself; `whitespace` cuts at white space",
        "words or whitespace",
    ),
    ("lowercase", "true", "whether upper and lower case are the same word", "true or false"),
    (
        "min_count",
        "2",
        "how often a word must occur in the training samples to be a feature",
        "a whole number of at least 1",
    ),
    ("stop_words", "none", "words that are never a feature", "a list of words"),
    (
        "punctuation",
        "true",
        "whether full stops, commas, quotation marks, brackets and dashes are features; exclamation and question marks always are, and sentences and phrases keep all of their signs",
        "true or false",
    ),
    (
        "max_tokens",
        "512",
        "tokens of a text that are read, from its start",
        "a whole number of at least 1",
    ),
    (
        "unit",
        "word",
        "the features of a text: words wherever they occur, or phrases or sentences by their positions",
        "word, phrase or sentence",
    ),
    ("phrase", "3", "words in a phrase", "a whole number of at least 1"),
}

fn yes() -> bool {
    true
}

fn is_yes(punctuation: &bool) -> bool {
    *punctuation
}

/// Records of experiments are identified by this text, so options added later appear only when set.
impl fmt::Debug for WordsConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("WordsConfig");
        shown.field("tokenizer", &self.tokenizer).field("lowercase", &self.lowercase);
        shown.field("min_count", &self.min_count).field("stop_words", &self.stop_words);
        shown.field("max_tokens", &self.max_tokens);
        if !self.punctuation {
            shown.field("punctuation", &self.punctuation);
        }
        if !self.unit.is_word() {
            shown.field("unit", &self.unit).field("phrase", &self.phrase);
        }
        shown.finish()
    }
}

impl Default for WordsConfig {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::Words,
            lowercase: true,
            min_count: 2,
            stop_words: Vec::new(),
            punctuation: true,
            max_tokens: 512,
            unit: TextUnit::Word,
            phrase: None,
        }
    }
}

/// No text has more words.
pub(super) const LARGEST: usize = 1 << 20;

impl WordsConfig {
    /// Refuses counts of zero, and counts that are typing errors.
    pub(in crate::representation) fn check(&self) -> Result<()> {
        let counts = [
            ("min_count", self.min_count),
            ("max_tokens", self.max_tokens),
            ("phrase", self.phrase()),
        ];
        for (name, value) in counts {
            if !(1..=LARGEST).contains(&value) {
                let expected = format!("expected a whole number from 1 to {LARGEST}");
                return Err(Error::setting(format!("representation.{name}"), value, expected));
            }
        }
        Ok(())
    }

    /// Words of a phrase.
    pub(super) fn phrase(&self) -> usize {
        self.phrase.unwrap_or(3)
    }
}
