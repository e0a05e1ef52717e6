//! One case as a card of the page.

use super::lines::cut;
use super::reading::{Kind, Reading, Score, Verdict, percent};
use super::{Subject, Token, bars, colour, image, row, text};
use ngsll::explanation::Prediction;
use ngsll_experiments::figure::escape;

/// One case.
pub(super) fn html(reading: &Reading, index: usize) -> String {
    let id = format!("p{index}");
    let mut body = String::new();
    if let Subject::Image(picture) = &reading.case.subject {
        body += &picture.definition(&id);
    }
    for (rank, score) in reading.scores.iter().take(2).enumerate() {
        body += &section(reading, score, Role::of(rank), &id);
    }
    body += &other_side(reading);
    let others: Vec<&Score> = reading.scores.iter().skip(2).collect();
    let (truth, others): (Vec<&Score>, Vec<&Score>) =
        others.into_iter().partition(|s| reading.is_truth(s));
    body += &truth.into_iter().map(|s| section(reading, s, Role::Truth, &id)).collect::<String>();
    body += &folded(reading, &others, &id);
    if let Subject::Row { cells } = &reading.case.subject {
        body += &row::all_columns(cells);
    }
    let wrong = matches!(reading.verdict(), Verdict::Wrong);
    format!(
        "<article class=\"card{wrong_class}\"{order} data-find=\"{find}\">\n{header}{body}\n</article>\n",
        order = ordered(reading),
        wrong_class = if wrong { " wrong" } else { "" },
        find = escape(&searchable(reading)),
        header = card_header(reading),
    )
}

/// What a score is shown as.
#[derive(Clone, Copy)]
enum Role {
    Predicted,
    RunnerUp,
    Truth,
    Other,
}

impl Role {
    fn of(rank: usize) -> Self {
        if rank == 0 { Self::Predicted } else { Self::RunnerUp }
    }
}

/// Classes that are shown beside the first ones: a page of hundreds of classes stays a page.
const OTHERS: usize = 8;

/// The scores that are neither predicted, runner-up nor true, folded away.
fn folded(reading: &Reading, others: &[&Score], id: &str) -> String {
    if others.is_empty() {
        return String::new();
    }
    let shown = &others[..others.len().min(OTHERS)];
    let sections: String = shown.iter().map(|s| section(reading, s, Role::Other, id)).collect();
    let (count, rest) = (others.len(), others.len() - shown.len());
    let classes = if count == 1 { "class" } else { "classes" };
    let more = match rest {
        0 => String::new(),
        rest => format!("<p class=\"none\">{rest} more have smaller scores.</p>"),
    };
    format!("<details><summary>{count} other {classes}</summary>{sections}{more}</details>")
}

/// Of two classes: what speaks for the one that is not predicted, in words, since both share one score.
fn other_side(reading: &Reading) -> String {
    let (Kind::TwoClasses { positive, negative }, Some(score)) =
        (&reading.kind, reading.scores.first())
    else {
        return String::new();
    };
    // Terms of the other sign than the prediction's.
    let runner_up_is_negative = reading.predicted() == positive;
    let runner_up = if runner_up_is_negative { negative } else { positive };
    let terms: Vec<String> = score
        .terms()
        .filter(|(_, number)| number.is_negative() == runner_up_is_negative)
        .map(|(term, number)| {
            let class = colour::class(number.is_negative());
            let (name, number) = (escape(&term.name), number.signed());
            format!("<span class=\"{class}\">“{name}” <b>{number}</b></span>")
        })
        .collect();
    let (sign, word) = if runner_up_is_negative { ("−", "negative") } else { ("+", "positive") };
    let intercept = match score.sum.intercept() {
        number if number.is_negative() != runner_up_is_negative || number.exact() == 0.0 => {
            String::new()
        }
        number => format!(" The intercept, {}, is on its side.", number.signed()),
    };
    let said = match terms.as_slice() {
        [] => format!("No chosen term speaks for it: none is {word} ({sign})."),
        [one] => format!("What speaks for it is the {word} term ({sign}): {one}."),
        many => format!("What speaks for it are the {word} terms ({sign}): {}.", many.join(", ")),
    };
    let probability = reading.probability_of(runner_up).map(percent).unwrap_or_default();
    format!(
        "<section class=\"other\"><h3>Runner-up{}: {} <span class=\"probability\">{}</span></h3>\
         <p class=\"sum\">{said}{intercept}</p></section>",
        if reading.case.truth.as_ref() == Some(runner_up) { ", the truth" } else { "" },
        escape(runner_up),
        escape(&probability)
    )
}

