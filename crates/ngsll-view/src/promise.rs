//! The promise of an explanation, its limits, and figures measured of it.

use crate::escape;
use crate::measured::Measured;
use crate::terminal::lines::{Piece, Style, wrap};
use crate::{colour, sample};
use ngsll::{Evidence, SampleView};

const CHOSEN: &str = "The prediction was made from these K features; the network that weighed them saw nothing else.";
const CHOICE: &str = "The features were chosen with the whole sample in view; other features may support the same or another answer.";
const TEXT: &str = "The length of the text and the positions of the words remain visible.";
const WHOLE: &str = "The K terms add up to the score; the network that wrote the weights has read the whole sample, so a term need not be the reason.";

/// The promise of a model's explanations, then its limits, in sentences; `texts` says whether its samples
/// are texts.
///
/// ```
/// let [promised, ..] = ngsll_view::promise(ngsll::Evidence::Chosen, false)[..] else { panic!() };
/// assert!(promised.ends_with("the network that weighed them saw nothing else."));
/// ```
pub fn promise(evidence: Evidence, texts: bool) -> Vec<&'static str> {
    match evidence {
        Evidence::Chosen if texts => vec![CHOSEN, CHOICE, TEXT],
        Evidence::Chosen => vec![CHOSEN, CHOICE],
        _ => vec![WHOLE],
    }
}

/// The promise with the measured figures, as lines of at most `width` columns, to print under explanations in a terminal.
pub fn terminal_promise(
    evidence: Evidence,
    texts: bool,
    measured: &Measured,
    colour: bool,
    width: usize,
) -> String {
    let sentences = promise(evidence, texts).join(" ");
    let lines = std::iter::once(sentences).chain(measured.paragraphs()).flat_map(|paragraph| {
        let words = paragraph.split(' ').map(|word| Piece::plain(word.to_string()));
        wrap(words, width.max(24))
    });
    let style = Style { colour };
    lines.map(|line| style.paint(colour::FAINT, &line) + "\n").collect()
}

/// The promise as paragraphs under the legend of a page that shows samples such as `view`.
pub(crate) fn html(evidence: Evidence, view: &SampleView, measured: &Measured) -> String {
    let sentences = promise(evidence, sample::is_text(view));
    let (first, rest) = (sentences[0], sentences[1..].join(" "));
    let promise = format!("<p class=\"promise\"><b>{}</b> {}</p>\n", escape(first), escape(&rest));
    promise + &measured.html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_evidence_promises_what_it_keeps() {
        assert_eq!(promise(Evidence::Chosen, true).len(), 3);
        assert_eq!(promise(Evidence::Chosen, false), [CHOSEN, CHOICE]);
        assert_eq!(promise(Evidence::Whole, true), [WHOLE]);
        let measured = Measured::default();
        let lines = terminal_promise(Evidence::Chosen, false, &measured, false, 40);
        assert!(lines.lines().all(|line| line.chars().count() <= 40), "{lines}");
        assert_eq!(
            lines.split_whitespace().collect::<Vec<_>>().join(" "),
            format!("{CHOSEN} {CHOICE} {}", measured.paragraphs().concat())
        );
    }
}
