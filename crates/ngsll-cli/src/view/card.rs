//! One case as a card of the page.

use super::reading::{Kind, Reading, Score, Verdict, percent};
use super::{Subject, Token, bars, colour, image, row, text};
use ngsll_experiments::figure::escape;

/// One case.
pub(super) fn html(reading: &Reading, index: usize) -> String {
    let id = format!("p{index}");
    let mut body = String::new();
    if let Subject::Image(picture) = &reading.case.subject {
        body += &picture.definition(&id);
    }
    for (rank, score) in reading.scores.iter().take(2).enumerate() {
        body += &section(reading, score, rank, &id);
    }
    if let Some(others) = reading.scores.get(2..).filter(|others| !others.is_empty()) {
        let others_html: String = others.iter().map(|s| section(reading, s, 2, &id)).collect();
        let count = others.len();
        let classes = if count == 1 { "class" } else { "classes" };
        body +=
            &format!("<details><summary>{count} other {classes}</summary>{others_html}</details>");
    }
    if let Subject::Row { cells } = &reading.case.subject {
        body += &row::all_columns(cells);
    }
    let wrong = matches!(reading.verdict(), Verdict::Wrong);
    format!(
        "<article class=\"card{wrong_class}\" data-find=\"{find}\">\n{header}{body}\n</article>\n",
        wrong_class = if wrong { " wrong" } else { "" },
        find = escape(&searchable(reading)),
        header = card_header(reading),
    )
}

/// What a search looks through: row, prediction, truth, text, chosen features.
fn searchable(reading: &Reading) -> String {
    let case = reading.case;
    let mut find = format!("row {} {}", case.row, reading.predicted());
    find += &case.file.as_ref().map(|f| format!(" {f}")).unwrap_or_default();
    find += &case.truth.as_ref().map(|t| format!(" {t}")).unwrap_or_default();
    if let Subject::Text { tokens } = &case.subject {
        let spaced = |t: &Token| format!("{}{}", if t.space_before { " " } else { "" }, t.text);
        find.push(' ');
        find.extend(tokens.iter().map(spaced));
    }
    let terms = reading.scores.first().into_iter().flat_map(|s| &s.output.terms);
    find += &terms.map(|t| format!(" {}", t.name)).collect::<String>();
    find.to_lowercase()
}

/// Row, prediction with its probability, truth.
fn card_header(reading: &Reading) -> String {
    let probability = reading.probability().map_or(String::new(), |p| {
        format!(" <span class=\"probability\">{}</span>", escape(&percent(p)))
    });
    let truth = reading.case.truth.as_deref().map_or(String::new(), |truth| {
        let truth = escape(truth);
        match reading.verdict() {
            Verdict::Right => {
                "<span class=\"truth\" title=\"as in the data\">✓ correct</span>".to_string()
            }
            Verdict::Wrong => format!("<span class=\"truth error\">✗ truth: {truth}</span>"),
            Verdict::Off(by) => {
                format!("<span class=\"truth\">truth: {truth} · off by {}</span>", by.signed())
            }
            Verdict::Open => format!("<span class=\"truth\">truth: {truth}</span>"),
        }
    });
    format!(
        "<header><span class=\"row\">row {row}{file}</span>{truth}<h2>{predicted}{probability}</h2></header>",
        row = reading.case.row,
        file = reading.case.file.as_deref().map_or(String::new(), |f| format!(" · {}", escape(f))),
        predicted = escape(reading.predicted()),
    )
}

/// One score: the subject with its chosen features, and the sum.
fn section(reading: &Reading, score: &Score, rank: usize, id: &str) -> String {
    let heading = match (&reading.kind, rank) {
        (Kind::Classes, 1) => format!("<h3>Runner-up: {}</h3>", named(score)),
        (Kind::Classes, 2) => format!("<h3>{}</h3>", named(score)),
        _ => String::new(),
    };
    let subject = match &reading.case.subject {
        Subject::Text { tokens } => text::html(reading, score, tokens),
        Subject::Row { cells } => row::html(reading, score, cells),
        Subject::Image(picture) => format!(
            "<div class=\"figure\">{}{}</div>",
            image::html(reading, score, picture, id),
            bars::html(reading, score, |term| (term.name.clone(), String::new())),
        ),
    };
    format!("<section>{heading}{subject}{}</section>", sum(reading, score))
}

/// A class with its probability.
fn named(score: &Score) -> String {
    let probability = score.probability.map(percent).unwrap_or_default();
    format!(
        "{} <span class=\"probability\">{}</span>",
        escape(&score.output.name),
        escape(&probability)
    )
}

/// The score written out.
fn sum(reading: &Reading, score: &Score) -> String {
    let parts = score.sum.parts(score.output).into_iter().map(|part| {
        let operator = match part.operator {
            "" => String::new(),
            operator => format!("<b>{operator}</b> "),
        };
        let name = if part.name.is_empty() { part.name } else { escape(&part.name) + " " };
        let side = reading.side(score.sum.score).filter(|_| name.is_empty());
        let side = side.map(|s| format!(" → <b>{}</b>", escape(s))).unwrap_or_default();
        let class = part.negative.map_or("", colour::class);
        format!("<span class=\"{class}\">{operator}{name}<b>{}</b>{side}</span>", part.number)
    });
    format!("<p class=\"sum\">{}</p>", parts.collect::<Vec<_>>().join(" "))
}
