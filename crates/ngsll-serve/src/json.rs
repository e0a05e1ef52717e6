//! Values that may be written in JSON in more than one way.

use super::error::ApiError;
use super::samples::MAX_SAMPLES;
use ngsll::dataset::CellValue;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use std::fmt;
use std::marker::PhantomData;

/// The nesting limit of lists and objects; a tensor of images has seven levels.
const MAX_DEPTH: usize = 32;

/// Refuses JSON that is nested deeper than any request, including in parts that are ignored.
pub fn check_depth(json: &[u8]) -> Result<(), ApiError> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let message = format!("the JSON is nested deeper than {MAX_DEPTH} lists and objects");
            return Err(ApiError::bad(message));
        }
    }
    Ok(())
}

/// One thing (a text or an object) or a list of such.
#[derive(Debug)]
pub struct List<T>(pub Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData)).map(Self)
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one sample or a list of samples")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
        let deserializer: StrDeserializer<'_, E> = text.into_deserializer();
        T::deserialize(deserializer).map(|one| vec![one])
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|one| vec![one])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = list.next_element()? {
            // Checked while reading: a body of many empty samples is small, but the samples in memory are not.
            if all.len() == MAX_SAMPLES {
                let message = format!("more than {MAX_SAMPLES} samples in a request");
                return Err(Error::custom(message));
            }
            all.push(one);
        }
        Ok(all)
    }
}

/// A single value: a cell of a row, or an element of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    Number(f64),
    Text(String),
    Bool(bool),
    Null,
}

impl Scalar {
    /// As a cell of a file would hold it.
    pub fn cell(&self) -> CellValue<'_> {
        match self {
            Self::Number(number) => CellValue::Number(*number),
            Self::Text(text) => CellValue::Text(text.into()),
            Self::Bool(truth) => CellValue::Text(if *truth { "true" } else { "false" }.into()),
            Self::Null => CellValue::Missing,
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true, false or null")
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number as f64))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_string()))
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Scalar, E> {
        Ok(Scalar::Bool(truth))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }
}

/// The elements of a tensor, whose JSON may be nested like its shape or flat.
#[derive(Debug)]
pub struct Flat(pub Vec<Scalar>);

impl<'de> Deserialize<'de> for Flat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut all = Vec::new();
        deserializer.deserialize_seq(FlatElements(&mut all))?;
        Ok(Self(all))
    }
}

/// Appends an element, or those of a list.
struct FlatElements<'a>(&'a mut Vec<Scalar>);

impl<'de> DeserializeSeed<'de> for FlatElements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FlatElements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers, texts, true, false or null")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(FlatElements(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.0.push(ScalarVisitor.visit_f64::<E>(number)?);
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.0.push(ScalarVisitor.visit_i64::<E>(number)?);
        Ok(())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.0.push(ScalarVisitor.visit_u64::<E>(number)?);
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.push(ScalarVisitor.visit_str::<E>(text)?);
        Ok(())
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<(), E> {
        self.0.push(ScalarVisitor.visit_bool::<E>(truth)?);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.push(ScalarVisitor.visit_unit::<E>()?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sample_is_a_list_of_one() {
        let texts = |json: &str| serde_json::from_str::<List<String>>(json).map(|list| list.0);
        assert_eq!(texts("\"a\"").unwrap(), ["a"]);
        assert_eq!(texts("[\"a\", \"b\"]").unwrap(), ["a", "b"]);
        let number = texts("3").unwrap_err().to_string();
        assert!(number.contains("expected one sample or a list of samples"), "{number}");
        let many = format!("[{}\"\"]", "\"\",".repeat(MAX_SAMPLES));
        assert!(texts(&many).unwrap_err().to_string().starts_with("more than 1024 samples"));
    }

    #[test]
    fn nested_and_flat_tensors_are_the_same() {
        let flat = |json: &str| serde_json::from_str::<Flat>(json).map(|flat| flat.0);
        let numbers = [1.0, 2.0, 3.5, -4.0].map(Scalar::Number);
        assert_eq!(flat("[[1, 2], [3.5, -4]]").unwrap(), numbers);
        assert_eq!(flat("[1, 2, 3.5, -4]").unwrap(), numbers);
        assert!(flat("1").is_err() && flat("[{}]").is_err() && flat("[1e999]").is_err());
        let deep = "[".repeat(1000);
        assert!(flat(&deep).unwrap_err().to_string().contains("recursion limit"));
        let text = Scalar::Text("a".into());
        let cells = flat("[null, \"a\", true]").unwrap();
        assert_eq!(cells, [Scalar::Null, text, Scalar::Bool(true)]);
    }
}
