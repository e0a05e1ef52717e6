//! The importance of a column in the choice: how much the score changes if the column is erased or takes another
//! row's value.
//!
//! Either alone misleads. Erasing a column whose value happens to be an ordinary one changes little,
//! however much depends on it; another value changes much even if two columns carry the same information. A small
//! separate network learns the mean of both changes beside the generator, which it does not affect.

use super::Trainer;
use super::attribution::Marginals;
use crate::error::Result;
use crate::generator::{Dropout, Generator};
use crate::network::Network;
use crate::representation::{Batch, Change, Encoded};
use burn::tensor::{Device, Tensor};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The mean squared difference between the predicted and the actual importance of a column: `[1]`
///
/// `other` is the batch with another row's value in the columns of `marginals`, and `still` the same network
/// without gradients.
pub(super) fn error<G: Generator>(
    network: &Network<G>,
    batch: &Batch,
    (still, other): (&Network<G>, &Batch),
    marginals: &Marginals,
    dropout: &mut Dropout,
) -> Result<Tensor<1>> {
    let with = Tensor::from_inner(marginals.with.clone());
    let predicted = network.importance(batch, &with, dropout).expect("it knows what columns count");
    let after = still.evidence_scores(other, &marginals.with, &mut Dropout::off())?;
    let replaced = (after - marginals.scores.clone()).abs().sum_dim(1);
    let erased = marginals.added.clone().abs().sum_dim(1);
    let found = Tensor::from_inner((replaced + erased).div_scalar(2.0));
    let predicted = (predicted * Tensor::from_inner(marginals.column.clone())).sum_dim(1);
    // Samples without a column predict and change nothing.
    Ok((predicted - found).powi_scalar(2).mean())
}

impl Trainer<'_> {
    /// The rows with another row's value in the columns of `marginals`.
    pub(super) fn with_other_columns(
        &self,
        rows: &[usize],
        marginals: &Marginals,
        rng: &mut ChaCha8Rng,
    ) -> Batch {
        let column: Vec<f32> = marginals.column.clone().into_data().iter::<f32>().collect();
        let columns = column.chunks_exact(column.len() / rows.len());
        let changes = rows.iter().zip(columns).map(|(&row, column)| {
            let from = self.train.rows[rng.random_range(0..self.train.rows.len())];
            let feature = column.iter().position(|mark| *mark != 0.0);
            (row, feature.map(|feature| Change::Take { feature, from }))
        });
        self.changed_batch(self.train.samples, changes, &self.device.clone().inner())
    }

    /// A batch of rows, some of them changed.
    pub(super) fn changed_batch(
        &self,
        samples: &Encoded,
        changes: impl Iterator<Item = (usize, Option<Change>)>,
        device: &Device,
    ) -> Batch {
        let changed = changes.map(|(row, change)| {
            let changed =
                change.and_then(|change| self.representation.changed(samples, row, change));
            changed.unwrap_or_else(|| self.representation.sample(samples, row))
        });
        let changed = Encoded::concat(changed);
        let all: Vec<usize> = (0..changed.len()).collect();
        self.representation.batch(&changed, &all, device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::generator::TabularEnsemble;
    use crate::generator::layers::Init;
    use crate::random::{Purpose, stream};
    use crate::test_support::Small;
    use burn::module::Module;

    /// An untrained network predicts ln 2 for every column; the actual changes are computed on the
    /// host.
    #[test]
    fn the_error_compares_the_prediction_with_both_changes() {
        let small = Small::table(1);
        let batch = small.batch();
        let (rows, features) = (batch.rows.len(), batch.features());
        let dims = small.representation.dims(1, Evidence::Chosen);
        let columns = dims.x.columns().expect("it is a table");
        let mut rng = stream(4, Purpose::Initialize, 0, 1);
        let mut init = Init::new(&mut rng, &small.device);
        let importance = TabularEnsemble::of_columns(columns, 1, 1, &mut init);
        let network = small.network.clone().with_importance(importance);
        let mut rng = stream(5, Purpose::Subset, 0, 0);
        // Row 0 keeps nothing.
        let kept: Vec<f32> = (0..rows * features).map(|i| f32::from(i >= features)).collect();
        let (still, inner) = (network.valid(), batch.clone().inner());
        let marginals = Marginals::draw(&still, &inner, &kept, &mut rng).unwrap();
        let numbers = |t: &Tensor<2>| t.clone().into_data().iter::<f64>().collect::<Vec<_>>();
        let (column, with) = (numbers(&marginals.column), numbers(&marginals.with));
        let encoded = small.representation.encode(&small.samples).unwrap();
        let changed = (0..rows).map(|row| {
            let own = &column[row * features..(row + 1) * features];
            let feature = own.iter().position(|&mark| mark == 1.0);
            let take = |feature| Change::Take { feature, from: (row + 7) % rows };
            let changed =
                feature.and_then(|j| small.representation.changed(&encoded, row, take(j)));
            changed.unwrap_or_else(|| small.representation.sample(&encoded, row))
        });
        let changed = Encoded::concat(changed);
        let all: Vec<usize> = (0..rows).collect();
        let other = small.representation.batch(&changed, &all, &small.device);
        let inner = other.clone().inner();
        let found = error(&network, &batch, (&still, &inner), &marginals, &mut Dropout::off());
        let found: f64 = found.unwrap().into_scalar();
        let marks = |without: bool| -> Vec<f32> {
            let pairs = with.iter().zip(&column);
            pairs.map(|(w, c)| if without { w - c } else { *w } as f32).collect()
        };
        let (before, erased) =
            (small.scores(&batch, &marks(false)), small.scores(&batch, &marks(true)));
        let replaced = small.scores(&other, &marks(false));
        let expected = (0..rows).map(|b| {
            let predicted = if b == 0 { 0.0 } else { 2.0_f64.ln() };
            let does = ((replaced[b] - before[b]).abs() + (before[b] - erased[b]).abs()) / 2.0;
            (predicted - does).powi(2)
        });
        let expected = expected.sum::<f64>() / rows as f64;
        assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
    }
}
