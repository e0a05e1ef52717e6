//! Checks that the promise of monotone columns can be kept.

use crate::config::Config;
use crate::dataset::{Column, Samples, Table, Values};
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::evidence::choice::Rule;
use crate::generator::GeneratorConfig;
use crate::objective::Objective;

/// Refuses columns without an order, and models that could not keep the promise.
pub(super) fn check(samples: &Samples, config: &Config, objective: &Objective) -> Result<()> {
    for (name, column) in &config.data.columns {
        let Some(direction) = column.monotone else { continue };
        let refused = |expected: String| {
            let option = format!("data.columns.{name}.monotone");
            let direction = format!("{direction:?}").to_lowercase();
            Err(Error::setting(option, direction, expected))
        };
        let Some(table) = samples.as_table() else {
            return refused("only tables have columns".to_string());
        };
        if let Some(why) = why_not(name, table, config).or_else(|| no_promise(config, objective)) {
            return refused(why);
        }
    }
    Ok(())
}

/// The reason why a column cannot be monotone.
fn why_not(name: &str, table: &Table, config: &Config) -> Option<String> {
    let data = &config.data;
    let has_dates =
        |column: &Column| column.form().date.as_ref().is_some_and(|date| date.column == name);
    let unused = |option: &str| format!("the column is left out by {option}");
    match table.column(name).map(Column::values) {
        _ if data.drop.iter().any(|drop| drop == name) => Some(unused("data.drop")),
        _ if data.id.as_deref() == Some(name) => Some(unused("data.id")),
        _ if data.weights.as_deref() == Some(name) => Some(unused("data.weights")),
        _ if data.target.as_deref() == Some(name) => Some("it is the target".to_string()),
        Some(Values::Numeric(_)) => None,
        Some(Values::Categorical(_)) => {
            Some("the column holds categories, and only a number can rise".to_string())
        }
        None if table.columns().iter().any(has_dates) => Some(
            "its dates are read as year, month, weekday and days; only a column of numbers can be monotone"
                .to_string(),
        ),
        None => Some("the data have no column of this name".to_string()),
    }
}

/// The reason why no column of a model can be monotone.
fn no_promise(config: &Config, objective: &Objective) -> Option<String> {
    let rule = config.choice.map(|choice| choice.rule);
    if objective.outputs() > 1 {
        let classes = objective.outputs();
        return Some(format!("this is for a number or two classes, and the target has {classes}"));
    }
    if config.training.evidence() != Evidence::Chosen {
        return Some(
            "this needs evidence chosen: a network that reads the whole row could undo it"
                .to_string(),
        );
    }
    if !matches!(config.generator, GeneratorConfig::TabularEnsemble(_)) {
        let kind = config.generator.kind();
        return Some(format!("this needs the generator tabular_ensemble, and it is {kind}"));
    }
    // Other rules choose by the score, so that another value could change the chosen columns.
    (rule.is_some_and(|rule| rule != Rule::Effect)).then(|| {
        "this needs choice.rule effect: other rules may choose other columns as the value rises"
            .to_string()
    })
}
