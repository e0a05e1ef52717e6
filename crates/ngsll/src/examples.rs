//! A few held-out samples that a model folder keeps as examples for users.

mod medoid;

#[doc(hidden)]
pub use medoid::medoid;

use crate::dataset::{CellValue, Dataset, timestamp_text};
use crate::error::Result;
use crate::objective::{Objective, Targets};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Longer texts are skipped: an example should be readable at a glance.
const LONGEST_TEXT: usize = 2000;

/// A sample with its known answer: held out, or a typical one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Example {
    /// The sample.
    #[serde(flatten)]
    pub input: Input,
    /// Its label, or its value in regression, as it stood in the data.
    pub label: String,
    /// Whether it is the row nearest to all others: a typical one, and one that training has seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub typical: bool,
}

impl Example {
    /// A sample with its label, or its value in regression, as it stood in the data.
    pub fn new(input: Input, label: impl Into<String>) -> Self {
        Self { input, label: label.into(), typical: false }
    }

    /// Marks it as the row nearest to all others.
    pub fn as_typical(self) -> Self {
        Self { typical: true, ..self }
    }
}

/// A sample in plain JSON: `{"text": …}`, `{"row": {…}}` or `{"image": …}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Input {
    /// A text.
    Text(String),
    /// A row of a table.
    Row(Row),
    /// A PNG image in base64.
    Image(String),
}

/// A row of a table: in JSON a number, a text or null (missing) for each column.
///
/// ```
/// use ngsll::dataset::CellValue;
/// use ngsll::examples::Row;
/// let row = Row::from_iter([("colour", CellValue::Missing), ("size", CellValue::Number(2.5))]);
/// let cells: Vec<_> = row.cells().collect();
/// assert_eq!(cells, [("colour", CellValue::Missing), ("size", CellValue::Number(2.5))]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Row(Map<String, Value>);

impl Row {
    /// The columns' names and values.
    pub fn cells(&self) -> impl Iterator<Item = (&str, CellValue<'_>)> {
        self.0.iter().map(|(name, value)| {
            let cell = match value {
                Value::Null => CellValue::Missing,
                Value::String(text) => CellValue::Text(text.into()),
                other => match other.as_f64() {
                    Some(number) => CellValue::Number(number),
                    None => CellValue::Text(other.to_string().into()),
                },
            };
            (name.as_str(), cell)
        })
    }
}

/// Numbers that are not finite are missing, and dates are texts.
impl<'a, N: Into<String>> FromIterator<(N, CellValue<'a>)> for Row {
    fn from_iter<I: IntoIterator<Item = (N, CellValue<'a>)>>(cells: I) -> Self {
        let json = |(name, cell): (N, CellValue<'a>)| {
            let value = match cell {
                CellValue::Missing => Value::Null,
                CellValue::Number(number) => number.into(),
                CellValue::Text(text) => text.into(),
                CellValue::Timestamp(seconds) => timestamp_text(seconds).into(),
            };
            (name.into(), value)
        };
        Self(cells.into_iter().map(json).collect())
    }
}

/// At most `n` of the given rows: from each class in turn, or spread evenly over the values of the
/// target. Only data and rows decide which; samples without labels give none.
#[doc(hidden)]
pub fn choose(
    data: &Dataset,
    rows: &[usize],
    objective: &Objective,
    n: usize,
) -> Result<Vec<usize>> {
    if data.labels().is_none() || n == 0 {
        return Ok(Vec::new());
    }
    let texts = data.samples().as_texts();
    let short =
        |row: usize| texts.is_none_or(|texts| texts.get(row).chars().nth(LONGEST_TEXT).is_none());
    let rows: Vec<usize> = rows.iter().copied().filter(|&row| short(row)).collect();
    let chosen = match objective.targets(data)?.select(&rows) {
        Targets::Classes(classes) => in_turn(&classes, n),
        Targets::Values(values) => spread(&values, n),
    };
    Ok(chosen.into_iter().map(|at| rows[at]).collect())
}

/// Places of the first sample of every class, then of the second, and so on.
fn in_turn(classes: &[usize], n: usize) -> Vec<usize> {
    let mut seen = vec![0_usize; classes.iter().max().map_or(0, |c| c + 1)];
    let mut turns: Vec<(usize, usize, usize)> = Vec::with_capacity(classes.len());
    for (place, &class) in classes.iter().enumerate() {
        turns.push((seen[class], class, place));
        seen[class] += 1;
    }
    turns.sort_unstable();
    turns.into_iter().take(n).map(|(_, _, place)| place).collect()
}

/// Places at evenly spaced ranks of the values, from the smallest to the largest.
fn spread(values: &[f32], n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let n = n.min(order.len());
    (0..n).map(|i| order[(2 * i + 1) * order.len() / (2 * n)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Column, Table};
    use proptest::prelude::*;

    #[test]
    fn classes_take_turns_and_only_the_given_rows_are_chosen() {
        let long = "x".repeat(LONGEST_TEXT + 1);
        let texts = ["zero", "one", "two", "three", &long, "five"];
        let data = Dataset::texts(texts, ["a", "a", "a", "a", "b", "b"]).unwrap();
        let objective =
            Objective::Binary { classes: ["a".into(), "b".into()].into(), threshold: None };
        let chosen = |n| choose(&data, &[1, 2, 3, 4, 5], &objective, n).unwrap();
        assert_eq!(chosen(3), [1, 5, 2]);
        assert!(chosen(0).is_empty());
        assert!(
            choose(&Dataset::new(data.samples().clone()), &[1], &objective, 3).unwrap().is_empty()
        );
    }

    #[test]
    fn values_are_spread_from_small_to_large() {
        let table = Table::new([Column::numeric("size", [1.0, 2.0, 3.0, 4.0]).unwrap()]).unwrap();
        let data = Dataset::table(table, [9, 1, 5, 7]).unwrap();
        let objective = Objective::Regression {
            target: "price".into(),
            mean: 0.0,
            deviation: 1.0,
            scale: Default::default(),
        };
        assert_eq!(choose(&data, &[0, 1, 2, 3], &objective, 2).unwrap(), [2, 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn positions_are_distinct_and_as_many_as_requested(
            classes in prop::collection::vec(0_usize..5, 0..40),
            values in prop::collection::vec(-3_f32..3.0, 0..40),
            n in 0_usize..50,
        ) {
            for (places, len) in [(in_turn(&classes, n), classes.len()), (spread(&values, n), values.len())] {
                prop_assert_eq!(places.len(), n.min(len));
                let mut sorted = places.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!(sorted.len(), places.len());
                prop_assert!(places.iter().all(|&p| p < len));
            }
            prop_assert!(spread(&values, n).windows(2).all(|p| values[p[0]] <= values[p[1]]));
        }
    }
}
