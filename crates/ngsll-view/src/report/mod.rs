//! What a report needs of an evaluation, collected chunk by chunk in bounded memory.

mod sampling;

use crate::{Dot, ExplainedSample, Whole};
use ngsll::Predictor;
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::explanation::{Explanation, Output, Prediction};
use ngsll::metrics::{ByK, Calibration, Confusion, Evaluation, FeatureUse, spread};
use ngsll::objective::{Objective, Targets};
use sampling::{Largest, Reservoir};

/// Cases on the page: the worst, and as many of the others as there is room for.
const SHOWN: usize = 60;
const WORST: usize = 48;
/// Rows whose terms are kept for drawing: as many as hold about this many terms.
const TERMS: usize = 60_000;
const ROWS: std::ops::RangeInclusive<usize> = 100..=2000;
/// Features are also counted by predicted class where the classes are at most this many.
const CLASSES: usize = 12;

/// Collects the predictions of a model.
pub struct Collector<'a> {
    predictor: &'a Predictor,
    k: usize,
    evaluation: Evaluation<'a>,
    by_k: ByK<'a>,
    confusion: Confusion,
    calibration: Calibration,
    used: FeatureUse,
    used_by_class: Vec<FeatureUse>,
    dots: Reservoir<Dot>,
    worst: Largest<ExplainedSample>,
    others: Reservoir<ExplainedSample>,
}

/// What was collected.
pub struct Collected<'a> {
    /// The model as a whole.
    pub whole: Whole<'a>,
    /// Which cases are here.
    pub chosen: String,
    /// The worst cases, then some of the others.
    pub cases: Vec<ExplainedSample>,
}

impl<'a> Collector<'a> {
    /// For explanations with at most `k` terms.
    pub fn new(predictor: &'a Predictor, k: usize) -> Self {
        let (objective, seed) = (predictor.objective(), predictor.config().seed);
        let groups = Some(objective.classes().len()).filter(|&n| n <= CLASSES).unwrap_or(0);
        let rows = (TERMS / k.max(1)).clamp(*ROWS.start(), *ROWS.end());
        let ks = spread(predictor.k());
        Self {
            predictor,
            k,
            evaluation: Evaluation::new(objective),
            by_k: ByK::new(objective, predictor.model().sharing(), ks),
            confusion: Confusion::default(),
            calibration: Calibration::default(),
            used: FeatureUse::default(),
            used_by_class: vec![FeatureUse::default(); groups],
            dots: Reservoir::new(rows, seed, 1),
            worst: Largest::new(WORST),
            others: Reservoir::new(SHOWN, seed, 2),
        }
    }

    /// Explains a chunk and adds it; sample `i` is row `row(i)` of the data.
    pub fn add(
        &mut self,
        chunk: &Chunk,
        targets: &Targets,
        row: impl Fn(usize) -> usize,
    ) -> Result<()> {
        let all = self.predictor.explain(&chunk.samples, None)?;
        self.by_k.add(&all, targets);
        let explanations = match self.k == self.predictor.k() {
            true => all,
            false => self.predictor.explain(&chunk.samples, Some(self.k))?,
        };
        self.evaluation.add(&explanations, targets);
        for (i, explanation) in explanations.into_iter().enumerate() {
            match targets {
                Targets::Classes(classes) => self.add_class(&explanation, classes[i]),
                Targets::Values(_) => self.used.add(&explanation.outputs[0]),
            }
            let value = match (&explanation.prediction, targets) {
                (Prediction::Value(predicted), Targets::Values(values)) => {
                    let (factor, offset) = self.predictor.objective().units();
                    Some((f64::from(values[i]) * factor + offset, *predicted))
                }
                _ => None,
            };
            let output = read(&explanation);
            self.dots.offer(|| Dot::new(output, value));
            // How wrong: the probability that a wrong class was given, or the distance of a number.
            let error = match (&explanation.prediction, value) {
                (_, Some((truth, predicted))) => Some((predicted - truth).abs()),
                (Prediction::Class { label, .. }, _) if is(chunk, i, label) => None,
                (prediction, _) => confidence(prediction).map(|(_, probability)| probability),
            };
            let case =
                || ExplainedSample::new(self.predictor, chunk, i, row(i), explanation.clone());
            // Of numbers none is simply right: some are drawn from all.
            if error.is_none() || value.is_some() {
                self.others.offer(case);
            }
            if let Some(error) = error {
                self.worst.offer(error, case);
            }
        }
        Ok(())
    }

