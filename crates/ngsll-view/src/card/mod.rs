//! One explained sample as a card of a page, or in pieces for a host page.

mod fragments;

pub use fragments::{Fragments, ScoreFragments, fragments};

use crate::interpretation::{
    Contrast, Interpretation, NothingKnown, Score, ScoreKind, Start, Verdict,
};
use crate::number_format::{self, probability_percent};
use crate::{colour, escape, sample};
use ngsll::readable::class_name;

/// The card of one sample; `id` is unique on its page.
pub(crate) fn html(interpretation: &Interpretation, id: &str) -> String {
    let mut body = sample::definition(&interpretation.sample.view, id);
    for (rank, score) in interpretation.scores.iter().take(2).enumerate() {
        body += &shown(interpretation, score, Role::of(rank), id);
    }
    body += &other_side(interpretation);
    let others: Vec<&Score> = interpretation.scores.iter().skip(2).collect();
    let (truth, others): (Vec<&Score>, Vec<&Score>) =
        others.into_iter().partition(|s| interpretation.is_truth(s));
    body +=
        &truth.into_iter().map(|s| shown(interpretation, s, Role::Truth, id)).collect::<String>();
    body += &folded(interpretation, &others, id);
    body += &sample::details(&interpretation.sample.view);
    let wrong = matches!(interpretation.verdict(), Verdict::Wrong);
    format!(
        "<article class=\"card{wrong_class}\"{order} data-find=\"{find}\">\n{header}{body}\n</article>\n",
        order = ordered(interpretation),
        wrong_class = if wrong { " wrong" } else { "" },
        find = escape(&searchable(interpretation)),
        header = card_header(interpretation),
    )
}

/// The role in which a score is shown.
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
fn folded(interpretation: &Interpretation, others: &[&Score], id: &str) -> String {
    if others.is_empty() {
        return String::new();
    }
    let shown = &others[..others.len().min(OTHERS)];
    let sections: String =
        shown.iter().map(|s| section(interpretation, s, Role::Other, id)).collect();
    let (count, rest) = (others.len(), others.len() - shown.len());
    let classes = if count == 1 { "class" } else { "classes" };
    let more = match rest {
        0 => String::new(),
        rest => format!("<p class=\"none\">{rest} more have smaller scores.</p>"),
    };
    format!("<details><summary>{count} other {classes}</summary>{sections}{more}</details>")
}

/// With two classes: the terms that favour the one that is not predicted, in words, since both share one score.
fn other_side(interpretation: &Interpretation) -> String {
    let (ScoreKind::TwoClasses { positive, negative }, Some(score)) =
        (&interpretation.kind, interpretation.scores.first())
    else {
        return String::new();
    };
    // Terms of the other sign than the prediction's.
    let runner_up_is_negative = interpretation.predicted() == positive;
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
    let intercept = match (score.sum.intercept(), &score.start) {
        (number, _) if number.is_negative() != runner_up_is_negative || number.exact() == 0.0 => {
            String::new()
        }
        (_, Start::Share { share, .. }) => {
            let share = if runner_up_is_negative { 1.0 - share } else { *share };
            format!(" With no feature known it is at {}.", escape(&probability_percent(share)))
        }
        (number, _) => format!(" The intercept, {}, favours it.", number.signed()),
    };
    let said = match terms.as_slice() {
        [] => format!("No chosen term supports it: none is {word} ({sign})."),
        [one] => format!("The {word} term ({sign}) supports it: {one}."),
        many => format!("The {word} terms ({sign}) support it: {}.", many.join(", ")),
    };
    let probability =
        interpretation.probability_of(runner_up).map(probability_percent).unwrap_or_default();
    format!(
        "<section class=\"other\"><h3>Runner-up{}: {} <span class=\"probability\">{}</span></h3>\
         <p class=\"sum\">{said}{intercept}</p></section>",
        if interpretation.sample.truth.as_ref() == Some(runner_up) { ", the truth" } else { "" },
        escape(runner_up),
        escape(&probability)
    )
}

/// The keys that cards are sorted by.
fn ordered(interpretation: &Interpretation) -> String {
    let numbers = [
        ("confidence", interpretation.probability()),
        ("error", interpretation.error()),
        ("value", interpretation.sample.explanation.prediction.value()),
    ];
    let numbers = numbers.into_iter().filter_map(|(name, v)| Some((name, v?)));
    let numbers: String = numbers.map(|(name, v)| format!(" data-{name}=\"{v}\"")).collect();
    let row = interpretation.sample.row;
    format!(" data-row=\"{row}\" data-class=\"{}\"{numbers}", escape(interpretation.predicted()))
}

