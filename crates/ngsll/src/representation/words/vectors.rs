//! Pretrained word vectors, such as GloVe's.

use super::{FIRST, Words, WordsConfig, fold, may_be_feature};
use crate::config::Config;
use crate::dataset::{Dataset, Samples};
use crate::error::{Error, Result};
use crate::representation::{RepresentationConfig, tokens};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

/// The most words from a file of vectors that no training text has: the first ones are the most frequent.
const MOST_OTHERS: usize = 100_000;

/// Vectors of the same width for a list of words.
///
/// ```
/// use ngsll::representation::WordVectors;
/// let words = ["good", "bad"].map(String::from).to_vec();
/// let vectors = WordVectors::new(words, vec![0.1, 0.2, 0.3, -0.1, -0.2, -0.3])?;
/// assert_eq!((vectors.len(), vectors.width()), (2, 3));
/// assert_eq!(vectors.vector(1), [-0.1, -0.2, -0.3]);
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct WordVectors {
    words: Vec<String>,
    width: usize,
    values: Vec<f32>,
}

impl WordVectors {
    /// `values` holds the vectors one after the other.
    pub fn new(words: Vec<String>, values: Vec<f32>) -> Result<Self> {
        let wrong = |found: String, expected: &str| Err(Error::setting("vectors", found, expected));
        if words.is_empty() {
            return wrong("none".into(), "expected a vector for at least one word");
        }
        let width = values.len() / words.len();
        if width == 0 || values.len() != width * words.len() {
            let found = format!("{} numbers for {} words", values.len(), words.len());
            return wrong(found, "expected the same number for every word");
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let found = format!("{} for {:?}", values[at], words[at / width]);
            return wrong(found, "expected finite numbers");
        }
        Ok(Self { words, width, values })
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Always false: there is at least one word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Numbers of a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The words as they were written.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The vector of word number `index`.
    pub fn vector(&self, index: usize) -> &[f32] {
        &self.values[index * self.width..][..self.width]
    }
}

/// Shows a digest of the numbers: options are compared by this text.
impl fmt::Debug for WordVectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hash = Sha256::new();
        self.words.iter().for_each(|word| hash.update(format!("{word}\0")));
        self.values.iter().for_each(|value| hash.update(value.to_le_bytes()));
        write!(f, "WordVectors({} × {}, {:x})", self.len(), self.width, hash.finalize())
    }
}

/// The words of a larger collection of vectors that a training can use: those of its texts and, if vectors stay
/// fixed, the first 100,000 others that a text may contain.
#[derive(Debug)]
pub struct VectorFilter {
    config: WordsConfig,
    known: HashSet<String>,
    others: usize,
}

impl VectorFilter {
    /// The words for a training with these options on these texts; `None` for samples of another kind.
    pub fn new<'a>(config: &Config, data: impl IntoIterator<Item = &'a Dataset>) -> Option<Self> {
        let RepresentationConfig::Words(words) = &config.representation else { return None };
        let mut known = HashSet::new();
        for data in data {
            let Samples::Texts(texts) = data.samples() else { return None };
            let read = |text| super::read(words, text, true).map(|(word, _)| word.into_owned());
            known.extend(texts.iter().flat_map(read));
        }
        let others = if config.generator.fixes_vectors() { MOST_OTHERS } else { 0 };
        Some(Self { config: words.clone(), known, others })
    }

    /// Whether the next word of the collection is one of them.
    pub fn wants(&mut self, word: &str) -> bool {
        let word = fold(&self.config, word);
        if self.known.contains(word.as_ref()) {
            return true;
        }
        let wanted = self.others > 0 && is_token(&self.config, &word);
        self.others -= usize::from(wanted);
        wanted
    }
}

/// Whether a text may contain this word as a token: `New York` is two.
fn is_token(config: &WordsConfig, word: &str) -> bool {
    tokens(word, config.tokenizer).next() == Some(0..word.len())
}

/// Vectors that token ids start from.
#[derive(Debug, Clone)]
pub(crate) struct FirstVectors {
    vectors: Arc<WordVectors>,
    /// Token id and index among the vectors.
    rows: Vec<(usize, usize)>,
}

impl FirstVectors {
    /// The number of words with a vector.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Puts the vectors into a table of all ids.
    ///
    /// table: [ids, width]
    pub fn fill(&self, table: &mut [f32]) {
        let width = self.vectors.width();
        for &(id, index) in &self.rows {
            table[id * width..][..width].copy_from_slice(self.vectors.vector(index));
        }
    }
}

impl Words {
    /// The same with the words that only these vectors know.
    pub(crate) fn with_pretrained_words(mut self, vectors: &WordVectors) -> Self {
        let config = self.config.clone();
        let is_feature = may_be_feature(&config);
        let learned = self.vocabulary.len();
        for word in vectors.words() {
            let word = fold(&config, word);
            if is_token(&config, &word)
                && is_feature(&word)
                && !self.ids.contains_key(word.as_ref())
            {
                self.ids.insert(word.to_string(), self.vocabulary.len() as u32);
                self.vocabulary.push(word.into_owned());
            }
        }
        self.unlearned = self.vocabulary.len() - learned;
        self
    }

    /// The vectors that its words start from: by their spelling or, if case is folded, that of the
    /// first word that differs in case alone.
    pub(crate) fn first_vectors(&self, vectors: &Arc<WordVectors>) -> FirstVectors {
        let mut indices: HashMap<Cow<'_, str>, usize> = HashMap::new();
        for (index, word) in vectors.words().iter().enumerate() {
            indices.entry(Cow::Borrowed(word)).or_insert(index);
        }
        for (index, word) in vectors.words().iter().enumerate() {
            indices.entry(fold(&self.config, word)).or_insert(index);
        }
        let row =
            |(j, word): (usize, &String)| Some((j + FIRST as usize, *indices.get(word.as_str())?));
        let rows: Vec<_> = self.vocabulary.iter().enumerate().filter_map(row).collect();
        FirstVectors { vectors: vectors.clone(), rows }
    }
}
