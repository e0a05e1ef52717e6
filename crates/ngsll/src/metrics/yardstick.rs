//! The figures of other methods on the rows that a model was measured on.

use super::{Metrics, format_figure};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A model and other methods that learned from the same rows, compared when the model was trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Yardstick {
    /// The rows that all of them were measured on.
    pub measured_on: MeasuredRows,
    /// The number of these rows.
    pub n: usize,
    /// The methods, the simplest first.
    pub methods: Vec<MethodFigures>,
}

/// The rows that methods are measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MeasuredRows {
    /// Rows that no method has seen.
    Test,
    /// Rows by which each method has also made its choices, as there are no others.
    Validation,
}

/// The quality of a method, and its training time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MethodFigures {
    /// The method.
    pub name: String,
    /// Seconds of training, including every choice made by the validation rows.
    pub seconds: f64,
    /// Share of samples whose class is predicted (classes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Area under the ROC curve (two classes, both present).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auroc: Option<f64>,
    /// Mean negative logarithm of the true class's probability (classes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Share of the target's variance that is explained (regression).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
    /// Root of the mean squared error (regression).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// Mean absolute error (regression).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mae: Option<f64>,
}

impl fmt::Display for MeasuredRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Test => "test rows",
            Self::Validation => "validation rows",
        })
    }
}

impl MethodFigures {
    /// A method and its metrics.
    pub fn new(name: impl Into<String>, metrics: &Metrics, seconds: f64) -> Self {
        let &Metrics { accuracy, auroc, log_loss, r2, rmse, mae, .. } = metrics;
        Self { name: name.into(), seconds, accuracy, auroc, log_loss, r2, rmse, mae }
    }

    fn figures(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("accuracy", self.accuracy),
            ("AUROC", self.auroc),
            ("log loss", self.log_loss),
            ("R²", self.r2),
            ("RMSE", self.rmse),
            ("MAE", self.mae),
        ]
    }
}

impl Yardstick {
    /// Methods that were measured on `n` rows.
    pub fn new(measured_on: MeasuredRows, n: usize, methods: Vec<MethodFigures>) -> Self {
        Self { measured_on, n, methods }
    }

    /// The caption of the table, in one line.
    pub fn caption(&self) -> String {
        let Self { measured_on, n, .. } = self;
        let chosen = match measured_on {
            MeasuredRows::Test => "",
            MeasuredRows::Validation => ", which each also used to choose its settings",
        };
        format!("Compared with other methods, measured in training on {n} {measured_on}{chosen}")
    }

    /// The names of the columns: the method, the figures that any method has, and seconds.
    pub fn header(&self) -> Vec<String> {
        let figures = self.shown().into_iter().map(|(name, _)| name);
        let names = std::iter::once("method").chain(figures).chain(["training s"]);
        names.map(String::from).collect()
    }

    /// A row for each method; a missing figure is empty.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let shown = self.shown();
        let row = |method: &MethodFigures| {
            let figures = method.figures();
            let figure =
                |&(_, at): &(&str, usize)| figures[at].1.map_or(String::new(), format_figure);
            let mut cells = vec![method.name.clone()];
            cells.extend(shown.iter().map(figure));
            cells.push(format!("{:.1}", method.seconds));
            cells
        };
        self.methods.iter().map(row).collect()
    }

    /// The figures that any method has, with their positions in [`MethodFigures::figures`].
    fn shown(&self) -> Vec<(&'static str, usize)> {
        let Some(first) = self.methods.first() else { return Vec::new() };
        let names = first.figures().into_iter().map(|(name, _)| name).zip(0..);
        names.filter(|&(_, at)| self.methods.iter().any(|m| m.figures()[at].1.is_some())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_figures_that_there_are() {
        let metrics = Metrics { r2: Some(0.5), mae: Some(12.0), ..Metrics::default() };
        let methods = vec![
            MethodFigures::new(
                "base rate",
                &Metrics { mae: Some(20.0), ..Metrics::default() },
                0.0,
            ),
            MethodFigures::new("ridge regression", &metrics, 1.26),
        ];
        let yardstick = Yardstick::new(MeasuredRows::Validation, 7, methods);
        assert!(yardstick.caption().contains("on 7 validation rows, which each also used"));
        assert_eq!(yardstick.header(), ["method", "R²", "MAE", "training s"]);
        assert_eq!(yardstick.rows()[0], ["base rate", "", "20.0000", "0.0"]);
        assert_eq!(yardstick.rows()[1], ["ridge regression", "0.5000", "12.0000", "1.3"]);
        let json = serde_json::to_string(&yardstick).unwrap();
        assert!(json.starts_with(r#"{"measured_on":"validation","n":7,"methods":[{"#), "{json}");
        assert_eq!(serde_json::from_str::<Yardstick>(&json).unwrap(), yardstick);
    }
}
