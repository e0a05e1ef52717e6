//! The notes of a model folder about the model.

use crate::metrics::facts;
use anyhow::Result;
use ngsll::readable;
use ngsll::repeats::Spread;
use ngsll::{DataDigest, Dataset, Finding, Fitted, Notes, PartRows, TestRows, TrainingSetup};
use ngsll_readers::{examples, typical_row};

/// Sizes, quality, training, examples, and the rows that were set aside; and a note if it is
/// of no use.
pub fn model_notes(
    setup: &TrainingSetup,
    fitted: &Fitted,
    data: &Dataset,
    valid: Option<&Dataset>,
    spread: Option<&Spread>,
) -> Result<(Notes, Option<Finding>)> {
    let PartRows { train, valid: valid_rows, test, .. } = setup.rows();
    let config = setup.config();
    let mut notes = Notes::default();
    notes.facts = [
        ("training samples", train.len()),
        ("features", setup.representation().features()),
        ("epochs", fitted.history.len()),
    ]
    .map(|(name, count)| (name.to_string(), readable::count(count)))
    .into();
    notes.facts.extend(spread.map(Spread::facts).unwrap_or_default());
    let valid = valid.unwrap_or(data);
    let mut useless = None;
    for (part, data, rows) in [("validation", valid, valid_rows), ("test", data, test)] {
        if !rows.is_empty() {
            let metrics = fitted.model.evaluate(&data.select(rows))?;
            useless = Finding::no_better_than_a_guess(&metrics, Some(part));
            let facts = facts(&metrics, fitted.model.k()).into_iter();
            notes.facts.extend(facts.map(|(name, value)| (format!("{part} {name}"), value)));
        }
    }
    notes.examples = examples(valid, valid_rows, setup.objective(), config.data.examples())?;
    if !notes.examples.is_empty() {
        let typical = typical_row(data, train);
        let and = if typical.is_some() { " and a typical row" } else { "" };
        let kept = format!("{} validation samples{and} in examples.json", notes.examples.len());
        notes.facts.push(("examples".to_string(), kept));
        notes.examples.extend(typical);
    }
    notes.history = fitted.history.clone();
    notes.command = setup.resolved_toml_with(fitted.model.config().k)?;
    notes.data = Some(DataDigest::new(data, &fitted.model.schema()));
    notes.test_rows = TestRows::new(test, data, &fitted.model.schema());
    Ok((notes, useless))
}