/// The text that a search covers: row, prediction, truth, text or columns, chosen features.
fn searchable(interpretation: &Interpretation) -> String {
    let sample = interpretation.sample;
    let mut find = format!("row {} {}", sample.row, interpretation.predicted());
    find += &sample.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    find += &sample.truth.as_ref().map(|t| format!(" truth: {t}")).unwrap_or_default();
    find += &sample::searchable(&sample.view);
    let terms = interpretation.scores.first().into_iter().flat_map(|s| &s.output.terms);
    find += &terms.map(|t| format!(" {}", t.name)).collect::<String>();
    find.to_lowercase()
}

/// The prediction with its probability.
fn headline(interpretation: &Interpretation) -> String {
    let probability = interpretation.certainty().map_or(String::new(), |certainty| {
        format!(" <span class=\"probability\">{}</span>", escape(&certainty))
    });
    let predicted = escape(interpretation.predicted());
    match interpretation.nothing_known() {
        Some(NothingKnown { title, said }) => format!(
            "<h2>{title}</h2><p class=\"unknown\">Here {said} <b>{predicted}</b>{probability}.</p>"
        ),
        None => format!("<h2>{predicted}{probability}</h2>"),
    }
}

/// The prediction against the truth, if known.
fn truth(interpretation: &Interpretation) -> String {
    interpretation.sample.truth.as_deref().map_or(String::new(), |truth| {
        let truth = escape(&number_format::truth(truth, interpretation.probability().is_none()));
        match interpretation.verdict() {
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
fn card_header(interpretation: &Interpretation) -> String {
    format!(
        "<header><span class=\"row\">row {row}{name}</span>{truth}{headline}</header>",
        row = interpretation.sample.row,
        name = interpretation
            .sample
            .name
            .as_deref()
            .map_or(String::new(), |name| format!(" · {}", escape(name))),
        truth = truth(interpretation),
        headline = headline(interpretation),
    )
}

/// A score beside the predicted one: compared with it if both have the same features.
fn shown(interpretation: &Interpretation, score: &Score, role: Role, id: &str) -> String {
    let Some(contrast) = interpretation.contrast(score) else {
        return section(interpretation, score, role, id);
    };
    let role = match role {
        _ if interpretation.is_truth(score) => ", the truth",
        Role::RunnerUp => ", the runner-up",
        _ => "",
    };
    format!(
        "<section><h3>Why {} and not {}{role} <span class=\"probability\">{}</span></h3>{}</section>",
        escape(interpretation.predicted()),
        escape(&score.output.name),
        escape(&score.probability.map(probability_percent).unwrap_or_default()),
        against(interpretation, &contrast),
    )
}

/// Two classes: the contribution of each feature to both, and the sum of the differences.
fn against(interpretation: &Interpretation, contrast: &Contrast) -> String {
    let side = Some(contrast.first.output.name.as_str());
    sample::contrast(interpretation, contrast) + &sum(&contrast.score(), side)
}

/// One score: the subject with its chosen features, and the sum.
fn section(interpretation: &Interpretation, score: &Score, role: Role, id: &str) -> String {
    let truth = if interpretation.is_truth(score) { ", the truth" } else { "" };
    let heading = match (&interpretation.kind, role) {
        (ScoreKind::Classes, Role::RunnerUp) => {
            format!("<h3>Runner-up{truth}: {}</h3>", named(score))
        }
        (ScoreKind::Classes, Role::Truth) => format!("<h3>Truth: {}</h3>", named(score)),
        (ScoreKind::Classes, Role::Other) => format!("<h3>{}</h3>", named(score)),
        _ => String::new(),
    };
    let shown = sample::figure(interpretation, score, id);
    let side = interpretation.side();
    format!("<section>{heading}{shown}{}</section>", sum(score, side))
}

/// A class with its probability.
fn named(score: &Score) -> String {
    let probability = score.probability.map(probability_percent).unwrap_or_default();
    format!(
        "{} <span class=\"probability\">{}</span>",
        escape(&class_name(&score.output.name)),
        escape(&probability)
    )
}

/// The score written out, and the class that it favours if its name does not say so.
fn sum(score: &Score, side: Option<&str>) -> String {
    let parts = score.parts().into_iter().map(|part| {
        let operator = match part.operator {
            "" => String::new(),
            operator => format!("<b>{operator}</b> "),
        };
        let name = if part.name.is_empty() { part.name } else { escape(&part.name) + " " };
        let side = side.filter(|_| name.is_empty());
        let side =
            side.map(|s| format!(" → <b>{}</b>", escape(&class_name(s)))).unwrap_or_default();
        let class = part.negative.map_or("", colour::class);
        format!("<span class=\"{class}\">{operator}{name}<b>{}</b>{side}</span>", part.number)
    });
    format!("<p class=\"sum\">{}</p>", parts.collect::<Vec<_>>().join(" "))
}
