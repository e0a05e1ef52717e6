//! The rows of an embedding table that the values of a table's rows read.

use super::{ColumnEncoding, Monotone};

/// The rows of an embedding table that the value of a column reads: all from `start` to before `row`, and
/// `part` of `row`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmbeddingSpan {
    /// The first bin of a number; for everything else the same as `row`.
    pub start: u32,
    /// The bin of a number, a level, or the row for missing values.
    pub row: u32,
    /// The fraction of its bin that a number has passed; 1 for a level or a missing value, 0 for a level that
    /// training never saw.
    pub part: f32,
}

/// The rows of an embedding table for a column: a row for the column itself, one for each bin or level, and one for
/// missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnRows {
    /// The number of rows.
    pub rows: usize,
    /// Whether the column holds numbers, which read all bins up to their own.
    pub numeric: bool,
    /// The direction in which the score may move as its value rises, if the options set one.
    pub monotone: Option<Monotone>,
}

/// The spans of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingSpans {
    /// [batch, columns]
    pub spans: Vec<EmbeddingSpan>,
    /// The first row of each column, and the end of the last one's. The first row is read by
    /// every value of the column.
    pub firsts: Vec<usize>,
    /// Whether each column holds numbers.
    pub numeric: Vec<bool>,
}

impl EmbeddingSpans {
    /// values: [batch, columns]
    pub(super) fn new(encodings: &[&ColumnEncoding], values: &[f32]) -> Self {
        Self::placed(encodings, values, ColumnEncoding::span)
    }

    /// Hides the numbers of monotone columns: only their presence stays visible.
    pub(super) fn hidden(encodings: &[&ColumnEncoding], values: &[f32]) -> Self {
        Self::placed(encodings, values, |encoding, value, first| match encoding.monotone() {
            Some(_) if !value.is_nan() => EmbeddingSpan::own_row(first),
            _ => encoding.span(value, first),
        })
    }

    fn placed(
        encodings: &[&ColumnEncoding],
        values: &[f32],
        span: impl Fn(&ColumnEncoding, f32, usize) -> EmbeddingSpan,
    ) -> Self {
        let firsts: Vec<usize> = firsts(encodings);
        let span = |(at, &value): (usize, &f32)| {
            let c = at % encodings.len();
            span(encodings[c], value, firsts[c])
        };
        Self {
            spans: values.iter().enumerate().map(span).collect(),
            numeric: encodings.iter().map(|encoding| encoding.is_numeric()).collect(),
            firsts,
        }
    }
}

impl EmbeddingSpan {
    /// Only the column's own row.
    fn own_row(first: usize) -> Self {
        Self { start: first as u32, row: first as u32, part: 0.0 }
    }
}

/// The first row of each column, and the end of the last one's.
fn firsts(encodings: &[&ColumnEncoding]) -> Vec<usize> {
    let mut end = 0;
    let ends = encodings.iter().map(|encoding| {
        end += encoding.table_rows();
        end
    });
    std::iter::once(0).chain(ends).collect()
}

impl ColumnEncoding {
    /// Whether it holds numbers.
    fn is_numeric(&self) -> bool {
        matches!(self, Self::Numeric { .. })
    }

    /// Its rows of an embedding table.
    pub(super) fn column_rows(&self) -> ColumnRows {
        let (rows, monotone) = (self.table_rows(), self.monotone());
        ColumnRows { rows, numeric: self.is_numeric(), monotone }
    }

    /// Rows of an embedding table: one for the column, one for each bin or level, one for missing values.
    fn table_rows(&self) -> usize {
        2 + match self {
            Self::Numeric { borders, .. } => borders.len().saturating_sub(1),
            Self::Categorical { levels, .. } => levels.len(),
        }
    }

    /// The span of a value; `first` is the column's first row.
    fn span(&self, value: f32, first: usize) -> EmbeddingSpan {
        let at = |row: usize, part: f32| EmbeddingSpan { start: row as u32, row: row as u32, part };
        if value.is_nan() {
            return at(first + self.table_rows() - 1, 1.0);
        }
        match self {
            Self::Categorical { levels, .. } => match value as usize {
                level if level < levels.len() => at(first + 1 + level, 1.0),
                _ => EmbeddingSpan::own_row(first),
            },
            // A single value has no bin.
            Self::Numeric { borders, .. } if borders.len() < 2 => EmbeddingSpan::own_row(first),
            Self::Numeric { borders, .. } => {
                let last = borders.len() - 2;
                let bin = borders.partition_point(|border| *border <= value);
                let bin = bin.saturating_sub(1).min(last);
                let part = (value - borders[bin]) / (borders[bin + 1] - borders[bin]);
                let start = (first + 1) as u32;
                EmbeddingSpan { start, row: start + bin as u32, part: part.clamp(0.0, 1.0) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_in_bins_and_levels_by_themselves() {
        let number = ColumnEncoding::Numeric {
            name: "a".into(),
            mean: 0.0,
            deviation: 1.0,
            borders: vec![-1.0, 0.0, 2.0],
            range: None,
            form: Default::default(),
            complete: false,
            monotone: None,
        };
        let level = ColumnEncoding::Categorical {
            name: "b".into(),
            levels: vec!["red".into(), "blue".into()],
            form: Default::default(),
            complete: false,
        };
        // Rows of the number: its own, two bins, missing; of the levels: its own, two, missing.
        let values = [-9.0, 0.0, -0.5, 1.0, 1.0, 2.0, 9.0, f32::NAN, f32::NAN, 1.0];
        let all = EmbeddingSpans::new(&[&number, &level], &values);
        assert_eq!((all.firsts, all.numeric), (vec![0, 4, 8], vec![true, false]));
        let span = |start, row, part| EmbeddingSpan { start, row, part };
        let expected = [
            span(1, 1, 0.0),
            span(5, 5, 1.0),
            span(1, 1, 0.5),
            span(6, 6, 1.0),
            span(1, 2, 0.5),
            // A level that training never saw.
            span(4, 4, 0.0),
            span(1, 2, 1.0),
            span(7, 7, 1.0),
            span(3, 3, 1.0),
            span(6, 6, 1.0),
        ];
        assert_eq!(all.spans, expected);
    }
}
