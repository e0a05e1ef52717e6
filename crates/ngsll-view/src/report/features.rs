//! The features that are chosen, how often, and their direction.

use super::panel::ReportPanel;
use super::{ModelOverview, by_class, heat, swarm};
use crate::escape;
use crate::number_format::count;
use ngsll::objective::{Objective, ValueScale};

/// The features of all rows, and those of each predicted class.
pub(super) fn panels(overview: &ModelOverview) -> Vec<ReportPanel> {
    let mut panels = match overview.features.grid() {
        Some(grid) => heat::panels(overview, grid),
        None => vec![swarm::panel(overview)],
    };
    if overview.used_by_class.iter().any(|used| used.scores() > 0) {
        panels.push(by_class::panel(overview));
    }
    panels
}

/// The meaning of a positive and of a negative contribution.
pub(super) fn sides(overview: &ModelOverview) -> (String, String) {
    match overview.objective {
        Objective::Binary { classes, .. } => (
            format!("supports {}", escape(&classes[1])),
            format!("supports {}", escape(&classes[0])),
        ),
        Objective::Classes { .. } => {
            ("supports the predicted class".to_string(), "counts against it".to_string())
        }
        Objective::Regression { target, .. } => {
            (format!("raises {}", escape(target)), "lowers it".to_string())
        }
        _ => ("raises the score".to_string(), "lowers it".to_string()),
    }
}

/// The units of contributions.
pub(super) fn units(overview: &ModelOverview) -> String {
    match overview.objective {
        Objective::Regression { target, scale: ValueScale::Linear, .. } => {
            format!("in the units of {}", escape(target))
        }
        Objective::Regression { target, .. } => {
            format!("in logarithms of {} (0.1 is 10.5 %)", escape(target))
        }
        _ => "in units of the score (log odds)".to_string(),
    }
}

/// The number of scores counted, in words.
pub(super) fn scope(overview: &ModelOverview) -> String {
    let n = count(overview.used.scores());
    match overview.objective {
        Objective::Classes { .. } => format!("the scores of the predicted classes in {n} rows"),
        _ => format!("the scores of {n} rows"),
    }
}

/// The two colours with their signs and meanings.
pub(super) fn legend(overview: &ModelOverview) -> String {
    let (more, less) = sides(overview);
    format!(
        "<ul class=\"key\"><li><mark class=\"pos\" style=\"--s:1\">+</mark> {more}</li>\
         <li><mark class=\"neg\" style=\"--s:1\">−</mark> {less}</li></ul>"
    )
}
