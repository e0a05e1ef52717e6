//! The usual metrics from counts and sums of any source.

/// Share of `n` samples whose class is predicted; `None` without samples.
pub(crate) fn accuracy(correct: usize, n: usize) -> Option<f64> {
    mean(correct as f64, n)
}

/// Share of the target's variance that is explained, from the sum of the squared errors and that of the
/// squared distances of the true values from their mean; `None` where the target does not vary.
pub(crate) fn r2(squared_errors: f64, squared_distances: f64) -> Option<f64> {
    (squared_distances > 0.0).then(|| 1.0 - squared_errors / squared_distances)
}

/// Root of the mean squared error; `None` without samples.
pub(crate) fn rmse(squared_errors: f64, n: usize) -> Option<f64> {
    mean(squared_errors, n).map(f64::sqrt)
}

/// A sum over samples, per sample; `None` without samples.
pub(crate) fn mean(sum: f64, n: usize) -> Option<f64> {
    (n > 0).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_few_samples_and_of_none() {
        assert_eq!((accuracy(3, 4), accuracy(0, 0)), (Some(0.75), None));
        assert_eq!((r2(1.0, 4.0), r2(8.0, 4.0), r2(1.0, 0.0)), (Some(0.75), Some(-1.0), None));
        assert_eq!((rmse(16.0, 4), rmse(0.0, 0)), (Some(2.0), None));
    }
}
