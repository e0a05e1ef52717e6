//! What can be chosen about the reading of texts.

use crate::error::{Error, Result};
use crate::representation::{TextUnit, Tokenizer};
use serde::{Deserialize, Serialize};
use std::fmt;

/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `tokenizer` | `words` | how a text is cut | `words`, `whitespace` |
/// | `lowercase` | true | whether case is folded | |
/// | `min_count` | 2 | how often a word must occur in the training part | 1 and up |
/// | `stop_words` | none | words that are never a feature | |
/// | `max_tokens` | 512 | tokens of a text that are read, from its start | 1 and up |
/// | `unit` | `word` | what of a text is a feature | `word`, `phrase`, `sentence` |
/// | `phrase` | 3 | words of a phrase | 1 and up |
#[derive(Clone, PartialEq, Serialize, Deserialize)]
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
    /// What of a text is a feature.
    #[serde(skip_serializing_if = "TextUnit::is_word")]
    pub unit: TextUnit,
    /// Words of a phrase; three if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phrase: Option<usize>,
}

/// Records of experiments go by this: what is as ever is left out.
impl fmt::Debug for WordsConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("WordsConfig");
        shown.field("tokenizer", &self.tokenizer).field("lowercase", &self.lowercase);
        shown.field("min_count", &self.min_count).field("stop_words", &self.stop_words);
        shown.field("max_tokens", &self.max_tokens);
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
                let expected = format!("a number from 1 to {LARGEST}");
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
