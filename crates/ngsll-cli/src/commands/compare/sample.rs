//! The predictions of two models for the same samples.

use anyhow::Result;
use ngsll::explanation::{Explanation, ScoreExplanation};
use ngsll::metrics::Evaluation;
use ngsll::objective::Targets;
use ngsll::{Dataset, Model, Prediction};
use std::collections::HashMap;

/// The predictions for every sample.
pub struct Pairs<'a> {
    models: &'a [Model; 2],
    /// The second model's class of each of the first's; `None` for a number.
    classes: Option<Vec<usize>>,
    pub evaluations: [Evaluation<'a>; 2],
    pub samples: Vec<Pair>,
    /// Contributions of features that both models name, for the same sample and class.
    pub contributions: Vec<(f64, f64)>,
    /// For each sample the share of features that both name among those that either names.
    pub overlaps: Vec<f64>,
    /// Whether the models' scores are on one scale.
    pub comparable: bool,
}

/// The predictions for one sample.
pub struct Pair {
    pub truth: String,
    pub predictions: [Prediction; 2],
    /// The loss of each.
    pub losses: [f64; 2],
    /// Whether each has the right class; `None` for a number.
    pub right: Option<[bool; 2]>,
    /// Whether both predict the same class.
    pub agree: bool,
    /// The distance between the answers: the largest difference of a class's probability, or of the values.
    pub difference: f64,
}

impl<'a> Pairs<'a> {
    pub fn new(models: &'a [Model; 2], k: [usize; 2], classes: Option<Vec<usize>>) -> Result<Self> {
        let [first, second] = [models[0].objective(), models[1].objective()];
        let scale = |objective: &ngsll::objective::Objective| {
            objective.value_scale().map(|scale| std::mem::discriminant(&scale))
        };
        Ok(Self {
            models,
            classes,
            evaluations: [
                Evaluation::new(&models[0], Some(k[0]))?,
                Evaluation::new(&models[1], Some(k[1]))?,
            ],
            samples: Vec::new(),
            contributions: Vec::new(),
            overlaps: Vec::new(),
            comparable: scale(first) == scale(second),
        })
    }

    /// Adds the same samples, as each model reads them.
    pub fn add(&mut self, data: [&Dataset; 2]) -> Result<()> {
        let target = |model: usize| self.models[model].config().data.target.clone();
        let targets = [target(0), target(1)];
        let [first, second] = &mut self.evaluations;
        let explain = |evaluation: &mut Evaluation<'a>, model: usize| {
            let explained = evaluation.explain(data[model]);
            explained.map_err(|error| error.in_column(targets[model].as_deref()))
        };
        let ((first, answers), (second, other_answers)) = (explain(first, 0)?, explain(second, 1)?);
        for (row, pair) in first.iter().zip(&second).enumerate() {
            let truth = data[0].labels().map_or("", |labels| labels.get(row)).to_string();
            let answers = [(&answers, row), (&other_answers, row)];
            self.samples.push(self.pair(truth, [pair.0, pair.1], answers));
            self.add_terms(pair.0, pair.1);
        }
        Ok(())
    }

    fn pair(
        &self,
        truth: String,
        explanations: [&Explanation; 2],
        answers: [(&Targets, usize); 2],
    ) -> Pair {
        let predictions = explanations.map(|explanation| explanation.prediction.clone());
        let loss = |model: usize| match (&predictions[model], answers[model]) {
            (Prediction::Class(class), (Targets::Classes(classes), row)) => {
                (class.log_loss(classes[row]), Some(class.index() == classes[row]))
            }
            (Prediction::Value(value), (Targets::Values(values), row)) => {
                let truth = self.models[model].objective().truth(values[row]);
                ((value - truth).powi(2), None)
            }
            _ => unreachable!("a model's targets are of its own kind"),
        };
        let (losses, right): (Vec<f64>, Vec<Option<bool>>) = [loss(0), loss(1)].into_iter().unzip();
        let (agree, difference) = match (&predictions[0], &predictions[1], &self.classes) {
            (Prediction::Class(a), Prediction::Class(b), Some(classes)) => {
                let other = |c: usize| b.probabilities()[classes[c]];
                let apart = a.probabilities().iter().enumerate().map(|(c, p)| (p - other(c)).abs());
                (a.label() == b.label(), apart.fold(0.0, f64::max))
            }
            (a, b, _) => {
                let apart = a.value().zip(b.value()).map_or(0.0, |(a, b)| (a - b).abs());
                (false, apart)
            }
        };
        Pair {
            truth,
            losses: [losses[0], losses[1]],
            right: right[0].zip(right[1]).map(|(a, b)| [a, b]),
            predictions,
            agree,
            difference,
        }
    }

    /// Compares the terms for the first model's answer.
    fn add_terms(&mut self, first: &Explanation, second: &Explanation) {
        let of_first = first.predicted_score();
        let other = second.outputs.iter().find(|output| output.name == of_first.name);
        // Two classes share one score, which may favour either.
        let (of_second, sign) = match other {
            Some(output) => (output, 1.0),
            None => (second.predicted_score(), -1.0),
        };
        let named = |model: usize, output: &ScoreExplanation| -> HashMap<String, f64> {
            let representation = self.models[model].representation();
            let term = |term: &ngsll::explanation::Term| {
                (representation.owner_name(term.feature), term.contribution)
            };
            output.terms.iter().map(term).collect()
        };
        let (a, b) = (named(0, of_first), named(1, of_second));
        let mut both: Vec<(&String, f64, f64)> =
            a.iter().filter_map(|(name, x)| Some((name, *x, sign * b.get(name)?))).collect();
        // Sums must not depend on the order of a hash map.
        both.sort_by(|x, y| x.0.cmp(y.0));
        let either = a.len() + b.len() - both.len();
        if either > 0 {
            self.overlaps.push(both.len() as f64 / either as f64);
        }
        self.contributions.extend(both.into_iter().map(|(_, x, y)| (x, y)));
    }
}
