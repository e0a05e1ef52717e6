//! Why one class and not another: all classes share one set of features, so each has a difference.

use super::{Score, Start, Sum};
use crate::number_format::Number;
use ngsll::explanation::{ScoreExplanation, Term};

/// Two scores and the difference of their terms.
pub(crate) struct Contrast<'a> {
    /// The class that the contrast argues for.
    pub(crate) first: &'a Score<'a>,
    /// The class that it is compared with.
    pub(crate) second: &'a Score<'a>,
    /// First minus second, feature by feature, the largest difference first.
    difference: ScoreExplanation,
}

impl<'a> Contrast<'a> {
    /// Why `first` and not `second`.
    pub(crate) fn new(first: &'a Score<'a>, second: &'a Score<'a>) -> Self {
        let (a, b) = (first.output, second.output);
        let of_both = |term: &Term| {
            let other = b.terms.iter().find(|other| other.feature == term.feature);
            let other = other.map_or((0.0, 0.0, 0.0), |t| (t.weight, t.level, t.contribution));
            minus(term, other)
        };
        let only_second = b.terms.iter().filter(|t| a.terms.iter().all(|o| o.feature != t.feature));
        let turned = only_second.map(|term| {
            let mut nothing = term.clone();
            (nothing.weight, nothing.level, nothing.contribution) = (0.0, 0.0, 0.0);
            minus(&nothing, (term.weight, term.level, term.contribution))
        });
        let terms: Vec<Term> = a.terms.iter().map(of_both).chain(turned).collect();
        let mut difference = ScoreExplanation::new(&a.name, a.intercept - b.intercept, terms);
        // Not the rounded sum of the differences: it must match the two scores shown.
        difference.score = a.score - b.score;
        Self { first, second, difference }
    }

    /// The difference as a score: its terms add up to score(first) − score(second).
    pub(crate) fn score(&self) -> Score<'_> {
        Score {
            class: self.first.class,
            output: &self.difference,
            sum: Sum::of(&self.difference),
            probability: None,
            start: Start::Difference,
        }
    }

    /// The contributions of a feature to the first and to the second class.
    pub(crate) fn both(&self, feature: usize) -> [Option<Number>; 2] {
        [self.first, self.second].map(|score| score.term(feature).map(|(_, number)| number))
    }
}

/// A term less the weight, level and contribution of another.
fn minus(term: &Term, (weight, level, contribution): (f64, f64, f64)) -> Term {
    let mut difference = term.clone();
    difference.weight -= weight;
    difference.level -= level;
    difference.contribution -= contribution;
    difference
}

#[cfg(test)]
mod tests {
    use crate::interpretation::Interpretation;
    use crate::test_samples::{chosen, classes, explained, output, text};

    #[test]
    fn differences_add_up_to_the_difference_of_the_scores() {
        let outputs = vec![
            output("a", 0.1, &[("x", -1.0), ("y", 0.25)]),
            output("b", -0.4, &[("x", 0.5), ("y", 0.5)]),
            output("c", 0.2, &[("x", 2.0), ("y", 0.75)]),
        ];
        let sample = chosen(explained(text("x y"), "c", &[0.04, 0.17, 0.79], outputs));
        let interpretation = Interpretation::new(&sample, &classes(&["a", "b", "c"]));
        let contrast = interpretation.contrast(&interpretation.scores[1]).expect("three classes");
        let score = contrast.score();
        let line: Vec<String> =
            score.parts().iter().map(|p| format!("{}{}{}", p.operator, p.name, p.number)).collect();
        assert_eq!(line, ["with no feature known0.60", "+“x”1.50", "+“y”0.25", "=2.35"]);
        assert_eq!(
            contrast.both(0).map(|n| n.map(|n| n.signed())),
            [Some("+2.00".into()), Some("+0.50".into())]
        );
        assert!(interpretation.contrast(&interpretation.scores[0]).is_none(), "not against itself");
    }

    #[test]
    fn one_score_or_evidence_whole_has_no_contrast() {
        let outputs = ["a", "b", "c"].map(|name| output(name, 0.0, &[("x", 1.0)])).to_vec();
        let names = classes(&["a", "b", "c"]);
        let whole = explained(text("x"), "a", &[0.4, 0.3, 0.3], outputs.clone());
        let interpretation = Interpretation::new(&whole, &names);
        assert!(interpretation.contrast(&interpretation.scores[1]).is_none());
        // Two classes on the page: one score and its mirror image.
        let two = chosen(explained(text("x"), "a", &[0.6, 0.4], outputs[..2].to_vec()));
        let interpretation = Interpretation::new(&two, &names[..2]);
        assert!(interpretation.contrast(&interpretation.scores[1]).is_none());
    }
}
