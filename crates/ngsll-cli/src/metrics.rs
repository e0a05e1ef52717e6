//! How good a model is: measured, and as a person reads it.

use anyhow::Result;
use ngsll::data::Chunk;
use ngsll::fit::Fitted;
use ngsll::metrics::{Evaluation, Metrics};

/// Metrics on some rows of a chunk.
pub fn measure(fitted: &Fitted, chunk: &Chunk, rows: &[usize]) -> Result<Metrics> {
    let predictor = &fitted.predictor;
    let mut evaluation = Evaluation::new(predictor.objective());
    let part = chunk.select(rows);
    let targets = predictor.objective().targets(&part)?;
    evaluation.add(&predictor.explain(&part.samples, None)?, &targets);
    Ok(evaluation.finish())
}

/// The metrics as a person reads them.
pub fn facts(metrics: &Metrics, k: usize) -> Vec<(String, String)> {
    let mut facts = vec![("samples".to_string(), metrics.n.to_string())];
    let shares = [("accuracy", metrics.accuracy), ("AUROC", metrics.auroc), ("R²", metrics.r2)];
    for (name, value) in shares {
        facts.extend(value.map(|v| (name.to_string(), format!("{v:.4}"))));
    }
    facts.extend(metrics.rmse.map(|v| ("RMSE".to_string(), format!("{v:.4}"))));
    let Metrics { features_max, features_mean, additivity_error_max, .. } = metrics;
    let used = format!("at most {features_max} of K = {k}, {features_mean:.2} on average");
    facts.push(("features of a score".to_string(), used));
    facts.push((
        "largest error of a sum".to_string(),
        match additivity_error_max {
            0.0 => "0".to_string(),
            error => format!("{error:.1e}"),
        },
    ));
    facts
}
