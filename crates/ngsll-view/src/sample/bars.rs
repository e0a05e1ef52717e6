//! Terms as bars from a centre line: to the right they add, to the left they subtract.

use crate::colour;
use crate::escape;
use crate::interpretation::{Scale, Score, Start, product};
use crate::number_format::Number;
use crate::terminal::lines::{Style, clean, columns, fit, pad};
use ngsll::explanation::Term;

/// The text before a bar: a name and, for columns, the observed value.
pub(super) type Label = (String, String);

/// The text for a score without terms.
fn none(score: &Score) -> &'static str {
    match score.start {
        Start::Intercept => "No feature was used: the intercept alone decides.",
        _ => "No feature was used: this is the answer with no feature known.",
    }
}

/// The bars as a table of the page.
pub(super) fn html(scale: Scale, score: &Score, label: impl Fn(&Term) -> Label) -> String {
    if score.output.terms.is_empty() {
        return format!("<p class=\"none\">{}</p>", none(score));
    }
    let row = |(term, number): (&Term, Number)| {
        let (name, value) = label(term);
        let title = escape(&product(term, number));
        let cells = cells(scale, Some(number));
        format!("<tr title=\"{title}\">{}{cells}</tr>", heading(&name, &value))
    };
    let rows: String = score.terms().map(row).collect();
    format!("<table class=\"bars\"><tbody>{rows}</tbody></table>")
}

/// One side of a comparison: its scale, a score of it, the name of a term, and the value that belongs
/// to a name, even if it is not a term.
pub(super) struct Side<'a> {
    pub(super) scale: Scale,
    pub(super) score: &'a Score<'a>,
    pub(super) name: &'a dyn Fn(&Term) -> String,
    pub(super) value: &'a dyn Fn(&str) -> String,
}

impl Side<'_> {
    /// Name and contribution of every term.
    fn terms(&self) -> Vec<(String, Number)> {
        self.score.terms().map(|(term, number)| ((self.name)(term), number)).collect()
    }
}

/// The bars of two samples side by side, matched by name; both have one scale.
pub(super) fn side_by_side(before: &Side, now: &Side) -> String {
    let (old, new) = (before.terms(), now.terms());
    let find = |terms: &[(String, Number)], name: &str| {
        terms.iter().find(|(n, _)| n == name).map(|(_, number)| *number)
    };
    let gone = old.iter().filter(|(name, _)| find(&new, name).is_none());
    let names = new.iter().chain(gone).map(|(name, _)| name);
    // One rounding for all three columns, so that a row can be checked.
    let decimals = now.score.sum.score.decimals().min(before.score.sum.score.decimals());
    let row = |name: &String| {
        let value = match ((before.value)(name), (now.value)(name)) {
            (was, is) if was == is => is,
            (was, is) => format!("{was} → {is}"),
        };
        let rounded = |terms| find(terms, name).map(|n| n.rounded(decimals));
        let (was, is) = (rounded(&old), rounded(&new));
        let exact = |number: Option<Number>| number.map_or(0.0, Number::exact);
        let change = Number::new(exact(is) - exact(was), decimals);
        format!(
            "<tr>{}{}{}<td class=\"number {}\">{}</td></tr>",
            heading(name, &value),
            cells(before.scale, was),
            cells(now.scale, is),
            if change.is_zero() { "none" } else { colour::class(change.is_negative()) },
            if change.is_zero() { "=".to_string() } else { change.signed() },
        )
    };
    let rows: String = names.map(row).collect();
    if rows.is_empty() {
        return format!("<p class=\"none\">{}</p>", none(now.score));
    }
    format!(
        "<table class=\"bars two\"><thead><tr><td></td><th scope=\"colgroup\" colspan=\"2\">Original</th>\
         <th scope=\"colgroup\" colspan=\"2\">Now</th><th scope=\"col\">Change</th></tr></thead>\
         <tbody>{rows}</tbody></table>"
    )
}

