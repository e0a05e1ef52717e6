//! The promise of an explanation and its limits, in words.

use super::Evidence;
use crate::generator::Generator;
use crate::model::Model;

const CHOSEN: &str = "The prediction was made from these K features; the network that weighed them saw nothing else.";
const CHOICE: &str = "The features were chosen with the whole sample in view; other features may support the same or another answer.";
const TEXT: &str = "The length of the text and the positions of the words remain visible.";
const WHOLE: &str = "The K terms add up to the score; the network that wrote the weights has read the whole sample, so a term need not be the reason.";

impl Evidence {
    /// The promise of explanations, then its limits, in sentences; `texts` says whether the samples are texts.
    ///
    /// ```
    /// let [promised, ..] = ngsll::Evidence::Chosen.promise(false)[..] else { panic!() };
    /// assert!(promised.ends_with("the network that weighed them saw nothing else."));
    /// ```
    pub fn promise(self, texts: bool) -> Vec<&'static str> {
        match self {
            Self::Chosen if texts => vec![CHOSEN, CHOICE, TEXT],
            Self::Chosen => vec![CHOSEN, CHOICE],
            Self::Whole => vec![WHOLE],
        }
    }
}

impl<G: Generator> Model<G> {
    /// The promise of the model's explanations, then its limits, in sentences.
    pub fn promise(&self) -> Vec<&'static str> {
        self.evidence().promise(self.representation().reads_texts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_evidence_promises_what_it_keeps() {
        assert_eq!(Evidence::Chosen.promise(true).len(), 3);
        assert_eq!(Evidence::Chosen.promise(false), [CHOSEN, CHOICE]);
        assert_eq!(Evidence::Whole.promise(true), [WHOLE]);
    }
}
