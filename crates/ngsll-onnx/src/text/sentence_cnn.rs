//! `ngsll::generator::SentenceCnn` with its head, which has a vector for every feature.

use super::convolution::{Convolutions, back_over_time, max_over_time};
use super::{TextNetwork, Tokens};
use crate::graph::{Graph, Value, int, word};
use crate::head::{Head, Passed};
use crate::weights::Weights;
use ngsll::{Model, Result};

/// The network and the texts that it reads.
pub(super) struct SentenceCnn {
    tokens: Tokens,
    convolutions: Convolutions,
    head: Head,
    /// The feature in each slot, once for each output: [batch, outputs, features]
    numbers: Value,
}

/// The values of a pass.
pub(super) struct SentencePassed {
    maps: Value,
    maxima: Value,
    head: Passed,
}

impl SentenceCnn {
    pub fn new(
        g: &mut Graph,
        weights: &mut Weights,
        model: &Model,
        tokens: Tokens,
    ) -> Result<Self> {
        let name = "generator.SentenceCnn";
        let convolutions =
            Convolutions::new(g, weights, (model, &tokens), &format!("{name}.extractor"), None)?;
        let head = Head::new(g, weights, &format!("{name}.head"))?;
        // Positions after the end of a text have no feature and take number 0: their z is 0.
        let zero = g.ints(&[], &[0]);
        let numbers = g.op("Max", &[&tokens.numbers, &zero]);
        let numbers = g.unsqueeze(&numbers, 1);
        let shape = g.list(&[1, model.objective().outputs() as i64, 1]);
        let numbers = g.op("Expand", &[&numbers, &shape]);
        Ok(Self { tokens, convolutions, head, numbers })
    }
}

impl TextNetwork for SentenceCnn {
    type Passed = SentencePassed;

    fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    fn weights(&self, g: &mut Graph, kept: Option<&Value>) -> (Value, SentencePassed) {
        let present = &self.tokens.present;
        let maps = self.convolutions.forward(g, kept, present);
        let maxima = max_over_time(g, &maps, present);
        let features = g.squeeze(&maxima, 1);
        let head = self.head.forward(g, &features);
        let weights = g.gather_elements(&head.weights, &self.numbers, 2);
        (weights, SentencePassed { maps, maxima, head })
    }

    fn by_words(&self, g: &mut Graph, by_weights: &Value, passed: &Self::Passed) -> Value {
        let none = g.zeros_like(&passed.head.weights);
        let attributes = vec![int("axis", 2), word("reduction", "add")];
        let by_all = g.op_with("ScatterElements", &[&none, &self.numbers, by_weights], attributes);
        let by_features = self.head.backward(g, &by_all, &passed.head, None);
        let by_maxima = g.unsqueeze(&by_features, 1);
        let SentencePassed { maps, maxima, .. } = passed;
        let present = &self.tokens.present;
        let by_maps = back_over_time(g, &by_maxima, maxima, maps, present);
        self.convolutions.backward(g, &by_maps, maps)
    }
}
