//! The accuracy of a predictor.

use ngsll::Predictor;
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::metrics::Evaluation;

/// The share of the labelled samples whose class is found with at most `k` terms (`None`: the trained K).
pub fn accuracy(predictor: &Predictor, chunk: &Chunk, k: Option<usize>) -> Result<f64> {
    let mut evaluation = Evaluation::new(predictor.objective());
    let targets = predictor.objective().targets(chunk)?;
    evaluation.add(&predictor.explain(&chunk.samples, k)?, &targets);
    Ok(evaluation.finish().accuracy.unwrap_or(f64::NAN))
}
