//! Texts that are not UTF-8: UTF-16 as a stream, Windows-1252 field by field.

use crate::source::Source;
use encoding_rs::{CoderResult, Decoder, Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::io::{self, BufRead, Read};

/// Bytes that are examined to detect UTF-16 without a byte order mark.
const LOOKED_AT: usize = 1024;

/// The UTF-16 that a file starts with: by its byte order mark, or because every other byte of its start
/// is mostly zero, as it is in western texts.
pub(super) fn utf_16(start: &[u8]) -> Option<&'static Encoding> {
    if start.starts_with(&[0xff, 0xfe]) {
        return Some(UTF_16LE);
    }
    if start.starts_with(&[0xfe, 0xff]) {
        return Some(UTF_16BE);
    }
    let pairs = start[..start.len().min(LOOKED_AT)].chunks_exact(2);
    let len = pairs.len();
    let (first, second) = pairs.fold((0, 0), |(first, second), pair| {
        (first + usize::from(pair[0] == 0), second + usize::from(pair[1] == 0))
    });
    let mostly = |zeros: usize, others: usize| len > 1 && others == 0 && 2 * zeros > len;
    match (mostly(second, first), mostly(first, second)) {
        (true, _) => Some(UTF_16LE),
        (_, true) => Some(UTF_16BE),
        _ => None,
    }
}

/// A source in another encoding as UTF-8.
pub(super) struct Decoded {
    inner: Source,
    decoder: Decoder,
    /// Decoded bytes, returned up to `given`.
    buffer: Vec<u8>,
    given: usize,
    ended: bool,
}

impl Decoded {
    pub fn new(inner: Source, encoding: &'static Encoding) -> Self {
        let decoder = encoding.new_decoder_with_bom_removal();
        Self { inner, decoder, buffer: Vec::new(), given: 0, ended: false }
    }
}

impl BufRead for Decoded {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.given == self.buffer.len() && !self.ended {
            let input = self.inner.fill_buf()?;
            let last = input.is_empty();
            // Two bytes become at most three, and a few may be held back from the previous call.
            self.buffer.resize(2 * input.len() + 16, 0);
            let (result, read, written, _) =
                self.decoder.decode_to_utf8(input, &mut self.buffer, last);
            self.inner.consume(read);
            self.buffer.truncate(written);
            self.given = 0;
            self.ended = last && result == CoderResult::InputEmpty;
        }
        Ok(&self.buffer[self.given..])
    }

    fn consume(&mut self, bytes: usize) {
        self.given += bytes;
    }
}

impl Read for Decoded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?.read(out)?;
        self.consume(bytes);
        Ok(bytes)
    }
}

/// Whether bytes that are not UTF-8 can be a text in Windows-1252, the superset of Latin-1 that
/// spreadsheets write: no control characters, and none that it does not have.
pub(super) fn is_windows_1252(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| match byte {
        b'\t' | b'\n' | b'\r' => true,
        0..=0x1f | 0x7f | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d => false,
        _ => true,
    })
}

/// Appends Windows-1252 as UTF-8.
pub(super) fn push_windows_1252(text: &mut String, bytes: &[u8]) {
    text.push_str(&WINDOWS_1252.decode_without_bom_handling(bytes).0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf_16_bytes(text: &str, big: bool) -> Vec<u8> {
        let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf_16_is_found_and_decoded() {
        let text = "Größe;Preis\n1;2 €\n".repeat(9000);
        for big in [false, true] {
            for mark in ["", "\u{feff}"] {
                let bytes = utf_16_bytes(&format!("{mark}{text}"), big);
                let encoding = utf_16(&bytes).unwrap();
                assert_eq!(encoding.name(), if big { "UTF-16BE" } else { "UTF-16LE" });
                let inner: Source =
                    Box::new(io::BufReader::with_capacity(333, io::Cursor::new(bytes)));
                let mut found = String::new();
                Decoded::new(inner, encoding).read_to_string(&mut found).unwrap();
                assert!(found == text);
            }
        }
        for other in ["size,price\n1,2\n".as_bytes(), b"", b"a", &[0, 0, 0, 0], "größe".as_bytes()]
        {
            assert_eq!(utf_16(other), None, "{other:?}");
        }
    }
}
