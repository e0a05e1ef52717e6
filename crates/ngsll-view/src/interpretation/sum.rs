//! A score written out as a sum that a reader can check with pencil and paper.

use super::Start;
use crate::number_format::{Number, decimals_of};
use ngsll::explanation::ScoreExplanation;

/// One score, its intercept and its terms, all with the same number of decimals.
pub(crate) struct Sum {
    intercept: Number,
    /// In the order of the output's terms.
    pub(crate) terms: Vec<Number>,
    /// The result.
    pub(crate) score: Number,
}

/// One addend, or the result, as it is written.
pub(crate) struct Part {
    /// `+` or `−` between addends, `=` or `≈` before the result, nothing before the first.
    pub(crate) operator: &'static str,
    /// The name of the addend; empty for the result.
    pub(crate) name: String,
    /// The number after the operator.
    pub(crate) number: String,
    /// Whether it takes away, for a term; `None` for intercept and result.
    pub(crate) negative: Option<bool>,
}

impl Sum {
    /// The sum with as many decimals as its size requires, or one more if only then the rounded numbers
    /// add up; if they never do, it says `≈`.
    pub(crate) fn of(output: &ScoreExplanation) -> Self {
        let decimals = decimals(output);
        let mut sums = (decimals..=decimals + 1).map(|d| Self::rounded(output, d));
        let found = sums.find(Self::adds_up);
        found.unwrap_or_else(|| Self::rounded(output, decimals))
    }

    fn rounded(output: &ScoreExplanation, decimals: usize) -> Self {
        let number = |exact| Number::new(exact, decimals);
        Self {
            intercept: number(output.intercept),
            terms: output.terms.iter().map(|t| number(t.contribution)).collect(),
            score: number(output.score),
        }
    }

    /// The constant beside the terms.
    pub(crate) fn intercept(&self) -> Number {
        self.intercept
    }

    /// Whether the numbers add up as they are printed.
    fn adds_up(&self) -> bool {
        let addends = std::iter::once(&self.intercept).chain(&self.terms);
        let total = addends.map(|n| n.units()).sum::<Option<i64>>();
        total.is_some() && total == self.score.units()
    }

    /// The sum in reading order: its first number (an intercept only if there is one), terms,
    /// result.
    pub(crate) fn parts(&self, output: &ScoreExplanation, start: &Start) -> Vec<Part> {
        let mut parts = Vec::with_capacity(self.terms.len() + 2);
        let has_start = *start != Start::Intercept || output.intercept != 0.0;
        if has_start || self.terms.is_empty() {
            let (name, number) = start.written(self.intercept);
            parts.push(Part { operator: "", name, number, negative: None });
        }
        for (term, number) in output.terms.iter().zip(&self.terms) {
            let name = format!("“{}”", term.name);
            let (operator, written) = match (parts.is_empty(), number.is_negative()) {
                (true, _) => ("", number.to_string()),
                (false, true) => ("−", number.magnitude()),
                (false, false) => ("+", number.magnitude()),
            };
            let negative = Some(number.is_negative());
            parts.push(Part { operator, name, number: written, negative });
        }
        let operator = if self.adds_up() { "=" } else { "≈" };
        let number = self.score.to_string();
        parts.push(Part { operator, name: String::new(), number, negative: None });
        parts
    }
}

