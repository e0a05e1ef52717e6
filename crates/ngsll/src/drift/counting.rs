//! Columns, words and cells as counts in bins.

use super::distribution::{Bins, Distribution, Variable};
use crate::dataset::{Column, Samples, Table, Values};
use crate::error::Result;
use crate::representation::Representation;
use std::collections::HashMap;

/// The number of bins for numbers, and for the ink of a cell.
const TENTHS: usize = 10;
const FIFTHS: usize = 5;
/// The number of levels of a column, and of words, that are counted one by one.
const LEVELS: usize = 20;
const WORDS: usize = 500;

/// Samples of one kind, ready to be counted.
pub(super) enum Counted<'a> {
    Table(&'a Table),
    Texts {
        texts: u64,
        /// The number of texts that contain each word.
        words: HashMap<String, u64>,
        /// The numbers of words inside and outside the vocabulary.
        unknown: [u64; 2],
    },
    /// The ink of each cell in every image.
    Images(HashMap<String, Vec<f64>>),
}

impl<'a> Counted<'a> {
    /// Reads samples as the model does.
    pub fn of(representation: &Representation, samples: &'a Samples) -> Result<Self> {
        if let Some(table) = samples.as_table() {
            return Ok(Self::Table(table));
        }
        let encoded = representation.encode(samples)?;
        let rows = (0..encoded.len()).map(|row| representation.z(&encoded, row));
        if let Some(unknown) = representation.unknown_words(samples) {
            let mut counts: HashMap<u32, u64> = HashMap::new();
            rows.flat_map(|row| row.indices).for_each(|j| *counts.entry(j).or_default() += 1);
            let name = |(j, count): (u32, u64)| (representation.name(j as usize), count);
            let words = counts.into_iter().map(name).collect();
            return Ok(Self::Texts { texts: samples.len() as u64, words, unknown });
        }
        // A cell without ink is not listed.
        let mut ink = vec![vec![0.0; encoded.len()]; representation.features()];
        for (row, z) in rows.enumerate() {
            for (&j, &value) in z.indices.iter().zip(&z.values) {
                ink[j as usize][row] = f64::from(value);
            }
        }
        let cell = |(j, ink): (usize, Vec<f64>)| (representation.name(j), ink);
        Ok(Self::Images(ink.into_iter().enumerate().map(cell).collect()))
    }

    /// The number of samples in each bin of a distribution.
    pub fn counts(&self, distribution: &Distribution) -> Vec<u64> {
        let Distribution { of, bins, .. } = distribution;
        let mut counts = vec![0; bins.len()];
        match (self, of) {
            (Self::Table(table), Variable::Column(name)) => {
                let Some(column) = table.column(name) else { return counts };
                match column.values() {
                    Values::Numeric(values) => {
                        values.iter().for_each(|value| counts[bins.of_number(*value)] += 1);
                    }
                    Values::Categorical(levels) => {
                        levels.iter().for_each(|level| counts[bins.of_level(level)] += 1);
                    }
                }
            }
            (Self::Texts { texts, words, .. }, Variable::Word(word)) => {
                let with = words.get(word).copied().unwrap_or(0);
                counts = vec![texts - with, with];
            }
            (Self::Texts { unknown, .. }, Variable::UnknownWords) => counts = unknown.to_vec(),
            (Self::Images(cells), Variable::Cell(name)) => {
                let ink = cells.get(name).into_iter().flatten();
                ink.for_each(|ink| counts[bins.of_number(*ink)] += 1);
            }
            _ => {}
        }
        counts
    }
}

/// The distributions of samples, with bins that fit them.
pub(super) fn fitted(
    representation: &Representation,
    samples: &Samples,
) -> Result<Vec<Distribution>> {
    let counted = Counted::of(representation, samples)?;
    let bins: Vec<(Variable, Bins)> = match &counted {
        Counted::Table(table) => {
            let read = representation.schema();
            let reads =
                |column: &&Column| read.columns().iter().any(|own| own.name == column.name());
            let bins =
                |column: &Column| (Variable::Column(column.name().to_string()), bins(column));
            table.columns().iter().filter(reads).map(bins).collect()
        }
        Counted::Texts { words, .. } => {
            let mut words: Vec<(&String, &u64)> = words.iter().collect();
            words.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
            let words = words.into_iter().take(WORDS);
            let words = words.map(|(word, _)| (Variable::Word(word.clone()), Bins::Occurs));
            words.chain([(Variable::UnknownWords, Bins::Occurs)]).collect()
        }
        Counted::Images(cells) => {
            let cell = |j: usize| {
                let name = representation.name(j);
                let mut ink = cells.get(&name).cloned().unwrap_or_default();
                ink.sort_by(f64::total_cmp);
                (Variable::Cell(name), Bins::of_numbers(&ink, FIFTHS))
            };
            (0..representation.features()).map(cell).collect()
        }
    };
    let distribution = |(of, bins): (Variable, Bins)| {
        let empty = Distribution { of, bins, counts: Vec::new() };
        Distribution { counts: counted.counts(&empty), ..empty }
    };
    Ok(bins.into_iter().map(distribution).collect())
}

/// The bins of a column: tenths of its numbers, or its most frequent levels.
fn bins(column: &Column) -> Bins {
    match column.values() {
        Values::Numeric(values) => {
            let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            sorted.sort_by(f64::total_cmp);
            Bins::of_numbers(&sorted, TENTHS)
        }
        Values::Categorical(levels) => {
            let mut counts = vec![0_u64; levels.levels().len()];
            (0..levels.len()).filter_map(|row| levels.id(row)).for_each(|id| counts[id] += 1);
            let mut order: Vec<usize> = (0..counts.len()).filter(|&id| counts[id] > 0).collect();
            order.sort_by_key(|&id| (std::cmp::Reverse(counts[id]), levels.levels()[id].clone()));
            let names = order.into_iter().take(LEVELS).map(|id| levels.levels()[id].clone());
            Bins::Levels(names.collect())
        }
    }
}
