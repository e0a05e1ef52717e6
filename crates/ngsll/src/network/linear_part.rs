//! The terms of a linear model, to which the generator adds.

use crate::generator::layers::Init;
use crate::linear_model::{Coefficients, Design};
use crate::ops::column_embedding::column_embedding;
use crate::representation::{ColumnRows, X};
use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, TensorData};

/// The terms of a linear model of all columns. It was fitted before the network is trained, and stays
/// fixed. (A second one for a few columns, fitted to random ones, made them worse: columns that are chosen
/// together share information, and each would count all of it.)
#[derive(Module, Debug)]
pub(crate) struct LinearPart {
    /// The contributions of a level, a gap, a bin of numbers, or the presence of a column, as rows of an embedding
    /// table: [rows, outputs]
    levels: Param<Tensor<2>>,
    /// The slopes of the numbers: [outputs, columns]
    slopes: Param<Tensor<2>>,
    /// The share of the generator's part that is kept when all columns are known: `[1]`
    kept: Param<Tensor<1>>,
}

impl LinearPart {
    /// One with zero terms, to be filled with weights.
    pub fn empty(columns: &[ColumnRows], outputs: usize, init: &mut Init<'_>) -> Self {
        let rows = columns.iter().map(|column| column.rows).sum();
        Self {
            levels: init.zeros([rows, outputs]),
            slopes: init.zeros([outputs, columns.len()]),
            kept: init.ones([1]),
        }
    }

    /// The terms of a model that was fitted to these rows. A column's terms are zero on average, as the score is the
    /// base rate when it is not known; a remaining constant beyond `base` is shared by the
    /// columns.
    pub fn new(
        model: &Coefficients,
        design: &Design,
        columns: &[ColumnRows],
        base: &[f32],
        device: &Device,
    ) -> Self {
        let (outputs, n) = (base.len(), columns.len());
        let means = model.mean_terms(design);
        let left = |c: usize| {
            let mean: f64 = (0..n).map(|column| means[column * outputs + c]).sum();
            (model.intercepts[c] + mean - f64::from(base[c])) / n as f64
        };
        let left: Vec<f64> = (0..outputs).map(left).collect();
        let mut levels: Vec<f32> =
            model.weights[n * outputs..].iter().map(|&weight| weight as f32).collect();
        let mut first = 0;
        for (column, rows) in columns.iter().enumerate() {
            // The first row of a column is read by all its values.
            for c in 0..outputs {
                levels[first * outputs + c] = (left[c] - means[column * outputs + c]) as f32;
            }
            first += rows.rows;
        }
        let slope = |at: usize| model.weights[at % n * outputs + at / n] as f32;
        let slopes = (0..outputs * n).map(slope).collect();
        Self::from_numbers(levels, slopes, outputs, device)
    }

    fn from_numbers(levels: Vec<f32>, slopes: Vec<f32>, outputs: usize, device: &Device) -> Self {
        let (rows, columns) = (levels.len() / outputs, slopes.len() / outputs);
        Self {
            levels: Param::from_data(TensorData::new(levels, [rows, outputs]), device),
            slopes: Param::from_data(TensorData::new(slopes, [outputs, columns]), device),
            kept: Param::from_data(TensorData::new(vec![1.0_f32], [1]), device),
        }
    }

    /// Sets the share of the generator's part when all columns are known. The linear model
    /// was fitted to all columns, the generator to all subsets of them: it may have nothing to add there.
    pub fn keeping(self, share: f32, device: &Device) -> Self {
        let kept = Param::from_data(TensorData::new(vec![share], [1]), device);
        Self { kept, ..self }
    }

    /// The share of the generator's part that is kept: from all of it for one column to the share for all
    /// columns, [batch, 1, 1]
    pub fn kept(&self, x: &X) -> Tensor<3> {
        let rows = x.as_columns().expect("a linear part is for tables");
        let [_, columns] = self.slopes.val().dims();
        let most = columns.saturating_sub(1).max(1) as f64;
        let known = rows.kept().detach().sub_scalar(1.0).div_scalar(most).clamp(0.0, 1.0);
        let less = self.kept.val().detach().neg().add_scalar(1.0).unsqueeze();
        (known * less).neg().add_scalar(1.0).unsqueeze_dim(1)
    }

    /// The slopes of some columns of a model with one score: `[columns]`
    pub fn slopes_of(&self, columns: impl Iterator<Item = usize>) -> Tensor<1> {
        let slopes = self.slopes.val().detach();
        let columns: Vec<i64> = columns.map(|column| column as i64).collect();
        let n = columns.len();
        let columns = Tensor::<1, Int>::from_data(TensorData::new(columns, [n]), &slopes.device());
        slopes.select(1, columns).reshape([n])
    }

    /// A level and a slope for each column: [batch, outputs, 2 · columns]
    pub fn weights(&self, x: &X) -> Tensor<3> {
        let rows = x.as_columns().expect("a linear part is for tables");
        let levels =
            column_embedding(self.levels.val().detach(), rows.factors(), rows.spans().into());
        let [columns, batch, outputs] = levels.dims();
        let shape = [batch, outputs, columns, 1];
        let levels = levels.permute([1, 2, 0]).reshape(shape);
        let slopes = self.slopes.val().detach().reshape([1, outputs, columns, 1]).expand(shape);
        Tensor::cat(vec![levels, slopes], 3).reshape([batch, outputs, 2 * columns])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::linear_model::{LinearData, Strength};
    use crate::objective::Targets;
    use crate::test_support::Small;

    #[test]
    fn terms_add_up_to_the_linear_model_and_are_zero_on_average() {
        for (outputs, bends) in [(1, 0.0), (3, 0.0), (1, 1.0), (3, 1.0)] {
            let small = Small::table(outputs);
            let batch = small.batch();
            let rows = batch.x.as_columns().expect("it is a table");
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
            };
            let all: Vec<usize> = (0..n).collect();
            let model = data.fit(&all, Strength::new(4, bends));
            let dims = small.representation.dims(outputs, Evidence::Chosen);
            let columns = dims.x.columns().expect("it is a table");
            let part = LinearPart::new(&model, &design, columns, &base, &small.device);
            let terms = part.weights(&batch.x) * batch.z.clone().unsqueeze_dim(1);
            let terms: Vec<f64> = terms.into_data().iter::<f64>().collect();
            let slots = 2 * columns.len();
            let scores = model.scores(&design, &all);
            for (row, scores) in scores.chunks_exact(outputs).enumerate() {
                for (c, score) in scores.iter().enumerate() {
                    let own = &terms[(row * outputs + c) * slots..][..slots];
                    let sum = 0.3 + own.iter().sum::<f64>();
                    assert!((sum - score).abs() < 1e-5, "row {row}: {sum} instead of {score}");
                }
            }
            // All columns have the same mean: the shared constant.
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
