//! Files of pretrained word vectors: GloVe's and fastText's text, word2vec's text and binary form.

use crate::source::{Source, open, read_error};
use ngsll::error::{Error, Location, Result};
use ngsll::representation::{VectorFilter, WordVectors};
use ngsll::{Config, Dataset};
use std::io::{BufRead, Cursor, Read};
use std::path::Path;

/// The largest width of a vector.
const WIDEST: usize = 65_536;
/// The most characters of a word, and of a number with the space before it.
const LONGEST_WORD: usize = 4096;
const LONGEST_NUMBER: usize = 32;
/// The first bytes of fastText's own models.
const FASTTEXT: [u8; 4] = 793_712_314_i32.to_le_bytes();

/// Reads the vectors of the wanted words and skips those of others. In the text forms a
/// line is a word and its numbers, and a first line of two whole numbers, as word2vec and fastText write it, gives
/// the number of words and the width; in word2vec's binary form, which also begins with it, the numbers
/// have four bytes each. Any of them may be gzip-compressed.
///
/// ```
/// use ngsll_readers::read_word_vectors;
/// let file = std::env::temp_dir().join(format!("ngsll-doc-vectors-{}.txt", std::process::id()));
/// std::fs::write(&file, "good 0.5 0.25\nnever 0 1\nbad -0.5 0\n").unwrap();
/// let vectors = read_word_vectors(&file, |word| word != "never")?;
/// assert_eq!((vectors.words(), vectors.vector(1)), (&["good".into(), "bad".into()][..], &[-0.5, 0.0][..]));
/// # std::fs::remove_file(&file).unwrap();
/// # Ok::<(), ngsll::Error>(())
/// ```
pub fn read_word_vectors(path: &Path, wanted: impl FnMut(&str) -> bool) -> Result<WordVectors> {
    let mut file = VectorFile { path, source: open(path)?, line: 0 };
    let found = file.read(wanted)?;
    if found.words.is_empty() {
        return Err(file.error("it has no vector for any of the wanted words"));
    }
    WordVectors::new(found.words, found.values)
}

/// The options with the word vectors that they name, read for a training on these samples.
pub fn with_word_vectors<'a>(
    mut config: Config,
    data: impl IntoIterator<Item = &'a Dataset>,
) -> Result<Config> {
    let Some(path) = config.generator.unread_vectors()? else { return Ok(config) };
    let Some(mut wanted) = VectorFilter::new(&config, data) else { return Ok(config) };
    let vectors = read_word_vectors(path, |word| wanted.wants(word))?;
    config.generator.set_vectors(vectors.into())?;
    Ok(config)
}

#[derive(Default)]
struct FoundVectors {
    words: Vec<String>,
    values: Vec<f32>,
}

struct VectorFile<'a> {
    path: &'a Path,
    source: Source,
    /// The number of the last line that was read, counted from 1.
    line: u64,
}

