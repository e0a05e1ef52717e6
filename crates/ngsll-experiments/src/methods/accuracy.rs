//! The accuracy of a trained model.

use ngsll::error::Result;
use ngsll::metrics::Evaluation;
use ngsll::{Dataset, Model};

/// The share of samples classified correctly with at most `k` terms (`None`: the trained K).
pub(super) fn accuracy(model: &Model, data: &Dataset, k: Option<usize>) -> Result<f64> {
    let mut evaluation = Evaluation::new(model, k)?;
    evaluation.add(data)?;
    Ok(evaluation.finish().accuracy.unwrap_or(f64::NAN))
}