/// What cards are ordered by.
fn ordered(reading: &Reading) -> String {
    let value = match &reading.case.explanation.prediction {
        Prediction::Value(value) => Some(*value),
        Prediction::Class { .. } => None,
    };
    let numbers =
        [("confidence", reading.probability()), ("error", reading.error()), ("value", value)];
    let numbers = numbers.into_iter().filter_map(|(name, v)| Some((name, v?)));
    let numbers: String = numbers.map(|(name, v)| format!(" data-{name}=\"{v}\"")).collect();
    let row = reading.case.row;
    format!(" data-row=\"{row}\" data-class=\"{}\"{numbers}", escape(reading.predicted()))
}

/// What a search looks through: row, prediction, truth, text or columns, chosen features.
fn searchable(reading: &Reading) -> String {
    let case = reading.case;
    let mut find = format!("row {} {}", case.row, reading.predicted());
    find += &case.file.as_ref().map(|f| format!(" {f}")).unwrap_or_default();
    find += &case.truth.as_ref().map(|t| format!(" truth: {t}")).unwrap_or_default();
    match &case.subject {
        Subject::Text { tokens } => {
            let spaced = |t: &Token| {
                let text = cut(&t.text, text::LONGEST);
                format!("{}{text}", if t.space_before { " " } else { "" })
            };
            find.push(' ');
            find.extend(tokens.iter().map(spaced));
        }
        Subject::Row { cells } => {
            let cell =
                |(name, value): &(String, String)| format!(" {name}={}", cut(value, text::LONGEST));
            find.extend(cells.iter().map(cell));
        }
        Subject::Image(_) => {}
    }
    let terms = reading.scores.first().into_iter().flat_map(|s| &s.output.terms);
    find += &terms.map(|t| format!(" {}", t.name)).collect::<String>();
    find.to_lowercase()
}

/// The prediction with its probability.
pub(super) fn headline(reading: &Reading) -> String {
    let probability = reading.probability().map_or(String::new(), |p| {
        format!(" <span class=\"probability\">{}</span>", escape(&percent(p)))
    });
    format!("<h2>{}{probability}</h2>", escape(reading.predicted()))
}

/// The prediction against the truth, where that is known.
pub(super) fn truth(reading: &Reading) -> String {
    reading.case.truth.as_deref().map_or(String::new(), |truth| {
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
    })
}

/// Row, truth, prediction.
fn card_header(reading: &Reading) -> String {
    format!(
        "<header><span class=\"row\">row {row}{file}</span>{truth}{headline}</header>",
        row = reading.case.row,
        file = reading.case.file.as_deref().map_or(String::new(), |f| format!(" · {}", escape(f))),
        truth = truth(reading),
        headline = headline(reading),
    )
}

/// One score: the subject with its chosen features, and the sum.
fn section(reading: &Reading, score: &Score, role: Role, id: &str) -> String {
    let truth = if reading.is_truth(score) { ", the truth" } else { "" };
    let heading = match (&reading.kind, role) {
        (Kind::Classes, Role::RunnerUp) => {
            format!("<h3>Runner-up{truth}: {}</h3>", named(score))
        }
        (Kind::Classes, Role::Truth) => format!("<h3>Truth: {}</h3>", named(score)),
        (Kind::Classes, Role::Other) => format!("<h3>{}</h3>", named(score)),
        _ => String::new(),
    };
    let shown = match &reading.case.subject {
        // A text carries its numbers itself.
        Subject::Text { .. } => subject(reading, score, id),
        Subject::Row { .. } => bars(reading, score),
        Subject::Image(_) => format!(
            "<div class=\"figure\">{}{}</div>",
            subject(reading, score, id),
            bars(reading, score)
        ),
    };
    format!("<section>{heading}{shown}{}</section>", sum(reading, score))
}

/// The subject with its chosen features marked; a row is shown by its bars alone.
pub(super) fn subject(reading: &Reading, score: &Score, id: &str) -> String {
    match &reading.case.subject {
        Subject::Text { tokens } => text::html(reading, score, tokens),
        Subject::Row { .. } => String::new(),
        Subject::Image(picture) => image::html(reading, score, picture, id),
    }
}

/// The contributions as bars.
pub(super) fn bars(reading: &Reading, score: &Score) -> String {
    match &reading.case.subject {
        Subject::Row { cells } => row::html(reading, score, cells),
        _ => bars::html(reading, score, |term| (term.name.clone(), String::new())),
    }
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
pub(super) fn sum(reading: &Reading, score: &Score) -> String {
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
