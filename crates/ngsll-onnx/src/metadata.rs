//! The metadata of the file.

use crate::proto::StringStringEntryProto;
use ngsll::representation::Representation;
use ngsll::{Evidence, Model};
use serde_json::json;

/// Names and values for `metadata_props`; lists are JSON.
pub(crate) fn entries(
    model: &Model,
    k: usize,
    notes: &[(&str, String)],
) -> Vec<StringStringEntryProto> {
    let (objective, representation) = (model.objective(), model.representation());
    let names: Vec<String> =
        (0..representation.features()).map(|j| representation.name(j)).collect();
    let outputs: Vec<&str> = (0..objective.outputs()).map(|c| objective.output_name(c)).collect();
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_string();
    let mut entries = vec![
        ("task", word(json!(model.config().task))),
        ("evidence", word(json!(model.evidence()))),
        ("k", k.to_string()),
        ("predicts", objective.describe()),
        ("outputs", json!(outputs).to_string()),
        ("features", json!(names).to_string()),
    ];
    if !objective.classes().is_empty() {
        entries.push(("classes", json!(objective.classes()).to_string()));
    }
    if let Some(threshold) = objective.threshold() {
        entries.push(("threshold", threshold.to_string()));
    }
    if let Representation::Columns(table) = representation {
        let dates = table.encodings().iter().filter_map(|encoding| {
            let date = encoding.form().date.as_ref()?;
            let of = json!({ "column": date.column, "part": date.part.name() });
            Some((encoding.name().to_string(), of))
        });
        let dates: serde_json::Map<String, serde_json::Value> = dates.collect();
        if !dates.is_empty() {
            entries.push(("dates", json!(dates).to_string()));
        }
    }
    entries.extend(notes.iter().cloned());
    let entry = |(key, value): (&str, String)| StringStringEntryProto {
        key: Some(key.to_string()),
        value: Some(value),
    };
    entries.into_iter().map(entry).collect()
}

/// The file in a sentence.
pub(crate) fn sentence(model: &Model, k: usize) -> String {
    let from = match model.evidence() {
        Evidence::Chosen => "from at most",
        _ => "as the sum of at most",
    };
    let predicts = model.objective().describe();
    let terms = if k == 1 { "feature" } else { "features" };
    format!("NGSLL: predicts {predicts}, {from} {k} {terms} of each sample.")
}
