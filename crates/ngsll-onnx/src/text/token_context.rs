//! `ngsll::generator::TokenContext`, and the mean of several.

use super::convolution::{Convolutions, back_over_time, max_over_time, word_vectors};
use super::{TextNetwork, Tokens};
use crate::graph::{Graph, Value};
use crate::linear::LinearLayer;
use crate::weights::Weights;
use ngsll::{Model, Result};

/// Networks whose mean is the answer, mostly one.
pub(super) struct TokenContext {
    tokens: Tokens,
    members: Vec<Member>,
}

struct Member {
    convolutions: Convolutions,
    from_context: LinearLayer,
    from_summary: LinearLayer,
    weight: LinearLayer,
}

/// The values of a member's pass.
pub(super) struct MemberPassed {
    /// [batch, time, filters]
    context: Value,
    /// [batch, 1, filters]
    summary: Value,
    /// [batch, time, units]
    hidden: Value,
}

impl TokenContext {
    pub fn new(
        g: &mut Graph,
        weights: &mut Weights,
        model: &Model,
        tokens: Tokens,
    ) -> Result<Self> {
        let mut names = vec!["generator.TokenContext".to_string()];
        if !weights.has(&names[0]) {
            let name = |member: usize| format!("generator.TextEnsemble.members.{member}");
            names = (0..).map(name).take_while(|name| weights.has(&format!("{name}."))).collect();
        }
        let fixed = "generator.TextEnsemble.vectors.weight";
        let fixed = match weights.has(fixed) {
            true => Some(word_vectors(g, weights, fixed, &tokens)?),
            false => None,
        };
        let members = names.iter().map(|name| {
            let texts = (model, &tokens);
            Ok(Member {
                convolutions: Convolutions::new(g, weights, texts, name, fixed.as_ref())?,
                from_context: LinearLayer::new(g, weights, &format!("{name}.from_context"))?,
                from_summary: LinearLayer::new(g, weights, &format!("{name}.from_summary"))?,
                weight: LinearLayer::new(g, weights, &format!("{name}.weight"))?,
            })
        });
        let members = members.collect::<Result<_>>()?;
        Ok(Self { tokens, members })
    }

    fn mean(&self, g: &mut Graph, sum: &Value) -> Value {
        match self.members.len() {
            1 => sum.clone(),
            members => g.times(sum, 1.0 / members as f32),
        }
    }
}

impl TextNetwork for TokenContext {
    type Passed = Vec<MemberPassed>;

    fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    fn weights(&self, g: &mut Graph, kept: Option<&Value>) -> (Value, Vec<MemberPassed>) {
        let present = &self.tokens.present;
        let (mut sum, mut all): (Option<Value>, Vec<MemberPassed>) = (None, Vec::new());
        for member in &self.members {
            let (output, passed) = member.forward(g, kept, present);
            sum = Some(match sum {
                Some(sum) => g.add(&sum, &output),
                None => output,
            });
            all.push(passed);
        }
        let sum = sum.expect("there is at least one member");
        let mean = self.mean(g, &sum);
        // A word's weight is the sum over its positions, or their mean.
        let mean = g.transpose(&mean, &[0, 2, 1]);
        (g.matmul(&mean, &self.tokens.parts), all)
    }

    fn by_words(&self, g: &mut Graph, by_weights: &Value, passed: &Self::Passed) -> Value {
        let by_weights = g.transpose(by_weights, &[0, 2, 1]);
        let by_positions = g.matmul(&self.tokens.parts, &by_weights);
        let by_positions = self.mean(g, &by_positions);
        let mut sum: Option<Value> = None;
        for (member, passed) in self.members.iter().zip(passed) {
            let by = member.backward(g, &by_positions, passed, &self.tokens.present);
            sum = Some(match sum {
                Some(sum) => g.add(&sum, &by),
                None => by,
            });
        }
        sum.expect("there is at least one member")
    }
}

impl Member {
    /// → the weight at each position: [batch, time, outputs]
    fn forward(
        &self,
        g: &mut Graph,
        kept: Option<&Value>,
        present: &Value,
    ) -> (Value, MemberPassed) {
        let context = self.convolutions.forward(g, kept, present);
        let summary = max_over_time(g, &context, present);
        let (own, whole) =
            (self.from_context.forward(g, &context), self.from_summary.forward(g, &summary));
        let hidden = g.add(&own, &whole);
        let hidden = g.relu(&hidden);
        (self.weight.forward(g, &hidden), MemberPassed { context, summary, hidden })
    }

    /// by_output: [batch, time, outputs] → by the marks of the words: [batch, time, 1]
    fn backward(
        &self,
        g: &mut Graph,
        by_output: &Value,
        passed: &MemberPassed,
        present: &Value,
    ) -> Value {
        let MemberPassed { context, summary, hidden } = passed;
        let by_hidden = g.matmul(by_output, self.weight.back());
        let by_hidden = g.through_relu(&by_hidden, hidden);
        let by_context = g.matmul(&by_hidden, self.from_context.back());
        let by_all = g.sum(&by_hidden, 1);
        let by_summary = g.matmul(&by_all, self.from_summary.back());
        let by_largest = back_over_time(g, &by_summary, summary, context, present);
        let by_context = g.add(&by_context, &by_largest);
        self.convolutions.backward(g, &by_context, context)
    }
}
