//! The same samples in two parts of the data.

use crate::dataset::{Dataset, Values};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The number of rows that a table's columns could hold, per row it has, above which equal rows are not chance.
const CAPACITY: f64 = 100.0;

/// The share of distinct rows from which on the rows of a table count as distinct in general.
const DIFFERENT: f64 = 1.0 / 3.0;

/// A hash of each sample with its label, equal for equal ones. Of tables it covers the columns with these names, in that
/// order.
pub(crate) fn row_hashes(data: &Dataset, columns: &[&str]) -> Vec<u64> {
    let mut hashers: Vec<DefaultHasher> = (0..data.len())
        .map(|row| {
            let mut hasher = DefaultHasher::new();
            data.label(row).hash(&mut hasher);
            hasher
        })
        .collect();
    let columns = columns.iter().copied();
    data.samples().bytes(columns, |row, bytes| hashers[row].write(bytes));
    hashers.into_iter().map(|hasher| hasher.finish()).collect()
}

/// Whether equal samples are unusual: in tables of a few categories they are to be expected.
pub(crate) fn repeats_would_be_odd(data: &Dataset, hashes: &[u64]) -> bool {
    let Some(table) = data.samples().as_table() else { return true };
    let distinct = |values: &Values| match values {
        Values::Numeric(numbers) => {
            numbers.iter().map(|v| v.to_bits()).collect::<HashSet<_>>().len()
        }
        Values::Categorical(levels) => levels.levels().len(),
    };
    let capacity: f64 =
        table.columns().iter().map(|column| (distinct(column.values()) as f64).ln()).sum();
    let different = hashes.iter().collect::<HashSet<_>>().len();
    capacity >= (CAPACITY * data.len() as f64).ln()
        && different as f64 >= DIFFERENT * data.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Column, Table};

    #[test]
    fn equal_samples_have_equal_hashes_and_answers_count() {
        let data = Dataset::texts(["a", "b", "a", "a"], ["x", "x", "x", "y"]).unwrap();
        let hashes = row_hashes(&data, &[]);
        assert_eq!(hashes[0], hashes[2]);
        assert!(hashes[0] != hashes[1] && hashes[0] != hashes[3]);
    }

    #[test]
    fn rows_of_a_few_categories_are_equal_as_a_matter_of_course() {
        let table = |measured: bool| {
            let colour = Column::categorical("colour", (0..400).map(|i| Some(["r", "g"][i % 2])));
            let size = (0..400).map(|i| (i % 200 * 31 % 199) as f64 / 7.0);
            let weight = (0..400).map(|i| (i % 200 * 77 % 191) as f64 / 3.0);
            let mut columns = vec![colour];
            if measured {
                columns.push(Column::numeric("size", size).unwrap());
                columns.push(Column::numeric("weight", weight).unwrap());
            }
            Dataset::table(Table::new(columns).unwrap(), (0..400).map(|i| i % 2)).unwrap()
        };
        let odd = |data: &Dataset| {
            repeats_would_be_odd(data, &row_hashes(data, &["colour", "size", "weight"]))
        };
        assert!(odd(&table(true)) && !odd(&table(false)));
    }
}
