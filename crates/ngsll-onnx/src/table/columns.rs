//! The columns of a table as inputs, and the rows of an embedding table that their values read.

use crate::graph::{Dim, Graph, Kind, Value, int, ints, strings};
use ngsll::representation::ColumnEncoding;
use ngsll::{Error, Result};

/// The values of a batch of rows.
pub(crate) struct TableInput {
    /// The row of an embedding table that each value reads: [batch, columns]
    pub rows: Value,
    /// The share of that row, besides everything before it: [batch, columns]
    pub parts: Value,
    /// The standardised numbers, 0 for other columns and missing ones: [batch, columns]
    pub numbers: Value,
    pub layout: Layout,
}

/// The rows of an embedding table of each column: its own, one for each bin or level, and one for
/// missing values.
pub(crate) struct Layout {
    /// The first row of each column, and the end of the last one's.
    pub firsts: Vec<usize>,
    pub numeric: Vec<bool>,
}

impl Layout {
    pub fn of(encodings: &[ColumnEncoding]) -> Self {
        let mut firsts = vec![0];
        for encoding in encodings {
            let inner = match encoding {
                ColumnEncoding::Numeric { borders, .. } => borders.len().saturating_sub(1),
                ColumnEncoding::Categorical { levels, .. } => levels.len(),
                _ => 0,
            };
            firsts.push(firsts.last().copied().unwrap_or(0) + inner + 2);
        }
        let is_numeric = |e: &ColumnEncoding| matches!(e, ColumnEncoding::Numeric { .. });
        Self { firsts, numeric: encodings.iter().map(is_numeric).collect() }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.numeric.len()
    }

    /// The sum of all rows before each one in its column, including the column's own, so that a value reads two rows:
    /// table: [rows, width] → [rows, width]
    pub fn sums_before(&self, table: &[f32], width: usize) -> Vec<f32> {
        let mut sums = vec![0.0; table.len()];
        for (column, &first) in self.firsts[..self.columns()].iter().enumerate() {
            let own = &table[first * width..][..width];
            let missing = self.firsts[column + 1] - 1;
            let mut passed = vec![0.0; width];
            for row in first..=missing {
                let bins = self.numeric[column] && row > first && row < missing;
                for d in 0..width {
                    sums[row * width + d] = own[d] + if bins { passed[d] } else { 0.0 };
                    if bins {
                        passed[d] += table[row * width + d];
                    }
                }
            }
        }
        sums
    }
}

impl TableInput {
    /// An input for every column that is `open`, numbers as double precision and levels as strings.
    pub fn input(g: &mut Graph, encodings: &[ColumnEncoding], open: &[bool]) -> Result<Self> {
        let layout = Layout::of(encodings);
        let (mut numbers, mut levels) = (Vec::new(), Vec::new());
        // The position of each column: numbers first, then levels.
        let mut order = vec![None; encodings.len()];
        for (c, encoding) in encodings.iter().enumerate().filter(|(c, _)| open[*c]) {
            match encoding {
                ColumnEncoding::Numeric { name, mean, deviation, .. } => {
                    numbers.push((c, standardised(g, name, *mean, *deviation)));
                }
                ColumnEncoding::Categorical { name, levels: known, .. } => {
                    let (first, next) = (layout.firsts[c], layout.firsts[c + 1]);
                    levels.push((c, level_rows(g, name, known, first, next - 1)));
                }
                other => {
                    let expected = "a column of this kind cannot be written as ONNX";
                    return Err(Error::setting("column", other.name(), expected));
                }
            }
        }
        let found = numbers.iter().chain(&levels).map(|(c, _)| *c).enumerate();
        found.for_each(|(at, c)| order[c] = Some(at as i64));
        let joined = |g: &mut Graph, found: &[(usize, Value)]| {
            let values: Vec<&Value> = found.iter().map(|(_, value)| value).collect();
            (!values.is_empty()).then(|| g.concat(&values, 1))
        };
        let (own_numbers, own_levels) = (joined(g, &numbers), joined(g, &levels));
        let number_columns: Vec<usize> = numbers.iter().map(|(c, _)| *c).collect();
        let mut rows: Vec<[Value; 3]> = Vec::new();
        if let Some(values) = own_numbers {
            rows.push(number_rows(g, &values, encodings, &number_columns, &layout));
        }
        if let Some(values) = own_levels {
            let firsts: Vec<i64> = levels.iter().map(|(c, _)| layout.firsts[*c] as i64).collect();
            let firsts = g.ints(&[1, firsts.len()], &firsts);
            // A level that training never saw reads only the column's own row.
            let known = g.op("Greater", &[&values, &firsts]);
            let parts = g.cast(&known, Kind::Float);
            let none = g.zeros_like(&values);
            rows.push([values, parts, none]);
        }
        // A column without an input is never kept, so any values may take its place.
        let order: Vec<i64> = order.into_iter().map(|at| at.unwrap_or(0)).collect();
        let order = g.list(&order);
        let [rows, parts, numbers] = [0, 1, 2].map(|which| {
            let all: Vec<&Value> = rows.iter().map(|found| &found[which]).collect();
            let all = g.concat(&all, 1);
            g.gather(&all, &order, 1)
        });
        Ok(Self { rows, parts, numbers, layout })
    }

