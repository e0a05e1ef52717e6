//! Messages about invalid JSON, in the words of JSON: the parser's messages name Rust types.

use serde::Deserialize;
use serde_json::error::Category;

/// The reason why a JSON text cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct JsonError {
    /// The problem, and what was expected.
    pub reason: String,
    /// Whether the text is JSON but holds something other than expected.
    pub is_json: bool,
}

/// Reads a JSON text; errors are in terms that its author can act on.
///
/// ```
/// use ngsll::error::from_json;
/// let wrong = from_json::<Vec<String>>(b"{}").unwrap_err();
/// assert_eq!(wrong.reason, "found an object, expected a list (line 1, column 0)");
/// let wrong = from_json::<Vec<String>>(b"[\"a\"").unwrap_err();
/// assert_eq!(wrong.reason, "it ends unexpectedly (line 1, column 4)");
/// ```
pub fn from_json<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, JsonError> {
    serde_json::from_slice(text).map_err(|error| JsonError {
        reason: reason(&error),
        is_json: error.classify() == Category::Data,
    })
}

/// The reason and the position.
fn reason(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let at = format!(" at line {line} column {column}");
    let message = error.to_string();
    let message = message.strip_suffix(&at).unwrap_or(&message);
    let reason = match error.classify() {
        Category::Eof => "it ends unexpectedly".to_string(),
        Category::Syntax => syntax(message),
        Category::Data | Category::Io => data(message),
    };
    if line == 0 { reason } else { format!("{reason} (line {line}, column {column})") }
}

fn syntax(message: &str) -> String {
    match message {
        "expected value" | "expected ident" => "expected a value",
        "trailing characters" => "unexpected text after the end",
        "trailing comma" => "a comma follows the last value",
        "key must be a string" => "a key must be a text in quotes",
        "expected `:`" => "expected a colon after the key",
        "expected `,` or `}`" | "expected `,` or `]`" => "expected a comma or the closing bracket",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "a text contains a line break or another control character"
        }
        other => other,
    }
    .to_string()
}

fn data(message: &str) -> String {
    let named = |start: &str| Some(message.strip_prefix(start)?.split('`').next()?.to_string());
    if let Some(key) = named("unknown field `") {
        let known: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
        let expected = match known.is_empty() {
            true => String::new(),
            false => format!(", expected {}", known.join(", ")),
        };
        return format!("unknown key {key:?}{expected}");
    }
    if let Some(key) = named("missing field `") {
        return format!("the key {key:?} is missing");
    }
    if let Some(key) = named("duplicate field `") {
        return format!("the key {key:?} is given twice");
    }
    if message.starts_with("invalid length ") && message.contains(", expected struct ") {
        return "found a list, expected an object".to_string();
    }
    let wrong = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|start| message.strip_prefix(start)?.rsplit_once(", expected "));
    match wrong {
        Some((found, expected)) => format!("found {}, expected {}", value(found), kind(expected)),
        None => message.to_string(),
    }
}

/// The value found, from the parser's words for it.
fn value(found: &str) -> String {
    let inner = |start: &str| found.strip_prefix(start).map(|rest| rest.trim_matches('`'));
    match found {
        "map" => "an object".to_string(),
        "sequence" => "a list".to_string(),
        "null" | "unit value" => "null".to_string(),
        _ => {
            let number = ["integer ", "floating point ", "number "].iter().find_map(|s| inner(s));
            let text = inner("string ").map(|text| format!("the text {text}"));
            let number = number.map(|number| format!("the number {number}"));
            let truth = inner("boolean ").map(String::from);
            number.or(text).or(truth).unwrap_or_else(|| found.to_string())
        }
    }
}

/// The expected kind, from the parser's words for it.
fn kind(expected: &str) -> &str {
    match expected {
        "a map" => "an object",
        "a sequence" => "a list",
        "a string" | "a borrowed string" => "a text",
        "a boolean" => "true or false",
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number of at least 0",
        "i64" | "i32" => "a whole number",
        "f64" | "f32" => "a number",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::from_json;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only its errors are looked at")]
    struct Request {
        text: String,
        k: Option<usize>,
        sure: Option<bool>,
        row: Option<BTreeMap<String, f64>>,
    }

    #[test]
    fn no_word_of_the_parser_is_shown() {
        for (json, expected) in [
            ("", "it ends unexpectedly"),
            ("{\"text\": \"a", "it ends unexpectedly"),
            ("[]", "found a list, expected an object"),
            ("{}", "the key \"text\" is missing"),
            ("3", "found the number 3, expected an object"),
            ("{\"text\": 3}", "found the number 3, expected a text"),
            ("{\"text\": 1.5}", "found the number 1.5, expected a text"),
            ("{\"text\": null}", "found null, expected a text"),
            ("{\"text\": [\"a\"]}", "found a list, expected a text"),
            ("{\"text\": {}}", "found an object, expected a text"),
            ("{\"text\": \"a\", \"text\": \"b\"}", "the key \"text\" is given twice"),
            ("{\"k\": -1}", "found the number -1, expected a whole number of at least 0"),
            ("{\"k\": \"x\"}", "found the text \"x\", expected a whole number of at least 0"),
            ("{\"sure\": 1}", "found the number 1, expected true or false"),
            ("{\"row\": {\"a\": true}}", "found true, expected a number"),
            ("{\"row\": []}", "found a list, expected an object"),
            ("{\"txt\": \"a\"}", "unknown key \"txt\", expected text, k, sure, row"),
            ("{text: 3}", "a key must be a text in quotes"),
            ("{\"text\" 3}", "expected a colon after the key"),
            ("{\"text\": \"a\",}", "a comma follows the last value"),
            ("{\"text\": \"a\" \"b\"}", "expected a comma or the closing bracket"),
            ("{\"text\": \"a\"} 3", "unexpected text after the end"),
            ("{\"text\": hello}", "expected a value"),
        ] {
            let reason = from_json::<Request>(json.as_bytes()).unwrap_err().reason;
            assert!(reason.starts_with(&format!("{expected} (line ")), "{json}: {reason}");
        }
    }
}
