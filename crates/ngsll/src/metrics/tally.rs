//! Scores against known answers, counted sample by sample.

use super::{ClassFigures, Confusion, Metrics, auroc, average_precision, lift};
use crate::figures;
use crate::mean_std::MeanStd;
use crate::objective::{Objective, Targets};
use crate::prediction::Prediction;

/// Sums over samples; for two classes and in regression also two numbers a sample, which ranks,
/// variance and median need.
#[derive(Debug, Default)]
pub(super) struct Tally {
    n: usize,
    confusion: Confusion,
    correct: usize,
    /// Samples whose class is among the three with the highest scores.
    in_top_3: usize,
    /// Σ −ln p of the true class
    log_loss: f64,
    brier: f64,
    scores: Vec<f64>,
    truths: Vec<f64>,
}

impl Tally {
    /// Counts samples by their scores (in the user's units) and known answers.
    pub fn add(&mut self, objective: &Objective, scores: &[Vec<f64>], targets: &Targets) {
        self.n += scores.len();
        for (row, scores) in scores.iter().enumerate() {
            match (objective.prediction(scores), targets) {
                (Prediction::Class(class), Targets::Classes(classes)) => {
                    self.correct += usize::from(class.index() == classes[row]);
                    self.confusion.add(classes[row], class.index());
                    self.in_top_3 += usize::from(rank(scores, classes[row]) < 3);
                    self.log_loss += class.log_loss(classes[row]);
                    self.brier += brier(class.probabilities(), classes[row]);
                }
                (Prediction::Value(value), Targets::Values(_)) => self.scores.push(value),
                _ => unreachable!("a model's targets are of its own kind"),
            }
        }
        match targets {
            Targets::Classes(classes) if matches!(objective, Objective::Binary { .. }) => {
                self.scores.extend(scores.iter().map(|scores| scores[0]));
                self.truths.extend(classes.iter().map(|&class| class as f64));
            }
            Targets::Classes(_) => {}
            Targets::Values(values) => {
                self.truths.extend(values.iter().map(|&value| objective.truth(value)));
            }
        }
    }

    /// The metrics that need nothing but scores.
    pub fn finish(self, objective: &Objective) -> Metrics {
        let Self { n, confusion, correct, in_top_3, log_loss, brier, mut scores, truths } = self;
        let mut metrics = Metrics { n, ..Metrics::default() };
        if n == 0 {
            return metrics;
        }
        if let Objective::Regression { .. } = objective {
            metrics.r2 = r2(&scores, &truths);
            // From here on the errors replace the scores: a large table is not copied.
            scores.iter_mut().zip(&truths).for_each(|(s, truth)| *s = (*s - truth).abs());
            metrics.rmse = figures::rmse(scores.iter().map(|e| e * e).sum(), n);
            metrics.mae = figures::mean(scores.iter().sum(), n);
            metrics.median_error = Some(median(&mut scores));
        } else {
            metrics.accuracy = figures::accuracy(correct, n);
            metrics.log_loss = figures::mean(log_loss, n);
            metrics.brier = figures::mean(brier, n);
            metrics.by_class = by_class(objective.classes(), &confusion);
            let f1 = metrics.by_class.iter().filter_map(|class| class.f1);
            metrics.macro_f1 = figures::mean(f1.clone().sum(), f1.count());
        }
        if objective.outputs() > 3 {
            metrics.top_3_accuracy = figures::accuracy(in_top_3, n);
        }
        if let Objective::Binary { .. } = objective {
            metrics.auroc = auroc(&scores, &truths);
            metrics.average_precision = average_precision(&scores, &truths);
            metrics.lift = lift(&scores, &truths);
        }
        metrics
    }
}

/// The number of classes that score higher than one, or as high and come before it.
fn rank(scores: &[f64], class: usize) -> usize {
    // Two classes share a score, and there is no third.
    let Some(own) = scores.get(class) else { return 0 };
    let above = |(c, score): (usize, &f64)| score > own || (score == own && c < class);
    scores.iter().enumerate().filter(|&other| above(other)).count()
}

fn by_class(names: &[String], confusion: &Confusion) -> Vec<ClassFigures> {
    let counts = confusion.by_class(names.len());
    let figures = names.iter().zip(counts).map(|(name, counts)| ClassFigures {
        class: name.clone(),
        n: counts.truths,
        predicted: counts.predictions,
        right: counts.right,
        precision: counts.precision(),
        recall: counts.recall(),
        f1: counts.f1(),
    });
    figures.collect()
}

