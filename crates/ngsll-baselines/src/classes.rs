//! Class labels: the checks every classifier makes, and the prediction by the largest score.

use ngsll::error::{Error, Result};

/// Checks that there is at least one row, and one class below `n_classes` for each of `rows` rows.
pub(crate) fn check_classes(rows: usize, classes: &[usize], n_classes: usize) -> Result<()> {
    if n_classes < 2 {
        return Err(Error::setting("n_classes", n_classes, "a classifier needs at least 2"));
    }
    if rows == 0 || rows != classes.len() {
        let expected = format!("expected as many as the {} classes, at least one", classes.len());
        return Err(Error::setting("number of rows", rows, expected));
    }
    if let Some((row, class)) = classes.iter().enumerate().find(|(_, c)| **c >= n_classes) {
        let expected = format!("the {n_classes} classes are 0 to {}", n_classes - 1);
        return Err(Error::setting(format!("class of row {}", row + 1), class, expected));
    }
    Ok(())
}

/// The index of the largest score, ties to the lower one.
pub(crate) fn argmax<T: PartialOrd>(scores: &[T]) -> usize {
    (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
}

/// The number of predictions that equal their class.
pub(crate) fn count_correct(
    predicted: impl IntoIterator<Item = usize>,
    classes: &[usize],
) -> usize {
    predicted.into_iter().zip(classes).filter(|(predicted, class)| predicted == *class).count()
}
