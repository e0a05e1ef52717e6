//! Columns of a table as boosted trees read them: numbers, NaN where there is none.

use ngsll::dataset::{Categories, Column, Table, Values};
use std::collections::HashMap;

/// The encoding of each column as numbers, fitted on the training rows.
///
/// A level becomes its rank by frequency: a tree separates the frequent levels, which matter most, from
/// the others in a split or two, many levels need no more columns than few, and no answer is looked at,
/// as it would be with target means, which leak it. A level that training never saw counts as missing.
pub(super) struct TreeColumns<'a> {
    columns: Vec<(&'a str, Option<HashMap<&'a str, f64>>)>,
}

impl<'a> TreeColumns<'a> {
    pub fn fit(train: &'a Table) -> Self {
        let coding = |column: &'a Column| {
            let ranks = match column.values() {
                // There is nothing to find borders of.
                Values::Numeric(values) if values.iter().all(|v| v.is_nan()) => return None,
                Values::Numeric(_) => None,
                Values::Categorical(categories) => {
                    Some(ranks(categories)).filter(|r| !r.is_empty())
                }
                _ => return None,
            };
            Some((column.name(), ranks))
        };
        Self { columns: train.columns().iter().filter_map(coding).collect() }
    }

    /// The number of columns.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// The values column by column: `[columns, rows]`.
    pub fn values(&self, table: &Table) -> Vec<f64> {
        let values = self.columns.iter().flat_map(|(name, ranks)| {
            match (table.column(name).map(Column::values), ranks) {
                (Some(Values::Numeric(values)), None) => values.clone(),
                (Some(Values::Categorical(categories)), Some(ranks)) => coded(categories, ranks),
                _ => vec![f64::NAN; table.len()],
            }
        });
        values.collect()
    }
}

/// The rank of each level that occurs, the most frequent first, ties to the one that is listed first.
fn ranks(categories: &Categories) -> HashMap<&str, f64> {
    let mut counts = vec![0_usize; categories.levels().len()];
    (0..categories.len()).filter_map(|row| categories.id(row)).for_each(|id| counts[id] += 1);
    let mut order: Vec<usize> = (0..counts.len()).filter(|&id| counts[id] > 0).collect();
    order.sort_by_key(|&id| std::cmp::Reverse(counts[id]));
    let rank = |(rank, id): (usize, usize)| (categories.levels()[id].as_str(), rank as f64);
    order.into_iter().enumerate().map(rank).collect()
}

fn coded(categories: &Categories, ranks: &HashMap<&str, f64>) -> Vec<f64> {
    let code = |level: &String| ranks.get(level.as_str()).copied().unwrap_or(f64::NAN);
    let codes: Vec<f64> = categories.levels().iter().map(code).collect();
    (0..categories.len()).map(|row| categories.id(row).map_or(f64::NAN, |id| codes[id])).collect()
}
