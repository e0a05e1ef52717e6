//! The figures of each group of the samples, and which features its explanations name.

use super::tally::Tally;
use super::{FeatureUse, Metrics, TwoClassCounts};
use crate::explanation::Explanation;
use crate::figures;
use crate::objective::{Objective, Targets};
use serde::{Deserialize, Serialize};

/// Counts explained samples by group.
#[derive(Debug)]
pub struct Subgroups {
    groups: Vec<Group>,
}

#[derive(Debug, Default)]
struct Group {
    name: String,
    tally: Tally,
    used: FeatureUse,
    /// Σ probability of the second class, or Σ (predicted − true value).
    sum: f64,
}

/// A model's figures on one group of the samples.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupFigures {
    /// The group's name.
    pub group: String,
    /// Samples in it.
    pub n: usize,
    /// Share of samples whose class is predicted (classes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Area under the ROC curve (two classes, both present).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auroc: Option<f64>,
    /// Mean negative natural logarithm of the true class's probability (classes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Share of samples that are predicted to be of the second class (two classes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive_rate: Option<f64>,
    /// The same share among samples of that class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_positive_rate: Option<f64>,
    /// The same share among all other samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_positive_rate: Option<f64>,
    /// Mean probability of the second class: of true probabilities, the observed rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_probability: Option<f64>,
    /// Share of samples that are of the second class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_rate: Option<f64>,
    /// Root of the mean squared error (regression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// Mean absolute error (regression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae: Option<f64>,
    /// Mean of predicted − true value (regression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<f64>,
    /// The features that its explanations name, the most frequent first.
    pub terms: Vec<GroupTerm>,
}

/// The use of a feature by the explanations of a group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupTerm {
    /// The feature's name.
    pub feature: String,
    /// Share of the explanations that name it.
    pub share: f64,
    /// Its mean contribution where it is named.
    pub mean_contribution: f64,
}

