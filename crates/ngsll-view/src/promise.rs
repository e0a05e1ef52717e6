//! The promise of an explanation, its limits, and figures measured of it.

use crate::colour;
use crate::escape;
use crate::measured::Measured;
use crate::terminal::lines::{Piece, Style, wrap};
use ngsll::representation::Representation;
use ngsll::{Evidence, SampleView};

const CHOSEN: &str = "The prediction was made from these K features; the network that weighed them saw nothing else.";
const CHOICE: &str = "The features were chosen with the whole sample in view; other features may support the same or another answer.";
const TEXT: &str = "The length of the text and the positions of the words remain visible.";
const OUTLINES: &str = "The outlines of the chosen regions remain visible; they were drawn with the whole picture in view.";
const WHOLE: &str = "The K terms add up to the score; the network that wrote the weights has read the whole sample, so a term need not be the reason.";

/// What a network can tell of a sample besides the chosen features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Beside {
    /// Nothing that is not the same for all samples.
    Nothing,
    /// The length of a text and the positions of its words.
    Positions,
    /// The outlines of regions that the image was cut into.
    Outlines,
}

impl Beside {
    /// That of the samples of a model.
    pub fn features_of(representation: &Representation) -> Self {
        match representation {
            Representation::Words(_) => Self::Positions,
            Representation::Grid(grid) if grid.superpixels() => Self::Outlines,
            _ => Self::Nothing,
        }
    }

    fn features_in(view: &SampleView) -> Self {
        match view {
            SampleView::Text { .. } => Self::Positions,
            SampleView::Image { own_regions: true, .. } => Self::Outlines,
            _ => Self::Nothing,
        }
    }
}

/// What the explanations of a model promise, then what they do not, in sentences.
///
/// ```
/// use ngsll_view::{Beside, promise};
/// let [promised, ..] = promise(ngsll::Evidence::Chosen, Beside::Nothing)[..] else { panic!() };
/// assert!(promised.ends_with("the network that weighed them saw nothing else."));
/// ```
pub fn promise(evidence: Evidence, beside: Beside) -> Vec<&'static str> {
    match (evidence, beside) {
        (Evidence::Chosen, Beside::Positions) => vec![CHOSEN, CHOICE, TEXT],
        (Evidence::Chosen, Beside::Outlines) => vec![CHOSEN, CHOICE, OUTLINES],
        (Evidence::Chosen, Beside::Nothing) => vec![CHOSEN, CHOICE],
        _ => vec![WHOLE],
    }
}

/// The same with the measured figures, as lines of at most `width` columns, to print under explanations in a terminal.
pub fn terminal_promise(
    evidence: Evidence,
    beside: Beside,
    measured: &Measured,
    colour: bool,
    width: usize,
) -> String {
    let sentences = promise(evidence, beside).join(" ");
    let lines = std::iter::once(sentences).chain(measured.paragraphs()).flat_map(|paragraph| {
        let words = paragraph.split(' ').map(|word| Piece::plain(word.to_string()));
        wrap(words, width.max(24))
    });
    let style = Style { colour };
    lines.map(|line| style.paint(colour::FAINT, &line) + "\n").collect()
}

/// The same as paragraphs under the legend of a page that shows samples such as `view`.
pub(crate) fn html(evidence: Evidence, view: &SampleView, measured: &Measured) -> String {
    let sentences = promise(evidence, Beside::features_in(view));
    let (first, rest) = (sentences[0], sentences[1..].join(" "));
    let promise = format!("<p class=\"promise\"><b>{}</b> {}</p>\n", escape(first), escape(&rest));
    promise + &measured.html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_evidence_promises_what_it_keeps() {
        assert_eq!(promise(Evidence::Chosen, Beside::Positions), [CHOSEN, CHOICE, TEXT]);
        assert_eq!(promise(Evidence::Chosen, Beside::Outlines), [CHOSEN, CHOICE, OUTLINES]);
        assert_eq!(promise(Evidence::Chosen, Beside::Nothing), [CHOSEN, CHOICE]);
        assert_eq!(promise(Evidence::Whole, Beside::Positions), [WHOLE]);
        let measured = Measured::default();
        let lines = terminal_promise(Evidence::Chosen, Beside::Nothing, &measured, false, 40);
        assert!(lines.lines().all(|line| line.chars().count() <= 40), "{lines}");
        assert_eq!(
            lines.split_whitespace().collect::<Vec<_>>().join(" "),
            format!("{CHOSEN} {CHOICE} {}", measured.paragraphs().concat())
        );
    }
}
