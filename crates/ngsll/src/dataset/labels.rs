//! A label for each sample, each distinct one stored once.

use std::collections::HashMap;

/// Labels as they were given: class names, or numbers in regression. The empty string stands for a
/// label that is not known.
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

    /// The same with `change` applied to every distinct label; where that gives none, the first
    /// sample with such a label is the error.
    pub(crate) fn map(&self, change: impl Fn(&str) -> Option<String>) -> Result<Self, usize> {
        let changed: Vec<Option<String>> =
            self.distinct.iter().map(|label| change(label)).collect();
        let label = |(row, &index): (usize, &u32)| changed[index as usize].as_deref().ok_or(row);
        self.indices.iter().enumerate().map(label).collect()
    }

    /// The labels of the given rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        rows.iter().map(|&row| self.get(row)).collect()
    }

    /// The classes that the labels form: the distinct ones, sorted by value where all are numbers, by
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
