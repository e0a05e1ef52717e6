//! A comparison of two classes: the contribution of each feature to both, and the difference as a bar.

use super::bars::{self, Label};
use crate::colour;
use crate::interpretation::{Contrast, Scale};
use crate::markup::{cut, escape};
use crate::number_format::Number;
use crate::terminal::lines::Style;
use ngsll::explanation::Term;

/// The most characters of a class's name in the head of a table.
const LONGEST: usize = 24;

/// The differences as a table, the largest first.
pub(super) fn html(contrast: &Contrast, label: impl Fn(&Term) -> Label) -> String {
    let score = contrast.score();
    let scale = Scale::of(&score.output.terms);
    let decimals = score.sum.score.decimals();
    let side = |number: Option<Number>| match number {
        Some(number) => {
            let class = colour::class(number.is_negative());
            let written = Number::new(number.exact(), decimals).signed();
            format!("<td class=\"number {class}\">{written}</td>")
        }
        None => "<td class=\"number none\">–</td>".to_string(),
    };
    let row = |(term, number): (&Term, Number)| {
        let (name, value) = label(term);
        let sides = contrast.both(term.feature).map(side).concat();
        let difference = bars::cells(scale, Some(number));
        format!("<tr>{}{sides}{difference}</tr>", bars::heading(&name, &value))
    };
    let rows: String = score.terms().map(row).collect();
    if rows.is_empty() {
        return "<p class=\"none\">No feature was used.</p>".to_string();
    }
    let class = |name: &str| {
        format!("<th scope=\"col\" title=\"{}\">{}</th>", escape(name), escape(&cut(name, LONGEST)))
    };
    format!(
        "<table class=\"bars contrast\"><thead><tr><td></td>{}{}<th scope=\"colgroup\" colspan=\"2\">Difference</th>\
         </tr></thead><tbody>{rows}</tbody></table>",
        class(&contrast.first.output.name),
        class(&contrast.second.output.name),
    )
}

/// The differences as lines of the terminal, at most `width` columns wide.
pub(super) fn lines(
    contrast: &Contrast,
    style: Style,
    width: usize,
    label: impl Fn(&Term) -> Label,
) -> Vec<String> {
    let score = contrast.score();
    bars::lines(Scale::of(&score.output.terms), &score, style, width, label)
}