impl VectorFile<'_> {
    fn error(&self, message: impl Into<String>) -> Error {
        Location::file(self.path).error(message)
    }

    fn line_error(&self, message: impl Into<String>) -> Error {
        Location::line(self.path, self.line).error(message)
    }

    fn read(&mut self, mut wanted: impl FnMut(&str) -> bool) -> Result<FoundVectors> {
        let first = self.next_line(LONGEST_WORD + WIDEST * LONGEST_NUMBER)?;
        let Some(first) = first.filter(|line| !line.is_empty()) else {
            return Err(self.error("it is empty: expected word vectors"));
        };
        if first.starts_with(&FASTTEXT) {
            return Err(
                self.error("it is a model of fastText, expected its vectors in text (.vec)")
            );
        }
        let Some((words, width)) = header(&first) else {
            let width = String::from_utf8_lossy(&first).split_ascii_whitespace().count() - 1;
            if !(1..=WIDEST).contains(&width) {
                return Err(self.line_error("expected a word and its numbers"));
            }
            return self.read_lines(Some(first), width, None, wanted);
        };
        if !(1..=WIDEST).contains(&width) {
            let expected = format!("expected vectors of 1 to {WIDEST} numbers, found {width}");
            return Err(self.line_error(expected));
        }
        let second = self.raw_line(longest_line(width))?;
        if is_text(&second) {
            return self.read_lines(Some(trimmed(second)), width, Some(words), wanted);
        }
        // Not a line, then: the first bytes of binary vectors.
        let rest = std::mem::replace(&mut self.source, Box::new(Cursor::new([])));
        self.source = Box::new(Cursor::new(second).chain(rest));
        self.read_binary(words, width, &mut wanted)
    }

    fn read_lines(
        &mut self,
        mut line: Option<Vec<u8>>,
        width: usize,
        words: Option<u64>,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<FoundVectors> {
        let (mut found, mut count) = (FoundVectors::default(), 0);
        while let Some(bytes) = line {
            count += 1;
            let Some((word, numbers)) = entry(&bytes, width) else {
                let fields = String::from_utf8_lossy(&bytes).split_ascii_whitespace().count();
                let found = fields.saturating_sub(1);
                let expected = format!("expected a word and {width} numbers, found {found}");
                return Err(self.line_error(expected));
            };
            if wanted(&word) {
                let numbers = parsed(numbers).map_err(|message| self.line_error(message))?;
                found.values.extend(numbers);
                found.words.push(word);
            }
            line = self.next_line(longest_line(width))?;
        }
        match words {
            Some(words) if words != count => {
                Err(self.error(format!("it holds {count} words, but its first line says {words}")))
            }
            _ => Ok(found),
        }
    }

    /// The next line without its end; `None` at the end of the file.
    fn next_line(&mut self, longest: usize) -> Result<Option<Vec<u8>>> {
        let line = self.raw_line(longest)?;
        if line.len() == longest && !line.ends_with(b"\n") {
            return Err(self.line_error("the line is too long for a word and its numbers"));
        }
        Ok((!line.is_empty()).then(|| trimmed(line)))
    }

    /// The bytes up to the next line feed, at most that many.
    fn raw_line(&mut self, longest: usize) -> Result<Vec<u8>> {
        self.line += 1;
        let mut line = Vec::new();
        let mut limited = (&mut self.source).take(longest as u64);
        limited.read_until(b'\n', &mut line).map_err(|error| read_error(self.path, error))?;
        Ok(line)
    }

    /// word2vec's binary form: each word ends with a space, and its numbers may end with a line feed.
    fn read_binary(
        &mut self,
        words: u64,
        width: usize,
        wanted: &mut impl FnMut(&str) -> bool,
    ) -> Result<FoundVectors> {
        let (mut found, mut bytes, mut word) =
            (FoundVectors::default(), vec![0; width * 4], Vec::new());
        for number in 1..=words {
            let cut_off =
                format!("it ends within word {number} of the {words} that it should hold");
            word.clear();
            let mut limited = (&mut self.source).take(LONGEST_WORD as u64);
            limited.read_until(b' ', &mut word).map_err(|error| read_error(self.path, error))?;
            if word.pop() != Some(b' ') {
                let endless = format!(
                    "word {number} does not end: expected lines of a word and {width} numbers, or \
                     word2vec's binary form"
                );
                return Err(self.error(match word.len() + 1 < LONGEST_WORD {
                    true => cut_off,
                    false => endless,
                }));
            }
            if self.source.read_exact(&mut bytes).is_err() {
                return Err(self.error(cut_off));
            }
            let name = String::from_utf8_lossy(&word);
            let name = name.trim_start_matches('\n');
            if !wanted(name) {
                continue;
            }
            let value = |b: &[u8]| f32::from_le_bytes(b.try_into().expect("chunks of four bytes"));
            found.values.extend(bytes.chunks_exact(4).map(value));
            if found.values[found.words.len() * width..].iter().any(|value| !value.is_finite()) {
                return Err(
                    self.error(format!("word {number}, {name:?}, has a number that is not finite"))
                );
            }
            found.words.push(name.to_owned());
        }
        Ok(found)
    }
}

fn longest_line(width: usize) -> usize {
    LONGEST_WORD + width * LONGEST_NUMBER
}

fn trimmed(mut line: Vec<u8>) -> Vec<u8> {
    while line.last().is_some_and(u8::is_ascii_whitespace) {
        line.pop();
    }
    line
}

/// Whether bytes are a line of a word and numbers, not the start of binary vectors: some fields may be invalid.
fn is_text(line: &[u8]) -> bool {
    let after = line.iter().position(|byte| *byte == b' ').map_or(&[][..], |at| &line[at..]);
    let Some(fields) = std::str::from_utf8(after).ok() else { return false };
    let (numbers, others): (Vec<&str>, _) =
        fields.split_ascii_whitespace().partition(|field| field.parse::<f32>().is_ok());
    !numbers.is_empty() && numbers.len() >= others.len()
}

/// Two whole numbers: the number of words, and the width.
fn header(line: &[u8]) -> Option<(u64, usize)> {
    let (words, width) = std::str::from_utf8(line).ok()?.split_once([' ', '\t'])?;
    Some((words.parse().ok()?, width.trim().parse().ok()?))
}

/// A line's word, which may contain spaces, and its last `width` fields.
fn entry(line: &[u8], width: usize) -> Option<(String, &str)> {
    // Numbers are ASCII, whatever the script of the word.
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut word = line;
    for _ in 0..width {
        word = &word[..word.iter().rposition(is_space)?];
        while let [rest @ .., b' ' | b'\t'] = word {
            word = rest;
        }
    }
    let numbers = std::str::from_utf8(&line[word.len()..]).ok()?;
    (!word.is_empty()).then(|| (String::from_utf8_lossy(word).into_owned(), numbers))
}

/// The numbers of a line; the error names the first field that is not a number.
fn parsed(numbers: &str) -> Result<Vec<f32>, String> {
    let number = |field: &str| match field.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("{field:?} is not a finite number")),
    };
    numbers.split_ascii_whitespace().map(number).collect()
}
