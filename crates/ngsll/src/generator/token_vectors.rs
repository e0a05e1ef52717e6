//! A vector for every token, and one for those that are erased.

use super::X;
use super::layers::{Embedding, Init};
use crate::representation::FirstVectors;
use burn::module::{Module, Param};
use burn::tensor::{Int, Tensor, TensorData};

/// Word vectors start uniform in ±0.25, Kim's choice for words without a pretrained vector.
const BOUND: f64 = 0.25;

/// A vector for each token id and, if tokens may be erased, one shared by all erased tokens.
#[derive(Module, Debug)]
pub struct TokenVectors {
    /// [ids, width]; `None` if the network reads [`FixedVectors`].
    weight: Option<Param<Tensor<2>>>,
    /// `[width]`
    erased: Option<Param<Tensor<1>>>,
}

impl TokenVectors {
    /// For token ids below `ids`; `masked` says whether tokens may be erased.
    pub fn new(ids: usize, masked: bool, width: usize, init: &mut Init<'_>) -> Self {
        let Embedding { weight } = Embedding::new(ids, width, BOUND, init);
        Self { weight: Some(weight), ..Self::of_fixed(masked, width, init) }
    }

    /// Without trained vectors.
    pub fn of_fixed(masked: bool, width: usize, init: &mut Init<'_>) -> Self {
        Self { weight: None, erased: masked.then(|| init.uniform([width], BOUND)) }
    }

    /// Returns the network with initial word vectors.
    pub fn starting_from(self, first: &FirstVectors) -> Self {
        Self { weight: self.weight.map(|weight| started(weight, first)), ..self }
    }

    /// x → vectors: [batch, time, width], and 1 where there is a token, 0 at padding: [batch, time]
    pub fn forward(&self, x: &X) -> (Tensor<3>, Tensor<2>) {
        let weight = self.weight.clone().expect("it has vectors of its own");
        self.marked(Embedding { weight }.forward(ids(x).clone()), x)
    }

    /// The same with the vectors of the tokens given: [batch, time, width]
    pub fn marked(&self, vectors: Tensor<3>, x: &X) -> (Tensor<3>, Tensor<2>) {
        let present = ids(x).clone().not_equal_elem(0).float();
        let X::MaskedTokens { kept, .. } = x else { return (vectors, present) };
        let vectors = vectors * kept.clone().unsqueeze_dim(2);
        // A network without a vector for erased tokens reads them as zeros.
        let Some(erased) = &self.erased else { return (vectors, present) };
        let marks = (present.clone() - kept.clone()).unsqueeze_dim(2);
        (vectors + erased.val().unsqueeze() * marks, present)
    }
}

/// Vectors that stay fixed in training, shared by all members of an ensemble.
#[derive(Module, Debug)]
pub struct FixedVectors {
    /// [ids, width]
    weight: Param<Tensor<2>>,
}

impl FixedVectors {
    /// For token ids below `ids`, drawn at random; replaced by [`FixedVectors::starting_from`].
    pub fn new(ids: usize, width: usize, init: &mut Init<'_>) -> Self {
        Self { weight: Embedding::new(ids, width, BOUND, init).weight }
    }

    /// The same with the given vectors.
    pub fn starting_from(self, first: &FirstVectors) -> Self {
        Self { weight: started(self.weight, first) }
    }

    /// x → [batch, time, width]
    pub fn forward(&self, x: &X) -> Tensor<3> {
        crate::ops::embedding::embedding(self.weight.val().detach(), ids(x).clone())
    }
}

/// The parameter with the given rows replaced.
fn started(param: Param<Tensor<2>>, first: &FirstVectors) -> Param<Tensor<2>> {
    let (device, shape) = (param.lazy_device(), param.lazy_shape());
    let mut values: Vec<f32> =
        param.val().into_data_as::<f32>().try_into_vec().expect("the data were converted to f32");
    first.fill(&mut values);
    Param::from_data(TensorData::new(values, shape), &device)
}

fn ids(x: &X) -> &Tensor<2, Int> {
    match x {
        X::Tokens(ids) | X::MaskedTokens { ids, .. } => ids,
        _ => unreachable!("a text network is given tokens"),
    }
}
