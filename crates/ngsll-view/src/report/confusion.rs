//! Truth against prediction, and each class by itself.

use super::panel::{Numbers, ReportPanel};
use crate::escape;
use crate::markup::cut;
use crate::number_format::{count, percent};
use ngsll::metrics::{ClassCounts, Confusion};

/// With more classes a matrix is unreadable; the most common mistakes are listed instead.
const MATRIX: usize = 20;
/// The width in pixels of a cell, of a letter, and of a figure that is not wide.
const CELL: usize = 53;
const LETTER: usize = 8;
const ROOM: usize = 540;
/// The most mistakes and classes that are listed.
const LISTED: usize = 15;
/// The most characters of a class's name.
const NAME: usize = 28;

/// The matrix or the most common mistakes, and the classes.
pub(super) fn panels(classes: &[String], confusion: &Confusion) -> Vec<ReportPanel> {
    let counts = confusion.by_class(classes.len());
    let first = match classes.len() <= MATRIX {
        true => matrix(classes, &counts, confusion),
        false => mistakes(classes, confusion),
    };
    let second = ReportPanel { wide: first.wide, ..by_class(classes, &counts) };
    vec![first, second]
}

fn matrix(classes: &[String], counts: &[ClassCounts], confusion: &Confusion) -> ReportPanel {
    let name = |class: &String| {
        format!("<span title=\"{}\">{}</span>", escape(class), escape(&cut(class, NAME)))
    };
    let header: String =
        classes.iter().map(|c| format!("<th scope=\"col\">{}</th>", name(c))).collect();
    let row = |(truth, of): (usize, &ClassCounts)| {
        let cell = |predicted: usize| {
            let n = confusion.count(truth, predicted);
            if n == 0 {
                return "<td class=\"zero\">0</td>".to_string();
            }
            let class = if truth == predicted { "hit" } else { "miss" };
            let share = n as f64 / of.truths as f64;
            // Mistakes are few: their square root makes them distinguishable.
            let strength = if truth == predicted { share } else { share.sqrt() };
            format!(
                "<td class=\"{class}\" style=\"--s:{strength:.3}\" title=\"{}\">{}</td>",
                escape(&format!(
                    "{} of {} rows of {} were predicted to be {}",
                    count(n),
                    count(of.truths),
                    classes[truth],
                    classes[predicted]
                )),
                count(n)
            )
        };
        let cells: String = (0..classes.len()).map(cell).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", name(&classes[truth]))
    };
    let rows: String = counts.iter().enumerate().map(row).collect();
    let longest = classes.iter().map(|c| c.chars().count()).max().unwrap_or(0).min(NAME) * LETTER;
    // Names that are wider than their column are turned upright if there are several.
    let upright = if classes.len() > 4 && longest > CELL { " upright" } else { "" };
    let body = format!(
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"confusion{upright}\">\
         <caption class=\"unseen\">Rows are true classes, columns predicted ones</caption><thead>\
         <tr><td></td><th class=\"axis\" colspan=\"{n}\">predicted</th></tr>\
         <tr><th class=\"axis\">truth</th>{header}</tr></thead><tbody>{rows}</tbody></table></div>",
        n = classes.len(),
    );
    let note = "One row per true class. Correct predictions are on the diagonal; the stronger the colour, the larger the share of its row.";
    ReportPanel {
        title: "Truth against prediction",
        note: note.to_string(),
        body,
        numbers: None,
        wide: classes.len() * CELL + longest > ROOM,
    }
}

/// The most common mistakes of many classes.
fn mistakes(classes: &[String], confusion: &Confusion) -> ReportPanel {
    let all = confusion.mistakes();
    let most = all.first().map_or(1, |m| m.2);
    let row = |&(truth, predicted, n): &(usize, usize, u64)| {
        format!(
            "<tr style=\"--s:{:.3}\"><th scope=\"row\">{} <span class=\"value\">taken for {}</span></th>\
             <td class=\"track\"><i></i></td><td class=\"number\">{}</td></tr>",
            n as f64 / most as f64,
            escape(&cut(&classes[truth], NAME)),
            escape(&cut(&classes[predicted], NAME)),
            count(n)
        )
    };
    let rows: String = all.iter().take(LISTED).map(row).collect();
    let body = match all.is_empty() {
        true => "<p class=\"none\">There is none.</p>".to_string(),
        false => format!("<table class=\"lengths\"><tbody>{rows}</tbody></table>"),
    };
    let note = format!(
        "{}; a matrix of {} classes would be too large to read.",
        match all.len() {
            n if n > LISTED => format!("The {LISTED} most common ones"),
            _ => "All that occur".to_string(),
        },
        count(classes.len() as u64)
    );
    ReportPanel { title: "The most common mistakes", note, body, numbers: None, wide: false }
}

