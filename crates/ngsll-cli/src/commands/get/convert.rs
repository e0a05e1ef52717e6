//! Published source files → `label<TAB>text` lines in UTF-8.

use std::path::Path;

use encoding_rs::WINDOWS_1252;

use ngsll::error::{Location, Result};

/// The conversion of a source file.
#[derive(Debug, Clone)]
pub enum Conversion {
    /// None: the file is unchanged.
    None,
    /// `0 some words`: a label's number, a space and the text.
    NumberedLines,
    /// `DESC:manner How did …`: the coarse class, the fine one and the text. The coarse class
    /// becomes its number in this list, counted from 0; the fine one is left out.
    CoarseClasses(Vec<String>),
}

impl Conversion {
    /// The converted content of `bytes`, which came from `name`: spaces around a text and lines
    /// without text are left out, and the encoding changes from Windows-1252 to UTF-8.
    pub fn apply(&self, bytes: Vec<u8>, name: &Path) -> Result<Vec<u8>> {
        if let Conversion::None = self {
            return Ok(bytes);
        }
        // All sources are ASCII except Subj and a single letter of TREC, the same in Latin-1.
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(&bytes);
        let mut converted = String::with_capacity(text.len());
        for (number, line) in (1..).zip(text.lines()) {
            let (label, text) = line.split_once(' ').unwrap_or((line, ""));
            let label = self
                .label(label)
                .map_err(|expected| Location::line(name, number).error(expected))?;
            let text = text.trim();
            if !text.is_empty() {
                converted.push_str(&format!("{label}\t{text}\n"));
            }
        }
        Ok(converted.into_bytes())
    }

    /// The number of a line's label, or what was expected instead.
    fn label(&self, word: &str) -> Result<usize, String> {
        match self {
            Conversion::CoarseClasses(classes) => word
                .split_once(':')
                .and_then(|(coarse, _)| classes.iter().position(|class| class == coarse))
                .ok_or_else(|| {
                    let classes = classes.join(", ");
                    format!("{word:?} is not COARSE:fine with a coarse class of {classes}")
                }),
            Conversion::None | Conversion::NumberedLines => {
                word.parse().map_err(|_| format!("{word:?} is not the number of a label"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(conversion: &Conversion, source: &[u8]) -> Result<String, String> {
        let converted = conversion.apply(source.to_vec(), Path::new("source"));
        converted.map(|bytes| String::from_utf8(bytes).unwrap()).map_err(|e| e.to_string())
    }

    fn coarse() -> Conversion {
        Conversion::CoarseClasses(vec!["DESC".into(), "ENTY".into()])
    }

    #[test]
    fn numbered_lines_lose_outer_spaces_and_empty_texts_only() {
        let source = b"0  a  b . \n1 \n1 c\n";
        assert_eq!(apply(&Conversion::NumberedLines, source).unwrap(), "0\ta  b .\n1\tc\n");
    }

    #[test]
    fn windows_1252_becomes_utf_8() {
        let source = b"1 caf\xe9 \x97 it\x92s\x85\n";
        assert_eq!(apply(&Conversion::NumberedLines, source).unwrap(), "1\tcafé — it’s…\n");
    }

    #[test]
    fn coarse_classes_become_their_numbers() {
        let source = b"ENTY:cremat What : films ?\nDESC:manner Sister\xf0city ?\n";
        assert_eq!(apply(&coarse(), source).unwrap(), "1\tWhat : films ?\n0\tSisterðcity ?\n");
    }

    #[test]
    fn no_conversion_keeps_every_byte() {
        let kept = Conversion::None.apply(vec![0x1f, 0x8b, 0xff], Path::new("x.gz")).unwrap();
        assert_eq!(kept, [0x1f, 0x8b, 0xff]);
    }

    #[test]
    fn a_line_of_another_form_is_named() {
        let error = apply(&Conversion::NumberedLines, b"0 a\n<html> b\n").unwrap_err();
        assert_eq!(error, "source line 2: \"<html>\" is not the number of a label");
        let error = apply(&coarse(), b"DESC:def a\nHUM:ind b\n").unwrap_err();
        assert_eq!(
            error,
            "source line 2: \"HUM:ind\" is not COARSE:fine with a coarse class of DESC, ENTY"
        );
    }
}