    /// 0 where a column has no value although every training row had one, 1 elsewhere: [batch, columns]
    pub fn known(&self, g: &mut Graph, encodings: &[ColumnEncoding]) -> Value {
        // Such a column has no row of the table for missing values.
        let missing = encodings.iter().zip(&self.layout.firsts[1..]);
        let missing = missing.map(|(e, &next)| if e.is_complete() { next as i64 - 1 } else { -1 });
        let missing = g.ints(&[1, encodings.len()], &missing.collect::<Vec<i64>>());
        let is_missing = g.op("Equal", &[&self.rows, &missing]);
        let is_known = g.op("Not", &[&is_missing]);
        g.cast(&is_known, Kind::Float)
    }

    /// A vector for each value: table: [rows, width] → [batch, columns, width]
    pub fn embedded(&self, g: &mut Graph, table: &[f32], width: usize) -> Value {
        let shape = [table.len() / width, width];
        let before = g.floats(&shape, &self.layout.sums_before(table, width));
        let table = g.floats(&shape, table);
        let (before, own) = (g.gather(&before, &self.rows, 0), g.gather(&table, &self.rows, 0));
        let parts = g.unsqueeze(&self.parts, 2);
        let own = g.mul(&own, &parts);
        g.add(&before, &own)
    }
}

/// An input of numbers, standardised in double precision as training did it: `[batch]` → [batch, 1]
fn standardised(g: &mut Graph, name: &str, mean: f64, deviation: f64) -> Value {
    let input = g.input(name, Kind::Double, &[Dim::Named("batch")]);
    let (mean, deviation) = (g.doubles(&[], &[mean]), g.doubles(&[], &[deviation]));
    let centred = g.sub(&input, &mean);
    let standardised = g.op("Div", &[&centred, &deviation]);
    let standardised = g.cast(&standardised, Kind::Float);
    g.unsqueeze(&standardised, 1)
}

/// An input of levels as rows of the embedding table: `[batch]` → [batch, 1]
fn level_rows(g: &mut Graph, name: &str, levels: &[String], first: usize, missing: usize) -> Value {
    let input = g.input(name, Kind::String, &[Dim::Named("batch")]);
    let mut keys: Vec<&str> = levels.iter().map(String::as_str).collect();
    let mut rows: Vec<i64> = (0..levels.len()).map(|level| (first + 1 + level) as i64).collect();
    if !keys.contains(&MISSING) {
        keys.push(MISSING);
        rows.push(missing as i64);
    }
    let attributes = vec![
        strings("keys_strings", keys.into_iter()),
        ints("values_int64s", &rows),
        int("default_int64", first as i64),
    ];
    let rows = g.op_with("LabelEncoder", &[&input], attributes);
    g.unsqueeze(&rows, 1)
}

/// The spelling of a missing level.
const MISSING: &str = "";

/// Rows, parts and numbers of the numeric columns; values: [batch, columns], NaN where missing
fn number_rows(
    g: &mut Graph,
    values: &Value,
    encodings: &[ColumnEncoding],
    columns: &[usize],
    layout: &Layout,
) -> [Value; 3] {
    let n = columns.len();
    let borders: Vec<&[f32]> = columns
        .iter()
        .map(|&c| match &encodings[c] {
            ColumnEncoding::Numeric { borders, .. } if borders.len() > 1 => &borders[..],
            // A single value has no bin.
            _ => &[],
        })
        .collect();
    let most = borders.iter().map(|borders| borders.len()).max().unwrap_or(0).max(2);
    // A bin is found by the borders within the column; values beyond the last bin belong to it.
    let mut inner = vec![f32::INFINITY; n * most];
    let (mut low, mut high) = (vec![0.0; n * most], vec![f32::INFINITY; n * most]);
    for (at, borders) in borders.iter().enumerate() {
        for bin in 0..borders.len().saturating_sub(1) {
            let index = at * most + bin;
            (low[index], high[index]) = (borders[bin], borders[bin + 1]);
            if bin > 0 {
                inner[index] = borders[bin];
            }
        }
    }
    let inner = g.floats(&[1, n, most], &inner);
    let three = g.unsqueeze(values, 2);
    let passed = g.op("GreaterOrEqual", &[&three, &inner]);
    let passed = g.cast(&passed, Kind::Int64);
    let axis = g.list(&[2]);
    let bins = g.op_with("ReduceSum", &[&passed, &axis], vec![int("keepdims", 0)]);
    let starts: Vec<i64> = (0..n).map(|at| (at * most) as i64).collect();
    let starts = g.ints(&[1, n], &starts);
    let indices = g.add(&bins, &starts);
    let [low, high] = [low, high].map(|borders| {
        let borders = g.floats(&[n * most], &borders);
        g.gather(&borders, &indices, 0)
    });
    let (come, width) = (g.sub(values, &low), g.sub(&high, &low));
    let parts = g.op("Div", &[&come, &width]);
    let parts = g.clip(&parts, 0.0, 1.0);
    let first = |at: usize| layout.firsts[columns[at]] + usize::from(!borders[at].is_empty());
    let firsts: Vec<i64> = (0..n).map(|at| first(at) as i64).collect();
    let firsts = g.ints(&[1, n], &firsts);
    let rows = g.add(&bins, &firsts);
    let missing: Vec<i64> = columns.iter().map(|&c| layout.firsts[c + 1] as i64 - 1).collect();
    let missing = g.ints(&[1, n], &missing);
    let is_missing = g.op("IsNaN", &[values]);
    let (zero, one) = (g.float(0.0), g.float(1.0));
    [
        g.select(&is_missing, &missing, &rows),
        g.select(&is_missing, &one, &parts),
        g.select(&is_missing, &zero, values),
    ]
}
