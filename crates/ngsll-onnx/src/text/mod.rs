//! Texts: words as strings, numbered by the vocabulary; the features of a text by the position where each occurs
//! first.

mod convolution;
mod sentence_cnn;
mod token_context;

use crate::by_gradient::{Features, MarkedNetwork, chosen};
use crate::gated::gated;
use crate::graph::{Dim, Graph, Kind, Value, int, ints, strings};
use crate::outputs::Terms;
use crate::weights::Weights;
use ngsll::generator::GeneratorConfig;
use ngsll::representation::Words;
use ngsll::{Evidence, Model, Result};
use sentence_cnn::SentenceCnn;
use token_context::TokenContext;

/// The tokens of a batch, as all text networks read them.
pub(crate) struct Tokens {
    /// 0 after the end of a text, 1 for unknown words: [batch, time]
    ids: Value,
    /// 1 where there is a word: [batch, time, 1]
    present: Value,
    /// 1 where the word at a position belongs to the feature that occurs first at another:
    /// [batch, time, features], with a slot for a feature at every position
    owners: Value,
    /// [batch, features, time]
    owned: Value,
    /// The share of a position in its feature's weight: 1, or a part: [batch, time, features]
    parts: Value,
    /// The number of the feature in each slot: [batch, features]
    numbers: Value,
}

/// The inputs, and the terms of the scores.
pub(crate) fn terms(
    g: &mut Graph,
    weights: &mut Weights,
    model: &Model,
    words: &Words,
    k: usize,
) -> Result<Terms> {
    let segments = (!words.config().unit.is_word()).then(|| model.representation().features());
    let (tokens, z) = Tokens::input(g, words, segments, k);
    match &model.config().generator {
        GeneratorConfig::SentenceCnn(_) => {
            let network = SentenceCnn::new(g, weights, model, tokens)?;
            network_terms(g, weights, model, &network, z, k)
        }
        _ => {
            let network = TokenContext::new(g, weights, model, tokens)?;
            network_terms(g, weights, model, &network, z, k)
        }
    }
}

/// A text network, which can also read a text without erased words.
pub(crate) trait TextNetwork {
    /// Intermediate values of [`weights`](Self::weights).
    type Passed;

    fn tokens(&self) -> &Tokens;

    /// kept: [batch, time, 1], `None` if nothing is erased → [batch, outputs, features]
    fn weights(&self, g: &mut Graph, kept: Option<&Value>) -> (Value, Self::Passed);

    /// by_weights: [batch, outputs, features] → by the marks of the words: [batch, time, 1]
    fn by_words(&self, g: &mut Graph, by_weights: &Value, passed: &Self::Passed) -> Value;
}

/// A feature is marked at all of its positions.
impl<N: TextNetwork> MarkedNetwork for N {
    type Passed = N::Passed;

    fn forward(&self, g: &mut Graph, kept: &Value) -> (Value, Self::Passed) {
        let kept = self.tokens().at_positions(g, kept);
        self.weights(g, Some(&kept))
    }

    fn backward(&self, g: &mut Graph, by_weights: &Value, passed: &Self::Passed) -> Value {
        let by_words = self.by_words(g, by_weights, passed);
        self.tokens().by_feature(g, &by_words)
    }
}

fn network_terms(
    g: &mut Graph,
    weights: &mut Weights,
    model: &Model,
    network: &impl TextNetwork,
    z: Value,
    k: usize,
) -> Result<Terms> {
    let numbers = Some(network.tokens().numbers.clone());
    if model.evidence() == Evidence::Whole {
        let (weights, _) = network.weights(g, None);
        return Ok(gated(g, model, &weights, &z, k, numbers));
    }
    let available = g.positive(&z);
    chosen(g, weights, model, network, Features { z, available, numbers }, k)
}

