//! K, the number of terms a score may use.

use ngsll::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The number of terms a score may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum K {
    /// The terms with the K largest weights.
    Top(usize),
    /// All terms; also for methods without a K.
    All,
}

impl K {
    /// The number, unless it is all.
    pub(crate) fn top(self) -> Option<usize> {
        match self {
            K::Top(k) => Some(k),
            K::All => None,
        }
    }
}

impl fmt::Display for K {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            K::Top(k) => k.fmt(f),
            K::All => f.pad("all"),
        }
    }
}

impl FromStr for K {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "all" => Ok(K::All),
            number => match number.parse() {
                Ok(k) if k > 0 => Ok(K::Top(k)),
                _ => Err(Error::setting("k", text, "numbers from 1 up, or all, such as 1,5,10")),
            },
        }
    }
}

impl TryFrom<String> for K {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<K> for String {
    fn from(k: K) -> Self {
        k.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_is_read_written_and_ordered() {
        for text in ["1", "10", "all"] {
            assert_eq!(text.parse::<K>().unwrap().to_string(), text);
        }
        assert!(K::Top(10) > K::Top(5) && K::All > K::Top(10));
        for text in ["0", "-1", "", "five"] {
            assert!(text.parse::<K>().is_err(), "{text:?}");
        }
    }
}
