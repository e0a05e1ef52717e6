//! Whether a prediction that claims 80 % is right in 80 of 100 cases.

/// Bins of equal width from 0 to 1; a published calibration error depends on their number.
const BINS: usize = 20;

/// Predictions grouped by the probability of the predicted class.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    bins: Vec<Bin>,
}

/// Predictions of about the same confidence.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Bin {
    /// The number of predictions.
    pub count: u64,
    /// The number of right predictions.
    pub right: u64,
    /// The sum of their probabilities.
    confidence: f64,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { bins: vec![Bin::default(); BINS] }
    }
}

impl Calibration {
    /// Counts a prediction whose class has the probability `confidence`.
    pub fn add(&mut self, confidence: f64, right: bool) {
        // A cast saturates, so that 1 and values rounded above it fall into the last bin.
        let bin = &mut self.bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.right += u64::from(right);
        bin.confidence += confidence;
    }

    /// The bins by rising confidence; bin i holds i/n up to (i + 1)/n, the last one also 1.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// Expected calibration error: the mean over predictions of |share right − mean confidence| of their
    /// bin; `None` without predictions.
    ///
    /// ```
    /// use ngsll::metrics::Calibration;
    /// let mut calibration = Calibration::default();
    /// for right in [true, true, true, false] {
    ///     calibration.add(0.875, right);
    /// }
    /// assert_eq!(calibration.expected_error(), Some(0.125));
    /// ```
    pub fn expected_error(&self) -> Option<f64> {
        let n: u64 = self.bins.iter().map(|bin| bin.count).sum();
        let gaps = self.bins.iter().map(|bin| (bin.right as f64 - bin.confidence).abs());
        (n > 0).then(|| gaps.sum::<f64>() / n as f64)
    }
}

impl Bin {
    /// Mean probability of its predictions; `None` for an empty bin.
    pub fn confidence(&self) -> Option<f64> {
        (self.count > 0).then(|| self.confidence / self.count as f64)
    }

    /// Share of its predictions that were right; `None` for an empty bin.
    pub fn accuracy(&self) -> Option<f64> {
        (self.count > 0).then(|| self.right as f64 / self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ends_have_their_bins() {
        let mut calibration = Calibration::default();
        for confidence in [0.0, 1.0, 1.0 + 1e-9] {
            calibration.add(confidence, true);
        }
        assert_eq!(calibration.bins()[0].count, 1);
        assert_eq!(calibration.bins()[BINS - 1].count, 2);
        assert_eq!(Calibration::default().expected_error(), None);
    }

    proptest! {
        /// The definition, bin by bin over the whole list.
        #[test]
        fn the_error_is_that_of_its_definition(
            list in prop::collection::vec((0.0_f64..=1.0, any::<bool>()), 1..200)
        ) {
            let mut calibration = Calibration::default();
            list.iter().for_each(|&(p, right)| calibration.add(p, right));
            let mut error = 0.0;
            for i in 0..BINS {
                let (low, high) = (i as f64 / BINS as f64, (i + 1) as f64 / BINS as f64);
                let last = i == BINS - 1;
                let bin: Vec<_> =
                    list.iter().filter(|(p, _)| *p >= low && (*p < high || last)).collect();
                prop_assert_eq!(calibration.bins()[i].count, bin.len() as u64);
                if !bin.is_empty() {
                    let n = bin.len() as f64;
                    let right = bin.iter().filter(|(_, right)| *right).count() as f64 / n;
                    let confidence = bin.iter().map(|(p, _)| p).sum::<f64>() / n;
                    error += n / list.len() as f64 * (right - confidence).abs();
                }
            }
            let found = calibration.expected_error().expect("there are predictions");
            prop_assert!((found - error).abs() < 1e-12, "{found} is not {error}");
        }
    }
}