fn decimals(output: &ScoreExplanation) -> usize {
    decimals_of(output.terms.iter().map(|t| t.contribution).chain([output.intercept, output.score]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::output;

    fn line(output: &ScoreExplanation) -> String {
        starting(output, &Start::Intercept)
    }

    fn starting(output: &ScoreExplanation, start: &Start) -> String {
        let parts = Sum::of(output).parts(output, start).into_iter();
        let words = parts.flat_map(|p| [p.operator.to_string(), p.name, p.number]);
        words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_sum_reads_from_intercept_to_score() {
        let far = output("high", -0.12, &[("far", 2.31), ("slow", -0.4)]);
        assert_eq!(line(&far), "intercept −0.12 + “far” 2.31 − “slow” 0.40 = 1.79");
        let slow = output("high", 0.0, &[("slow", -0.4), ("far", 0.25)]);
        assert_eq!(line(&slow), "“slow” −0.40 + “far” 0.25 = −0.15");
    }

    #[test]
    fn a_sum_without_terms_is_its_intercept() {
        assert_eq!(line(&output("high", 0.0, &[])), "intercept 0.00 = 0.00");
        assert_eq!(line(&output("high", -1.5, &[])), "intercept −1.50 = −1.50");
    }

    #[test]
    fn the_score_with_no_feature_known_reads_as_what_it_is() {
        let far = output("high", -1.15, &[("far", 2.31), ("slow", -0.4)]);
        let share =
            |class: Option<&str>| Start::Share { class: class.map(String::from), share: 0.2405 };
        let sum = "(−1.15) + “far” 2.31 − “slow” 0.40 = 0.76";
        assert_eq!(starting(&far, &share(None)), format!("with no feature known: 24.1 % {sum}"));
        let named = format!("with no feature known: high 24.1 % {sum}");
        assert_eq!(starting(&far, &share(Some("high"))), named);
        let price = output("price", 22.5, &[("rooms", 3.1)]);
        let mean = "with no feature known: 22.50 (the mean) + “rooms” 3.10 = 25.60";
        assert_eq!(starting(&price, &Start::Mean), mean);
        let log = Start::Logarithm { unknown: 180_000.0, predicted: 221_000.0 };
        let start = "with no feature known: 180,000 (its logarithm 12.10) + “rooms” 0.21 = 12.31";
        assert_eq!(starting(&output("price", 12.1, &[("rooms", 0.21)]), &log), start);
        // A base rate of one half is a fact about the data, too.
        let even = Start::Share { class: None, share: 0.5 };
        let even = starting(&output("high", 0.0, &[("far", 1.0)]), &even);
        assert_eq!(even, "with no feature known: 50.0 % (0.00) + “far” 1.00 = 1.00");
    }

    #[test]
    fn decimals_follow_the_size_of_the_numbers() {
        let price = output("price", 206_855.4, &[("rooms", 51_000.2)]);
        assert_eq!(line(&price), "intercept 206,855.4 + “rooms” 51,000.2 = 257,855.6");
        let tiny = output("rate", 0.0012, &[("a", 0.0003)]);
        assert_eq!(line(&tiny), "intercept 0.00120 + “a” 0.00030 = 0.00150");
    }

    #[test]
    fn numbers_beyond_rounding_do_not_panic_and_claim_nothing() {
        for odd in [f64::NAN, f64::INFINITY, 1e300] {
            assert!(line(&output("high", odd, &[("a", 1.0)])).contains('≈'));
        }
    }

    /// For any sum: the printed numbers add up exactly, or the result says `≈`.
    #[test]
    fn printed_numbers_add_up_or_say_so() {
        let mut state = 7u64;
        let mut exact = 0;
        for round in 0..2000 {
            let mut next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                ((state >> 33) as f64 / f64::from(1u32 << 30) - 1.0) * 10f64.powi(round % 9 - 4)
            };
            let terms: Vec<_> = (0..round as usize % 8).map(|_| ("t", next())).collect();
            let output = output("high", next(), &terms);
            let sum = Sum::of(&output);
            let parts = sum.parts(&output, &Start::Intercept);
            let value = |p: &Part| {
                let digits = p.number.replace('−', "-").replace(['.', ','], "");
                let units: i64 = digits.parse().expect("printed numbers are numbers");
                if p.operator == "−" { -units } else { units }
            };
            let (result, addends) = parts.split_last().expect("there is always a result");
            let total: i64 = addends.iter().map(value).sum();
            assert_eq!(total == value(result), result.operator == "=");
            assert!((total - value(result)).abs() <= addends.len() as i64);
            exact += usize::from(result.operator == "=");
        }
        assert!(exact > 1600, "only {exact} of 2000 sums add up as printed");
    }
}
