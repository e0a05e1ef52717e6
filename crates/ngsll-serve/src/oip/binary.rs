//! Tensors as binary data: little-endian, each text preceded by its length.

use crate::json::Scalar;

/// Datatypes whose elements are numbers.
pub const NUMBERS: [&str; 10] =
    ["UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP32", "FP64"];

/// The elements of a tensor of any datatype that a column may have. The error is a message.
pub fn scalars(datatype: &str, bytes: &[u8]) -> Result<Vec<Scalar>, String> {
    macro_rules! numbers {
        ($type:ty) => {
            elements(bytes, |b| Scalar::Number(<$type>::from_le_bytes(b) as f64))
        };
    }
    match datatype {
        "BYTES" => Ok(texts(bytes)?.into_iter().map(Scalar::Text).collect()),
        "BOOL" => elements(bytes, |[byte]| Scalar::Bool(byte != 0)),
        "UINT8" => numbers!(u8),
        "UINT16" => numbers!(u16),
        "UINT32" => numbers!(u32),
        "UINT64" => numbers!(u64),
        "INT8" => numbers!(i8),
        "INT16" => numbers!(i16),
        "INT32" => numbers!(i32),
        "INT64" => numbers!(i64),
        "FP32" => numbers!(f32),
        "FP64" => numbers!(f64),
        other => {
            let numbers = NUMBERS.join(", ");
            Err(format!("its datatype is {other:?}, expected BYTES, BOOL, {numbers}"))
        }
    }
}

/// The elements of a tensor of texts. The error is a message.
pub fn texts(mut bytes: &[u8]) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let i = all.len();
        let cut = bytes
            .split_first_chunk::<4>()
            .and_then(|(length, rest)| rest.split_at_checked(u32::from_le_bytes(*length) as usize));
        let (text, rest) = cut.ok_or_else(|| format!("element {i} is cut off"))?;
        let text = std::str::from_utf8(text).map_err(|_| format!("element {i} is not UTF-8"))?;
        all.push(text.to_string());
        bytes = rest;
    }
    Ok(all)
}

/// Elements of N bytes each.
fn elements<const N: usize>(
    bytes: &[u8],
    element: impl Fn([u8; N]) -> Scalar,
) -> Result<Vec<Scalar>, String> {
    let (elements, []) = bytes.as_chunks::<N>() else {
        let length = bytes.len();
        return Err(format!(
            "its {length} bytes are not a multiple of {N}, the bytes of an element"
        ));
    };
    Ok(elements.iter().map(|&bytes| element(bytes)).collect())
}

/// Appends texts.
pub fn push_texts(texts: &[String], bytes: &mut Vec<u8>) {
    for text in texts {
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
}

/// Appends numbers, as FP64.
pub fn push_numbers(numbers: &[f64], bytes: &mut Vec<u8>) {
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn written_tensors_are_read_back(words in prop::collection::vec(".{0,9}", 0..9), numbers in prop::collection::vec(any::<f64>(), 0..9)) {
            let mut bytes = Vec::new();
            push_texts(&words, &mut bytes);
            prop_assert_eq!(texts(&bytes), Ok(words));
            let mut bytes = Vec::new();
            push_numbers(&numbers, &mut bytes);
            let bits = |scalar: Scalar| match scalar {
                Scalar::Number(number) => number.to_bits(),
                _ => unreachable!("FP64 are numbers"),
            };
            let read: Vec<u64> = scalars("FP64", &bytes).unwrap().into_iter().map(bits).collect();
            prop_assert_eq!(read, numbers.iter().map(|n| n.to_bits()).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..99)) {
            for datatype in NUMBERS.into_iter().chain(["BYTES", "BOOL"]) {
                if let Ok(scalars) = scalars(datatype, &bytes) {
                    prop_assert!(scalars.len() <= bytes.len());
                }
            }
        }
    }

    #[test]
    fn elements_have_the_width_of_their_datatype() {
        let number = |datatype, bytes: &[u8]| scalars(datatype, bytes).unwrap();
        assert_eq!(number("INT8", &[255]), [Scalar::Number(-1.0)]);
        assert_eq!(number("UINT16", &[1, 2]), [Scalar::Number(513.0)]);
        assert_eq!(number("INT64", &(-7_i64).to_le_bytes()), [Scalar::Number(-7.0)]);
        assert_eq!(number("FP32", &1.5_f32.to_le_bytes()), [Scalar::Number(1.5)]);
        assert_eq!(number("BOOL", &[0, 1]), [false, true].map(Scalar::Bool));
    }
}
