//! The accuracy of a trained model.

use ngsll::Predictor;
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::metrics::Evaluation;

/// The share of samples classified correctly with at most `k` terms (`None`: the trained K).
pub(super) fn accuracy(predictor: &Predictor, chunk: &Chunk, k: Option<usize>) -> Result<f64> {
    let mut evaluation = Evaluation::new(predictor.objective());
    let targets = predictor.objective().targets(chunk)?;
    evaluation.add(&predictor.explain(&chunk.samples, k)?, &targets);
    Ok(evaluation.finish().accuracy.unwrap_or(f64::NAN))
}