/// The share of the truths' variance that the scores explain; `None` if they do not vary.
fn r2(scores: &[f64], truths: &[f64]) -> Option<f64> {
    // Exact for a target that does not vary: it has no variance to explain.
    let MeanStd { mean, .. } = MeanStd::of(truths.iter().copied());
    let squares: f64 = truths.iter().zip(scores).map(|(t, s)| (t - s).powi(2)).sum();
    figures::r2(squares, truths.iter().map(|t| (t - mean).powi(2)).sum())
}

/// Σ_c (p_c − 1{c is the true class})²; for two classes half of that, (p − y)².
fn brier(probabilities: &[f64], truth: usize) -> f64 {
    let square = |(c, p): (usize, &f64)| (p - f64::from(u8::from(c == truth))).powi(2);
    let sum: f64 = probabilities.iter().enumerate().map(square).sum();
    if probabilities.len() == 2 { sum / 2.0 } else { sum }
}

/// The middle value, or the mean of the middle two. There is at least one.
fn median(values: &mut [f64]) -> f64 {
    let even = values.len().is_multiple_of(2);
    let (below, &mut middle, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(before) if even => f64::midpoint(before, middle),
        _ => middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(n: usize) -> std::sync::Arc<[String]> {
        (0..n).map(|c| format!("class {c}")).collect()
    }

    /// The metrics of samples that are added in two parts.
    fn in_parts(objective: &Objective, scores: &[Vec<f64>], targets: &Targets) -> Metrics {
        let rows: Vec<usize> = (0..scores.len()).collect();
        let (first, second) = rows.split_at(scores.len() / 3);
        let mut tally = Tally::default();
        tally.add(objective, &scores[..first.len()], &targets.select(first));
        tally.add(objective, &scores[first.len()..], &targets.select(second));
        tally.finish(objective)
    }

    fn close(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() <= 1e-9 * expected.abs().max(1.0))
    }

    #[test]
    fn no_sample_has_no_figure() {
        let objective = Objective::Binary { classes: names(2), threshold: None };
        let metrics = Tally::default().finish(&objective);
        assert_eq!(metrics, Metrics::default());
    }

    #[test]
    fn a_sure_and_wrong_answer_has_a_finite_loss() {
        let objective = Objective::Binary { classes: names(2), threshold: None };
        for (score, class) in [(40.0, 0), (-40.0, 1)] {
            let metrics = in_parts(&objective, &[vec![score]], &Targets::Classes(vec![class]));
            assert!(close(metrics.log_loss, 40.0), "{metrics:?}");
            assert!(close(metrics.brier, 1.0), "{metrics:?}");
        }
    }

    #[test]
    fn classes_by_themselves_and_the_three_first() {
        let objective = Objective::Classes { classes: names(5) };
        // The true class is first, third, fourth (a tie with one before it) and last.
        let scores = [
            vec![9.0, 1.0, 2.0, 3.0, 4.0],
            vec![5.0, 4.0, 3.0, 2.0, 1.0],
            vec![5.0, 4.0, 3.0, 3.0, 1.0],
            vec![5.0, 4.0, 3.0, 2.0, 1.0],
        ];
        let metrics = in_parts(&objective, &scores, &Targets::Classes(vec![0, 2, 3, 4]));
        assert_eq!((metrics.accuracy, metrics.top_3_accuracy), (Some(0.25), Some(0.5)));
        let first = &metrics.by_class[0];
        assert_eq!((first.n, first.predicted, first.right), (1, 4, 1));
        assert_eq!((first.precision, first.recall, first.f1), (Some(0.25), Some(1.0), Some(0.4)));
        // Class 1 is neither true nor predicted anywhere, and does not count.
        assert_eq!((metrics.by_class[1].f1, metrics.by_class[2].f1), (None, Some(0.0)));
        assert!(close(metrics.macro_f1, 0.1), "{metrics:?}");
        let three = Objective::Classes { classes: names(3) };
        let metrics = in_parts(&three, &[vec![1.0, 2.0, 3.0]], &Targets::Classes(vec![0]));
        assert_eq!(metrics.top_3_accuracy, None, "of three, every class is among the three");
    }

    #[test]
    fn a_threshold_changes_the_classes_and_no_probability() {
        let objective = Objective::Binary { classes: names(2), threshold: None };
        let scores: Vec<Vec<f64>> = [-3.0, -1.0, -0.5, 2.0].map(|s| vec![s]).into();
        let targets = Targets::Classes(vec![0, 1, 0, 1]);
        let at_half = in_parts(&objective, &scores, &targets);
        let low = in_parts(&objective.with_threshold(0.2).unwrap(), &scores, &targets);
        assert_eq!((at_half.by_class[1].predicted, low.by_class[1].predicted), (1, 3));
        assert_eq!((at_half.by_class[1].f1, low.by_class[1].f1), (Some(2.0 / 3.0), Some(0.8)));
        assert_eq!((at_half.log_loss, at_half.auroc), (low.log_loss, low.auroc));
        assert_eq!(objective.with_threshold(0.5).unwrap(), objective);
        assert!(objective.with_threshold(1.5).is_err());
    }

    proptest! {
        /// The usual formulas for two classes, with y = 1 for the second one.
        #[test]
        fn two_classes(list in prop::collection::vec((-8.0_f64..8.0, any::<bool>()), 1..50)) {
            let objective = Objective::Binary { classes: names(2), threshold: None };
            let scores: Vec<Vec<f64>> = list.iter().map(|(s, _)| vec![*s]).collect();
            let classes = list.iter().map(|(_, second)| usize::from(*second)).collect();
            let metrics = in_parts(&objective, &scores, &Targets::Classes(classes));
            let (mut log_loss, mut brier) = (0.0, 0.0);
            for (score, second) in &list {
                let (p, y) = (1.0 / (1.0 + (-score).exp()), f64::from(u8::from(*second)));
                log_loss -= y * p.ln() + (1.0 - y) * (1.0 - p).ln();
                brier += (p - y).powi(2);
            }
            let n = list.len() as f64;
            prop_assert!(close(metrics.log_loss, log_loss / n), "{metrics:?}");
            prop_assert!(close(metrics.brier, brier / n), "{metrics:?}");
        }

        /// The definitions with a plain softmax.
        #[test]
        fn several_classes(
            list in prop::collection::vec((prop::array::uniform3(-8.0_f64..8.0), 0_usize..3), 1..50)
        ) {
            let objective = Objective::Classes { classes: names(3) };
            let scores: Vec<Vec<f64>> = list.iter().map(|(s, _)| s.to_vec()).collect();
            let classes = list.iter().map(|(_, class)| *class).collect();
            let metrics = in_parts(&objective, &scores, &Targets::Classes(classes));
            let (mut log_loss, mut brier) = (0.0, 0.0);
            for (scores, class) in &list {
                let sum: f64 = scores.iter().map(|s| s.exp()).sum();
                log_loss -= (scores[*class].exp() / sum).ln();
                for (c, score) in scores.iter().enumerate() {
                    let y = if c == *class { 1.0 } else { 0.0 };
                    brier += (score.exp() / sum - y).powi(2);
                }
            }
            let n = list.len() as f64;
            prop_assert!(close(metrics.log_loss, log_loss / n), "{metrics:?}");
            prop_assert!(close(metrics.brier, brier / n), "{metrics:?}");
        }

        /// Errors in the target's units, sorted for the median.
        #[test]
        fn numbers(list in prop::collection::vec((-90.0_f64..90.0, -3.0_f32..3.0), 1..50)) {
            let objective = Objective::Regression {
                target: "y".into(),
                mean: 7.0,
                deviation: 20.0,
                scale: Default::default(),
            };
            let scores: Vec<Vec<f64>> = list.iter().map(|(s, _)| vec![*s]).collect();
            let targets = Targets::Values(list.iter().map(|(_, t)| *t).collect());
            let metrics = in_parts(&objective, &scores, &targets);
            let error = |(s, t): &(f64, f32)| (s - (7.0 + 20.0 * f64::from(*t))).abs();
            let mut errors: Vec<f64> = list.iter().map(error).collect();
            errors.sort_by(f64::total_cmp);
            let n = errors.len();
            let median = (errors[(n - 1) / 2] + errors[n / 2]) / 2.0;
            let squares: f64 = errors.iter().map(|e| e * e).sum();
            prop_assert!(close(metrics.mae, errors.iter().sum::<f64>() / n as f64), "{metrics:?}");
            prop_assert!(close(metrics.rmse, (squares / n as f64).sqrt()), "{metrics:?}");
            prop_assert!(close(metrics.median_error, median), "{metrics:?} is not {median}");
        }
    }
}
