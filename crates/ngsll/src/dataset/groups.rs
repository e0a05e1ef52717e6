//! Merging labels into groups, such as the digits 0 to 4 against 5 to 9.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names for groups of labels.
///
/// ```
/// # use ngsll::dataset::Groups;
/// let groups = Groups::parse("0-4=low,5-9=high,none=low")?;
/// assert_eq!(groups.apply("7"), Some("high"));
/// assert_eq!(groups.apply("none"), Some("low"));
/// assert_eq!(groups.apply("10"), None);
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Groups {
    /// The text as given.
    text: String,
    items: Vec<(Members, String)>,
}

/// The labels of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Members {
    /// Integers, both ends included.
    Range(i64, i64),
    /// One label.
    Label(String),
}

impl Groups {
    /// Parses items `FROM-TO=NAME` (integers, both included) and `LABEL=NAME`, separated by commas. No label may belong
    /// to two items.
    pub fn parse(text: &str) -> Result<Self> {
        let mut items: Vec<(Members, String)> = Vec::new();
        for item in text.split(',').map(str::trim) {
            let wrong = |expected: String| Error::setting("groups", format!("{item:?}"), expected);
            // From the right, since a label such as "<=50K" may itself contain the sign.
            let (members, name) = item
                .rsplit_once('=')
                .map(|(members, name)| (members.trim(), name.trim()))
                .filter(|(members, name)| !members.is_empty() && !name.is_empty())
                .ok_or_else(|| wrong("expected FROM-TO=NAME or LABEL=NAME".into()))?;
            let members = Members::parse(members);
            if let Members::Range(from, to) = members
                && from > to
            {
                return Err(wrong(format!("the range is empty, expected {to}-{from}")));
            }
            if let Some((other, _)) = items.iter().find(|(other, _)| members.overlaps(other)) {
                return Err(wrong(format!(
                    "it overlaps with {other}; each label may appear only once"
                )));
            }
            items.push((members, name.to_owned()));
        }
        Ok(Self { text: text.to_owned(), items })
    }

    /// The groups' names in the order in which they were given.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (_, name) in &self.items {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// The name of the group that `label` belongs to.
    pub fn apply(&self, label: &str) -> Option<&str> {
        let label = label.trim();
        let holds = |(members, _): &&(Members, String)| members.holds(label);
        self.items.iter().find(holds).map(|(_, name)| name.as_str())
    }
}

impl TryFrom<String> for Groups {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Groups> for String {
    fn from(groups: Groups) -> Self {
        groups.text
    }
}

impl Members {
    fn parse(text: &str) -> Self {
        // The minus signs of negative numbers do not separate, so every position is tried.
        text.match_indices('-')
            .find_map(|(at, _)| {
                Some((text[..at].trim().parse().ok()?, text[at + 1..].trim().parse().ok()?))
            })
            .map_or_else(|| Self::Label(text.to_owned()), |(from, to)| Self::Range(from, to))
    }

    fn holds(&self, label: &str) -> bool {
        match self {
            Self::Range(from, to) => label.parse().is_ok_and(|n: i64| (*from..=*to).contains(&n)),
            Self::Label(own) => own == label,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Range(a, b), Self::Range(c, d)) => a <= d && c <= b,
            (range, Self::Label(label)) | (Self::Label(label), range) => range.holds(label),
        }
    }
}

impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(from, to) => write!(f, "{from}-{to}"),
            Self::Label(label) => write!(f, "{label:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_find_their_group() {
        let groups = Groups::parse("-5--1=minus, 0-4 = low ,<=50K=poor,x=low").unwrap();
        for (label, group) in [
            ("-5", Some("minus")),
            ("-1", Some("minus")),
            ("0", Some("low")),
            ("4", Some("low")),
            ("5", None),
            ("2.5", None),
            ("<=50K", Some("poor")),
            ("x", Some("low")),
            ("", None),
        ] {
            assert_eq!(groups.apply(label), group, "{label:?}");
        }
    }

    #[test]
    fn bad_items_are_named() {
        for (text, message) in [
            ("", "groups = \"\": expected FROM-TO=NAME or LABEL=NAME"),
            ("0-4", "groups = \"0-4\": expected FROM-TO=NAME or LABEL=NAME"),
            ("a=b,,c=d", "groups = \"\": expected FROM-TO=NAME or LABEL=NAME"),
            ("=low", "groups = \"=low\": expected FROM-TO=NAME or LABEL=NAME"),
            ("0-4=", "groups = \"0-4=\": expected FROM-TO=NAME or LABEL=NAME"),
            ("4-0=low", "groups = \"4-0=low\": the range is empty, expected 0-4"),
            (
                "0-4=a,4-5=b",
                "groups = \"4-5=b\": it overlaps with 0-4; each label may appear only once",
            ),
            (
                "0-4=a,3=b",
                "groups = \"3=b\": it overlaps with 0-4; each label may appear only once",
            ),
            (
                "3=b,0-4=a",
                "groups = \"0-4=a\": it overlaps with \"3\"; each label may appear only once",
            ),
            (
                "x=b,x=a",
                "groups = \"x=a\": it overlaps with \"x\"; each label may appear only once",
            ),
        ] {
            assert_eq!(Groups::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }
}