/// The text before a bar.
pub(super) fn heading(name: &str, value: &str) -> String {
    let value = match value {
        "" => String::new(),
        value => format!(" <span class=\"value\">{}</span>", escape(value)),
    };
    format!("<th scope=\"row\">{}{value}</th>", escape(name))
}

/// A bar and its number; a dash if there is no such term.
pub(super) fn cells(scale: Scale, number: Option<Number>) -> String {
    let Some(number) = number else {
        return "<td class=\"track\"></td><td class=\"number none\">–</td>".to_string();
    };
    format!(
        "<td class=\"track {class}\" style=\"--s:{strength:.2}\"><i></i></td>\
         <td class=\"number {class}\">{number}</td>",
        class = colour::class(number.is_negative()),
        strength = scale.share(number),
        number = number.signed(),
    )
}

/// The bars as lines of the terminal, at most `width` columns wide.
pub(super) fn lines(
    scale: Scale,
    score: &Score,
    style: Style,
    width: usize,
    label: impl Fn(&Term) -> Label,
) -> Vec<String> {
    if score.output.terms.is_empty() {
        return vec![none(score).to_string()];
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
    // Numbers are never cut; names, values and bars share the rest of the width.
    let available = width.saturating_sub(numbers + 5).max(12);
    let names = widest(&|r| r.0.0.clone()).min(available / 2);
    let values = widest(&|r| r.0.1.clone()).min(available / 4);
    let half = ((available.saturating_sub(names + values)) / 2).clamp(2, 10);
    let line = |((name, value), number): &(Label, Number)| {
        let mut line = format!("{}  ", pad(&fit(name, names), names));
        if values > 0 {
            line += &format!("{}  ", pad(&fit(value, values), values));
        }
        let bar = bar(scale.share(*number), number.is_negative(), half);
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
    use crate::interpretation::Interpretation;
    use crate::test_samples::{classes, explained, output, text};

    #[test]
    fn two_samples_are_matched_by_name_on_one_scale() {
        let side = |terms: &[(&str, f64)]| {
            explained(text("x"), "high", &[0.3, 0.7], vec![output("high", 0.0, terms)])
        };
        let (before, now) = (side(&[("a", 4.0), ("b", -1.0)]), side(&[("c", 2.0), ("b", -1.0)]));
        let classes = classes(&["low", "high"]);
        let mut interpretations =
            [&before, &now].map(|sample| Interpretation::new(sample, &classes));
        Interpretation::share_scale(&mut interpretations);
        let name = |term: &Term| term.name.clone();
        let (old, new) = (
            |_: &str| "1".to_string(),
            |name: &str| if name == "a" { "2" } else { "1" }.to_string(),
        );
        let [before, now] = &interpretations;
        let html = side_by_side(
            &Side { scale: before.scale(), score: &before.scores[0], name: &name, value: &old },
            &Side { scale: now.scale(), score: &now.scores[0], name: &name, value: &new },
        );
        let rows: Vec<&str> = html.split("<tr>").skip(2).collect();
        assert_eq!(rows.len(), 3, "{html}");
        // New first, then kept, then gone; half of the larger sample's largest bar.
        assert!(rows[0].contains(">c <") && rows[0].contains("--s:0.50"), "{html}");
        assert!(rows[0].contains("–</td>") && rows[0].ends_with(">+2.00</td></tr>"), "{html}");
        assert!(rows[1].contains(">b <") && rows[1].contains("none\">=</td>"), "{html}");
        // A value that changed is also shown if the term is gone.
        assert!(rows[2].contains("1 → 2"), "{html}");
        assert!(rows[2].contains(">a <") && rows[2].contains("neg\">−4.00</td>"), "{html}");
    }

    #[test]
    fn bars_grow_from_the_centre() {
        assert_eq!(bar(1.0, false, 4), "    │████");
        assert_eq!(bar(0.6, true, 4), " ▐██│    ");
        assert_eq!(bar(0.0, false, 2), "  │▌ ");
    }
}
