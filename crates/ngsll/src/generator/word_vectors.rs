//! A vector for every token, and one for those that are erased.

use super::X;
use super::layers::{Embedding, Init};
use burn::module::{Module, Param};
use burn::tensor::{Int, Tensor};

/// Word vectors start uniform in ±0.25, Kim's choice for words without a pretrained vector.
const BOUND: f64 = 0.25;

/// A vector for each token id and, where tokens may be erased, one that stands for all of those.
#[derive(Module, Debug)]
pub struct WordVectors {
    /// [ids, width]
    weight: Param<Tensor<2>>,
    /// `[width]`
    erased: Option<Param<Tensor<1>>>,
}

impl WordVectors {
    /// For token ids below `ids`; `masked` says whether tokens may be erased.
    pub fn new(ids: usize, masked: bool, width: usize, init: &mut Init<'_>) -> Self {
        let Embedding { weight } = Embedding::new(ids, width, BOUND, init);
        Self { weight, erased: masked.then(|| init.uniform([width], BOUND)) }
    }

    /// x → vectors: [batch, time, width], and 1 where there is a token, 0 at padding: [batch, time]
    pub fn forward(&self, x: &X) -> (Tensor<3>, Tensor<2>) {
        match (x, &self.erased) {
            (X::Tokens(ids), None) => (self.vectors(ids), present(ids)),
            (X::MaskedTokens { ids, kept }, erased) => {
                let present = present(ids);
                let vectors = self.vectors(ids) * kept.clone().unsqueeze_dim(2);
                // A network that knows no erased tokens reads them as zeros.
                let Some(erased) = erased else { return (vectors, present) };
                let marks = (present.clone() - kept.clone()).unsqueeze_dim(2);
                (vectors + erased.val().unsqueeze() * marks, present)
            }
            _ => unreachable!("a text network is given the tokens that it was built for"),
        }
    }

    fn vectors(&self, ids: &Tensor<2, Int>) -> Tensor<3> {
        Embedding { weight: self.weight.clone() }.forward(ids.clone())
    }
}

fn present(ids: &Tensor<2, Int>) -> Tensor<2> {
    ids.clone().not_equal_elem(0).float()
}
