//! The cells of a grid: how often they, or the regions that grow from them, are chosen, and their direction.

use super::ModelOverview;
use super::features::{legend, scope, units};
use super::panel::{Numbers, ReportPanel};
use crate::colour;
use crate::escape;
use crate::number_format::{count, percent, signed};
use ngsll::metrics::{FeatureStats, FeatureUse};
use ngsll::representation::Grid;

/// With more columns a cell is too small for a number; in a small map, with more than the second.
const WITH_NUMBERS: usize = 8;
const WITH_NUMBERS_SMALL: usize = 4;
/// Contributions below this share of the largest are drawn without a sign if there are no numbers.
const FAINT: f64 = 0.04;
/// A cell's side.
const SIDE: usize = 40;

/// Frequency and direction.
pub(super) fn panels(overview: &ModelOverview, grid: &Grid) -> Vec<ReportPanel> {
    let cells = grid.rows() * grid.columns();
    let used: Vec<FeatureStats> = (0..cells).map(|j| overview.used.of(j)).collect();
    let scores = overview.used.scores().max(1) as f64;
    let most = used.iter().map(|u| u.chosen).max().unwrap_or(0).max(1) as f64;
    let often = |j: usize| {
        let share = used[j].chosen as f64 / scores;
        HeatCell {
            class: "often",
            strength: used[j].chosen as f64 / most,
            shown: format!("{:.0} %", 100.0 * share),
            sign: "",
            title: format!("{}: chosen in {}", overview.features.name(j), percent(share)),
        }
    };
    let Words { often: title, meaning, feature, column, label } = words(grid);
    let first = ReportPanel {
        title,
        note: format!("In {}.{meaning}", scope(overview)),
        body: map(grid, &format!("{title}; the numbers are below"), WITH_NUMBERS, often),
        numbers: None,
        wide: false,
    };
    let means = signed(&used.iter().map(FeatureStats::mean).collect::<Vec<_>>());
    let row = |j: usize| {
        let share = percent(used[j].chosen as f64 / scores);
        let minus = count(used[j].chosen - used[j].added);
        vec![
            overview.features.name(j),
            count(used[j].chosen),
            share,
            count(used[j].added),
            minus,
            means[j].clone(),
        ]
    };
    let header = [column, "chosen", "of all", "+", "−", "mean contribution"];
    let numbers = Numbers {
        header: header.map(String::from).to_vec(),
        rows: (0..cells).filter(|&j| used[j].chosen > 0).map(row).collect(),
    };
    let second = ReportPanel {
        title: "Which way it pulls",
        note: format!(
            "The mean contribution of {feature} where it is chosen, {}.",
            units(overview)
        ),
        body: legend(overview)
            + &pulls(overview, grid, &overview.used, FeatureStats::mean, label, false),
        numbers: Some(numbers),
        wide: false,
    };
    vec![first, second]
}

/// A map of contributions: `of` gives the value of a cell. A small map is one of several.
pub(super) fn pulls(
    overview: &ModelOverview,
    grid: &Grid,
    features: &FeatureUse,
    of: impl Fn(&FeatureStats) -> f64,
    label: &str,
    small: bool,
) -> String {
    let used: Vec<FeatureStats> =
        (0..grid.rows() * grid.columns()).map(|j| features.of(j)).collect();
    let values: Vec<f64> = used.iter().map(of).collect();
    let largest = values.iter().map(|v| v.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let written = signed(&values);
    let cell = |j: usize| match used[j].chosen {
        0 => HeatCell {
            class: "never",
            strength: 0.0,
            shown: String::new(),
            sign: "",
            title: format!("{}: never chosen", overview.features.name(j)),
        },
        chosen => HeatCell {
            class: colour::class(values[j] < 0.0),
            strength: values[j].abs() / largest,
            shown: written[j].clone(),
            sign: if values[j] < 0.0 { "−" } else { "+" },
            title: format!(
                "{}: {}, chosen {} times",
                overview.features.name(j),
                written[j],
                count(chosen)
            ),
        },
    };
    map(grid, label, if small { WITH_NUMBERS_SMALL } else { WITH_NUMBERS }, cell)
}

/// What the map shows, in words.
pub(super) struct Words {
    often: &'static str,
    /// What a place of the map stands for, where that is not plain.
    meaning: &'static str,
    pub feature: &'static str,
    column: &'static str,
    pub label: &'static str,
}

pub(super) fn words(grid: &Grid) -> Words {
    match grid.superpixels() {
        true => Words {
            often: "How often the region of each place is chosen",
            meaning: " Every image has regions of its own; a place of the map stands for those that grow from there.",
            feature: "a region",
            column: "region",
            label: "Mean contribution of the region of each place",
        },
        false => Words {
            often: "How often each cell is chosen",
            meaning: "",
            feature: "a cell",
            column: "cell",
            label: "Mean contribution of each cell",
        },
    }
}

struct HeatCell {
    class: &'static str,
    strength: f64,
    /// Its number.
    shown: String,
    /// A replacement if it does not fit.
    sign: &'static str,
    title: String,
}

fn map(grid: &Grid, label: &str, most: usize, cell: impl Fn(usize) -> HeatCell) -> String {
    let numbers = grid.columns() <= most;
    let mut cells = String::new();
    for j in 0..grid.rows() * grid.columns() {
        let HeatCell { class, strength, shown, sign, title } = cell(j);
        let (x, y) = (j % grid.columns() * SIDE, j / grid.columns() * SIDE);
        let text = match numbers {
            true => shown.as_str(),
            false if strength < FAINT => "",
            false => sign,
        };
        // A little larger than the page's small print, whether the grid has two columns or eight.
        let size = if numbers { (1.8 * grid.columns() as f64).clamp(5.0, 10.5) } else { 22.0 };
        cells += &format!(
            "<g class=\"{class}\" style=\"--s:{strength:.3}\"><title>{title}</title>\
             <rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\"/>\
             <text x=\"{}\" y=\"{:.1}\" font-size=\"{size:.1}\">{text}</text></g>",
            x + SIDE / 2,
            y as f64 + SIDE as f64 / 2.0 + 0.36 * size,
            title = escape(&title),
        );
    }
    format!(
        "<svg class=\"heat\" viewBox=\"-1 -1 {} {}\" role=\"img\" aria-label=\"{}\">{cells}</svg>",
        grid.columns() * SIDE + 2,
        grid.rows() * SIDE + 2,
        escape(label)
    )
}
