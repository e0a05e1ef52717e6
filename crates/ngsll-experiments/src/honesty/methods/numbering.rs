//! The judge's numbering of features, for features named by any method.

use crate::honesty::sets::JudgedData;
use ngsll::TrainingSetup;
use ngsll::error::Result;
use ngsll::evidence::choice::Side;
use ngsll::representation::{Encoded, Representation};
use std::collections::HashMap;

/// The judge's numbers of the features, and which of them each judged sample has.
pub(super) struct Numbering {
    pub(super) representation: Representation,
    /// The judged samples.
    pub(super) encoded: Encoded,
    by_name: HashMap<String, usize>,
    available: Vec<Vec<usize>>,
}

impl Numbering {
    pub(super) fn new(prepared: &JudgedData, setup: &TrainingSetup) -> Result<Self> {
        let representation = prepared.features(setup)?;
        let encoded = representation.encode(prepared.judged.samples())?;
        let available =
            (0..encoded.len()).map(|row| representation.listed(&encoded, row)).collect();
        let features = 0..representation.features();
        let by_name = features.map(|j| (representation.name(j), j)).collect();
        Ok(Self { representation, encoded, by_name, available })
    }

    /// The number of a feature.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The features that a sample has: words, cells with ink, columns. No method may name another.
    pub(super) fn available(&self, row: usize) -> &[usize] {
        &self.available[row]
    }

    /// The K features of a sample that count the most. For images and texts those count that support the
    /// predicted class; for tables pros and cons, as in the library's own choice.
    pub(super) fn top(&self, row: usize, supports: &[(usize, f64)], k: usize) -> Vec<usize> {
        let both = self.representation.choice().side == Side::Both;
        let counts = |support: f64| if both { support.abs() } else { support };
        let is_available = |(j, _): &&(usize, f64)| self.available(row).contains(j);
        let mut order: Vec<(usize, f64)> = supports.iter().filter(is_available).copied().collect();
        order.sort_by(|a, b| counts(b.1).total_cmp(&counts(a.1)).then(a.0.cmp(&b.0)));
        order.into_iter().take(k).map(|(j, _)| j).collect()
    }
}
