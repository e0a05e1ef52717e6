//! The interpretation of a sample, before it is drawn: which score comes first, which side it favours,
//! and whether the prediction is right.

mod contrast;
mod scale;
mod start;
mod sum;

pub(crate) use contrast::Contrast;
pub(crate) use scale::Scale;
pub(crate) use start::Start;
pub(crate) use sum::{Part, Sum};

use crate::number_format::{self, Number, decimals_of, probability_percent};
use crate::{ExplainedSample, sample};
use ngsll::dataset::Labels;
use ngsll::explanation::{ScoreExplanation, Term};
use ngsll::{ClassPrediction, Evidence, Prediction};

/// The meaning of the signs of the scores.
pub(crate) enum ScoreKind {
    /// One score: above zero it favours the one class, below the other.
    TwoClasses { positive: String, negative: String },
    /// One score per class; the largest wins.
    Classes,
    /// The score is the predicted value.
    Value,
    /// The score is the logarithm of the predicted value, which is this.
    Logarithm(f64),
}

/// One score with its interpretation.
pub(crate) struct Score<'a> {
    /// Its place among the scores of the explanation: the class that it favours, where each class has one.
    pub(crate) class: usize,
    /// The score and its terms.
    pub(crate) output: &'a ScoreExplanation,
    /// Both, rounded.
    pub(crate) sum: Sum,
    /// The probability of its class, if it has one.
    pub(crate) probability: Option<f64>,
    /// The meaning of the number that the sum starts from.
    pub(crate) start: Start,
}

/// The prediction compared with the truth.
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

/// The interpretation of a sample.
pub(crate) struct Interpretation<'a> {
    /// The sample.
    pub(crate) sample: &'a ExplainedSample,
    /// The meaning of its signs.
    pub(crate) kind: ScoreKind,
    /// The predicted class first, then by falling score.
    pub(crate) scores: Vec<Score<'a>>,
    /// The measure of colours and bars.
    scale: Scale,
    predicted: String,
    probability: Option<f64>,
}

/// Wording for a sample without any known feature.
pub(crate) struct NothingKnown {
    /// In place of the prediction.
    pub(crate) title: &'static str,
    /// Before the prediction.
    pub(crate) said: &'static str,
}

const NO_WORD: NothingKnown = NothingKnown {
    title: "No known word",
    said: "the model knows no word of this text; its answer when nothing is known is",
};

const NO_VALUE: NothingKnown = NothingKnown {
    title: "No known value",
    said: "the model knows no value of this row; its answer when nothing is known is",
};

impl<'a> Interpretation<'a> {
    /// Interprets a sample of a model with these classes (none in regression).
    pub(crate) fn new(sample: &'a ExplainedSample, classes: &[String]) -> Self {
        let explanation = &sample.explanation;
        let kind = match (&explanation.prediction, explanation.outputs.as_slice()) {
            (Prediction::Value(_), _) => match explanation.exponentiated() {
                Some(value) => ScoreKind::Logarithm(value),
                None => ScoreKind::Value,
            },
            (_, [only]) => {
                // The only score favours the second class.
                let negative =
                    classes.first().cloned().unwrap_or_else(|| format!("not {}", only.name));
                ScoreKind::TwoClasses { positive: only.name.clone(), negative }
            }
            _ => ScoreKind::Classes,
        };
        let class = explanation.prediction.class();
        // The prediction, if every class has a score of its own.
        let own = class.filter(|_| matches!(kind, ScoreKind::Classes));
        let outputs = explanation.outputs.iter().zip(start::of(sample, &kind)).enumerate();
        let score = |(class, (output, start)): (usize, (&'a ScoreExplanation, Start))| {
            let probability = own.and_then(|own| own.probabilities().get(class).copied());
            Score { class, output, sum: Sum::of(output), probability, start }
        };
        let mut scores: Vec<Score> = outputs.map(score).collect();
        let predicted = own.map(ClassPrediction::index);
        scores.sort_by(|a, b| {
            let first = |score: &Score| Some(score.class) == predicted;
            first(b).cmp(&first(a)).then(b.output.score.total_cmp(&a.output.score))
        });
        let scale = Scale::of(scores.iter().flat_map(|s| &s.output.terms));
        let value = explanation.prediction.value().unwrap_or(f64::NAN);
        let predicted = match (class.map(ClassPrediction::label), scores.first()) {
            (Some(label), _) => label.to_string(),
            _ if matches!(kind, ScoreKind::Logarithm(_)) => number_format::value(value),
            (None, Some(score)) => score.sum.score.to_string(),
            (None, None) => Number::new(value, 2).to_string(),
        };
        let probability = class.map(ClassPrediction::probability);
        Self { sample, kind, scores, scale, predicted, probability }
    }

    /// Measures the colours and bars of all interpretations by the largest contribution among them.
    pub(crate) fn share_scale(interpretations: &mut [Self]) {
        let scale = interpretations.iter().map(|r| r.scale).fold(Scale::default(), Scale::larger);
        interpretations.iter_mut().for_each(|r| r.scale = scale);
    }

    /// The words before the prediction if the sample has no known feature.
    pub(crate) fn nothing_known(&self) -> Option<&'static NothingKnown> {
        let has_terms = self.scores.iter().any(|score| !score.output.terms.is_empty());
        let (view, chosen) = (&self.sample.view, self.sample.evidence == Evidence::Chosen);
        match sample::knows_nothing(view) {
            true => Some(&NO_WORD),
            false => (sample::is_row(view) && chosen && !has_terms).then_some(&NO_VALUE),
        }
    }

