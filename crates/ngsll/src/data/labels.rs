//! Whether labels are read, and the classes they form.

use std::cmp::Ordering;

/// What a reader does about labels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Labels {
    /// Every sample must have one (training, evaluation).
    #[default]
    Required,
    /// They are taken where they are there (prediction).
    Optional,
    /// They are not looked at.
    Ignored,
}

/// The distinct labels, sorted: by value where all are numbers, by text otherwise.
pub fn classes(labels: &[String]) -> Vec<String> {
    let mut classes = labels.to_vec();
    classes.sort_unstable();
    classes.dedup();
    let numbers: Option<Vec<f64>> =
        classes.iter().map(|c| c.parse().ok().filter(|n: &f64| n.is_finite())).collect();
    if let Some(numbers) = numbers {
        let mut pairs: Vec<(f64, String)> = numbers.into_iter().zip(classes).collect();
        // Stable, so that "1" and "1.0", which are two classes, keep the order of their texts.
        pairs.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        classes = pairs.into_iter().map(|(_, class)| class).collect();
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_distinct_and_sorted() {
        let sorted = |labels: &[&str]| {
            classes(&labels.iter().map(|label| label.to_string()).collect::<Vec<_>>())
        };
        assert_eq!(sorted(&["10", "9", "10", "-1"]), ["-1", "9", "10"]);
        assert_eq!(sorted(&["10", "9", "x"]), ["10", "9", "x"]);
        assert_eq!(sorted(&["nan", "9", "10"]), ["10", "9", "nan"]);
        assert!(sorted(&[]).is_empty());
    }
}
