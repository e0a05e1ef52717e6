//! weights, mask → gate: which K features of a sample are used, and how far the gate is open for each.
//!
//! All gates read w² (the paper's stand-in for |w|), one row per sample and output, and a mask in
//! which 1 means *may not be used*:
//!
//! | gate | used for | opens |
//! |---|---|---|
//! | [`k_hot`], by `closed_form` | training, noise shared by the K picks | softly, Σ g = K; closed form, cost flat in K |
//! | [`sequential`] | training with `noise = "fresh"`; the reference in tests; other backends | softly, K softmaxes |
//! | [`hard`] | prediction, validation, the polish stage | exactly K, 0 or 1, no noise |

#[doc(hidden)]
pub mod closed_form;
pub mod hard;
pub mod k_hot;
pub mod sequential;

use crate::error::{Error, Result};
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

/// A gate size and a temperature, checked.
///
/// ```
/// use ngsll::gate::KHotGate;
/// assert_eq!(KHotGate::new(5, 0.1)?.k(), 5);
/// assert!(KHotGate::new(0, 0.1).is_err());
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KHotGate {
    k: usize,
    temperature: f32,
}

impl KHotGate {
    /// Refuses a gate of size 0 and a temperature that is negative or not finite.
    pub fn new(k: usize, temperature: f32) -> Result<Self> {
        if k == 0 {
            return Err(Error::setting("k", 0, "K must be at least 1"));
        }
        if !(temperature.is_finite() && temperature >= 0.0) {
            let expected = "the temperature must be a number of at least 0 (0 is the hard gate)";
            return Err(Error::setting("temperature", temperature, expected));
        }
        Ok(Self { k, temperature })
    }

    /// K, how many features may be used.
    pub fn k(&self) -> usize {
        self.k
    }

    /// τ: 1 is soft, 0.1 nearly hard; 0 is the hard gate without noise.
    pub fn temperature(&self) -> f32 {
        self.temperature
    }

    /// Whether this is the hard gate.
    pub fn is_hard(&self) -> bool {
        self.temperature == 0.0
    }
}

/// How Gumbel noise enters the K picks of a training step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Noise {
    /// One λ per sample for all K picks, as the paper's equation is written (closed form).
    #[default]
    Shared,
    /// A new λ at each of the K picks (sequential definition, K times the cost).
    Fresh,
}

/// Which features the outputs of a multi-class model use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GateScope {
    /// K features for each class score, chosen by w_{jc}².
    #[default]
    PerClass,
    /// One set of K features for all classes, chosen by Σ_c w_{jc}².
    Shared,
}

/// Refuses weights that are NaN or infinite: no gate can rank them, and 0 · ∞ is no closed gate.
pub(crate) fn check_weights<const D: usize>(weights: &Tensor<D>) -> Result<()> {
    let data = weights.clone().inner_or_self().into_data_as::<f32>();
    let values = data.as_slice::<f32>().expect("the data were converted to f32");
    if values.iter().any(|w| !w.is_finite()) {
        return Err(Error::NotFinite {
            what: "a generated weight".into(),
            hint: "; a lower learning rate usually helps".into(),
        });
    }
    Ok(())
}

/// Leaves the autodiff context, if there is one.
pub(crate) trait InnerOrSelf {
    /// The tensor without autodiff.
    fn inner_or_self(self) -> Self;
}

impl<const D: usize> InnerOrSelf for Tensor<D> {
    fn inner_or_self(self) -> Self {
        if self.device().is_autodiff() { self.inner() } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    #[test]
    fn weights_that_are_not_finite_are_refused() {
        let row = |values: [f32; 2]| Tensor::<2>::from_data([values], &Device::default());
        assert!(check_weights(&row([1.0, 2.0])).is_ok());
        assert!(check_weights(&row([1.0, f32::INFINITY])).is_err());
        let error = check_weights(&row([1.0, f32::NAN])).unwrap_err().to_string();
        assert!(error.starts_with("a generated weight is not a finite number"), "{error}");
    }
}
