//! Segments of a text as its features, in place of single words: sentences, or phrases of a few
//! words.

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The part of a text that is a feature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextUnit {
    /// A word, wherever it occurs.
    #[default]
    Word,
    /// A run of a few words within a sentence, by its position in the text.
    Phrase,
    /// A sentence, by its position in the text.
    Sentence,
}

impl TextUnit {
    /// Whether a feature is a word.
    pub fn is_word(&self) -> bool {
        *self == Self::Word
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Phrase => "phrase",
            Self::Sentence => "sentence",
        }
    }
}

/// The segment of each token, counted from 0; `words` is the length of a phrase. A phrase ends with its
/// sentence, and signs belong to the words before them.
pub(super) fn segments(
    text: &str,
    tokens: &[Range<usize>],
    unit: TextUnit,
    words: usize,
) -> Vec<u32> {
    let sentences = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut ends = sentences.segment_str(text).filter(|end| *end > 0).peekable();
    let (mut segment, mut count) = (0, 0);
    let number = |(at, token): (usize, &Range<usize>)| {
        let mut starts = false;
        while ends.next_if(|end| *end <= token.start).is_some() {
            starts = true;
        }
        let is_word = text[token.clone()].chars().any(char::is_alphanumeric);
        starts |= unit == TextUnit::Phrase && is_word && count == words;
        if starts && at > 0 {
            (segment, count) = (segment + 1, 0);
        }
        count += usize::from(is_word);
        segment
    };
    tokens.iter().enumerate().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::{Tokenizer, tokens};

    fn cut(text: &str, unit: TextUnit, words: usize) -> Vec<String> {
        let tokens: Vec<_> = tokens(text, Tokenizer::Words).collect();
        let mut found: Vec<Range<usize>> = Vec::new();
        for (token, segment) in tokens.iter().zip(segments(text, &tokens, unit, words)) {
            match found.get_mut(segment as usize) {
                Some(range) => range.end = token.end,
                None => found.push(token.clone()),
            }
        }
        found.into_iter().map(|range| text[range].to_string()).collect()
    }

    #[test]
    fn sentences_end_where_unicode_says() {
        let text = "  It was long. Was it dull? No!\n\n“Fine”, he said; 3.5 of 5. Go and see it";
        assert_eq!(
            cut(text, TextUnit::Sentence, 1),
            ["It was long.", "Was it dull?", "No!", "“Fine”, he said; 3.5 of 5.", "Go and see it"]
        );
        assert_eq!(
            cut("面白い。また見たい！", TextUnit::Sentence, 1),
            ["面白い。", "また見たい！"]
        );
        assert!(cut(" ", TextUnit::Sentence, 1).is_empty());
    }

    #[test]
    fn phrases_hold_so_many_words_and_end_with_their_sentence() {
        let text = "Not bad at all, but long. So: no.";
        assert_eq!(cut(text, TextUnit::Phrase, 2), ["Not bad", "at all,", "but long.", "So: no."]);
        assert_eq!(cut(text, TextUnit::Phrase, 3), ["Not bad at", "all, but long.", "So: no."]);
        assert_eq!(cut("!? a b", TextUnit::Phrase, 1), ["!?", "a", "b"]);
    }
}