/// The numbers of samples found of each class, and of its right predictions.
fn by_class(classes: &[String], counts: &[ClassCounts]) -> ReportPanel {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    let many = classes.len() > MATRIX;
    if many {
        // The worst first; classes without rows have nothing to show.
        order.retain(|&c| counts[c].truths > 0);
        order.sort_by(|&a, &b| {
            let recall = |c: usize| counts[c].recall().unwrap_or(1.0);
            recall(a).total_cmp(&recall(b)).then(counts[b].truths.cmp(&counts[a].truths))
        });
    }
    let share = |value: Option<f64>| match value {
        Some(v) => format!("<td class=\"share\" style=\"--s:{v:.3}\"><i></i>{}</td>", percent(v)),
        None => "<td class=\"share none\" title=\"there are none\">–</td>".to_string(),
    };
    let row = |&c: &usize| {
        format!(
            "<tr><th scope=\"row\" title=\"{}\">{}</th><td>{}</td>{}{}<td>{}</td></tr>",
            escape(&classes[c]),
            escape(&cut(&classes[c], NAME)),
            count(counts[c].truths),
            share(counts[c].recall()),
            share(counts[c].precision()),
            counts[c].f1().map_or("–".to_string(), |f1| format!("{f1:.3}")),
        )
    };
    let shown = if many { &order[..order.len().min(LISTED)] } else { &order[..] };
    let rows: String = shown.iter().map(row).collect();
    let body = format!(
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"classes\"><thead><tr><th scope=\"col\">class</th>\
         <th scope=\"col\">rows</th><th scope=\"col\">recall</th>\
         <th scope=\"col\">precision</th><th scope=\"col\">F1</th></tr></thead><tbody>{rows}</tbody></table></div>"
    );
    let numbers = many.then(|| Numbers {
        header: ["class", "rows", "predictions", "right"].map(String::from).to_vec(),
        rows: (0..classes.len())
            .map(|c| {
                let ClassCounts { truths, predictions, right, .. } = counts[c];
                vec![classes[c].clone(), count(truths), count(predictions), count(right)]
            })
            .collect(),
    });
    let note = match many {
        true => format!(
            "The {} classes with the lowest recall, the share of their rows that was found; precision is the share of their predictions that was right, and F1 the harmonic mean of the two.",
            shown.len()
        ),
        false => {
            "Recall is the share of a class that was found, precision the share of its predictions that was right, and F1 the harmonic mean of the two."
                .to_string()
        }
    };
    ReportPanel { title: "Class by class", note, body, numbers, wide: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|c| format!("<c{c}>")).collect()
    }

    #[test]
    fn every_count_stands_in_the_matrix_and_names_are_escaped() {
        let mut confusion = Confusion::default();
        (0..1200).for_each(|_| confusion.add(0, 0));
        confusion.add(0, 1);
        let panels = panels(&names(3), &confusion);
        let body = &panels[0].body;
        assert!(body.contains(">1,200</td>") && body.contains("class=\"miss\""), "{body}");
        assert_eq!(body.matches("class=\"zero\"").count(), 7);
        assert!(body.contains("&lt;c0&gt;") && !body.contains("<c0>"));
        assert!(panels[1].body.contains("title=\"there are none\">–"), "class 2 never occurred");
    }

    #[test]
    fn of_many_classes_the_commonest_mistakes_are_listed() {
        let mut confusion = Confusion::default();
        for i in 0..300 {
            (0..=i).for_each(|_| confusion.add(i, (i + 1) % 300));
        }
        let panels = panels(&names(300), &confusion);
        assert_eq!(panels[0].body.matches("<tr").count(), LISTED);
        assert!(panels[0].body.contains("&lt;c299&gt; <span class=\"value\">taken for &lt;c0&gt;"));
        assert_eq!(panels[1].numbers.as_ref().map(|n| n.rows.len()), Some(300));
        let none = super::panels(&names(300), &Confusion::default());
        assert!(none[0].body.contains("There is none."));
    }
}
