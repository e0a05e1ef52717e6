//! Text → tokens.

use serde::{Deserialize, Serialize};

/// How a text is cut into tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tokenizer {
    /// Runs of letters and digits, and every other visible character by itself.
    #[default]
    Words,
    /// Whatever stands between white space.
    Whitespace,
}

/// The byte ranges of the tokens of `text`.
///
/// ```
/// use ngsll::representation::{Tokenizer, tokens};
/// let text = "What's U.S.?";
/// let words: Vec<&str> = tokens(text, Tokenizer::Words).map(|r| &text[r]).collect();
/// assert_eq!(words, ["What", "'", "s", "U", ".", "S", ".", "?"]);
/// ```
pub fn tokens(text: &str, tokenizer: Tokenizer) -> impl Iterator<Item = std::ops::Range<usize>> {
    let joins = move |c: char| match tokenizer {
        Tokenizer::Words => c.is_alphanumeric(),
        Tokenizer::Whitespace => !c.is_whitespace(),
    };
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (start, c) = chars.next()?;
            if c.is_whitespace() {
                continue;
            }
            let mut end = start + c.len_utf8();
            if joins(c) {
                while let Some(&(at, next)) = chars.peek().filter(|(_, next)| joins(*next)) {
                    end = at + next.len_utf8();
                    chars.next();
                }
            }
            return Some(start..end);
        }
    })
}
