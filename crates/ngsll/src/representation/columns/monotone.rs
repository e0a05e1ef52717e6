//! Columns in whose value the score may only rise, or only fall.

use serde::{Deserialize, Serialize};

/// The direction in which the score may move as a column's value rises, all else equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Monotone {
    /// It never falls.
    Up,
    /// It never rises.
    Down,
}

/// Weights that a generator writes for each monotone column beside its level and its slope: the steepness of
/// a line and of some learned shapes.
pub(crate) const MONOTONE_WEIGHTS: usize = 9;

impl Monotone {
    /// 1 or −1: the factor that makes an allowed slope non-negative.
    pub(crate) fn sign(self) -> f32 {
        match self {
            Self::Up => 1.0,
            Self::Down => -1.0,
        }
    }
}

/// The promise about monotone columns, with `subject`, in a sentence without its full stop; `None` if there
/// are no such columns.
pub(crate) fn sentence(subject: &str, columns: &[(&str, Monotone)]) -> Option<String> {
    let never = |direction: Monotone, what: &str| {
        let own = columns.iter().filter(|(_, own)| *own == direction);
        let names: Vec<&str> = own.map(|(name, _)| *name).collect();
        let (last, others) = names.split_last()?;
        let others = match others {
            [] => String::new(),
            others => others.join(", ") + " or ",
        };
        Some(format!("never {what} as {others}{last} rises"))
    };
    let parts = [never(Monotone::Up, "falls"), never(Monotone::Down, "rises")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty())
        .then(|| format!("{subject} {}, all else equal (as requested)", parts.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_columns_by_direction() {
        let promise = |columns: &[(&str, Monotone)]| sentence("the score of yes", columns);
        assert_eq!(promise(&[]), None);
        let (income, debt) = (("income", Monotone::Up), ("debt", Monotone::Down));
        assert_eq!(
            promise(&[income]).unwrap(),
            "the score of yes never falls as income rises, all else equal (as requested)"
        );
        let all = [income, debt, ("savings", Monotone::Up), ("age", Monotone::Up)];
        assert_eq!(
            promise(&all).unwrap(),
            "the score of yes never falls as income, savings or age rises and never rises as debt rises, \
             all else equal (as requested)"
        );
    }
}
