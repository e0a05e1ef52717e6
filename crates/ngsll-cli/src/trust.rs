//! Can the terms be trusted? Figures of a model with a judge, as a person reads them.

use crate::output::aligned;
use anyhow::Result;
use ngsll::readable::count_of;
use ngsll::trust::Sentence;
use ngsll::{Dataset, Model, Trust};

/// Measures the terms of a model on samples of this name; `None` if the model has no judge.
pub fn measure(
    model: &Model,
    data: &Dataset,
    k: Option<usize>,
    name: String,
) -> Result<Option<Trust>> {
    let measure = |judge| Trust::measure(model, judge, data, k).map(|trust| trust.with_data(name));
    Ok(model.judge().map(measure).transpose()?)
}

/// A heading, and every figure with its sentence.
pub fn lines(trust: &Trust) -> Vec<String> {
    let heading = format!("\nCan the terms be trusted? ({})", count_of(trust.samples, "sample"));
    let figures = trust.sentences().into_iter().map(|sentence| {
        let Sentence { name, figure, meaning, .. } = sentence;
        (name, format!("{figure}  {meaning}"))
    });
    let figures: Vec<_> = figures.collect();
    std::iter::once(heading).chain(aligned(&figures)).collect()
}
