//! The features with the largest part in the scores, a dot for every row that chose them.

use super::features::{legend, scope, units};
use super::panel::{Numbers, ReportPanel};
use super::{DotTerm, ModelOverview};
use crate::colour;
use crate::escape;
use crate::markup::cut;
use crate::number_format::{count, percent, signed};
use crate::svg::Axis;
use ngsll::metrics::FeatureStats;
use std::fmt::Write;

/// The numbers of features that are drawn, and listed under the drawing.
const DRAWN: usize = 15;
const LISTED: usize = 50;
/// The most dots of a feature.
const DOTS: usize = 200;
/// A strip's height and the width it is laid out for, in pixels; its real width is the page's.
const HEIGHT: f64 = 44.0;
const WIDTH: f64 = 560.0;
/// The distance at which dots touch.
const DOT: f64 = 4.8;

/// The drawing with its numbers.
pub(super) fn panel(overview: &ModelOverview) -> ReportPanel {
    let ranked = overview.used.ranked();
    let drawn = &ranked[..ranked.len().min(DRAWN)];
    let title = "The features with the largest part";
    if drawn.is_empty() {
        let note = "No score used any feature.".to_string();
        return ReportPanel { title, note, body: String::new(), numbers: None, wide: true };
    }
    let dots: Vec<Vec<&DotTerm>> = drawn.iter().map(|(j, _)| dots_of(overview, *j)).collect();
    let reach = dots.iter().flatten().map(|t| t.contribution).chain([0.0]);
    let axis = Axis::close(reach);
    let means = signed(&drawn.iter().map(|(_, used)| used.mean()).collect::<Vec<_>>());
    let mut rows = String::new();
    for (((j, used), dots), mean) in drawn.iter().zip(&dots).zip(&means) {
        let name = overview.features.name(*j);
        rows += &format!(
            "<li><div class=\"of\"><b title=\"{full}\">{name}</b> <span>in {share}</span></div>{strip}\
             <div class=\"mean {class}\">{mean}</div></li>",
            full = escape(&name),
            name = escape(&cut(&name, 40)),
            share = percent(used.chosen as f64 / overview.used.scores().max(1) as f64),
            strip = strip(&axis, dots, overview.features.is_numeric(*j)),
            class = colour::class(used.mean() < 0.0),
        );
    }
    let values = match drawn.iter().any(|(j, _)| overview.features.is_numeric(*j)) {
        true => {
            "<ul class=\"key\"><li><svg class=\"sample\" aria-hidden=\"true\"><circle class=\"low\" cx=\"6\" cy=\"6\" r=\"3.6\"/></svg> \
             low value of the column</li><li><svg class=\"sample\" aria-hidden=\"true\"><circle cx=\"6\" cy=\"6\" r=\"3.6\"/></svg> high value</li></ul>"
        }
        false => "",
    };
    let body = format!(
        "<div class=\"keys\">{legend}{values}</div><ol class=\"swarm\"><li class=\"head\" aria-hidden=\"true\"><div class=\"of\">chosen</div>\
         <div></div><div class=\"mean\">mean</div></li>{rows}<li class=\"scale\" aria-hidden=\"true\"><div class=\"of\"></div>{scale}\
         <div class=\"mean\"></div></li></ol>",
        legend = legend(overview),
        scale = scale(&axis),
    );
    let shown = dots.iter().map(Vec::len).sum::<usize>() as u64;
    let chosen: u64 = drawn.iter().map(|(_, used)| used.chosen).sum();
    let sampled = match shown < chosen {
        true => format!(" {} of {} dots are drawn, at random.", count(shown), count(chosen)),
        false => String::new(),
    };
    let of = match ranked.len() > DRAWN {
        true => format!("The {DRAWN} largest of {} features", count(ranked.len() as u64)),
        false => "The features".to_string(),
    };
    ReportPanel {
        title,
        note: format!(
            "{of} chosen for {}, by the total size of their contributions. Each dot is one row: how far the feature \
             moved its score, {}.{sampled}",
            scope(overview),
            units(overview)
        ),
        body,
        numbers: Some(numbers(overview, &ranked)),
        wide: true,
    }
}

/// The terms of a feature in the rows that were kept.
fn dots_of<'a>(overview: &'a ModelOverview, feature: usize) -> Vec<&'a DotTerm> {
    let terms = overview.dots.iter().flat_map(|dot| &dot.terms);
    terms.filter(|t| t.feature == feature && t.contribution.is_finite()).take(DOTS).collect()
}

/// The dots of one feature; those at one value are piled up around the middle line.
fn strip(axis: &Axis, dots: &[&DotTerm], number: bool) -> String {
    let mut piles: std::collections::BTreeMap<i64, usize> = std::collections::BTreeMap::new();
    let mut marks = String::new();
    for term in dots {
        let x = axis.share(term.contribution);
        let pile = piles.entry((x * WIDTH / DOT).round() as i64).or_default();
        // 0, 1, −1, 2, −2, … dots from the middle, starting again when the strip is full.
        let rooms = (HEIGHT / DOT) as usize;
        let step = (*pile % rooms).div_ceil(2) as f64;
        let side = if *pile % 2 == 1 { -1.0 } else { 1.0 };
        *pile += 1;
        let y = HEIGHT / 2.0 + side * step * (DOT - 0.4);
        let level = match term.value {
            z if number && z < -0.5 => " low",
            z if number && z < 0.5 => " mid",
            _ => "",
        };
        // Writing to a string cannot fail.
        let _ = write!(
            marks,
            "<circle class=\"{}{level}\" cx=\"{:.1}%\" cy=\"{y:.1}\" r=\"2.5\"/>",
            colour::class(term.contribution < 0.0),
            100.0 * x,
        );
    }
    let zero = 100.0 * axis.share(0.0);
    format!(
        "<svg class=\"strip\" height=\"{HEIGHT}\" aria-hidden=\"true\">\
         <line class=\"zero\" x1=\"{zero:.1}%\" x2=\"{zero:.1}%\" y1=\"0\" y2=\"{HEIGHT}\"/>{marks}</svg>"
    )
}

/// The axis under the strips.
fn scale(axis: &Axis) -> String {
    let ticks: String = axis
        .ticks()
        .into_iter()
        .map(|(value, name)| {
            let x = 100.0 * axis.share(value);
            let anchor = match x {
                x if x < 1.0 => "start",
                x if x > 99.0 => "end",
                _ => "middle",
            };
            format!("<text x=\"{x:.1}%\" y=\"14\" text-anchor=\"{anchor}\">{name}</text>")
        })
        .collect();
    format!("<svg class=\"strip\" height=\"20\" aria-hidden=\"true\">{ticks}</svg>")
}

fn numbers(overview: &ModelOverview, ranked: &[(usize, FeatureStats)]) -> Numbers {
    let listed = &ranked[..ranked.len().min(LISTED)];
    let means = signed(&listed.iter().map(|(_, used)| used.mean()).collect::<Vec<_>>());
    let row = |((j, used), mean): (&(usize, FeatureStats), String)| {
        let share = percent(used.chosen as f64 / overview.used.scores().max(1) as f64);
        let name = cut(&overview.features.name(*j), 80);
        vec![
            name,
            count(used.chosen),
            share,
            count(used.added),
            count(used.chosen - used.added),
            mean,
        ]
    };
    let header = ["feature", "chosen", "of all", "+", "−", "mean contribution"];
    Numbers {
        header: header.map(String::from).to_vec(),
        rows: listed.iter().zip(means).map(row).collect(),
    }
}
