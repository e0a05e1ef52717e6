//! What linear models say of each column, beneath what the generator adds.

use crate::linear_model::{Design, LinearModel};
use crate::ops::column_embedding::column_embedding;
use crate::representation::{ColumnRows, TableRows, X};
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};

/// The terms of two linear models: of all columns, and of a few of them, whose weights also speak for
/// columns that are not there. Between them the number of kept columns decides. They were fitted before
/// the network is trained, and stay as they are.
#[derive(Module, Debug)]
pub(crate) struct LinearPart {
    all: LinearTerms,
    few: LinearTerms,
}

/// The terms of a linear model.
#[derive(Module, Debug)]
pub(crate) struct LinearTerms {
    /// What a level, a gap, or having a column at all adds, as rows of an embedding table: [rows, outputs]
    levels: Param<Tensor<2>>,
    /// The slopes of the numbers: [outputs, columns]
    slopes: Param<Tensor<2>>,
}

impl LinearPart {
    /// Of a model of all columns and one of a few.
    pub fn new(all: LinearTerms, few: LinearTerms) -> Self {
        Self { all, few }
    }

    /// One that says nothing, to be filled with weights.
    pub fn empty(columns: &[ColumnRows], outputs: usize, device: &Device) -> Self {
        let rows: usize = columns.iter().map(|column| column.rows).sum();
        let terms = || {
            let (levels, slopes) = (vec![0.0; rows * outputs], vec![0.0; outputs * columns.len()]);
            LinearTerms::from_numbers(levels, slopes, outputs, device)
        };
        Self { all: terms(), few: terms() }
    }

    /// A level and a slope for each column: [batch, outputs, 2 · columns]
    pub fn weights(&self, x: &X) -> Tensor<3> {
        let X::Columns(rows) = x else { unreachable!("a linear part is for tables") };
        let (all, few) = (self.all.weights(rows), self.few.weights(rows));
        let [batch, _, slots] = all.dims();
        // From one kept column to all of them.
        let most = (slots / 2).saturating_sub(1).max(1) as f64;
        let share = rows.kept().sub_scalar(1.0).div_scalar(most).clamp(0.0, 1.0);
        let share = share.detach().reshape([batch, 1, 1]);
        (all - few.clone()) * share + few
    }
}

impl LinearTerms {
    /// Of a model of all columns that was fitted to these rows. A column's terms are zero on average, as the
    /// score is the base rate where it is not known; what a constant of its own would add beyond `base` is
    /// shared by the columns.
    pub fn of_all(
        model: &LinearModel,
        design: &Design,
        columns: &[ColumnRows],
        base: &[f32],
        device: &Device,
    ) -> Self {
        let (outputs, n) = (base.len(), columns.len());
        let mut means = vec![0.0; n * outputs];
        for row in 0..design.len() {
            for (column, (at, value)) in design.row(row).enumerate() {
                for c in 0..outputs {
                    let term = model.weights[at * outputs + c] * value;
                    means[column * outputs + c] += term / design.len() as f64;
                }
            }
        }
        let left = |c: usize| {
            let mean: f64 = (0..n).map(|column| means[column * outputs + c]).sum();
            (model.intercepts[c] + mean - f64::from(base[c])) / n as f64
        };
        let left: Vec<f64> = (0..outputs).map(left).collect();
        let [mut levels, slopes] = numbers(model, n, outputs);
        let mut first = 0;
        for (column, rows) in columns.iter().enumerate() {
            // The first row of a column is read by all its values.
            for c in 0..outputs {
                levels[first * outputs + c] = (left[c] - means[column * outputs + c]) as f32;
            }
            first += rows.rows;
        }
        Self::from_numbers(levels, slopes, outputs, device)
    }

    /// Of a model whose constants are the base rate.
    pub fn of_few(model: &LinearModel, columns: usize, device: &Device) -> Self {
        let outputs = model.intercepts.len();
        let [levels, slopes] = numbers(model, columns, outputs);
        Self::from_numbers(levels, slopes, outputs, device)
    }

