//! Boosted trees by `forust-ml`, which implements XGBoost's method.
//!
//! Of the kept libraries in Rust it is the one that fits here: missing values, early stopping on rows of
//! their own, the same trees on any number of threads, Apache-2.0, and about 17 s of compiler time with
//! the small crates that it brings. `perpetual` 2.3 needs a nightly compiler and asks the system for its
//! free memory; `gbdt` 0.1 has no early stopping.
//!
//! Beside LightGBM with its own early stopping and categories, on one split of tables of
//! `benches/tables`: R² 0.981 and 0.981 on diamonds, 0.863 and 0.884 on ames (LightGBM with our codes of
//! levels: 0.853), log loss 0.439 and 0.450 on credit, 0.156 and 0.157 on churn, 0.381 and 0.380 on
//! attrition.

use super::base_rate::log_share;
use super::tree_columns::TreeColumns;
use super::{Split, in_users_units};
use forust_ml::gradientbooster::GrowPolicy;
use forust_ml::metric::Metric;
use forust_ml::objective::ObjectiveType;
use forust_ml::{GradientBooster, Matrix};
use ngsll::error::{Error, Result};
use ngsll::objective::Targets;

/// The size and the rate of LightGBM's trees; whatever is not set here is as XGBoost has it.
const LEAVES: usize = 31;
const DEPTH: usize = 8;
const RATE: f32 = 0.1;
/// The least weight of a leaf: rows where a number is predicted, Σ p(1 − p) of them where a class is.
const LEAF_ROWS: f32 = 20.0;
const LEAF_WEIGHT: f32 = 1.0;
/// Trees at most, and how many without a better validation loss end training.
const TREES: usize = 1000;
const PATIENCE: usize = 50;

/// Columns as numbers: `[columns, rows]`.
struct TreeMatrix {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl TreeMatrix {
    fn matrix(&self) -> Matrix<'_, f64> {
        Matrix::new(&self.values, self.rows, self.columns)
    }
}

/// One ensemble for a number or two classes, one against the rest for each of several.
pub(super) fn scores(split: &Split<'_>) -> Result<Vec<Vec<f64>>> {
    let Split { objective, train, valid, measured } = split;
    let columns = TreeColumns::fit(train.table);
    let rows = [train, valid, measured].map(|data| TreeMatrix {
        values: columns.values(data.table),
        rows: data.table.len(),
        columns: columns.len(),
    });
    let outputs = objective.outputs();
    let output = |output: usize| -> Result<Vec<f64>> {
        // A single score favours the second of two classes.
        let class = output + usize::from(outputs == 1);
        let [own, held_out] = [train, valid].map(|data| answers(&data.targets, class));
        if let Targets::Classes(classes) = &train.targets
            && own.iter().all(|answer| *answer == own[0])
        {
            // Without both answers there is nothing to divide the rows by.
            return Ok(vec![log_share(classes, class); measured.table.len()]);
        }
        let scores = boosted(&rows, &own, &held_out, matches!(train.targets, Targets::Classes(_)))?;
        let score = |score: f64| match outputs {
            1 => in_users_units(objective, score),
            // −ln(1 + e⁻ˢ), the logarithm of the class's own probability: our objective's softmax makes
            // these probabilities add up to 1.
            _ => -(-score).exp().ln_1p(),
        };
        Ok(scores.into_iter().map(score).collect())
    };
    let by_output = (0..outputs).map(output).collect::<Result<Vec<_>>>()?;
    Ok((0..measured.table.len()).map(|row| by_output.iter().map(|o| o[row]).collect()).collect())
}

/// 1 for rows of the class and 0 for others, or the standardised numbers.
fn answers(targets: &Targets, class: usize) -> Vec<f64> {
    match targets {
        Targets::Classes(classes) => {
            classes.iter().map(|&c| f64::from(u8::from(c == class))).collect()
        }
        Targets::Values(values) => values.iter().map(|&v| f64::from(v)).collect(),
        _ => unreachable!("targets are classes or values"),
    }
}

/// The scores of the third rows from trees that fit the first and stop by the second.
fn boosted(
    rows: &[TreeMatrix; 3],
    own: &[f64],
    held_out: &[f64],
    classes: bool,
) -> Result<Vec<f64>> {
    let (objective, metric, leaf) = match classes {
        true => (ObjectiveType::LogLoss, Metric::LogLoss, LEAF_WEIGHT),
        false => (ObjectiveType::SquaredLoss, Metric::RootMeanSquaredError, LEAF_ROWS),
    };
    let mut trees = GradientBooster::default()
        .set_objective_type(objective)
        .set_evaluation_metric(Some(metric))
        .set_iterations(TREES)
        .set_early_stopping_rounds(Some(PATIENCE))
        .set_learning_rate(RATE)
        .set_max_leaves(LEAVES)
        .set_max_depth(DEPTH)
        .set_min_leaf_weight(leaf);
    trees.grow_policy = GrowPolicy::LossGuide;
    let [train, valid, measured] = rows;
    let [weights, valid_weights] = [own, held_out].map(|answers| vec![1.0; answers.len()]);
    let held_out = (valid.matrix(), held_out, valid_weights.as_slice());
    trees
        .fit(&train.matrix(), own, &weights, Some(vec![held_out]))
        .map_err(|error| Error::setting("boosted trees", "forust-ml", error.to_string()))?;
    Ok(trees.predict(&measured.matrix(), true))
}
