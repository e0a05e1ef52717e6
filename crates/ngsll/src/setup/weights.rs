//! The weight of each sample in the loss: by its class, and by a column of the table.

use crate::config::Config;
use crate::dataset::{Dataset, Samples, Table, Values};
use crate::error::{Error, Result};
use crate::objective::Targets;

/// The table without the column of weights; `None` if there is none.
pub(super) fn features(samples: &Samples, config: &Config) -> Result<Option<Samples>> {
    let Some(name) = &config.data.weights else { return Ok(None) };
    let Some(table) = samples.as_table() else {
        return Err(Error::setting("data.weights", name, "only tables have a column of weights"));
    };
    let others = table.columns().iter().filter(|column| column.name() != name);
    Ok(Some(Table::new(others.cloned())?.into()))
}

/// The weight of each sample: its own, or by the column of weights; 1 without either.
pub(super) fn of_samples(data: &Dataset, config: &Config) -> Result<Vec<f32>> {
    if let Some(weights) = data.weights() {
        if let Some(name) = &config.data.weights {
            let expected = "the samples have weights already; give either";
            return Err(Error::setting("data.weights", name, expected));
        }
        return Ok(around_one(weights));
    }
    let (Some(name), Some(table)) = (&config.data.weights, data.samples().as_table()) else {
        return Ok(vec![1.0; data.len()]);
    };
    let column = table.column(name).ok_or_else(|| {
        Error::setting("data.weights", name, "the data have no column of this name")
    })?;
    let Values::Numeric(values) = column.values() else {
        return Err(Error::setting("data.weights", name, "expected a column of numbers"));
    };
    let bad = values.iter().position(|value| !(value.is_finite() && *value >= 0.0));
    if let Some(row) = bad {
        let value = column.text(row).unwrap_or_else(|| "missing".into());
        let message = format!("the weight is {value}, expected a number of at least 0");
        return Err(data.location(row).error(message));
    }
    if values.iter().all(|value| *value == 0.0) {
        return Err(Error::setting("data.weights", name, "expected at least one weight above 0"));
    }
    Ok(around_one(values))
}

/// Weights around 1, whatever their unit.
fn around_one(values: &[f64]) -> Vec<f32> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|value| (value / mean) as f32).collect()
}

/// The same, multiplied by the weight of each sample's class.
pub(super) fn with_classes(
    mut weights: Vec<f32>,
    targets: &Targets,
    by_class: Option<&[f32]>,
) -> Vec<f32> {
    if let (Some(by_class), Targets::Classes(classes)) = (by_class, targets) {
        weights.iter_mut().zip(classes).for_each(|(weight, &class)| *weight *= by_class[class]);
    }
    weights
}
