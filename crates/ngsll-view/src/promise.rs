//! The promise of an explanation, its limits, and figures measured of it.

use crate::colour;
use crate::escape;
use crate::measured::Measured;
use crate::terminal::lines::{Piece, Style, wrap};
use ngsll::generator::Generator;
use ngsll::{Evidence, Model, SampleView};

/// The promise of a model's explanations with the measured figures, as lines of at most `width` columns, to print
/// under explanations in a terminal.
pub fn terminal_promise<G: Generator>(
    model: &Model<G>,
    measured: &Measured,
    colour: bool,
    width: usize,
) -> String {
    lines_of(&model.promise(), measured, colour, width)
}

fn lines_of(promise: &[&str], measured: &Measured, colour: bool, width: usize) -> String {
    let sentences = promise.join(" ");
    let lines = std::iter::once(sentences).chain(measured.paragraphs()).flat_map(|paragraph| {
        let words = paragraph.split(' ').map(|word| Piece::plain(word.to_string()));
        wrap(words, width.max(24))
    });
    let style = Style { colour };
    lines.map(|line| style.paint(colour::FAINT, &line) + "\n").collect()
}

/// The promise as paragraphs under the legend of a page that shows samples such as `view`.
pub(crate) fn html(evidence: Evidence, view: &SampleView, measured: &Measured) -> String {
    let sentences = evidence.promise(view.still_visible());
    let (first, rest) = (sentences[0], sentences[1..].join(" "));
    let promise = format!("<p class=\"promise\"><b>{}</b> {}</p>\n", escape(first), escape(&rest));
    promise + &measured.html()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::representation::StillVisible;

    #[test]
    fn lines_fit_the_terminal_and_hold_promise_and_figures() {
        let (promise, measured) =
            (Evidence::Chosen.promise(StillVisible::Nothing), Measured::default());
        let lines = lines_of(&promise, &measured, false, 40);
        assert!(lines.lines().all(|line| line.chars().count() <= 40), "{lines}");
        assert_eq!(
            lines.split_whitespace().collect::<Vec<_>>().join(" "),
            format!("{} {}", promise.join(" "), measured.paragraphs().concat())
        );
    }
}
