//! The quality of a model, as a person reads it.

use ngsll::metrics::{ClassFigures, Metrics, format_figure};
use ngsll::readable::count;

/// The most classes whose F1 is printed; with more, the worst ones.
const CLASSES: usize = 4;

/// The metrics as names and values.
pub fn facts(metrics: &Metrics, k: usize) -> Vec<(String, String)> {
    let mut facts = vec![("samples".to_string(), count(metrics.n))];
    let figures = metrics.figures().into_iter();
    facts.extend(figures.map(|(name, value)| (name.to_string(), format_figure(value))));
    facts.extend(metrics.macro_f1.map(|mean| ("F1".to_string(), f1(mean, &metrics.by_class))));
    let Metrics { features_max, features_mean, sum_difference_max, .. } = metrics;
    let used = format!("at most {features_max} of K = {k}, {features_mean:.2} on average");
    facts.push(("features of a score".to_string(), used));
    // The terms are summed in double precision, the network's forward pass runs in single.
    let difference = match sum_difference_max {
        0.0 => "0".to_string(),
        difference => format!("{difference:.1e}"),
    };
    let difference = format!("differ by at most {difference}");
    facts.push(("sum of the terms and network's score".to_string(), difference));
    facts
}

/// The mean F1, and that of each class or of the worst ones.
fn f1(mean: f64, classes: &[ClassFigures]) -> String {
    let known = classes.iter().filter_map(|class| Some((&class.class, class.f1?)));
    let mut known: Vec<(&String, f64)> = known.collect();
    let which = if known.len() > CLASSES { "lowest: " } else { "" };
    if known.len() > CLASSES {
        known.sort_by(|a, b| a.1.total_cmp(&b.1));
        known.truncate(CLASSES - 1);
    }
    let listed: Vec<String> =
        known.iter().map(|(class, f1)| format!("{class} {}", format_figure(*f1))).collect();
    format!("{} on average ({which}{})", format_figure(mean), listed.join(", "))
}
