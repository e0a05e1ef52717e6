//! Text → tokens.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{GraphemeClusterSegmenter, WordSegmenter};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How a text is cut into tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tokenizer {
    /// Runs of letters and digits, the words of scripts that are written without spaces, emoji, and every
    /// other visible character by itself.
    #[default]
    Words,
    /// Everything between white space.
    Whitespace,
}

/// The byte ranges of the tokens of `text`.
///
/// ```
/// use ngsll::representation::{Tokenizer, tokens};
/// let words = |text: &'static str| -> Vec<&str> {
///     tokens(text, Tokenizer::Words).map(|r| &text[r]).collect()
/// };
/// assert_eq!(words("What's U.S.?"), ["What", "'", "s", "U", ".", "S", ".", "?"]);
/// assert_eq!(words("映画が好きです"), ["映画", "が", "好き", "です"]);
/// assert_eq!(words("so good 👍🏽!"), ["so", "good", "👍🏽", "!"]);
/// ```
pub fn tokens(text: &str, tokenizer: Tokenizer) -> impl Iterator<Item = Range<usize>> {
    Tokens { text, tokenizer, segmented: true, at: 0, breaks: Vec::new() }
}

/// The same for models trained before scripts without spaces were segmented and emoji kept together, unless
/// `segmented`.
pub(super) fn tokens_of(
    text: &str,
    tokenizer: Tokenizer,
    segmented: bool,
) -> impl Iterator<Item = Range<usize>> {
    Tokens { text, tokenizer, segmented, at: 0, breaks: Vec::new() }
}

struct Tokens<'a> {
    text: &'a str,
    tokenizer: Tokenizer,
    segmented: bool,
    /// The position at which the search for the next token starts.
    at: usize,
    /// Ends of words, the nearest last, within a run that begins at `at`.
    breaks: Vec<usize>,
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let end = match self.breaks.pop() {
            Some(end) => end,
            None => {
                let rest = &self.text[self.at..];
                self.at += rest.len() - rest.trim_start().len();
                let rest = &self.text[self.at..];
                self.at + self.token(rest, rest.chars().next()?)
            }
        };
        let token = self.at..end;
        self.at = end;
        Some(token)
    }
}

impl Tokens<'_> {
    /// The length of the token that `rest` begins with, whose first character is `first`.
    fn token(&mut self, rest: &str, first: char) -> usize {
        let run = |joins: &dyn Fn(char) -> bool| rest.find(|c| !joins(c)).unwrap_or(rest.len());
        match (self.tokenizer, self.segmented) {
            (Tokenizer::Whitespace, _) => run(&|c| !c.is_whitespace()),
            (Tokenizer::Words, true) => {
                if is_unspaced(first) {
                    let run = run(&is_unspaced);
                    return self.segment(&rest[..run]);
                }
                emoji(rest, first).unwrap_or_else(|| match first.is_alphanumeric() {
                    true => run(&|c| c.is_alphanumeric() && !is_unspaced(c)),
                    false => first.len_utf8(),
                })
            }
            (Tokenizer::Words, false) if first.is_alphanumeric() => run(&char::is_alphanumeric),
            (Tokenizer::Words, false) => first.len_utf8(),
        }
    }

    /// The length of the first word of a run; the ends of the others are stored.
    fn segment(&mut self, run: &str) -> usize {
        let words = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
        let mut ends: Vec<usize> = words.segment_str(run).filter(|end| *end > 0).collect();
        ends.reverse();
        let first = ends.pop().unwrap_or(run.len());
        self.breaks = ends.into_iter().map(|end| self.at + end).collect();
        first
    }
}

