//! Terms as bars from a centre line: right adds, left takes away.

use super::colour;
use super::lines::{Style, clean, columns, fit, pad};
use super::reading::{Reading, Score, product};
use super::sum::Number;
use ngsll::explanation::Term;
use ngsll_experiments::figure::escape;

/// What stands before a bar: a name and, for columns, the observed value.
pub(super) type Label = (String, String);

/// The bars as a table of the page.
pub(super) fn html(reading: &Reading, score: &Score, label: impl Fn(&Term) -> Label) -> String {
    if score.output.terms.is_empty() {
        return "<p class=\"none\">No feature was used: the intercept alone decides.</p>"
            .to_string();
    }
    let row = |(term, number): (&Term, Number)| {
        let (name, value) = label(term);
        let value = match value.as_str() {
            "" => String::new(),
            value => format!(" <span class=\"value\">{}</span>", escape(value)),
        };
        format!(
            "<tr class=\"{class}\" style=\"--s:{strength:.2}\" title=\"{title}\">\
             <th scope=\"row\">{name}{value}</th><td class=\"track\"><i></i></td>\
             <td class=\"number\">{number}</td></tr>",
            class = colour::class(number.is_negative()),
            strength = reading.strength(number),
            title = escape(&product(term, number)),
            name = escape(&name),
            number = number.signed(),
        )
    };
    let rows: String = score.terms().map(row).collect();
    format!("<table class=\"bars\"><tbody>{rows}</tbody></table>")
}

/// The bars as lines of the terminal, at most `width` columns wide.
pub(super) fn lines(
    reading: &Reading,
    score: &Score,
    style: Style,
    width: usize,
    label: impl Fn(&Term) -> Label,
) -> Vec<String> {
    if score.output.terms.is_empty() {
        return vec!["no feature was used: the intercept alone decides".to_string()];
    }
    let row = |(term, number): (&Term, Number)| {
        let (name, value) = label(term);
        ((clean(&name), clean(&value)), number)
    };
    let rows: Vec<(Label, Number)> = score.terms().map(row).collect();
    let widest = |part: &dyn Fn(&(Label, Number)) -> String| {
        rows.iter().map(|r| columns(&part(r))).max().unwrap_or(0)
    };
    let numbers = widest(&|r| r.1.signed());
    // Numbers are never cut; names, values and bars share what is left.
    let room = width.saturating_sub(numbers + 5).max(12);
    let names = widest(&|r| r.0.0.clone()).min(room / 2);
    let values = widest(&|r| r.0.1.clone()).min(room / 4);
    let half = ((room.saturating_sub(names + values)) / 2).clamp(2, 10);
    let line = |((name, value), number): &(Label, Number)| {
        let mut line = format!("{}  ", pad(&fit(name, names), names));
        if values > 0 {
            line += &format!("{}  ", pad(&fit(value, values), values));
        }
        let bar = bar(reading.strength(*number), number.is_negative(), half);
        line += &style.paint(&colour::ink(number.is_negative()), &bar);
        let signed = number.signed();
        line + &format!(" {signed:>numbers$}")
    };
    rows.iter().map(line).collect()
}

/// A bar of `half` columns on each side of its centre line.
fn bar(strength: f64, negative: bool, half: usize) -> String {
    let halves = (strength * 2.0 * half as f64).round().max(1.0) as usize;
    let (full, rest) = (halves / 2, halves % 2);
    let (blank, blocks) = (" ".repeat(half - full - rest), "█".repeat(full));
    if negative {
        format!("{blank}{}{blocks}│{}", "▐".repeat(rest), " ".repeat(half))
    } else {
        format!("{}│{blocks}{}{blank}", " ".repeat(half), "▌".repeat(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_from_the_centre() {
        assert_eq!(bar(1.0, false, 4), "    │████");
        assert_eq!(bar(0.6, true, 4), " ▐██│    ");
        assert_eq!(bar(0.0, false, 2), "  │▌ ");
    }
}
