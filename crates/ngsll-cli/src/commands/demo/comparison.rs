//! The demo's table: test accuracy by K beside simpler models.

use super::{CELLS, KS};
use anyhow::Result;
use ngsll::metrics::Evaluation;
use ngsll::objective::Targets;
use ngsll::{Dataset, Model, TrainingSetup};
use ngsll_baselines::{LinearModel, RidgeOptions, SparseRows, Terms};
use ngsll_view::SummaryTable;

/// Test accuracy by K, beside ridge at the same K and the network that explains nothing.
pub fn comparison(
    setup: &TrainingSetup,
    data: &Dataset,
    model: &Model,
    network: f64,
) -> Result<SummaryTable> {
    let rows = setup.rows();
    let (train_z, train_classes) = features(setup, data, &rows.train)?;
    let (test_z, test_classes) = features(setup, data, &rows.test)?;
    let ridge = LinearModel::ridge(&train_z, &train_classes, 2, &RidgeOptions::default())?;
    let test = data.select(&rows.test);
    let mut rows = Vec::new();
    for k in KS {
        let mut evaluation = Evaluation::new(model, Some(k))?;
        evaluation.add(&test)?;
        let accuracy = evaluation.finish().accuracy.unwrap_or(f64::NAN);
        let linear = ridge.accuracy(&test_z, &test_classes, Terms::Top(k));
        rows.push(vec![format!("K = {k}"), format!("{accuracy:.3}"), format!("{linear:.3}")]);
    }
    let all = ridge.accuracy(&test_z, &test_classes, Terms::All);
    rows.push(vec![format!("all {} cells", CELLS * CELLS), String::new(), format!("{all:.3}")]);
    rows.push(vec![
        "plain network, no explanation".to_string(),
        format!("{network:.3}"),
        String::new(),
    ]);
    Ok(SummaryTable::new("Test accuracy", ["", "NGSLL", "ridge"], rows))
}

/// z and the class of the given rows.
fn features(
    setup: &TrainingSetup,
    data: &Dataset,
    rows: &[usize],
) -> Result<(SparseRows, Vec<usize>)> {
    let Targets::Classes(classes) = setup.targets().select(rows) else {
        unreachable!("digits are classes")
    };
    let representation = setup.representation();
    let encoded = representation.encode(data.select(rows).samples())?;
    let z = (0..rows.len()).map(|row| representation.z(&encoded, row));
    Ok((SparseRows::from_rows(z, representation.features())?, classes))
}