/// Letters, marks and digits of scripts whose words no space separates: Thai, Lao, Burmese, Khmer, Japanese
/// and Chinese. Korean has spaces.
fn is_unspaced(c: char) -> bool {
    c >= '\u{e01}'
        && matches!(c,
            '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}'
            | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{109d}' | '\u{aa60}'..='\u{aa76}'
            | '\u{1780}'..='\u{17d3}' | '\u{17d7}' | '\u{17dc}' | '\u{17dd}'
            | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309a}' | '\u{309d}'..='\u{309f}'
            | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

/// Whether a token only divides a text: full stops, commas, quotation marks, brackets, dashes, but no sign
/// with a meaning, such as an exclamation or question mark, a percent sign or an emoji.
pub(super) fn is_divider(token: &str) -> bool {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let divides = |c: char| {
        GeneralCategoryGroup::Punctuation.contains(categories.get(c)) && !SPEAKING.contains(&c)
    };
    !token.is_empty() && token.chars().all(divides)
}

/// Unicode punctuation with a meaning.
const SPEAKING: [char; 24] = [
    '!', '?', '¡', '¿', '‼', '‽', '⁇', '⁈', '⁉', '！', '？', '؟', '#', '%', '&', '*', '@', '§',
    '‰', '＃', '％', '＆', '＊', '＠',
];

/// The length of the emoji of several characters that `rest` begins with.
fn emoji(rest: &str, first: char) -> Option<usize> {
    // The characters that join several into one picture, as in UTS #51.
    let joins = |c: char| {
        matches!(c, '\u{200d}' | '\u{20e3}' | '\u{fe0f}' | '\u{1f1e6}'..='\u{1f1ff}'
            | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
    };
    let may_begin = matches!(first, '#' | '*' | '0'..='9' | '©' | '®' | '\u{203c}'..='\u{3299}'
        | '\u{1f000}'..='\u{1faff}');
    if !may_begin || !rest[first.len_utf8()..].chars().next().is_some_and(joins) {
        return None;
    }
    GraphemeClusterSegmenter::new().segment_str(rest).find(|end| *end > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text, Tokenizer::Words).map(|range| &text[range]).collect()
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_words() {
        for (text, expected) in [
            ("これは面白い映画です。", "これ は 面白い 映画 です 。"),
            ("iPhone15を2024年に買った", "iPhone15 を 2024 年 に 買 った"),
            ("这部电影很好看！", "这 部 电影 很好 看 ！"),
            ("หนังเรื่องนี้สนุกมาก", "หนัง เรื่อง นี้ สนุก มาก"),
            ("좋은 영화, 그래요", "좋은 영화 , 그래요"),
        ] {
            assert_eq!(words(text).join(" "), expected);
        }
    }

    #[test]
    fn an_emoji_is_a_token_however_many_characters_it_has() {
        for emoji in ["👍", "👍🏽", "❤️", "👩‍👩‍👧‍👦", "🇯🇵", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "🏳️‍🌈"]
        {
            let text = format!("so {emoji}{emoji}good {emoji}!");
            assert_eq!(words(&text), ["so", emoji, emoji, "good", emoji, "!"]);
        }
        assert_eq!(words("#1 *a* © 2024"), ["#", "1", "*", "a", "*", "©", "2024"]);
    }

    #[test]
    fn dividers_say_nothing_by_themselves() {
        for token in [
            ".", ",", ";", ":", "'", "\"", "(", "]", "-", "–", "…", "«", "”", "。", "、", "「",
            "،", "।", "_", "...",
        ] {
            assert!(is_divider(token), "{token}");
        }
        for token in
            ["a", "7", "!", "?", "！", "؟", "%", "#", "$", "€", "+", "👍", "❤️", "‼️", "&", "é", ""]
        {
            assert!(!is_divider(token), "{token}");
        }
    }

    proptest! {
        /// Texts without such scripts and without emoji of several characters are cut the same with and without them.
        #[test]
        fn other_texts_are_cut_as_before(text in "[ a-zA-Z0-9äéßñøλЖבعन्हिंदी한국어.,!?'\"()—€😀→\t\n-]{0,60}") {
            for tokenizer in [Tokenizer::Words, Tokenizer::Whitespace] {
                let before: Vec<_> = tokens_of(&text, tokenizer, false).collect();
                prop_assert_eq!(tokens(&text, tokenizer).collect::<Vec<_>>(), before);
            }
        }

        #[test]
        fn tokens_cover_all_that_is_visible(text in "\\PC{0,40}") {
            let mut end = 0;
            for token in tokens(&text, Tokenizer::Words) {
                prop_assert!(!text[token.clone()].is_empty() && text[end..token.start].trim().is_empty());
                end = token.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
