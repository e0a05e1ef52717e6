//! What a case says, before it is drawn: which score comes first, for which side it speaks, and
//! whether it was right.

mod sum;

pub(crate) use sum::Sum;

use crate::ExplainedSample;
use crate::number_format::Number;
use ngsll::explanation::{ScoreExplanation, Term};
use ngsll::{ClassPrediction, Prediction};

/// How the signs of the scores are to be read.
pub(crate) enum Kind {
    /// One score: above zero it speaks for the one class, below for the other.
    TwoClasses { positive: String, negative: String },
    /// One score per class; the largest wins.
    Classes,
    /// The score is the predicted value.
    Value,
}

/// One score with everything that is said about it.
pub(crate) struct Score<'a> {
    /// The score and its terms.
    pub(crate) output: &'a ScoreExplanation,
    /// Both, rounded.
    pub(crate) sum: Sum,
    /// The probability of its class, where it has one of its own.
    pub(crate) probability: Option<f64>,
}

/// How the prediction compares with the truth.
pub(crate) enum Verdict {
    /// The truth is not known, or cannot be compared.
    Open,
    /// The right class.
    Right,
    /// Another class.
    Wrong,
    /// A value, this far above (or below) the true one.
    Off(Number),
}

/// What a case says.
pub(crate) struct Interpretation<'a> {
    /// What was explained.
    pub(crate) case: &'a ExplainedSample,
    /// How its signs are to be read.
    pub(crate) kind: Kind,
    /// The predicted class first, then by falling score.
    pub(crate) scores: Vec<Score<'a>>,
    /// The largest |contribution| of all scores: the measure of colours and bars.
    scale: f64,
    predicted: String,
    probability: Option<f64>,
}

impl<'a> Interpretation<'a> {
    /// Interprets a case of a model with these classes (none in regression).
    pub(crate) fn new(case: &'a ExplainedSample, classes: &[String]) -> Self {
        let explanation = &case.explanation;
        let probability_of = |name: &str| probability_of(&explanation.prediction, name);
        let kind = match (&explanation.prediction, explanation.outputs.as_slice()) {
            (Prediction::Value(_), _) => Kind::Value,
            (_, [only]) => {
                let other = classes.iter().find(|c| **c != only.name).cloned();
                let negative = other.unwrap_or_else(|| format!("not {}", only.name));
                Kind::TwoClasses { positive: only.name.clone(), negative }
            }
            _ => Kind::Classes,
        };
        let mut outputs: Vec<&ScoreExplanation> = explanation.outputs.iter().collect();
        let class = explanation.prediction.class();
        let label = class.map(ClassPrediction::label);
        outputs.sort_by(|a, b| {
            let first = |o: &ScoreExplanation| Some(o.name.as_str()) == label;
            first(b).cmp(&first(a)).then(b.score.total_cmp(&a.score))
        });
        let scores: Vec<Score> = outputs
            .into_iter()
            .map(|output| {
                let own = matches!(kind, Kind::Classes);
                let probability = if own { probability_of(&output.name) } else { None };
                Score { output, sum: Sum::of(output), probability }
            })
            .collect();
        let terms = scores.iter().flat_map(|s| &s.output.terms);
        let scale = terms.map(|t| t.contribution.abs()).filter(|c| c.is_finite());
        let scale = scale.fold(0.0, f64::max);
        let value = explanation.prediction.value().unwrap_or(f64::NAN);
        let predicted = match (label, scores.first()) {
            (Some(label), _) => label.to_string(),
            (None, Some(score)) => score.sum.score.to_string(),
            (None, None) => Number::new(value, 2).to_string(),
        };
        let probability = class.map(ClassPrediction::probability);
        Self { case, kind, scores, scale, predicted, probability }
    }

    /// Measures the colours and bars of all interpretations by the largest contribution among them.
    pub(crate) fn share_scale(interpretations: &mut [Self]) {
        let scale = interpretations.iter().map(|r| r.scale).fold(0.0, f64::max);
        interpretations.iter_mut().for_each(|r| r.scale = scale);
    }

    /// The predicted class, or value.
    pub(crate) fn predicted(&self) -> &str {
        &self.predicted
    }

    /// The probability of the predicted class.
    pub(crate) fn probability(&self) -> Option<f64> {
        self.probability
    }

    /// How wrong: 1 − the probability of the true class, or the distance from the true value; `None` where
    /// the truth is not known.
    pub(crate) fn error(&self) -> Option<f64> {
        match self.verdict() {
            Verdict::Open => None,
            Verdict::Off(by) => Some(by.exact().abs()),
            Verdict::Right | Verdict::Wrong => {
                let truth = self.case.truth.as_deref();
                Some(1.0 - truth.and_then(|truth| self.probability_of(truth)).unwrap_or(0.0))
            }
        }
    }

    /// The probability of a class.
    pub(crate) fn probability_of(&self, class: &str) -> Option<f64> {
        probability_of(&self.case.explanation.prediction, class)
    }

