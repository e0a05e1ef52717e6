//! Where the values of a table's rows stand in the rows of an embedding table.

use super::{ColumnEncoding, Monotone};

/// Which rows of an embedding table the value of a column reads: all from `start` to before `row`, and
/// `part` of `row`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The first bin of a number; for everything else the same as `row`.
    pub start: u32,
    /// The bin of a number, a level, or the row for missing values.
    pub row: u32,
    /// How far a number has come in its bin; 1 for a level or a missing value, 0 for a level that
    /// training never saw.
    pub part: f32,
}

/// What a column needs of an embedding table: a row of its own, one for each bin or level, and one for
/// missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnRows {
    /// How many.
    pub rows: usize,
    /// Whether the column holds numbers, which read all bins up to their own.
    pub numeric: bool,
    /// Which way the score may go as its value rises, where that was asked for.
    pub monotone: Option<Monotone>,
}

/// The places of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct TablePlaces {
    /// [batch, columns]
    pub places: Vec<Place>,
    /// Where the rows of each column begin, and where the last ones end. The first of them is read by
    /// every value of the column.
    pub firsts: Vec<usize>,
    /// Whether each column holds numbers.
    pub numeric: Vec<bool>,
}

impl TablePlaces {
    /// values: [batch, columns]
    pub(super) fn new(encodings: &[&ColumnEncoding], values: &[f32]) -> Self {
        Self::placed(encodings, values, ColumnEncoding::place)
    }

    /// The same with the numbers of monotone columns hidden: it stays visible that they are there.
    pub(super) fn hidden(encodings: &[&ColumnEncoding], values: &[f32]) -> Self {
        Self::placed(encodings, values, |encoding, value, first| match encoding.monotone() {
            Some(_) if !value.is_nan() => Place::own_row(first),
            _ => encoding.place(value, first),
        })
    }

    fn placed(
        encodings: &[&ColumnEncoding],
        values: &[f32],
        place: impl Fn(&ColumnEncoding, f32, usize) -> Place,
    ) -> Self {
        let firsts: Vec<usize> = firsts(encodings);
        let place = |(at, &value): (usize, &f32)| {
            let c = at % encodings.len();
            place(encodings[c], value, firsts[c])
        };
        Self {
            places: values.iter().enumerate().map(place).collect(),
            numeric: encodings.iter().map(|encoding| encoding.is_numeric()).collect(),
            firsts,
        }
    }
}

impl Place {
    /// Nothing but the column's own row.
    fn own_row(first: usize) -> Self {
        Self { start: first as u32, row: first as u32, part: 0.0 }
    }
}

/// Where the rows of each column begin, and where the last ones end.
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

    /// What it needs of an embedding table.
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

    /// Where a value stands; `first` is the column's first row.
    fn place(&self, value: f32, first: usize) -> Place {
        let at = |row: usize, part: f32| Place { start: row as u32, row: row as u32, part };
        if value.is_nan() {
            return at(first + self.table_rows() - 1, 1.0);
        }
        match self {
            Self::Categorical { levels, .. } => match value as usize {
                level if level < levels.len() => at(first + 1 + level, 1.0),
                _ => Place::own_row(first),
            },
            // A single value has no bin.
            Self::Numeric { borders, .. } if borders.len() < 2 => Place::own_row(first),
            Self::Numeric { borders, .. } => {
                let last = borders.len() - 2;
                let bin = borders.partition_point(|border| *border <= value);
                let bin = bin.saturating_sub(1).min(last);
                let part = (value - borders[bin]) / (borders[bin + 1] - borders[bin]);
                let start = (first + 1) as u32;
                Place { start, row: start + bin as u32, part: part.clamp(0.0, 1.0) }
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
            monotone: None,
        };
        let level = ColumnEncoding::Categorical {
            name: "b".into(),
            levels: vec!["red".into(), "blue".into()],
            form: Default::default(),
        };
        // Rows of the number: its own, two bins, missing; of the levels: its own, two, missing.
        let values = [-9.0, 0.0, -0.5, 1.0, 1.0, 2.0, 9.0, f32::NAN, f32::NAN, 1.0];
        let all = TablePlaces::new(&[&number, &level], &values);
        assert_eq!((all.firsts, all.numeric), (vec![0, 4, 8], vec![true, false]));
        let place = |start, row, part| Place { start, row, part };
        let expected = [
            place(1, 1, 0.0),
            place(5, 5, 1.0),
            place(1, 1, 0.5),
            place(6, 6, 1.0),
            place(1, 2, 0.5),
            // A level that training never saw.
            place(4, 4, 0.0),
            place(1, 2, 1.0),
            place(7, 7, 1.0),
            place(3, 3, 1.0),
            place(6, 6, 1.0),
        ];
        assert_eq!(all.places, expected);
    }
}
