//! A report on a model as a whole, from an evaluation: a file for each panel of the page.

mod at_each_k;
mod by_class;
mod by_k;
mod calibration;
mod collector;
mod confusion;
mod feature_labels;
mod features;
mod heat;
mod panel;
mod plot;
mod residuals;
mod sampling;
mod swarm;

pub use collector::{Collected, Collector};

use crate::number_format::{count, percent};
use crate::{Measured, Summary, SummaryTable, escape, number_format};
use at_each_k::MeasuredAtEachK;
use feature_labels::FeatureLabels;
use ngsll::Trust;
use ngsll::explanation::ScoreExplanation;
use ngsll::metrics::{Calibration, Confusion, FeatureUse, Metrics};
use ngsll::objective::Objective;
use ngsll::readable::{class_name, count_of};
use ngsll::trust::Sentence;
use panel::part;

/// An evaluation of a model.
#[derive(Debug)]
pub struct ModelOverview<'a> {
    /// The target of its predictions.
    pub objective: &'a Objective,
    /// The labels of its features.
    features: FeatureLabels<'a>,
    /// The most terms of each score.
    pub k: usize,
    /// The figures.
    pub metrics: Metrics,
    /// The figures with fewer or more terms.
    at_each_k: MeasuredAtEachK,
    /// Truth against prediction (classes).
    confusion: Option<Confusion>,
    /// Claimed against found probabilities (classes).
    calibration: Option<Calibration>,
    /// The features of the score that each prediction was read from.
    used: FeatureUse,
    /// The same by predicted class, for a few classes; else empty.
    used_by_class: Vec<FeatureUse>,
    /// Some of the rows, or all.
    dots: Vec<Dot>,
}

/// A row of figures that show many rows.
#[derive(Debug, Clone)]
struct Dot {
    /// True and predicted value (regression).
    value: Option<(f64, f64)>,
    terms: Vec<DotTerm>,
}

#[derive(Debug, Clone)]
struct DotTerm {
    feature: usize,
    /// z_j
    value: f64,
    contribution: f64,
}

impl Dot {
    /// A row whose prediction was read from `output`; `value` is the true and the predicted number.
    fn new(output: &ScoreExplanation, value: Option<(f64, f64)>) -> Self {
        let terms = output.terms.iter();
        let terms = terms.map(|t| DotTerm {
            feature: t.feature,
            value: t.value,
            contribution: t.contribution,
        });
        Self { value, terms: terms.collect() }
    }
}

impl ModelOverview<'_> {
    /// The head of the report: the model, the data, and the judge's figures for its terms if
    /// there is one.
    pub fn summary(
        &self,
        model: &str,
        data: &str,
        trust: Option<&Trust>,
        measured: Measured,
    ) -> Summary {
        let facts = [
            ("Model", model.to_string()),
            ("Predicts", self.objective.describe()),
            ("Measured on", data.to_string()),
            ("Terms of each score", format!("at most {}", self.k)),
        ];
        Summary {
            title: format!("How well {model} predicts"),
            facts: facts.map(|(name, value)| (name.to_string(), value)).into(),
            tables: trust.map(trust_table).into_iter().collect(),
            classes: self.objective.classes().to_vec(),
            measured,
        }
    }

    /// A note if only some rows are shown.
    fn sampled(&self, shown: usize) -> String {
        match shown < self.metrics.n {
            true => format!(
                " The dots are {} rows drawn at random from {}.",
                count(shown as u64),
                count(self.metrics.n as u64)
            ),
            false => String::new(),
        }
    }
}

fn trust_table(trust: &Trust) -> SummaryTable {
    let row = |sentence: Sentence| vec![sentence.name, sentence.figure, sentence.meaning];
    SummaryTable {
        caption: format!(
            "Can the terms be trusted? Measured on {}",
            count_of(trust.samples, "sample")
        ),
        header: ["figure", "value", "what it means"].map(String::from).into(),
        rows: trust.sentences().into_iter().map(row).collect(),
    }
}

/// The figures in a row, then the parts of the page.
pub(crate) fn html(overview: &ModelOverview) -> String {
    let by_k = by_k::panel(overview);
    let (errors, trust, name) = match (&overview.confusion, &overview.calibration) {
        (Some(confusion), Some(calibration)) => (
            confusion::panels(overview.objective.classes(), confusion),
            calibration::panel(calibration, overview.objective.classes().len()),
            "How sure it is, and with how many terms",
        ),
        _ => (
            residuals::panels(overview),
            residuals::sizes(overview),
            "How close it is, and with how many terms",
        ),
    };
    let links = [("mistakes", "Errors"), ("trust", "Trust"), ("features", "Features")];
    let links = links.into_iter().chain([("cases", "Cases")]);
    let links: String = links.map(|(id, name)| format!("<a href=\"#{id}\">{name}</a>")).collect();
    format!(
        "<p class=\"lead\">{lead}</p>\n{tiles}<nav class=\"parts\" aria-label=\"Parts\">{links}</nav>\n\
         {errors}{trust}{features}",
        lead = lead(overview),
        tiles = tiles(overview),
        errors = part("mistakes", "Where it goes wrong", &errors),
        trust = part("trust", name, &[trust, by_k]),
        features = part("features", "What it looks at", &features::panels(overview)),
    )
}

