//! The rows of a table as a linear model reads them.

use crate::representation::{EmbeddingSpan, FARTHEST, Monotone, TableRows};

/// One entry for each column of each row: a number, a level, or a gap. A number also has its span among
/// the bins of its column, in which its function may bend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Design {
    columns: usize,
    dims: usize,
    /// [rows, columns]
    entries: Vec<(u32, f32)>,
    /// The bins of the numbers whose functions may bend: [rows, columns]
    spans: Vec<Option<EmbeddingSpan>>,
    /// For each row of the table of levels and bins: how far a bin may rise for the price of a slope
    /// of 1, or 0 if no function may bend; `None` for a level or a gap.
    rises: Vec<Option<f64>>,
    /// The direction in which the score may move with each column.
    directions: Vec<Option<Monotone>>,
}

/// The bins up to a number: all from `start` to before `row`, and `part` of `row`.
pub(super) struct BinSpan {
    pub start: usize,
    pub row: usize,
    pub part: f64,
}

impl Design {
    /// The first weights are the columns' slopes, the others the rows of an embedding table (see
    /// [`crate::representation::EmbeddingSpan`]): levels, gaps, and the bins of numbers.
    pub fn new(rows: &TableRows) -> Self {
        let spans = rows.spans();
        let columns = spans.numeric.len();
        let directions: Vec<Option<Monotone>> = rows.directions().collect();
        let is_number = |at: usize, value: f32| spans.numeric[at % columns] && !value.is_nan();
        let entry = |(at, (span, &value)): (usize, (&EmbeddingSpan, &f32))| {
            match is_number(at, value) {
                true => ((at % columns) as u32, value.clamp(-FARTHEST, FARTHEST)),
                // A level that training never saw contributes nothing.
                false => ((columns as u32) + span.row, span.part),
            }
        };
        let entries = spans.spans.iter().zip(rows.values()).enumerate().map(entry).collect();
        let bends = |(at, (span, &value)): (usize, (&EmbeddingSpan, &f32))| {
            // Monotone columns have separate functions (`MonotonePart`), and a single value has no bin.
            let may = is_number(at, value)
                && directions[at % columns].is_none()
                && span.start as usize > spans.firsts[at % columns];
            may.then_some(*span)
        };
        let own: Vec<Option<EmbeddingSpan>> =
            spans.spans.iter().zip(rows.values()).enumerate().map(bends).collect();
        let table = spans.firsts.last().copied().unwrap_or(0);
        let mut rises = vec![None; table];
        for (column, ends) in spans.firsts.windows(2).enumerate() {
            if spans.numeric[column] {
                // Its own row, bins, and the row for missing values, which is a level.
                let values = own.iter().skip(column).step_by(columns).flatten();
                let bins = ends[0] + 1..ends[1] - 1;
                let rise = |share: f64| Some((12.0 * share).sqrt());
                let shares = shares(values, bins.start, bins.len());
                rises[bins].iter_mut().zip(shares).for_each(|(of, share)| *of = rise(share));
            }
        }
        Self { columns, dims: columns + table, entries, spans: own, rises, directions }
    }

    /// The number of weights of each score.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Whether a column's slope has a direction that its monotonicity forbids.
    pub fn forbids(&self, column: usize, slope: f64) -> bool {
        self.directions[column].is_some_and(|direction| slope * f64::from(direction.sign()) < 0.0)
    }

    /// The number of columns, whose slopes are the first weights.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.entries.len() / self.columns.max(1)
    }

    /// The size of each weight at the same price, when functions of numbers bend this easily:
    /// [dims, outputs]
    pub(super) fn scales(&self, bends: f64, outputs: usize) -> Vec<f64> {
        let slopes = std::iter::repeat_n(1.0, self.columns);
        let table = self.rises.iter().map(|rise| rise.map_or(1.0, |rise| bends * rise));
        slopes.chain(table).flat_map(|scale| std::iter::repeat_n(scale, outputs)).collect()
    }

    /// The weight that a column of a row reads, and its factor.
    pub(super) fn entry(&self, row: usize, column: usize) -> (usize, f64) {
        let (at, value) = self.entries[row * self.columns + column];
        (at as usize, f64::from(value))
    }

    /// The bins up to the number of a column; `None` if its function may not bend.
    pub(super) fn bins(&self, row: usize, column: usize) -> Option<BinSpan> {
        let span = self.spans[row * self.columns + column]?;
        let (start, row) = (span.start as usize, span.row as usize);
        Some(BinSpan { start, row, part: f64::from(span.part) })
    }
}

/// The share of values at each bin: the mean of those in it and in the next, as a value on a border
/// is in the bin above.
fn shares<'a>(
    values: impl Iterator<Item = &'a EmbeddingSpan>,
    first: usize,
    bins: usize,
) -> Vec<f64> {
    let mut counts = vec![0.0; bins];
    let mut all: f64 = 0.0;
    for span in values {
        counts[span.row as usize - first] += 1.0;
        all += 1.0;
    }
    let at = |bin: usize| counts[bin.min(bins - 1)];
    (0..bins).map(|bin| (at(bin) + at(bin + 1)) / 2.0 / all.max(1.0)).collect()
}
