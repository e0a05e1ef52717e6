//! A label for each sample, each distinct one stored once.

use super::{CellForm, DecimalMark};
use std::collections::HashMap;

/// At most this many different numbers may be the names of classes.
pub(crate) const FEW_NUMBERS: usize = 10;

/// The share of labels, in percent, that must be numbers for the others to be errors.
const NEARLY_ALL: usize = 80;

/// Labels as they were given: class names, or numbers in regression. The empty string means an
/// unknown label.
///
/// ```
/// use ngsll::dataset::Labels;
/// let labels = Labels::from_iter([10, 9, 10]);
/// assert_eq!((labels.len(), labels.get(1)), (3, "9"));
/// assert_eq!(labels.distinct(), ["10", "9"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// The distinct labels in the order of their first appearance.
    distinct: Vec<String>,
    /// Each sample's index in `distinct`.
    indices: Vec<u32>,
}

impl Labels {
    /// The number of samples.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The label of a sample.
    ///
    /// # Panics
    /// If `row` is not below [`len`](Self::len).
    pub fn get(&self, row: usize) -> &str {
        &self.distinct[self.indices[row] as usize]
    }

    /// The labels in the order of the samples.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.indices.iter().map(|&index| self.distinct[index as usize].as_str())
    }

    /// The distinct labels in the order of their first appearance.
    pub fn distinct(&self) -> &[String] {
        &self.distinct
    }

    /// Each sample's index in [`distinct`](Self::distinct).
    pub(crate) fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Applies `change` to every distinct label; if it returns `None`, the error is the
    /// first sample with that label.
    pub(crate) fn map(&self, change: impl Fn(&str) -> Option<String>) -> Result<Self, usize> {
        let changed: Vec<Option<String>> =
            self.distinct.iter().map(|label| change(label)).collect();
        let label = |(row, &index): (usize, &u32)| changed[index as usize].as_deref().ok_or(row);
        self.indices.iter().enumerate().map(label).collect()
    }

    /// The number that a label represents, with or without a unit; `None` if it is not a number.
    ///
    /// ```
    /// # use ngsll::dataset::Labels;
    /// let read = ["34.953,08", "7'177.73 EUR", "big"].map(Labels::number);
    /// assert_eq!(read, [Some(34_953.08), Some(7177.73), None]);
    /// ```
    pub fn number(label: &str) -> Option<f64> {
        let form = CellForm::of_numbers(std::iter::once((label, 1)));
        let number = form.number(label.trim())?.value(DecimalMark::Point);
        number.is_finite().then_some(number)
    }

    /// The written form of the numbers among the labels.
    pub(crate) fn number_form(&self) -> CellForm {
        let mut counts = vec![0; self.distinct.len()];
        self.indices.iter().for_each(|&index| counts[index as usize] += 1);
        CellForm::of_numbers(self.distinct.iter().map(String::as_str).zip(counts))
    }

    /// The number of numeric labels, if nearly all are and too many are distinct for classes: then
    /// the others are errors in a column of numbers.
    pub fn nearly_all_numbers<'a>(labels: impl Iterator<Item = &'a str>) -> Option<usize> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        labels.for_each(|label| *counts.entry(label).or_default() += 1);
        let all: usize = counts.values().sum();
        let form = CellForm::of_numbers(counts.iter().map(|(label, count)| (*label, *count)));
        counts.retain(|label, _| form.number(label.trim()).is_some());
        let numbers: usize = counts.values().sum();
        let nearly_all = 100 * numbers >= NEARLY_ALL * all;
        (nearly_all && counts.len() > FEW_NUMBERS).then_some(numbers)
    }

    /// The labels of the given rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        rows.iter().map(|&row| self.get(row)).collect()
    }

    /// The classes that the labels form: the distinct ones, sorted by value if all are numbers, by
    /// text otherwise.
    pub(crate) fn classes(&self) -> Vec<String> {
        let mut classes = self.distinct.clone();
        classes.sort_unstable();
        let numbers: Option<Vec<f64>> =
            classes.iter().map(|c| c.parse().ok().filter(|n: &f64| n.is_finite())).collect();
        if let Some(numbers) = numbers {
            let mut pairs: Vec<(f64, String)> = numbers.into_iter().zip(classes).collect();
            // Stable, so that "1" and "1.0", which are two classes, keep the order of their texts.
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            classes = pairs.into_iter().map(|(_, class)| class).collect();
        }
        classes
    }
}

impl<L: ToString> FromIterator<L> for Labels {
    fn from_iter<I: IntoIterator<Item = L>>(labels: I) -> Self {
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut all = Self::default();
        for label in labels {
            let label = label.to_string();
            let index = match known.get(&label) {
                Some(&index) => index,
                None => {
                    let index = all.distinct.len() as u32;
                    all.distinct.push(label.clone());
                    known.insert(label, index);
                    index
                }
            };
            all.indices.push(index);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_distinct_and_sorted() {
        let sorted = |labels: &[&str]| labels.iter().collect::<Labels>().classes();
        assert_eq!(sorted(&["10", "9", "10", "-1"]), ["-1", "9", "10"]);
        assert_eq!(sorted(&["10", "9", "x"]), ["10", "9", "x"]);
        assert_eq!(sorted(&["nan", "9", "10"]), ["10", "9", "nan"]);
        assert!(sorted(&[]).is_empty());
    }

    #[test]
    fn changed_labels_may_become_equal_and_a_refused_one_names_its_sample() {
        let labels = Labels::from_iter(["a", "b", "c", "a"]);
        let first = labels.map(|l| Some(if l == "c" { "z" } else { "y" }.to_string())).unwrap();
        assert_eq!(first.iter().collect::<Vec<_>>(), ["y", "y", "z", "y"]);
        assert_eq!(first.distinct(), ["y", "z"]);
        assert_eq!(labels.map(|l| (l != "c").then(|| l.to_string())), Err(2));
    }
}
