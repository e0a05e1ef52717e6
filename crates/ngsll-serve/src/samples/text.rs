//! Texts.

use super::{JsonSamples, PageInput, ReadSamples, SampleForm};
use crate::error::ApiError;
use crate::oip::TensorSpec;
use crate::oip::inputs::{InputTensor, single};
use ngsll::representation::Representation;
use ngsll::{Model, Samples};
use serde_json::{Value, json};

/// Bytes of one text; a model reads the first few hundred words only.
const MAX_TEXT_BYTES: usize = 64 << 10;

/// The one input tensor.
const TENSOR: &str = "text";

/// Words of an example.
const EXAMPLE_WORDS: usize = 6;

/// Free text.
pub struct TextForm;

impl SampleForm for TextForm {
    fn reads(&self) -> &'static str {
        "text"
    }

    fn json_form(&self) -> &'static str {
        "{\"text\": \"…\"}"
    }

    fn read_json(&self, samples: JsonSamples) -> Option<Result<ReadSamples, ApiError>> {
        match samples {
            JsonSamples { text: Some(texts), row: None, image: None } => {
                Some(checked(&texts.0).map(ReadSamples::from))
            }
            _ => None,
        }
    }

    fn read_tensors(&self, tensors: &[InputTensor<'_>]) -> Result<Samples, ApiError> {
        checked(&single(tensors, TENSOR)?.texts()?)
    }

    fn tensors(&self) -> Vec<TensorSpec> {
        vec![TensorSpec::new(TENSOR, "BYTES", &[])]
    }

    fn page_input(&self) -> PageInput<'_> {
        PageInput::default()
    }

    fn example(&self, model: &Model) -> Value {
        // The most frequent words come first.
        let words = match model.representation() {
            Representation::Words(words) => words.vocabulary(),
            _ => &[],
        };
        let letters = |word: &&String| word.chars().all(char::is_alphabetic);
        let words: Vec<&str> =
            words.iter().filter(letters).take(EXAMPLE_WORDS).map(String::as_str).collect();
        json!({ "text": words.join(" ") })
    }

    fn bytes(&self, samples: &Samples) -> usize {
        match samples {
            Samples::Texts(texts) => texts.iter().map(str::len).sum(),
            _ => 0,
        }
    }
}

/// Texts, none of them too long.
fn checked(texts: &[String]) -> Result<Samples, ApiError> {
    if let Some(i) = texts.iter().position(|text| text.len() > MAX_TEXT_BYTES) {
        let length = texts[i].len();
        let message = format!("it has {length} bytes, expected at most {MAX_TEXT_BYTES}");
        return Err(ApiError::bad(message).at(format!("text {i}")));
    }
    Ok(Samples::Texts(texts.iter().collect()))
}
