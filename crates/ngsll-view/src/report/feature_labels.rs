//! The features of a model as figures name them: the only part of a report that depends on the kind of sample.

use ngsll::Evidence;
use ngsll::representation::{ColumnEncoding, Grid, Representation};

/// Labels of a model's features.
#[derive(Debug)]
pub(super) struct FeatureLabels<'a> {
    representation: &'a Representation,
    /// Of a table: the label of each feature, and whether it is a column of numbers.
    columns: Vec<(String, bool)>,
}

impl<'a> FeatureLabels<'a> {
    /// The features of a representation.
    pub(super) fn new(representation: &'a Representation, evidence: Evidence) -> Self {
        let columns = match (representation, evidence) {
            (Representation::Columns(columns), Evidence::Chosen) => {
                columns.encodings().iter().map(itself).collect()
            }
            (Representation::Columns(columns), _) => {
                columns.encodings().iter().flat_map(of_column).collect()
            }
            _ => Vec::new(),
        };
        Self { representation, columns }
    }

    /// The grid whose cells are the features; `None` for regions and for other samples than images.
    pub(super) fn grid(&self) -> Option<&'a Grid> {
        self.representation.grid().filter(|grid| grid.regions().is_none())
    }

    /// The name of a feature in a figure: `“funny”`, `city = Oslo`, `age`, `row 2, column 5`.
    pub(super) fn name(&self, feature: usize) -> String {
        match (self.representation, self.columns.get(feature)) {
            (_, Some((label, _))) => label.clone(),
            (Representation::Words(words), _) if words.config().unit.is_word() => {
                format!("“{}”", self.representation.name(feature))
            }
            _ => self.representation.name(feature),
        }
    }

    /// Whether a feature is a column of numbers, whose z is its standardised value.
    pub(super) fn is_numeric(&self, feature: usize) -> bool {
        self.columns.get(feature).is_some_and(|(_, numeric)| *numeric)
    }
}

/// A column that is one feature.
fn itself(column: &ColumnEncoding) -> (String, bool) {
    let numeric = !matches!(column, ColumnEncoding::Categorical { .. });
    (column.name().to_string(), numeric)
}

/// The features of a column: itself, or one for each of its levels.
fn of_column(column: &ColumnEncoding) -> Vec<(String, bool)> {
    match column {
        ColumnEncoding::Categorical { name, levels, .. } => {
            levels.iter().map(|level| (format!("{name} = {level}"), false)).collect()
        }
        column => vec![itself(column)],
    }
}