    fn add_class(&mut self, explanation: &Explanation, truth: usize) {
        let Some((predicted, probability)) = confidence(&explanation.prediction) else { return };
        self.confusion.add(truth, predicted);
        self.calibration.add(probability, truth == predicted);
        let output = read(explanation);
        self.used.add(output);
        if let Some(used) = self.used_by_class.get_mut(predicted) {
            used.add(output);
        }
    }

    /// Everything that was added.
    pub fn finish(self) -> Collected<'a> {
        let metrics = self.evaluation.finish();
        let objective = self.predictor.objective();
        let classes = !matches!(objective, Objective::Regression { .. });
        let whole = Whole {
            objective,
            representation: self.predictor.representation(),
            k: self.k,
            metrics,
            by_k: self.by_k.finish(),
            confusion: classes.then_some(self.confusion),
            calibration: classes.then_some(self.calibration),
            used: self.used,
            used_by_class: self.used_by_class,
            dots: self.dots.into_items(),
        };
        let mut cases: Vec<ExplainedSample> = self.worst.into_items().collect();
        let worst = cases.len();
        let mut others = self.others.into_items();
        others.retain(|other| cases.iter().all(|case| case.row != other.row));
        others.truncate(SHOWN - worst);
        others.sort_by_key(|case| case.row);
        cases.extend(others);
        let chosen = chosen(&whole, worst, cases.len() - worst);
        Collected { whole, chosen, cases }
    }
}

/// Says which cases are shown: `worst` of all that are wrong, and `others`.
fn chosen(whole: &Whole, worst: usize, others: usize) -> String {
    let n = whole.metrics.n;
    let Some(accuracy) = whole.metrics.accuracy else {
        return match n > worst {
            true => format!(
                "The {worst} rows of {n} that are furthest off, then {others} drawn at random."
            ),
            false => "All rows, those that are furthest off first.".to_string(),
        };
    };
    let wrong = n - (accuracy * n as f64).round() as usize;
    let errors = match wrong {
        0 => "There is no error.".to_string(),
        1 => "The one error.".to_string(),
        wrong if wrong > worst => {
            format!("Of {wrong} errors the {worst} with the highest probability.")
        }
        wrong => format!("All {wrong} errors, those with the highest probability first."),
    };
    let right = n - wrong;
    let rest = match (wrong, others) {
        (_, 0) => String::new(),
        (0, _) if right > others => format!(" These are {others} rows drawn at random."),
        (_, _) if right > others => format!(" Then {others} right ones, drawn at random."),
        _ => format!(" Then the right ones, {others}."),
    };
    errors + &rest
}

/// Whether the label of sample `i` is the predicted one.
fn is(chunk: &Chunk, i: usize, label: &str) -> bool {
    chunk.labels.as_ref().is_some_and(|labels| labels[i] == label)
}

/// The predicted class's number and probability.
fn confidence(prediction: &Prediction) -> Option<(usize, f64)> {
    let Prediction::Class { label, probabilities } = prediction else { return None };
    let found = probabilities.iter().enumerate().find(|(_, p)| p.class == *label);
    found.map(|(class, p)| (class, p.probability))
}

/// The score that the prediction is read from: of several classes the predicted one's.
fn read(explanation: &Explanation) -> &Output {
    let of_class = match confidence(&explanation.prediction) {
        Some((class, _)) if explanation.outputs.len() > 1 => class,
        _ => 0,
    };
    &explanation.outputs[of_class]
}
