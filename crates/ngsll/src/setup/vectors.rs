//! Pretrained vectors for the words of texts.

use crate::error::{Error, Result};
use crate::generator::GeneratorConfig;
use crate::representation::{FirstVectors, Representation};

/// The initial vectors of words, if the options request any; with fixed ones the representation knows all their words.
pub(super) fn start(
    representation: Representation,
    generator: &GeneratorConfig,
) -> Result<(Representation, Option<FirstVectors>)> {
    let GeneratorConfig::TokenContext(config) = generator else {
        return Ok((representation, None));
    };
    let Some(path) = &config.vectors else { return Ok((representation, None)) };
    let wrong = |expected| Error::setting("generator.vectors", path.display(), expected);
    let Some(vectors) = &config.word_vectors else {
        return Err(wrong("the file has not been read, expected its vectors by set_vectors"));
    };
    let found = representation.first_vectors(vectors);
    if found.is_none_or(|found| found.len() == 0) {
        return Err(wrong("no word of the training texts has a vector there"));
    }
    let representation = match config.vectors_fixed {
        true => representation.with_pretrained_words(vectors),
        false => representation,
    };
    let first = representation.first_vectors(vectors);
    Ok((representation, first))
}
