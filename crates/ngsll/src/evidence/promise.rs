//! The promise of an explanation and its limits, in words.

use super::Evidence;
use crate::generator::Generator;
use crate::model::Model;
use crate::representation::StillVisible;

const CHOSEN: &str = "The prediction was made from these K features; the network that weighed them saw nothing else.";
const CHOICE: &str = "The features were chosen with the whole sample in view; other features may support the same or another answer.";
const POSITIONS: &str = "The length of the text and the positions of the words remain visible.";
const OUTLINES: &str = "The outlines of the chosen regions remain visible; they were drawn with the whole picture in view.";
const WHOLE: &str = "The K terms add up to the score; the network that wrote the weights has read the whole sample, so a term need not be the reason.";

impl Evidence {
    /// The promise of explanations, then its limits, in sentences.
    ///
    /// ```
    /// use ngsll::{Evidence, representation::StillVisible};
    /// let [promised, ..] = Evidence::Chosen.promise(StillVisible::Nothing)[..] else { panic!() };
    /// assert!(promised.ends_with("the network that weighed them saw nothing else."));
    /// ```
    pub fn promise(self, visible: StillVisible) -> Vec<&'static str> {
        match (self, visible) {
            (Self::Chosen, StillVisible::Nothing) => vec![CHOSEN, CHOICE],
            (Self::Chosen, StillVisible::Positions) => vec![CHOSEN, CHOICE, POSITIONS],
            (Self::Chosen, StillVisible::Outlines) => vec![CHOSEN, CHOICE, OUTLINES],
            (Self::Whole, _) => vec![WHOLE],
        }
    }
}

impl<G: Generator> Model<G> {
    /// The promise of the model's explanations, then its limits, in sentences.
    pub fn promise(&self) -> Vec<&'static str> {
        self.evidence().promise(self.representation().still_visible())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_evidence_promises_what_it_keeps() {
        let chosen = |visible| Evidence::Chosen.promise(visible);
        assert_eq!(chosen(StillVisible::Positions), [CHOSEN, CHOICE, POSITIONS]);
        assert_eq!(chosen(StillVisible::Outlines), [CHOSEN, CHOICE, OUTLINES]);
        assert_eq!(chosen(StillVisible::Nothing), [CHOSEN, CHOICE]);
        assert_eq!(Evidence::Whole.promise(StillVisible::Positions), [WHOLE]);
    }
}
