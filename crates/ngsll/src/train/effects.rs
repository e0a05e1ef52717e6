//! What a column counts in the choice: how much the score changes if the column is erased or takes another
//! row's value.
//!
//! Either alone misleads. Erasing a column whose value happens to be an ordinary one changes little,
//! however much depends on it; another value changes much even where two columns say the same. A small
//! network of its own learns the mean of both changes beside the generator, which it does not touch.

use super::attribution::Marginals;
use crate::error::Result;
use crate::generator::{Dropout, Generator};
use crate::network::{Gating, Network};
use crate::representation::Batch;
use burn::tensor::Tensor;

/// The mean square of the difference between what a column is said to count and what it does: `[1]`;
/// `None` for networks that do not say.
///
/// `other` is the batch with another row's value in the columns of `marginals`.
pub(super) fn error<G: Generator>(
    network: &Network<G>,
    batch: &Batch,
    other: &Batch,
    marginals: &Marginals,
    dropout: &mut Dropout,
) -> Result<Option<Tensor<1>>> {
    let Some(said) = network.importance(batch, &marginals.with, dropout) else {
        return Ok(None);
    };
    let gating = Gating::Evidence { kept: marginals.with.clone() };
    let after = network.forward(other, gating, &mut Dropout::off())?.scores.detach();
    let replaced = (after - marginals.scores.clone()).abs().sum_dim(1);
    let erased = marginals.added.clone().abs().sum_dim(1);
    let found = (replaced + erased).div_scalar(2.0);
    let said = (said * marginals.column.clone()).sum_dim(1);
    // Samples without a column say and change nothing.
    Ok(Some((said - found).powi_scalar(2).mean()))
}