    /// The predicted class, or value.
    pub(crate) fn predicted(&self) -> &str {
        &self.predicted
    }

    /// The probability of the predicted class.
    pub(crate) fn probability(&self) -> Option<f64> {
        self.probability
    }

    /// The same in percent and, if one was set, the threshold by which the class was chosen.
    pub(crate) fn certainty(&self) -> Option<String> {
        let class = self.sample.explanation.prediction.class()?;
        let percent = probability_percent(class.probability());
        Some(match (class.threshold(), class.iter().nth(1)) {
            (Some(threshold), Some((positive, _))) => {
                let threshold = number_format::threshold(threshold);
                format!("{percent}; threshold {threshold} for {positive}")
            }
            _ => percent,
        })
    }

    /// The size of the error: 1 − the probability of the true class, or the distance from the true value; `None` if
    /// the truth is not known.
    pub(crate) fn error(&self) -> Option<f64> {
        match self.verdict() {
            Verdict::Open => None,
            Verdict::Off(by) => Some(by.exact().abs()),
            Verdict::Right | Verdict::Wrong => {
                let truth = self.sample.truth.as_deref();
                Some(1.0 - truth.and_then(|truth| self.probability_of(truth)).unwrap_or(0.0))
            }
        }
    }

    /// The probability of a class.
    pub(crate) fn probability_of(&self, class: &str) -> Option<f64> {
        let mut classes = self.sample.explanation.prediction.class()?.iter();
        classes.find(|(name, _)| *name == class).map(|(_, probability)| probability)
    }

    /// The score of the same class, of another sample of the model.
    pub(crate) fn score_like(&self, other: &Score) -> Option<&Score<'a>> {
        self.scores.iter().find(|score| score.class == other.class)
    }

    /// Why the predicted class and not that of `other`; only if every class has its own score
    /// and all were made from the same features.
    pub(crate) fn contrast(&'a self, other: &'a Score<'a>) -> Option<Contrast<'a>> {
        // Two scores are one and its mirror image.
        let several = matches!(self.kind, ScoreKind::Classes) && self.scores.len() > 2;
        let first = self.scores.first().filter(|first| first.class != other.class)?;
        let shared = self.sample.evidence == Evidence::Chosen;
        (several && shared).then(|| Contrast::new(first, other))
    }

    /// The measure of colours and bars: the largest contribution of all scores.
    pub(crate) fn scale(&self) -> Scale {
        self.scale
    }

    /// A contribution's share of the largest one, in 0..=1.
    pub(crate) fn strength(&self, number: Number) -> f64 {
        self.scale.share(number)
    }

    /// The class that the score favours, if one score stands for two classes: the predicted one, by its sign
    /// or by the threshold that was set. A score of 0 has no sign.
    pub(crate) fn side(&self) -> Option<&str> {
        matches!(self.kind, ScoreKind::TwoClasses { .. }).then_some(&self.predicted)
    }

    /// Whether a score favours the true class.
    pub(crate) fn is_truth(&self, score: &Score) -> bool {
        self.sample.truth.as_ref() == Some(&score.output.name)
    }

    /// The prediction against the truth.
    pub(crate) fn verdict(&self) -> Verdict {
        let Some(truth) = &self.sample.truth else { return Verdict::Open };
        match &self.sample.explanation.prediction {
            Prediction::Class(class) if class.label() == truth => Verdict::Right,
            Prediction::Class(_) => Verdict::Wrong,
            Prediction::Value(value) => match Labels::number(truth) {
                Some(truth) => {
                    let decimals = match (&self.kind, self.scores.first()) {
                        (ScoreKind::Logarithm(value), _) => decimals_of([*value].into_iter()),
                        (_, first) => first.map_or(2, |s| s.sum.score.decimals()),
                    };
                    let off = value - truth;
                    let shown = Number::new(off, decimals);
                    // A small error must not be shown as zero.
                    let finer = || Number::new(off, decimals_of([off].into_iter()));
                    Verdict::Off(if off != 0.0 && shown.is_zero() { finer() } else { shown })
                }
                None => Verdict::Open,
            },
            _ => Verdict::Open,
        }
    }
}