impl Subgroups {
    /// Groups of these names.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let group = |name| Group { name, ..Group::default() };
        Self { groups: names.into_iter().map(group).collect() }
    }

    /// Counts explained samples; `group` gives the group of each. With several classes, the terms of the score
    /// of the predicted one are counted.
    ///
    /// # Panics
    /// If there is no such group, or not as many explanations as answers.
    pub fn add(
        &mut self,
        objective: &Objective,
        explanations: &[Explanation],
        targets: &Targets,
        group: impl Fn(usize) -> usize,
    ) {
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        (0..explanations.len()).for_each(|row| rows[group(row)].push(row));
        for (group, rows) in self.groups.iter_mut().zip(rows) {
            let score = |&row: &usize| explanations[row].outputs.iter().map(|o| o.score).collect();
            let scores: Vec<Vec<f64>> = rows.iter().map(score).collect();
            group.tally.add(objective, &scores, &targets.select(&rows));
            for &row in &rows {
                let Explanation { prediction, .. } = &explanations[row];
                group.used.add(explanations[row].predicted_score());
                group.sum += match (prediction.class(), prediction.value(), targets) {
                    (Some(class), ..) => class.probabilities()[1],
                    (_, Some(value), Targets::Values(truths)) => {
                        value - objective.truth(truths[row])
                    }
                    _ => 0.0,
                };
            }
        }
    }

    /// The figures of every group that has samples; `name` is a feature's name.
    pub fn finish(
        self,
        objective: &Objective,
        name: impl Fn(usize) -> String,
    ) -> Vec<GroupFigures> {
        let figures = |group: Group| {
            let Group { name: own, tally, used, sum } = group;
            let metrics = tally.finish(objective);
            let Metrics { n, accuracy, auroc, log_loss, rmse, mae, .. } = metrics;
            let mean = figures::mean(sum, n);
            let counts = TwoClassCounts::of(&metrics);
            let rate = |of: fn(&TwoClassCounts) -> (u64, u64)| {
                counts
                    .as_ref()
                    .map(of)
                    .and_then(|(part, all)| figures::mean(part as f64, all as usize))
            };
            let mut terms: Vec<GroupTerm> = used
                .ranked()
                .into_iter()
                .map(|(feature, stats)| GroupTerm {
                    feature: name(feature),
                    share: stats.chosen as f64 / used.scores().max(1) as f64,
                    mean_contribution: stats.mean(),
                })
                .collect();
            terms.sort_by(|a, b| b.share.total_cmp(&a.share));
            GroupFigures {
                group: own,
                n,
                accuracy,
                auroc,
                log_loss,
                positive_rate: rate(|c| (c.true_positives + c.false_positives, c.n())),
                true_positive_rate: rate(|c| {
                    (c.true_positives, c.true_positives + c.false_negatives)
                }),
                false_positive_rate: rate(|c| {
                    (c.false_positives, c.false_positives + c.true_negatives)
                }),
                mean_probability: mean.filter(|_| counts.is_some()),
                observed_rate: rate(|c| (c.true_positives + c.false_negatives, c.n())),
                rmse,
                mae,
                bias: mean.filter(|_| objective.classes().is_empty()),
                terms,
            }
        };
        self.groups.into_iter().map(figures).filter(|group| group.n > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::{ScoreExplanation, Term};

    fn explained(objective: &Objective, score: f64, feature: usize) -> Explanation {
        let term = Term::new(feature, format!("f{feature}"), 1.0, score);
        let output = ScoreExplanation::new(objective.output_name(0), 0.0, vec![term]);
        Explanation::new(objective.prediction(&[score]), vec![output])
    }

    #[test]
    fn two_classes_by_group() {
        let classes = ["no".to_string(), "yes".to_string()];
        let objective = Objective::Binary { classes: classes.into(), threshold: None };
        // Group a: yes found, yes missed, no kept; group b: no mistaken for yes; group c has no sample.
        let samples = [(2.0, 7, 1, 0), (-1.0, 3, 1, 0), (-3.0, 7, 0, 0), (1.0, 3, 0, 1)];
        let explanations: Vec<Explanation> =
            samples.iter().map(|(s, j, ..)| explained(&objective, *s, *j)).collect();
        let targets = Targets::Classes(samples.iter().map(|s| s.2).collect());
        let mut groups = Subgroups::new(["a", "b", "c"].map(String::from));
        // In two parts, like chunks.
        groups.add(&objective, &explanations[..1], &targets.select(&[0]), |_| 0);
        groups
            .add(&objective, &explanations[1..], &targets.select(&[1, 2, 3]), |i| samples[i + 1].3);
        let found = groups.finish(&objective, |j| format!("f{j}"));
        let [a, b] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((a.group.as_str(), a.n, b.n), ("a", 3, 1));
        assert_eq!((a.accuracy, a.auroc), (Some(2.0 / 3.0), Some(1.0)));
        assert_eq!((a.positive_rate, a.observed_rate), (Some(1.0 / 3.0), Some(2.0 / 3.0)));
        assert_eq!((a.true_positive_rate, a.false_positive_rate), (Some(0.5), Some(0.0)));
        assert_eq!((b.true_positive_rate, b.false_positive_rate), (None, Some(1.0)));
        let logistic = |s: f64| 1.0 / (1.0 + (-s).exp());
        let mean = (logistic(2.0) + logistic(-1.0) + logistic(-3.0)) / 3.0;
        assert!((a.mean_probability.unwrap() - mean).abs() < 1e-12);
        assert_eq!((a.bias, a.rmse), (None, None));
        let first = &a.terms[0];
        assert_eq!((first.feature.as_str(), first.mean_contribution), ("f7", -0.5));
        assert!((first.share - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_by_group() {
        let (target, mean, deviation) = ("y".to_string(), 0.0, 1.0);
        let scale = crate::objective::ValueScale::Linear;
        let objective = Objective::Regression { target, mean, deviation, scale };
        let explanations = [5.0, 1.0].map(|score| explained(&objective, score, 0));
        let mut groups = Subgroups::new(["all".to_string()]);
        groups.add(&objective, &explanations, &Targets::Values(vec![2.0, 2.0]), |_| 0);
        let all = groups.finish(&objective, |j| j.to_string()).remove(0);
        assert_eq!((all.mae, all.bias, all.rmse), (Some(2.0), Some(1.0), Some(5.0_f64.sqrt())));
        assert_eq!((all.accuracy, all.mean_probability), (None, None));
    }
}
