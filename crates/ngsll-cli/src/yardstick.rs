//! A model beside other methods on the same rows: measuring, and showing it again.

use anyhow::Result;
use ngsll::metrics::{Evaluation, MeasuredRows, MethodFigures, Yardstick};
use ngsll::{Dataset, Model, TrainingSetup};
use ngsll_baselines::yardstick_methods;
use ngsll_view::SummaryTable;

/// The simpler methods, then the model with its K and with all columns, which took `seconds` to train.
pub fn measure(
    setup: &TrainingSetup,
    model: &Model,
    data: &Dataset,
    valid: Option<&Dataset>,
    seconds: f64,
) -> Result<Yardstick> {
    let rows = setup.rows();
    let train = data.select(&rows.train);
    let valid = valid.unwrap_or(data).select(&rows.valid);
    let test = (!rows.test.is_empty()).then(|| data.select(&rows.test));
    let (part, measured) = match &test {
        Some(test) => (MeasuredRows::Test, test),
        None => (MeasuredRows::Validation, &valid),
    };
    let mut methods = yardstick_methods(setup.objective(), &train, &valid, measured)?;
    let (k, all) = (model.k(), model.largest_k());
    let mut ours = vec![(format!("NGSLL, K = {k}"), k)];
    if all > k {
        ours.push((format!("NGSLL, all {all} columns"), all));
    }
    for (name, k) in ours {
        let mut evaluation = Evaluation::new(model, Some(k))?;
        evaluation.add(measured)?;
        methods.push(MethodFigures::new(name, &evaluation.finish(), seconds));
    }
    Ok(Yardstick::new(part, measured.len(), methods))
}

/// The table for terminals and pages.
pub fn table(yardstick: &Yardstick) -> SummaryTable {
    SummaryTable::new(yardstick.caption(), yardstick.header(), yardstick.rows())
}
