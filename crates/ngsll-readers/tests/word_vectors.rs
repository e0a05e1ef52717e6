//! Files of word vectors in every form, and what is wrong with others.

mod common;

use common::{Folder, gzip};
use ngsll::representation::WordVectors;
use ngsll_readers::read_word_vectors;

fn read(name: &str, bytes: impl AsRef<[u8]>) -> ngsll::Result<WordVectors> {
    read_wanted(name, bytes, |_| true)
}

fn read_wanted(
    name: &str,
    bytes: impl AsRef<[u8]>,
    wanted: impl FnMut(&str) -> bool,
) -> ngsll::Result<WordVectors> {
    let folder = Folder::new();
    read_word_vectors(&folder.write(name, bytes), wanted)
}

/// A file of word2vec: `ends` follow the numbers of each word.
fn binary(header: &str, words: &[(&str, [f32; 2])], end: &str) -> Vec<u8> {
    let mut bytes = format!("{header}\n").into_bytes();
    for (word, numbers) in words {
        bytes.extend(format!("{word} ").bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(end.bytes());
    }
    bytes
}

#[test]
fn every_form_gives_the_same() {
    let words = [("good", [0.5, 1e-3]), ("10.0", [-2.0, 4.0]), ("schön", [0.0, 1.0])];
    let lines = "good 0.5 1e-3\n10.0 -2 4\nschön 0 1\n";
    let header = format!("3 2\n{lines}");
    // fastText ends its lines with a space.
    let spaced = header.replace('\n', " \n").replacen(" \n", "\n", 1);
    let glove = read("glove.txt", lines).unwrap();
    assert_eq!(glove.words(), ["good", "10.0", "schön"]);
    assert_eq!((glove.width(), glove.vector(1)), (2, &[-2.0, 4.0][..]));
    for (name, bytes) in [
        ("crlf.txt", lines.replace('\n', "\r\n").into_bytes()),
        ("open-end.txt", lines.trim_end().as_bytes().to_vec()),
        ("wide.txt", lines.replace(' ', "  ").into_bytes()),
        ("tabs.txt", lines.replace(' ', "\t").into_bytes()),
        ("glove.txt.gz", gzip(lines)),
        ("word2vec.txt", header.clone().into_bytes()),
        ("cc.en.vec", spaced.into_bytes()),
        ("cc.en.vec.gz", gzip(&header)),
        ("news.bin", binary("3 2", &words, "")),
        ("lines.bin", binary("3 2", &words, "\n")),
        ("news.bin.gz", gzip(binary("3 2", &words, "\n"))),
    ] {
        assert_eq!(read(name, bytes).unwrap(), glove, "{name}");
    }
}

#[test]
fn only_wanted_words_are_kept() {
    let words = [("a", [0.0, 1.0]), ("b", [f32::NAN, 1.0]), ("c", [2.0, 3.0])];
    for (name, bytes) in
        [("v.txt", b"a 0 1\nb many many\nc 2 3\n".to_vec()), ("v.bin", binary("3 2", &words, "\n"))]
    {
        let found = read_wanted(name, bytes, |word| word != "b").unwrap();
        assert_eq!(
            (found.words(), found.vector(1)),
            (&["a".into(), "c".into()][..], &[2.0, 3.0][..])
        );
    }
}

#[test]
fn a_word_may_hold_spaces() {
    let found = read("v.txt", "the 0 1\n. . . 2 3\nat name@domain.com 4 5\n").unwrap();
    assert_eq!(found.words(), ["the", ". . .", "at name@domain.com"]);
}

#[track_caller]
fn refused(name: &str, bytes: impl AsRef<[u8]>, message: &str) {
    let found = read(name, bytes).unwrap_err().to_string();
    assert!(found.ends_with(message), "{found:?} does not end with {message:?}");
}

#[test]
fn errors_name_the_line() {
    refused("v.txt", "", "v.txt: it is empty: expected word vectors");
    refused("v.txt", "\n\n", "v.txt: it is empty: expected word vectors");
    refused("v.txt", "word\n", "v.txt line 1: expected a word and its numbers");
    refused("v.txt", "a 0 1\nb 2\n", "v.txt line 2: expected a word and 2 numbers, found 1");
    refused("v.txt", "a 0 1\n\n", "v.txt line 2: expected a word and 2 numbers, found 0");
    refused("v.txt", "a 0 1\nb 2 x\n", "v.txt line 2: \"x\" is not a finite number");
    refused("v.txt", "a 0 inf\n", "v.txt line 1: \"inf\" is not a finite number");
    refused("v.vec", "3 2\na 0 1\nb 2 3\n", "v.vec: it holds 2 words, but its first line says 3");
    refused("v.vec", "1 2\na 0 1\nb 2 3\n", "v.vec: it holds 2 words, but its first line says 1");
    refused("v.vec", "2 0\na\n", "v.vec line 1: expected vectors of 1 to 65536 numbers, found 0");
    let words = [("a", [0.0, 1.0]), ("b", [f32::INFINITY, 1.0])];
    let whole = binary("2 2", &words, "\n");
    refused("v.bin", &whole, "v.bin: word 2, \"b\", has a number that is not finite");
    let ends = "v.bin: it ends within word 2 of the 2 that it should hold";
    refused("v.bin", &whole[..whole.len() - 3], ends);
    refused("v.bin", binary("2 2", &words[..1], "\n"), ends);
    let model = "v.bin: it is a model of fastText, expected its vectors in text (.vec)";
    refused("v.bin", [&793_712_314_i32.to_le_bytes()[..], &[12, 0, 0, 0]].concat(), model);
    let none = read_wanted("v.txt", "a 0 1\n", |_| false).unwrap_err().to_string();
    assert!(none.ends_with("v.txt: it has no vector for any of the wanted words"), "{none}");
}

/// Neither lines nor words that never end fill the memory.
#[test]
fn endless_lines_are_refused() {
    let long = "line 2: the line is too long for a word and its numbers";
    refused("v.txt", format!("a 0 1\n{}", "b".repeat(1 << 20)), long);
    let endless = [&b"2 2\na "[..], &[0; 8], &vec![b'b'; 1 << 20]].concat();
    let words =
        "word 2 does not end: expected lines of a word and 2 numbers, or word2vec's binary form";
    refused("v.bin", endless, words);
}
