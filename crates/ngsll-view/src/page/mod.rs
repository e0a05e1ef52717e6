//! All samples on one self-contained page.

mod embedded;
mod summary;

pub use embedded::cards;
pub use summary::{Summary, SummaryTable};

use crate::interpretation::{Interpretation, ScoreKind, Verdict};
use crate::report::{self, ModelOverview};
use crate::{ExplainedSample, Measured, card, colour, escape, promise, sample};
use ngsll::readable::class_name;

const PARTS: &str = include_str!("parts.css");
const PAGE: &str = include_str!("page.css");
// Also if there is no figure: all pages have the same style.
const REPORT: &str = include_str!("../report/report.css");
const JS: &str = include_str!("page.js");

/// The style of everything in fragments, in the colours of both schemes.
pub fn parts_css() -> String {
    colour::css_variables() + PARTS
}

/// One page without any other file: the summary, a legend, and a card for every sample.
pub fn html(summary: &Summary, samples: &[ExplainedSample]) -> String {
    page(summary, "", "", samples)
}

/// The same with an evaluation of the model as a whole; `chosen` says which samples are shown.
pub fn report(
    summary: &Summary,
    overview: &ModelOverview,
    chosen: &str,
    samples: &[ExplainedSample],
) -> String {
    let heading = format!(
        "<h2 class=\"part\" id=\"cases\">Cases</h2><p class=\"chosen\">{}</p>\n",
        escape(chosen)
    );
    page(summary, &report::html(overview), &heading, samples)
}

fn page(summary: &Summary, overview: &str, heading: &str, samples: &[ExplainedSample]) -> String {
    let interpretations: Vec<Interpretation> =
        samples.iter().map(|s| Interpretation::new(s, &summary.classes)).collect();
    let cards: String =
        interpretations.iter().enumerate().map(|(i, r)| card::html(r, &format!("p{i}"))).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{colours}{PARTS}{PAGE}{REPORT}</style>\n</head>\n<body>\n{head}\
         <main>\n{overview}{tables}{heading}{legend}{controls}<div class=\"cards\">\n{cards}</div>\n</main>\n\
         <script>\n{JS}</script>\n</body>\n</html>\n",
        title = escape(&summary.title),
        colours = colour::css_variables(),
        // The figures of a report come before its tables.
        head = summary.html(overview.is_empty()),
        tables = if overview.is_empty() { String::new() } else { summary.tables() },
        legend = legend(&interpretations, &summary.measured),
        controls = controls(&interpretations),
    )
}

/// The meaning of the colours for this model, the promise of its explanations, and the figures measured of that.
pub(crate) fn legend(interpretations: &[Interpretation], measured: &Measured) -> String {
    let Some(first) = interpretations.first() else {
        return "<p class=\"none\">There are no cases to show.</p>\n".to_string();
    };
    let (more, less) = match &first.kind {
        ScoreKind::TwoClasses { positive, negative } => {
            let supports = |class: &String| format!("supports {}", escape(&class_name(class)));
            (supports(positive), supports(negative))
        }
        ScoreKind::Classes => ("supports the class".to_string(), "counts against it".to_string()),
        ScoreKind::Value => ("raises the value".to_string(), "lowers it".to_string()),
        ScoreKind::Logarithm(_) => {
            ("raises the value, +0.1 by 10.5 %".to_string(), "lowers it, −0.1 by 9.5 %".to_string())
        }
    };
    let texts = interpretations.iter().any(|r| sample::is_text(&r.sample.view));
    let grey = if texts {
        "<li><span class=\"oov\">grey words</span> are not in the vocabulary</li>"
    } else {
        ""
    };
    format!(
        "<ul class=\"legend\"><li><mark class=\"pos\" style=\"--s:1\">+</mark> {more}</li>\
         <li><mark class=\"neg\" style=\"--s:1\">−</mark> {less}</li>{grey}\
         <li class=\"note\">Each score is exactly the sum written out; ≈ marks rounding.</li></ul>\n{}",
        promise::html(first.sample.evidence, &first.sample.view, measured)
    )
}

