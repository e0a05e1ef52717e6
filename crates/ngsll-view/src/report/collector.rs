//! The data of a report on an evaluation, collected chunk by chunk in bounded memory.

use super::at_each_k::AtEachK;
use super::feature_labels::FeatureLabels;
use super::sampling::{Largest, Reservoir};
use super::{Dot, ModelOverview};
use crate::ExplainedSample;
use ngsll::explanation::Explanation;
use ngsll::generator::{BuiltIn, Generator};
use ngsll::metrics::{Calibration, Confusion, Evaluation, FeatureUse};
use ngsll::objective::{Objective, Targets};
use ngsll::{Dataset, Model, Prediction, Result};

/// The most samples on the page: the worst, and some of the others.
const SHOWN: usize = 60;
const WORST: usize = 48;
/// The most terms that are kept for drawing; rows are sampled to stay below.
const TERMS: usize = 60_000;
const ROWS: std::ops::RangeInclusive<usize> = 100..=2000;
/// Features are also counted by predicted class if there are at most this many classes.
const CLASSES: usize = 12;

/// Collects the predictions of a model.
pub struct Collector<'a, G: Generator = BuiltIn> {
    model: &'a Model<G>,
    k: usize,
    evaluation: Evaluation<'a, G>,
    at_each_k: AtEachK<'a>,
    confusion: Confusion,
    calibration: Calibration,
    used: FeatureUse,
    used_by_class: Vec<FeatureUse>,
    dots: Reservoir<Dot>,
    worst: Largest<ExplainedSample>,
    others: Reservoir<ExplainedSample>,
}

/// The collected data.
#[non_exhaustive]
pub struct Collected<'a> {
    /// The model as a whole.
    pub overview: ModelOverview<'a>,
    /// A description of the samples shown.
    pub chosen: String,
    /// The worst samples, then some of the others.
    pub samples: Vec<ExplainedSample>,
}

impl<'a, G: Generator> Collector<'a, G> {
    /// For explanations with at most `k` terms, `k` up to [`Model::largest_k`].
    pub fn new(model: &'a Model<G>, k: usize) -> Result<Self> {
        let (objective, seed) = (model.objective(), model.config().seed);
        let groups = Some(objective.classes().len()).filter(|&n| n <= CLASSES).unwrap_or(0);
        let rows = (TERMS / k.max(1)).clamp(*ROWS.start(), *ROWS.end());
        Ok(Self {
            model,
            k,
            evaluation: Evaluation::new(model, Some(k))?,
            at_each_k: AtEachK::new(model, k, 3),
            confusion: Confusion::default(),
            calibration: Calibration::default(),
            used: FeatureUse::default(),
            used_by_class: vec![FeatureUse::default(); groups],
            dots: Reservoir::new(rows, seed, 1),
            worst: Largest::new(WORST),
            others: Reservoir::new(SHOWN, seed, 2),
        })
    }

    /// Explains labelled samples and adds them; the user counts sample `i` as row `row(i)`. Returns the
    /// explanations and the known answers, for further counts by the caller.
    pub fn add(
        &mut self,
        data: &Dataset,
        row: impl Fn(usize) -> usize,
    ) -> Result<(Vec<Explanation>, Targets)> {
        let (explanations, targets) = self.evaluation.explain(data)?;
        self.at_each_k.add(self.model, data, (self.k, &explanations), &targets)?;
        for (i, explanation) in explanations.iter().enumerate() {
            let output = explanation.predicted_score();
            self.used.add(output);
            let mut value = None;
            // The size of the error: the probability given to a wrong class, or the distance from the true number.
            let error = match (&targets, &explanation.prediction) {
                (Targets::Classes(classes), Prediction::Class(class)) => {
                    let right = class.index() == classes[i];
                    self.confusion.add(classes[i], class.index());
                    self.calibration.add(class.probability(), right);
                    if let Some(used) = self.used_by_class.get_mut(class.index()) {
                        used.add(output);
                    }
                    (!right).then_some(class.probability())
                }
                (Targets::Values(values), Prediction::Value(predicted)) => {
                    let truth = self.model.objective().truth(values[i]);
                    value = Some((truth, *predicted));
                    Some((predicted - truth).abs())
                }
                _ => None,
            };
            self.dots.offer(|| Dot::new(output, value));
            let sample = || ExplainedSample::new(self.model, data, i, row(i), explanation.clone());
            // No number is exactly right, so the others are drawn from all rows.
            if error.is_none() || value.is_some() {
                self.others.offer(sample);
            }
            if let Some(error) = error {
                self.worst.offer(error, sample);
            }
        }
        Ok((explanations, targets))
    }

    /// The results of everything added. A model that chooses its features now predicts with other K, too.
    pub fn finish(self) -> Result<Collected<'a>> {
        let metrics = self.evaluation.finish();
        let objective = self.model.objective();
        let classes = !matches!(objective, Objective::Regression { .. });
        let overview = ModelOverview {
            objective,
            features: FeatureLabels::new(self.model.representation(), self.model.evidence()),
            k: self.k,
            at_each_k: self.at_each_k.finish(self.model, metrics.n)?,
            metrics,
            confusion: classes.then_some(self.confusion),
            calibration: classes.then_some(self.calibration),
            used: self.used,
            used_by_class: self.used_by_class,
            dots: self.dots.into_items(),
        };
        let mut samples: Vec<ExplainedSample> = self.worst.into_items().collect();
        let worst = samples.len();
        let mut others = self.others.into_items();
        others.retain(|other| samples.iter().all(|sample| sample.row != other.row));
        others.truncate(SHOWN - worst);
        others.sort_by_key(|sample| sample.row);
        samples.extend(others);
        let chosen = chosen(&overview, worst, samples.len() - worst);
        Ok(Collected { overview, chosen, samples })
    }
}

/// Describes the samples shown: `worst` of all that are wrong, and `others`.
fn chosen(overview: &ModelOverview, worst: usize, others: usize) -> String {
    let n = overview.metrics.n;
    let Some(accuracy) = overview.metrics.accuracy else {
        return match n > worst {
            true => format!(
                "The {worst} of {n} rows that are furthest off, then {others} drawn at random."
            ),
            false => "All rows, those that are furthest off first.".to_string(),
        };
    };
    let wrong = n - (accuracy * n as f64).round() as usize;
    let errors = match wrong {
        0 => "There are no errors.".to_string(),
        1 => "The one error.".to_string(),
        wrong if wrong > worst => {
            format!("Of {wrong} errors, the {worst} with the highest probability.")
        }
        wrong => format!("All {wrong} errors, those with the highest probability first."),
    };
    let right = n - wrong;
    let rest = match (wrong, others) {
        (_, 0) => String::new(),
        (0, _) if right > others => format!(" These are {others} rows drawn at random."),
        (_, _) if right > others => format!(" Then {others} correct ones, drawn at random."),
        _ => format!(" Then the {others} correct ones."),
    };
    errors + &rest
}