impl Tokens {
    /// The inputs, and z of every slot: [batch, features]. `segments` is the number of sentences or phrases
    /// if they are the features.
    fn input(g: &mut Graph, words: &Words, segments: Option<usize>, k: usize) -> (Self, Value) {
        let dims = [Dim::Named("batch"), Dim::Named("time")];
        let input = g.input("words", Kind::String, &dims);
        let known = words.vocabulary().iter().map(String::as_str);
        let ids: Vec<i64> = (0..words.vocabulary().len() as i64).map(|j| j + FIRST).collect();
        let attributes = vec![
            strings("keys_strings", known.chain([""])),
            ints("values_int64s", &[&ids[..], &[0]].concat()),
            int("default_int64", 1),
        ];
        let ids = g.op_with("LabelEncoder", &[&input], attributes);
        let most = words.config().max_tokens;
        let ids = fitted(g, &ids, most, k);
        let none = g.ints(&[], &[0]);
        let present = g.op("Greater", &[&ids, &none]);
        let first = g.ints(&[], &[FIRST]);
        let is_known = g.op("GreaterOrEqual", &[&ids, &first]);
        let (groups, belongs) = match segments {
            None => (g.sub(&ids, &first), is_known.clone()),
            Some(segments) => {
                let input = g.input("segments", Kind::Int64, &dims);
                let last = g.ints(&[], &[segments as i64 - 1]);
                let input = g.op("Min", &[&input, &last]);
                (fitted(g, &input, most, k), present.clone())
            }
        };
        let owners = owners(g, &groups, &belongs);
        let owned = g.transpose(&owners, &[0, 2, 1]);
        let present = g.cast(&present, Kind::Float);
        let present = g.unsqueeze(&present, 2);
        let is_known = g.cast(&is_known, Kind::Float);
        let is_known = g.unsqueeze(&is_known, 2);
        let counts = g.matmul(&owned, &is_known);
        let counts = g.squeeze(&counts, 2);
        let (z, parts) = match segments {
            None if words.counts() => (counts, owners.clone()),
            // A word's weight is the mean over its positions.
            None => {
                let one = g.float(1.0);
                let often = g.op("Max", &[&counts, &one]);
                let often = g.unsqueeze(&often, 1);
                (g.positive(&counts), g.op("Div", &[&owners, &often]))
            }
            // A segment counts once if a word of it is known.
            Some(_) => (g.positive(&counts), owners.clone()),
        };
        let tokens = Self { ids, present, owners, owned, parts, numbers: groups };
        (tokens, z)
    }

    /// The values of the features at all of their positions: kept: [batch, features] → [batch, time, 1]
    fn at_positions(&self, g: &mut Graph, kept: &Value) -> Value {
        let kept = g.unsqueeze(kept, 2);
        g.matmul(&self.owners, &kept)
    }

    /// The sum over the positions of each feature: [batch, time, 1] → [batch, features]
    fn by_feature(&self, g: &mut Graph, values: &Value) -> Value {
        let sums = g.matmul(&self.owned, values);
        g.squeeze(&sums, 2)
    }
}

/// The token id of feature 0.
const FIRST: i64 = 2;

/// With as many positions as are read, and at least as many as there are terms.
fn fitted(g: &mut Graph, ids: &Value, most: usize, k: usize) -> Value {
    let (start, end, axis) = (g.list(&[0]), g.list(&[most as i64]), g.list(&[1]));
    let cut = g.op("Slice", &[ids, &start, &end, &axis]);
    let time = g.size(&cut, 1);
    let k = g.list(&[k as i64]);
    let lacking = g.sub(&k, &time);
    let none = g.list(&[0]);
    let lacking = g.op("Max", &[&lacking, &none]);
    let before = g.list(&[0, 0, 0]);
    let pads = g.concat(&[&before, &lacking], 0);
    g.op("Pad", &[&cut, &pads])
}

/// 1 where a position belongs to the group that occurs first at another.
///
/// groups: [batch, time], belongs: [batch, time] → [batch, time, time]
fn owners(g: &mut Graph, groups: &Value, belongs: &Value) -> Value {
    let (own, others) = (g.unsqueeze(groups, 2), g.unsqueeze(groups, 1));
    let same = g.op("Equal", &[&own, &others]);
    let belongs = g.unsqueeze(belongs, 1);
    let same = g.op("And", &[&same, &belongs]);
    let same = g.cast(&same, Kind::Float);
    // The first position of each group, by the smallest of equal ones.
    let first = g.op_with("ArgMax", &[&same], vec![int("axis", 2), int("keepdims", 0)]);
    let positions = g.range(&first, 1);
    let is_first = g.op("Equal", &[&first, &positions]);
    let is_first = g.unsqueeze(&is_first, 1);
    let is_first = g.op("And", &[&is_first, &belongs]);
    let is_first = g.cast(&is_first, Kind::Float);
    let owners = g.mul(&same, &is_first);
    let belongs = g.transpose(&belongs, &[0, 2, 1]);
    let belongs = g.cast(&belongs, Kind::Float);
    g.mul(&owners, &belongs)
}