    fn from_numbers(levels: Vec<f32>, slopes: Vec<f32>, outputs: usize, device: &Device) -> Self {
        let (rows, columns) = (levels.len() / outputs, slopes.len() / outputs);
        Self {
            levels: Param::from_data(TensorData::new(levels, [rows, outputs]), device),
            slopes: Param::from_data(TensorData::new(slopes, [outputs, columns]), device),
        }
    }

    /// A level and a slope for each column: [batch, outputs, 2 · columns]
    fn weights(&self, rows: &TableRows) -> Tensor<3> {
        let levels =
            column_embedding(self.levels.val().detach(), rows.factors(), rows.places().into());
        let [columns, batch, outputs] = levels.dims();
        let shape = [batch, outputs, columns, 1];
        let levels = levels.permute([1, 2, 0]).reshape(shape);
        let slopes = self.slopes.val().detach().reshape([1, outputs, columns, 1]).expand(shape);
        Tensor::cat(vec![levels, slopes], 3).reshape([batch, outputs, 2 * columns])
    }
}

/// What levels and gaps add, [rows, outputs], and the slopes, [outputs, columns].
fn numbers(model: &LinearModel, columns: usize, outputs: usize) -> [Vec<f32>; 2] {
    let slope = |at: usize| model.weights[at % columns * outputs + at / columns] as f32;
    let levels = model.weights[columns * outputs..].iter().map(|&w| w as f32).collect();
    [levels, (0..outputs * columns).map(slope).collect()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::generator::XShape;
    use crate::linear_model::LinearData;
    use crate::objective::Targets;
    use crate::test_support::Small;

    #[test]
    fn terms_add_up_to_the_linear_model_and_are_zero_on_average() {
        for outputs in [1, 3] {
            let small = Small::table(outputs);
            let batch = small.batch();
            let X::Columns(rows) = &batch.x else { panic!("it is a table") };
            let design = Design::new(rows);
            let n = design.len();
            let classes = if outputs == 1 { 2 } else { outputs };
            let targets = Targets::Classes((0..n).map(|i| i * i % classes).collect());
            let (weights, base) = (vec![1.0; n], vec![0.3; outputs]);
            let data = LinearData {
                design: &design,
                targets: &targets,
                weights: &weights,
                outputs,
                counts: false,
                penalty: 1.0,
                base: None,
            };
            let all: Vec<usize> = (0..n).collect();
            let model = data.fit(&all, data.best_penalty(5));
            let XShape::Columns { columns, .. } =
                small.representation.dims(outputs, Evidence::Chosen).x
            else {
                panic!("it is a table")
            };
            let terms = LinearTerms::of_all(&model, &design, &columns, &base, &small.device);
            let terms = terms.weights(rows) * batch.z.clone().unsqueeze_dim(1);
            let terms: Vec<f64> = terms.into_data().iter::<f64>().collect();
            let slots = 2 * columns.len();
            let mut scores = vec![0.0; outputs];
            for row in 0..n {
                model.scores(&design, row, &mut scores);
                for (c, score) in scores.iter().enumerate() {
                    let own = &terms[(row * outputs + c) * slots..][..slots];
                    let sum = 0.3 + own.iter().sum::<f64>();
                    assert!((sum - score).abs() < 1e-5, "row {row}: {sum} instead of {score}");
                }
            }
            // All columns have the same mean: what is shared.
            let mean = |column: usize| {
                let term = |row: usize| {
                    let at = row * outputs * slots + 2 * column;
                    terms[at] + terms[at + 1]
                };
                (0..n).map(term).sum::<f64>() / n as f64
            };
            let same = (1..columns.len()).all(|column| (mean(column) - mean(0)).abs() < 1e-5);
            assert!(same, "column means differ");
        }
    }
}