/// The main results, in a sentence or two.
fn lead(overview: &ModelOverview) -> String {
    let metrics = &overview.metrics;
    let rows = count(metrics.n as u64);
    match (overview.objective, &overview.confusion, metrics.accuracy) {
        (Objective::Regression { target, .. }, ..) => {
            let target = escape(target);
            let rmse = metrics.rmse.unwrap_or(f64::NAN);
            let written = number_format::value(rmse);
            let Some(r2) = metrics.r2 else {
                return format!(
                    "In {rows} rows the predicted <b>{target}</b> is off by <b>{written}</b> (root mean square). The true value is the same in all of them."
                );
            };
            let mean = number_format::value(rmse / (1.0 - r2).max(0.0).sqrt());
            let than = if r2 < 1.0 {
                format!("; always predicting the mean would be off by {mean}")
            } else {
                String::new()
            };
            format!(
                "In {rows} rows the predicted <b>{target}</b> is off by <b>{written}</b> (root mean square){than}."
            )
        }
        (objective, Some(confusion), Some(accuracy)) => {
            let right = count((accuracy * metrics.n as f64).round() as u64);
            let classes = confusion.by_class(objective.classes().len());
            let top = (0..classes.len()).rev().max_by_key(|&c| classes[c].truths);
            let guess = top.map_or(String::new(), |c| {
                let share = classes[c].truths as f64 / metrics.n.max(1) as f64;
                format!(
                    " Always predicting {}, the most frequent class, would be right in {}.",
                    escape(&class_name(&objective.classes()[c])),
                    percent(share)
                )
            });
            format!("The class is right in <b>{right} of {rows}</b> rows.{guess}")
        }
        _ => String::new(),
    }
}

/// The figures.
fn tiles(overview: &ModelOverview) -> String {
    let metrics = &overview.metrics;
    let mut tiles: Vec<(&str, String, String)> = Vec::new();
    let three = |value: f64| format!("{value:.3}");
    let mut tile = |name, value: Option<String>, note: String| {
        tiles.extend(value.map(|value| (name, value, note)));
    };
    tile("Accuracy", metrics.accuracy.map(percent), "rows whose class is right".to_string());
    let chance = "0.5 is chance, 1 is perfect".to_string();
    tile("AUROC", metrics.auroc.map(three), chance);
    let sought = overview.objective.classes().get(1).map(|class| class_name(class));
    let sought = sought.unwrap_or_default();
    let precision = format!("average precision, looking for {sought}");
    tile("PR-AUC", metrics.average_precision.map(three), precision);
    let times = format!("times as many {sought} in the top tenth as in a random one");
    tile("Lift", metrics.lift.map(|lift| format!("{lift:.2}")), times);
    let three_first = "rows whose class is among the top three".to_string();
    tile("Top 3", metrics.top_3_accuracy.map(percent), three_first);
    tile("F1", metrics.macro_f1.map(three), "mean of all classes".to_string());
    tile("Log loss", metrics.log_loss.map(three), "0 is sure and right".to_string());
    let square = "mean square of claimed probability minus outcome".to_string();
    tile("Brier score", metrics.brier.map(three), square);
    let error = overview.calibration.as_ref().and_then(Calibration::expected_error);
    tile(
        "Calibration error",
        error.map(percent),
        "claimed against observed probability".to_string(),
    );
    tile("R²", metrics.r2.map(three), "share of the variance explained".to_string());
    let units = match overview.objective {
        Objective::Regression { target, .. } => format!("in the units of {target}"),
        _ => String::new(),
    };
    tile("RMSE", metrics.rmse.map(number_format::value), units.clone());
    let mean = format!("mean absolute error, {units}");
    tile("MAE", metrics.mae.map(number_format::value), mean);
    let half = format!("half of the rows are closer, {units}");
    tile("Median error", metrics.median_error.map(number_format::value), half);
    let mean = format!("{:.1}", metrics.features_mean);
    tile(
        "Terms of a score",
        Some(mean),
        format!("on average, at most K\u{a0}=\u{a0}{}", overview.k),
    );
    let difference = match metrics.sum_difference_max {
        0.0 => "0".to_string(),
        difference => format!("{difference:.0e}").replace("e-", "e−"),
    };
    tile(
        "Sum against network",
        Some(difference),
        "largest difference between the terms’ sum and the network’s score".to_string(),
    );
    let tile = |(name, value, note): (&str, String, String)| {
        let (value, note) = (escape(&value), escape(&note));
        format!("<div><dt>{name}</dt><dd>{value}<small>{note}</small></dd></div>")
    };
    format!("<dl class=\"tiles\">{}</dl>\n", tiles.into_iter().map(tile).collect::<String>())
}