/// Search and filter; hidden until the script that serves them runs.
fn controls(interpretations: &[Interpretation]) -> String {
    let wrong = interpretations.iter().filter(|r| matches!(r.verdict(), Verdict::Wrong)).count();
    let errors = match wrong {
        0 => String::new(),
        n => format!("<label><input type=\"checkbox\" id=\"errors\"> only errors ({n})</label>"),
    };
    let count = interpretations.len();
    let known = interpretations.iter().any(|r| r.error().is_some());
    let classes = interpretations.iter().any(|r| r.probability().is_some());
    let orders = [
        ("", "as listed", true),
        ("row", "row", true),
        ("error", "error, largest first", known),
        ("confidence", "probability, highest first", classes),
        ("doubt", "probability, lowest first", classes),
        ("class", "predicted class", classes),
        ("value", "predicted value", !classes),
    ];
    let orders = orders.iter().filter(|(_, _, there)| *there);
    let orders: String =
        orders.map(|(key, name, _)| format!("<option value=\"{key}\">{name}</option>")).collect();
    format!(
        "<form class=\"controls\" role=\"search\" hidden><input type=\"search\" id=\"search\" \
         placeholder=\"Search words, classes, rows\" aria-label=\"Search the cases\">\
         <label>Order <select id=\"order\">{orders}</select></label>{errors}\
         <output id=\"count\" aria-live=\"polite\">{count} shown</output></form>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::{chosen, classes, explained, output, picture, text};
    use ngsll::{Prediction, SampleView};

    const ATTACK: &str = "<script>alert(\"'&'\")</script>";

    fn summary(names: &[&str]) -> Summary {
        Summary { title: "T".to_string(), classes: classes(names), ..Summary::default() }
    }

    fn attacked() -> String {
        let table = SummaryTable {
            caption: ATTACK.to_string(),
            header: vec![ATTACK.to_string()],
            rows: vec![vec![ATTACK.to_string()]],
        };
        let summary = Summary {
            title: ATTACK.to_string(),
            facts: vec![(ATTACK.to_string(), ATTACK.to_string())],
            tables: vec![table],
            classes: classes(&[ATTACK, "low"]),
            ..Summary::default()
        };
        let cells = vec![(ATTACK.to_string(), ATTACK.to_string())];
        let views = [
            text(ATTACK),
            text(&format!("?{ATTACK}")),
            picture(4, 4, 2, 2),
            SampleView::Row { cells },
        ];
        let samples = views.map(|view| {
            let outputs = ["a", "b", ATTACK].map(|_| output(ATTACK, 1.0, &[(ATTACK, 2.0)]));
            let mut sample = explained(view, ATTACK, &[0.9, 0.1], outputs.to_vec());
            sample.truth = Some(format!("not {ATTACK}"));
            sample
        });
        let [a, mut b, c, d] = samples;
        b.explanation.outputs.truncate(1);
        html(&summary, &[a, b, c, d])
    }

    #[test]
    fn no_text_of_the_data_becomes_markup() {
        let page = attacked();
        assert_eq!(page.matches("<script").count(), 1, "only the page's own script");
        assert!(!page.contains("alert(\"") && !page.contains("alert(&quot;'"));
        assert!(page.contains("&lt;script&gt;alert(&quot;&#39;&amp;&#39;&quot;)&lt;/script&gt;"));
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = attacked();
        for link in ["http", "//cdn", "url(", "@import", "src="] {
            assert!(!page.contains(link), "{link}");
        }
    }

    #[test]
    fn two_classes_name_their_sides_and_errors_are_counted() {
        let output = output("high", -0.12, &[("far", 2.31)]);
        let mut wrong = explained(text("far road"), "high", &[0.1, 0.9], vec![output]);
        wrong.truth = Some("low".to_string());
        let mut right = wrong.clone();
        right.truth = Some("high".to_string());
        let page = html(&summary(&["low", "high"]), &[wrong, right]);
        assert!(page.contains("</mark> supports high") && page.contains("</mark> supports low"));
        assert!(page.contains("only errors (1)") && page.contains("✗ truth: low"));
        assert!(
            page.contains("✓ correct")
                && page.contains("<b>=</b> <b>2.19</b> → <b>high</b></span>"),
            "{page}"
        );
        assert!(page.contains("90.0 %"));
    }

    #[test]
    fn of_two_classes_the_runner_up_has_the_terms_of_the_other_sign() {
        let said = |label: &str, probabilities: [f64; 2], intercept: f64, terms: &[(&str, f64)]| {
            let output = output("high", intercept, terms);
            let mut sample = explained(text("far slow"), label, &probabilities, vec![output]);
            sample.truth = Some("low".to_string());
            html(&summary(&["low", "high"]), &[sample])
        };
        let page = said("high", [0.1, 0.9], -0.12, &[("far", 2.31)]);
        assert!(page.contains("Runner-up, the truth: low <span class=\"probability\">10.0 %"));
        assert!(page.contains(
            "No chosen term supports it: none is negative (−). The intercept, −0.12, favours it."
        ));
        let page = said("high", [0.1, 0.9], 0.5, &[("far", 2.31), ("slow", -0.4)]);
        let term = "<span class=\"neg\">“slow” <b>−0.40</b></span>";
        assert!(page.contains(&format!("The negative term (−) supports it: {term}.</p>")));
        let page = said("low", [0.9, 0.1], -9.0, &[("far", 2.31), ("slow", 0.4)]);
        assert!(
            page.contains("Runner-up: high")
                && page.contains("The positive terms (+) support it: ")
        );
    }

    #[test]
    fn evidence_chosen_is_stated_and_its_classes_are_contrasted() {
        let outputs = [("a", 1.0), ("b", 3.0), ("c", 2.0), ("d", 0.0)];
        let outputs = outputs.map(|(name, x)| output(name, 0.0, &[("x", x)])).to_vec();
        let mut sample = chosen(explained(text("x"), "b", &[0.1, 0.6, 0.25, 0.05], outputs));
        sample.truth = Some("d".to_string());
        let page = html(&summary(&["a", "b", "c", "d"]), &[sample.clone()]);
        for said in [
            "<b>The prediction was made from these K features; the network that weighed them saw nothing else.</b>",
            "other features may support the same or another answer.",
            "has not been measured for this model: <code>ngsll judge MODEL --data TRAINING-FILE</code>",
            "Why b and not c, the runner-up <span",
            "Why b and not d, the truth <span",
            "with no feature known: 25.0 % <b>(0.00)</b>",
        ] {
            assert_eq!(
                page.matches(said).count(),
                1 + usize::from(said.starts_with("with")),
                "{said}"
            );
        }
        assert!(!page.contains("intercept"), "{page}");
        sample.evidence = ngsll::Evidence::Whole;
        let page = html(&summary(&["a", "b", "c", "d"]), &[sample]);
        assert!(
            page.contains("so a term need not be the reason.") && page.contains("Runner-up: c")
        );
        assert!(!page.contains("Why b") && !page.contains("with no feature known"));
    }

    #[test]
    fn of_two_classes_a_base_rate_may_be_on_the_side_of_the_runner_up() {
        let output = output("high", -1.15, &[("far", 2.31)]);
        let sample = chosen(explained(text("far"), "high", &[0.2, 0.8], vec![output]));
        let page = html(&summary(&["low", "high"]), &[sample]);
        assert!(page.contains("with no feature known: high 24.0 % <b>(−1.15)</b>"), "{page}");
        assert!(page.contains("none is negative (−). With no feature known it is at 76.0 %."));
    }

    #[test]
    fn of_many_classes_the_predicted_is_first_and_most_are_folded() {
        let outputs = [("a", 1.0), ("b", 3.0), ("c", 2.0), ("d", 0.0)];
        let outputs = outputs.map(|(name, x)| output(name, 0.0, &[("x", x)])).to_vec();
        let sample = explained(text("x"), "b", &[0.1, 0.6, 0.25, 0.05], outputs);
        let page = html(&summary(&["a", "b", "c", "d"]), &[sample]);
        let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("{what} is missing"));
        assert!(at("<h2>b") < at("Runner-up: c") && at("Runner-up: c") < at("2 other classes"));
        assert!(at("<h3>a") < at("<h3>d") && at("2 other classes") < at("<h3>a"));
    }

    #[test]
    fn a_search_looks_into_every_column_and_the_truth() {
        let row = SampleView::Row { cells: vec![("city".to_string(), "Köln".to_string())] };
        let mut sample =
            explained(row, "high", &[0.3, 0.7], vec![output("high", 0.0, &[("x", 1.0)])]);
        sample.truth = Some("low".to_string());
        let page = html(&summary(&["low", "high"]), &[sample]);
        assert!(page.contains("data-find=\"row 17 high truth: low city=köln x\""), "{page}");
    }

    #[test]
    fn a_value_has_no_errors_to_filter_and_empty_cases_do_not_panic() {
        let row = SampleView::Row { cells: vec![("age".to_string(), String::new())] };
        for view in [row, text(""), picture(0, 3, 1, 1)] {
            let mut sample = explained(view, "", &[], vec![output("price", 4.0, &[])]);
            sample.explanation.prediction = Prediction::Value(4.0);
            sample.truth = Some("5".to_string());
            let page = html(&summary(&[]), &[sample.clone()]);
            assert!(page.contains("truth: 5 · off by −1.00") && !page.contains("id=\"errors\""));
            sample.explanation.outputs.clear();
            assert!(html(&summary(&[]), &[sample]).contains("4.00"));
        }
        assert!(html(&summary(&[]), &[]).contains("There are no cases to show."));
    }
}