impl Score<'_> {
    /// The term of a feature, with its contribution; `None` for a feature that was not chosen.
    pub(crate) fn term(&self, feature: usize) -> Option<(&Term, Number)> {
        let at = self.output.terms.iter().position(|t| t.feature == feature)?;
        Some((&self.output.terms[at], self.sum.terms[at]))
    }

    /// The score written out.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let mut parts = self.sum.parts(self.output, &self.start);
        if let (Start::Logarithm { predicted, .. }, Some(result)) = (&self.start, parts.last_mut())
        {
            result.number += &format!(", the logarithm of {}", number_format::value(*predicted));
        }
        parts
    }

    /// Every term with its contribution.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Term, Number)> {
        self.output.terms.iter().zip(self.sum.terms.iter().copied())
    }
}

/// The arithmetic of a term, in one line: `far: weight 2.31 × value 1 = +2.31`, or
/// `age: level +0.31, slope −0.12 × 1.4 = +0.14`, or `city: level +0.31`.
pub(crate) fn product(term: &Term, number: Number) -> String {
    let short = |v: f64| {
        let text = format!("{v:.4}").replace('-', "−");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    let (name, weight, value) = (&term.name, short(term.weight), short(term.value));
    let level = Number::new(term.level, number.decimals()).signed();
    match (term.level, term.value) {
        (0.0, _) => format!("{name}: weight {weight} × value {value} = {}", number.signed()),
        (_, 0.0) => format!("{name}: level {level}"),
        _ => format!("{name}: level {level}, slope {weight} × {value} = {}", number.signed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::{chosen, classes, explained, output, text};

    fn three() -> ExplainedSample {
        let outputs = vec![
            output("a", 0.0, &[("x", -1.0)]),
            output("b", 0.0, &[("x", 0.5)]),
            output("c", 0.0, &[("x", 2.0)]),
        ];
        explained(text("x"), "c", &[0.04, 0.17, 0.79], outputs)
    }

    #[test]
    fn the_predicted_class_comes_first_then_the_runner_up() {
        let (sample, classes) = (three(), classes(&["a", "b", "c"]));
        let interpretation = Interpretation::new(&sample, &classes);
        let order: Vec<_> = interpretation.scores.iter().map(|s| s.output.name.as_str()).collect();
        assert_eq!(order, ["c", "b", "a"]);
        assert_eq!(interpretation.scores[1].probability, Some(0.17));
        assert_eq!(interpretation.strength(interpretation.scores[1].sum.terms[0]), 0.25);
        assert!(interpretation.side().is_none());
    }

    #[test]
    fn the_sign_of_a_single_score_names_the_side() {
        let classes = classes(&["low", "high"]);
        for (score, side) in [(1.0, "high"), (-1.0, "low")] {
            let sample =
                explained(text("x"), side, &[0.5, 0.5], vec![output("high", 0.0, &[("x", score)])]);
            let interpretation = Interpretation::new(&sample, &classes);
            assert_eq!(interpretation.side(), Some(side));
        }
    }

    #[test]
    fn with_a_threshold_the_less_probable_class_may_be_predicted() {
        let classes = classes(&["low", "high"]);
        let output = output("high", 0.0, &[("x", -1.0)]);
        let mut sample = explained(text("x"), "high", &[0.73, 0.27], vec![output]);
        let Prediction::Class(class) = sample.explanation.prediction else { panic!("a class") };
        sample.explanation.prediction = Prediction::Class(class.with_threshold(Some(0.2)));
        let interpretation = Interpretation::new(&sample, &classes);
        assert_eq!(interpretation.side(), Some("high"));
        let certainty = interpretation.certainty();
        assert_eq!(certainty.as_deref(), Some("27.0 %; threshold 0.2 for high"));
    }

    #[test]
    fn sums_start_from_the_base_rate_of_their_class() {
        let share = |sample: &ExplainedSample, names: &[&str], score: usize| {
            let classes = classes(names);
            match Interpretation::new(sample, &classes).scores.swap_remove(score).start {
                Start::Share { class, share } => (class, (1000.0 * share).round()),
                other => panic!("{other:?}"),
            }
        };
        let rates = [("a", 0.2_f64), ("b", 0.3), ("c", 0.5)];
        let outputs = rates.map(|(name, p)| output(name, p.ln() + 9.0, &[("x", 1.0)])).to_vec();
        let three = chosen(explained(text("x"), "b", &[0.1, 0.8, 0.1], outputs));
        assert_eq!(share(&three, &["a", "b", "c"], 0), (None, 300.0));
        assert_eq!(share(&three, &["a", "b", "c"], 1), (None, 500.0));
        let high = output("high", -1.15, &[("x", 1.0)]);
        let one = chosen(explained(text("x"), "low", &[0.5, 0.5], vec![high.clone()]));
        assert_eq!(share(&one, &["low", "high"], 0), (Some("high".into()), 240.0));
        // The page shows both classes: one score and its mirror image.
        let low = output("low", 1.15, &[("x", -1.0)]);
        let both = chosen(explained(text("x"), "low", &[0.5, 0.5], vec![low, high]));
        assert_eq!(share(&both, &["low", "high"], 0), (None, 760.0));
        let mut value = one.clone();
        value.explanation.prediction = Prediction::Value(2.0);
        assert_eq!(Interpretation::new(&value, &[]).scores[0].start, Start::Mean);
        // exp(−1.15 + 1) is not the prediction for this sample; if it were, the score would be a logarithm.
        value.explanation.prediction = Prediction::Value((-0.15_f64).exp());
        value.truth = Some("0.5".to_string());
        value.explanation.outputs[0].score = -0.15;
        let logarithm = Interpretation::new(&value, &[]);
        assert_eq!(logarithm.predicted(), "0.86");
        let result = logarithm.scores[0].parts().pop().unwrap();
        assert_eq!(
            (result.operator, result.number.as_str()),
            ("=", "−0.15, the logarithm of 0.86")
        );
        assert!(matches!(logarithm.verdict(), Verdict::Off(by) if by.signed() == "+0.36"));
        let whole = ExplainedSample { evidence: Evidence::Whole, ..three };
        assert_eq!(Interpretation::new(&whole, &[]).scores[0].start, Start::Intercept);
    }

    #[test]
    fn a_term_says_how_it_comes_about() {
        let mut term = output("y", 0.0, &[("age", 0.142)]).terms.remove(0);
        let number = Number::new(term.contribution, 2);
        assert_eq!(product(&term, number), "age: weight 0.142 × value 1 = +0.14");
        (term.level, term.weight, term.value) = (0.31, -0.12, 1.4);
        assert_eq!(product(&term, number), "age: level +0.31, slope −0.12 × 1.4 = +0.14");
        (term.level, term.value) = (0.142, 0.0);
        assert_eq!(product(&term, number), "age: level +0.14");
    }

    #[test]
    fn the_verdict_compares_classes_and_measures_values() {
        let (mut sample, classes) = (three(), classes(&["a", "b", "c"]));
        assert!(matches!(Interpretation::new(&sample, &classes).verdict(), Verdict::Open));
        sample.truth = Some("c".to_string());
        assert!(matches!(Interpretation::new(&sample, &classes).verdict(), Verdict::Right));
        sample.truth = Some("a".to_string());
        assert!(matches!(Interpretation::new(&sample, &classes).verdict(), Verdict::Wrong));
        sample.explanation.prediction = Prediction::Value(2.5);
        sample.explanation.outputs.truncate(1);
        assert!(matches!(Interpretation::new(&sample, &[]).verdict(), Verdict::Open));
        sample.truth = Some("3".to_string());
        let verdict = Interpretation::new(&sample, &[]).verdict();
        assert!(matches!(verdict, Verdict::Off(n) if n.to_string() == "−0.50"));
        sample.truth = Some("2.502".to_string());
        let verdict = Interpretation::new(&sample, &[]).verdict();
        assert!(matches!(verdict, Verdict::Off(n) if n.to_string() == "−0.00200"));
    }
}
