//! The features behind the predictions of each class.

use super::ModelOverview;
use super::heat::{pulls, words};
use super::panel::ReportPanel;
use crate::colour;
use crate::escape;
use crate::markup::cut;
use crate::number_format::{count, percent, signed};
use ngsll::metrics::FeatureUse;
use ngsll::objective::Objective;

/// The most features that are listed for a class.
const LISTED: usize = 6;

/// A small map or list for every class.
pub(super) fn panel(overview: &ModelOverview) -> ReportPanel {
    let classes = overview.objective.classes().iter().zip(&overview.used_by_class);
    let one = |(class, used): (&String, &FeatureUse)| {
        let rows = used.scores();
        let body = match (rows, overview.features.grid()) {
            (0, _) => "<p class=\"none\">never predicted</p>".to_string(),
            (_, Some(grid)) => {
                let label = format!("{} where {class} is predicted", words(grid).label);
                // Over all of its rows: what is rarely chosen is faint.
                pulls(overview, grid, used, |u| u.sum / rows as f64, &label, true)
            }
            (_, None) => list(overview, used),
        };
        format!(
            "<li><h4 title=\"{}\">{} <span>{} predicted</span></h4>{body}</li>",
            escape(class),
            escape(&cut(class, 32)),
            count(rows)
        )
    };
    let body = classes.map(one).collect::<String>();
    let grid = overview.features.grid();
    let what = match grid {
        Some(grid) => {
            let feature = words(grid).feature;
            format!("the mean contribution of {feature}, counted as 0 where it is not chosen")
        }
        None => "the features that count most, in how many of its rows they were chosen, and their mean contribution"
            .to_string(),
    };
    let map = grid.is_some();
    let score = match overview.objective {
        Objective::Binary { classes, .. } => format!(
            " There is one score for both classes: above zero it supports {}, below {}.",
            escape(&classes[1]),
            escape(&classes[0])
        ),
        _ => String::new(),
    };
    ReportPanel {
        title: "What the predictions of each class are based on",
        note: format!(
            "For each predicted class, {what}. {} are relative to the largest of their class.{score}",
            if map { "Colours" } else { "Bars" }
        ),
        body: format!("<ul class=\"by-class{}\">{body}</ul>", if map { " maps" } else { "" }),
        numbers: None,
        wide: true,
    }
}

fn list(overview: &ModelOverview, used: &FeatureUse) -> String {
    let ranked = used.ranked();
    let listed = &ranked[..ranked.len().min(LISTED)];
    if listed.is_empty() {
        return "<p class=\"none\">no feature was used</p>".to_string();
    }
    let means: Vec<f64> = listed.iter().map(|(_, u)| u.mean()).collect();
    let largest = means.iter().map(|m| m.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let rows = listed.iter().zip(signed(&means)).map(|((j, u), mean)| {
        let name = overview.features.name(*j);
        format!(
            "<tr class=\"{class}\" style=\"--s:{strength:.2}\"><th scope=\"row\" title=\"{full}\">{name} \
             <span class=\"value\">in {share}</span></th><td class=\"track\"><i></i></td>\
             <td class=\"number\">{mean}</td></tr>",
            class = colour::class(u.mean() < 0.0),
            strength = u.mean().abs() / largest,
            full = escape(&name),
            name = escape(&cut(&name, 28)),
            share = percent(u.chosen as f64 / used.scores() as f64),
        )
    });
    format!("<table class=\"bars\"><tbody>{}</tbody></table>", rows.collect::<String>())
}
