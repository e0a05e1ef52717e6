//! Mean and standard deviation of a column or a target.

/// Mean and standard deviation for standardising.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanStd {
    /// The mean; 0 without values.
    pub mean: f64,
    /// The standard deviation; 1 if the values do not vary, so that it can be divided by.
    pub deviation: f64,
}

impl MeanStd {
    /// Mean and standard deviation of finite numbers.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let n = values.clone().count().max(1) as f64;
        let first = values.clone().next().unwrap_or(0.0);
        // Around the first value: for equal values the deviation is exactly zero, whatever their digits.
        let shift = values.clone().map(|v| v - first).sum::<f64>() / n;
        let variance = values.map(|v| (v - first - shift).powi(2)).sum::<f64>() / n;
        let deviation = if variance == 0.0 { 1.0 } else { variance.sqrt() };
        Self { mean: first + shift, deviation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_deviation_one_whatever_their_digits() {
        for value in [0.1, 37.7, 0.3, -1e-9] {
            let mean_std = MeanStd::of(std::iter::repeat_n(value, 1000));
            assert_eq!(mean_std, MeanStd { mean: value, deviation: 1.0 });
        }
        assert_eq!(MeanStd::of([1.0, 3.0].into_iter()), MeanStd { mean: 2.0, deviation: 1.0 });
        assert_eq!(MeanStd::of(std::iter::empty()), MeanStd { mean: 0.0, deviation: 1.0 });
    }
}
