//! How good a model is, as a person reads it.

use ngsll::metrics::{Metrics, written};

/// The metrics as names and values.
pub fn facts(metrics: &Metrics, k: usize) -> Vec<(String, String)> {
    let mut facts = vec![("samples".to_string(), metrics.n.to_string())];
    let figures = metrics.figures().into_iter();
    facts.extend(figures.map(|(name, value)| (name.to_string(), written(value))));
    let Metrics { features_max, features_mean, sum_difference_max, .. } = metrics;
    let used = format!("at most {features_max} of K = {k}, {features_mean:.2} on average");
    facts.push(("features of a score".to_string(), used));
    // The terms are summed in double precision, the network's forward pass runs in single.
    let difference = match sum_difference_max {
        0.0 => "0".to_string(),
        difference => format!("{difference:.1e}"),
    };
    let difference = format!("differ by at most {difference}");
    facts.push(("terms' sum and network's score".to_string(), difference));
    facts
}
