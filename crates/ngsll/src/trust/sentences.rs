//! The figures in plain sentences.

use super::Trust;

/// A figure and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sentence {
    /// Whether the promise rests on it: the encoding gap and the contest rate.
    pub key: bool,
    /// A short name.
    pub name: String,
    /// The figure.
    pub figure: String,
    /// Its meaning, in one plain sentence.
    pub meaning: String,
}

/// The figures that the promise rests on.
const KEYS: [&str; 2] = ["encoding gap", "contest rate"];

impl Trust {
    /// Every figure with one plain sentence.
    pub fn sentences(&self) -> Vec<Sentence> {
        let what = if self.own.accuracy.is_some() { "accuracy" } else { "R²" };
        let k = self.k;
        let others = if k == 1 {
            "another feature persuades".into()
        } else {
            format!("up to {k} other features persuade")
        };
        let drawn = if k == 1 { "one feature".into() } else { format!("{k} features") };
        let mut all = Vec::new();
        let mut add = |name: &str, figure: Option<f64>, meaning: String| {
            all.extend(figure.map(|figure| Sentence {
                key: KEYS.contains(&name),
                name: name.to_string(),
                figure: rounded(figure),
                meaning,
            }));
        };
        add("model", self.own.main(), format!("{what} of the model itself, with K = {k}"));
        add(
            "chosen features alone",
            self.chosen.main(),
            format!("{what} of an independent judge that is shown only the chosen features"),
        );
        add(
            KEYS[0],
            self.encoding_gap,
            "what the model knows beyond its features; near 0 nothing suggests that the choice is a code for the answer"
                .into(),
        );
        add(
            "random features",
            self.random.main(),
            format!("{what} of the judge from {drawn} drawn at random"),
        );
        add(
            "all features",
            self.all.main(),
            format!("{what} of the judge that is shown everything"),
        );
        add(
            "chosen features removed",
            self.removed.main(),
            format!("{what} of the judge that is shown everything but the chosen features"),
        );
        add(
            KEYS[1],
            self.contest_rate,
            format!("share of samples in which {others} the judge of another class"),
        );
        for what_if in &self.what_if {
            let spread = what_if.spread;
            add(
                &format!("what if by {spread}, R²"),
                what_if.r2,
                format!(
                    "how well slope × change predicts the score when a chosen number moves by {spread} of its spread"
                ),
            );
            add(
                &format!("what if by {spread}, direction"),
                what_if.sign,
                format!(
                    "share of such moves by {spread} of the spread whose direction is predicted correctly"
                ),
            );
        }
        add(
            "removal, order",
            self.removal.rank_correlation,
            "rank correlation between the terms and the effects of removing their features".into(),
        );
        add(
            "removal, direction",
            self.removal.sign,
            "share of terms whose sign is that of the effect of removing their feature".into(),
        );
        add(
            "most influential named",
            self.removal.most_influential,
            "share of samples in which the feature whose removal moves the score most is a term"
                .into(),
        );
        add(
            "stability",
            self.stability,
            "share of the features that are chosen again when the sample is changed slightly"
                .into(),
        );
        add(
            "stability, other seed",
            self.seed_stability,
            "share of the features that a network trained from another seed also chooses".into(),
        );
        all
    }
}

/// With three decimals; a value that rounds to zero has no sign.
fn rounded(figure: f64) -> String {
    let text = format!("{figure:.3}");
    if text == "-0.000" { "0.000".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn nothing_has_no_sign() {
        let shown = [-0.0004, 0.0004, -0.0006, 0.8125].map(rounded);
        assert_eq!(shown, ["0.000", "0.000", "-0.001", "0.812"]);
    }
}
