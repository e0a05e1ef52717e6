//! All randomness derives from one seed, through streams named by their purpose and time.
//!
//! A stream is a pure function of `(seed, purpose, epoch, step)`: nothing depends on earlier
//! draws, so a resumed run draws what an uninterrupted one would have drawn.

/// A stream of random numbers; its methods are in [`crate::rand`].
pub use rand_chacha::ChaCha8Rng;

use rand::{RngExt, SeedableRng};

// Both distributions below are hand-written, although `rand_distr` has them: its algorithms draw other numbers from a
// stream, and a seed must go on giving the same model.

/// The purpose of random numbers. The discriminants are part of the repeatability promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
#[non_exhaustive]
pub enum Purpose {
    /// Which rows are for training, validation and test.
    Split = 1,
    /// The network's first weights.
    Initialize = 2,
    /// The order of the training rows in an epoch.
    Shuffle = 3,
    /// Gumbel noise λ of the gate in a step.
    Noise = 4,
    /// Which units are dropped in a step.
    Dropout = 5,
    /// Everything outside training, such as an evaluation under the sampled gate.
    Sample = 6,
    /// The shift of each image in a step.
    Shift = 7,
    /// Which features of each sample of a step are kept.
    Subset = 8,
}

/// The stream for `purpose` at `(epoch, step)`; use 0 for one that does not apply.
///
/// ```
/// use ngsll::rand::RngExt;
/// use ngsll::random::{Purpose, stream};
/// let draw = |step| stream(7, Purpose::Noise, 3, step).random::<u64>();
/// assert_eq!(draw(1), draw(1));
/// assert_ne!(draw(1), draw(2));
/// ```
pub fn stream(seed: u64, purpose: Purpose, epoch: u64, step: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, part) in key.chunks_exact_mut(8).zip([seed, purpose as u64, epoch, step]) {
        bytes.copy_from_slice(&part.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// `n` draws of the standard Gumbel distribution, λ = −log(−log u).
pub fn gumbel(rng: &mut ChaCha8Rng, n: usize) -> Vec<f32> {
    // u in (0, 1): the half step keeps both logarithms finite.
    let unit = |bits: u32| (f64::from(bits) + 0.5) / (f64::from(u32::MAX) + 1.0);
    (0..n).map(|_| -(-unit(rng.random::<u32>()).ln()).ln() as f32).collect()
}

/// `n` draws of the standard normal distribution.
pub fn normal(rng: &mut ChaCha8Rng, n: usize) -> Vec<f32> {
    // Box and Muller's method; the half step keeps the logarithm finite.
    let unit = |bits: u32| (f64::from(bits) + 0.5) / (f64::from(u32::MAX) + 1.0);
    let mut draw = || {
        let (radius, angle) = (unit(rng.random::<u32>()), unit(rng.random::<u32>()));
        ((-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()) as f32
    };
    (0..n).map(|_| draw()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gumbel_has_the_mean_and_variance_of_its_distribution() {
        let draws = gumbel(&mut stream(1, Purpose::Noise, 0, 0), 200_000);
        let n = draws.len() as f64;
        let mean = draws.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
        let variance = draws.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n;
        // Euler's constant and π²/6; five standard errors are 0.015 and 0.05.
        assert!((mean - 0.5772).abs() < 0.015, "mean {mean}");
        assert!((variance - 1.6449).abs() < 0.05, "variance {variance}");
        assert!(draws.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn normal_draws_have_mean_0_and_variance_1() {
        let draws = normal(&mut stream(1, Purpose::Noise, 0, 0), 100_000);
        let n = draws.len() as f64;
        let mean = draws.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
        let variance = draws.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n;
        // Five standard errors.
        assert!(mean.abs() < 0.016 && (variance - 1.0).abs() < 0.023, "{mean}, {variance}");
    }
}