    /// The score that speaks for a class.
    pub(crate) fn score_of(&self, class: &str) -> Option<&Score<'a>> {
        self.scores.iter().find(|score| score.output.name == class)
    }

    /// A contribution's share of the largest one, in 0..=1.
    pub(crate) fn strength(&self, number: Number) -> f64 {
        let share = number.exact().abs() / self.scale;
        if share.is_finite() { share.min(1.0) } else { 0.0 }
    }

    /// The class that a score speaks for by its sign, where one score stands for two classes.
    pub(crate) fn side(&self, score: Number) -> Option<&str> {
        match &self.kind {
            Kind::TwoClasses { negative, .. } if score.is_negative() => Some(negative),
            Kind::TwoClasses { positive, .. } => Some(positive),
            _ => None,
        }
    }

    /// Whether a score speaks for the true class.
    pub(crate) fn is_truth(&self, score: &Score) -> bool {
        self.case.truth.as_ref() == Some(&score.output.name)
    }

    /// The prediction against the truth.
    pub(crate) fn verdict(&self) -> Verdict {
        let Some(truth) = &self.case.truth else { return Verdict::Open };
        match &self.case.explanation.prediction {
            Prediction::Class(class) if class.label() == truth => Verdict::Right,
            Prediction::Class(_) => Verdict::Wrong,
            Prediction::Value(value) => match truth.trim().parse::<f64>() {
                Ok(truth) if truth.is_finite() => {
                    let decimals = self.scores.first().map_or(2, |s| s.sum.score.decimals());
                    Verdict::Off(Number::new(value - truth, decimals))
                }
                _ => Verdict::Open,
            },
            _ => Verdict::Open,
        }
    }
}

fn probability_of(prediction: &Prediction, class: &str) -> Option<f64> {
    let mut classes = prediction.class()?.iter();
    classes.find(|(name, _)| *name == class).map(|(_, probability)| probability)
}

impl Score<'_> {
    /// The term of a feature, with its contribution; `None` for a feature that was not chosen.
    pub(crate) fn term(&self, feature: usize) -> Option<(&Term, Number)> {
        let at = self.output.terms.iter().position(|t| t.feature == feature)?;
        Some((&self.output.terms[at], self.sum.terms[at]))
    }

    /// Every term with its contribution.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Term, Number)> {
        self.output.terms.iter().zip(self.sum.terms.iter().copied())
    }
}

/// How a term comes about, in one line: `far: weight 2.31 × value 1 = +2.31`.
pub(crate) fn product(term: &Term, number: Number) -> String {
    let short = |v: f64| {
        let text = format!("{v:.4}").replace('-', "−");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    let (weight, value) = (short(term.weight), short(term.value));
    format!("{}: weight {weight} × value {value} = {}", term.name, number.signed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::{case, classes, output, text};

    fn three() -> ExplainedSample {
        let outputs = vec![
            output("a", 0.0, &[("x", -1.0)]),
            output("b", 0.0, &[("x", 0.5)]),
            output("c", 0.0, &[("x", 2.0)]),
        ];
        case(text("x"), "c", &[0.04, 0.17, 0.79], outputs)
    }

    #[test]
    fn the_predicted_class_comes_first_then_the_runner_up() {
        let (case, classes) = (three(), classes(&["a", "b", "c"]));
        let interpretation = Interpretation::new(&case, &classes);
        let order: Vec<_> = interpretation.scores.iter().map(|s| s.output.name.as_str()).collect();
        assert_eq!(order, ["c", "b", "a"]);
        assert_eq!(interpretation.scores[1].probability, Some(0.17));
        assert_eq!(interpretation.strength(interpretation.scores[1].sum.terms[0]), 0.25);
        assert!(interpretation.side(interpretation.scores[0].sum.score).is_none());
    }

    #[test]
    fn the_sign_of_a_single_score_names_the_side() {
        let classes = classes(&["low", "high"]);
        for (score, side) in [(1.0, "high"), (-1.0, "low")] {
            let case =
                case(text("x"), side, &[0.5, 0.5], vec![output("high", 0.0, &[("x", score)])]);
            let interpretation = Interpretation::new(&case, &classes);
            assert_eq!(interpretation.side(interpretation.scores[0].sum.score), Some(side));
        }
    }

    #[test]
    fn the_verdict_compares_classes_and_measures_values() {
        let (mut case, classes) = (three(), classes(&["a", "b", "c"]));
        assert!(matches!(Interpretation::new(&case, &classes).verdict(), Verdict::Open));
        case.truth = Some("c".to_string());
        assert!(matches!(Interpretation::new(&case, &classes).verdict(), Verdict::Right));
        case.truth = Some("a".to_string());
        assert!(matches!(Interpretation::new(&case, &classes).verdict(), Verdict::Wrong));
        case.explanation.prediction = Prediction::Value(2.5);
        case.explanation.outputs.truncate(1);
        assert!(matches!(Interpretation::new(&case, &[]).verdict(), Verdict::Open));
        case.truth = Some("3".to_string());
        let verdict = Interpretation::new(&case, &[]).verdict();
        assert!(matches!(verdict, Verdict::Off(n) if n.to_string() == "−0.50"));
    }
}
