//! A sample in a terminal.

pub(crate) mod lines;

use crate::interpretation::{Contrast, Interpretation, Score, ScoreKind, Verdict};
use crate::number_format::{self, Number, probability_percent};
use crate::{ExplainedSample, colour, sample};
use lines::{Piece, Style, clean, wrap};
use ngsll::readable::class_name;

/// The sample as lines of at most `width` columns (24 at least); `classes` are in the model's order, none
/// in regression.
pub fn terminal(
    sample: &ExplainedSample,
    classes: &[String],
    colour: bool,
    width: usize,
) -> String {
    let (width, style) = (width.max(24), Style { colour });
    let interpretation = Interpretation::new(sample, classes);
    let mut lines = wrap(headline(&interpretation, style).into_iter(), width);
    let shown = interpretation.scores.iter().take(2).enumerate();
    for (rank, score) in shown {
        lines.push(String::new());
        if let Some(contrast) = interpretation.contrast(score) {
            lines.extend(against(&interpretation, &contrast, style, width));
            continue;
        }
        if matches!(interpretation.kind, ScoreKind::Classes) {
            lines.push(heading(score, rank, style));
        }
        lines.extend(sample::lines(&interpretation, score, style, width));
        lines.extend(sum(score, interpretation.side(), style, width));
    }
    lines.extend(others(&interpretation, style, width));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The most scores that are listed of those that are not drawn.
const OTHERS: usize = 5;

/// The scores that are not drawn, rounded like the first.
fn others(interpretation: &Interpretation, style: Style, width: usize) -> Vec<String> {
    let [first, _, others @ ..] = interpretation.scores.as_slice() else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let written = |score: &Score| {
        let value = Number::new(score.output.score, first.sum.score.decimals());
        format!("{} {value}", clean(&class_name(&score.output.name)))
    };
    let mut shown: Vec<String> = others.iter().take(OTHERS).map(written).collect();
    let more = others.len() - shown.len();
    shown.extend((more > 0).then(|| format!("… and {more} lower ones")));
    let last = shown.len() - 1;
    shown[..last].iter_mut().for_each(|score| score.push(','));
    let label = std::iter::once("other scores:".to_string());
    let pieces = label.chain(shown).map(Piece::plain);
    let lines = wrap(pieces, width);
    let painted = lines.iter().map(|line| style.paint(colour::FAINT, line));
    std::iter::once(String::new()).chain(painted).collect()
}

/// Row, prediction, truth.
fn headline(interpretation: &Interpretation, style: Style) -> Vec<Piece> {
    let mut predicted = clean(interpretation.predicted());
    if let Some(certainty) = interpretation.certainty() {
        predicted += &format!(" ({})", clean(&certainty));
    }
    let bold = style.paint(colour::BOLD, &predicted);
    let mut pieces = vec![Piece::plain(match &interpretation.sample.name {
        Some(name) => format!("row {} ({}):", interpretation.sample.row, clean(name)),
        None => format!("row {}:", interpretation.sample.row),
    })];
    let said = interpretation.nothing_known().map_or("predicted", |nothing| nothing.said);
    pieces.extend(said.split(' ').map(|word| Piece::plain(word.to_string())));
    pieces.push(Piece::new(true, &predicted, bold));
    if let Some(truth) = &interpretation.sample.truth {
        let truth = clean(&number_format::truth(truth, interpretation.probability().is_none()));
        pieces.push(Piece::plain(match interpretation.verdict() {
            Verdict::Right => "✓".to_string(),
            Verdict::Wrong => format!("✗ truth {truth}"),
            Verdict::Off(by) => format!("· truth {truth} · off by {}", by.signed()),
            Verdict::Open => format!("· truth {truth}"),
        }));
    }
    pieces
}

/// The class of a score among several.
fn heading(score: &Score, rank: usize, style: Style) -> String {
    let role = if rank == 0 { "for" } else { "runner-up" };
    let probability =
        score.probability.map(|p| format!(" ({})", probability_percent(p))).unwrap_or_default();
    style.paint(colour::BOLD, &format!("{role} {}{probability}", clean(&score.output.name)))
}

/// Why the predicted class and not another: a line for each feature, and the sum of the differences.
fn against(
    interpretation: &Interpretation,
    contrast: &Contrast,
    style: Style,
    width: usize,
) -> Vec<String> {
    let [first, second] = [contrast.first, contrast.second].map(|s| clean(&s.output.name));
    let probability = contrast.second.probability.map(probability_percent);
    let probability = probability.map(|p| format!(" ({p})")).unwrap_or_default();
    let heading = format!("why {first} and not {second}{probability}");
    let heading = wrap(heading.split(' ').map(|word| Piece::plain(word.to_string())), width);
    let mut lines: Vec<String> =
        heading.iter().map(|line| style.paint(colour::BOLD, line)).collect();
    lines.extend(sample::contrast_lines(interpretation, contrast, style, width));
    lines.extend(sum(&contrast.score(), Some(&first), style, width));
    lines
}

/// The score written out, and the class that it favours if no heading says so.
fn sum(score: &Score, side: Option<&str>, style: Style, width: usize) -> Vec<String> {
    let parts = score.parts().into_iter();
    let words = parts.flat_map(|part| {
        let words = [part.operator, &clean(&part.name), &part.number];
        let text = words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ");
        match part.negative {
            Some(negative) => {
                let painted = style.paint(&colour::ink(negative), &text);
                vec![Piece::new(true, &text, painted)]
            }
            // The first number of a sum may be named by a phrase.
            None if part.operator.is_empty() => {
                text.split(' ').map(|word| Piece::plain(word.to_string())).collect()
            }
            None => vec![Piece::plain(text)],
        }
    });
    let side = side.map(|s| Piece::plain(format!("→ {}", clean(&class_name(s)))));
    wrap(words.chain(side), width)
}

#[cfg(test)]
mod tests {
    use super::lines::columns;
    use super::*;
    use crate::test_samples::{chosen, classes, explained, output, picture, text};
    use ngsll::{Prediction, SampleView};

    fn plain(sample: &ExplainedSample, names: &[&str]) -> String {
        terminal(sample, &classes(names), false, 70)
    }

    #[test]
    fn a_text_is_shown_with_its_sum() {
        let output = output("high", -0.12, &[("far", 2.31), ("slow", -0.4)]);
        let mut sample = explained(text("far slow road"), "high", &[0.1, 0.9], vec![output]);
        sample.truth = Some("low".to_string());
        let expected = "row 17: predicted high (90.0 %) ✗ truth low\n\n\
                        [+far+] [−slow−] road\n\
                        intercept −0.12 + “far” 2.31 − “slow” 0.40 = 1.79 → high\n";
        assert_eq!(plain(&sample, &["low", "high"]), expected);
    }

    #[test]
    fn of_many_classes_two_are_drawn_and_the_others_listed() {
        let names = ["a", "b", "c", "d"];
        let outputs = names.iter().enumerate();
        let outputs = outputs.map(|(i, n)| output(n, 0.0, &[("x", i as f64)])).collect();
        let sample = explained(text("x"), "d", &[0.03, 0.09, 0.24, 0.64], outputs);
        let shown = plain(&sample, &names);
        assert!(shown.contains("for d (64.0 %)\n[+x+]\n“x” 3.00 = 3.00\n"), "{shown}");
        assert!(shown.contains("runner-up c (24.0 %)\n"), "{shown}");
        assert!(shown.ends_with("other scores: b 1.00, a 0.00\n"), "{shown}");
        let names: Vec<String> = (0..60).map(|class| class.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let outputs = names.iter().enumerate();
        let outputs = outputs.map(|(i, n)| output(n, 0.0, &[("x", -(i as f64))])).collect();
        let sample = explained(text("x"), "0", &[1.0 / 60.0; 60], outputs);
        let shown = plain(&sample, &names).replace('\n', " ");
        let listed = "other scores: “2” −2.00, “3” −3.00, “4” −4.00, “5” −5.00, “6” −6.00, … and 53 lower ones ";
        assert!(shown.ends_with(listed), "{shown}");
    }

    #[test]
    fn classes_that_share_their_features_are_set_against_each_other() {
        let names = ["a", "b", "c"];
        let outputs = names.iter().enumerate();
        let outputs = outputs.map(|(i, n)| output(n, 0.0, &[("x", i as f64), ("y", -1.0)]));
        let sample = chosen(explained(text("x y"), "c", &[0.09, 0.24, 0.67], outputs.collect()));
        let shown = plain(&sample, &names);
        let first = "for c (67.0 %)\n[+x+] [−y−]\nwith no feature known: 33.3 % (0.00) + “x” 2.00 − “y” 1.00 = 1.00\n";
        assert!(shown.contains(first), "{shown}");
        assert!(shown.contains("why c and not b (24.0 %)\nx  "), "{shown}");
        let sum = "with no feature known 0.00 + “x” 1.00 + “y” 0.00 = 1.00 → c\n";
        assert!(shown.contains(sum), "{shown}");
        assert!(
            !shown.contains("runner-up") && shown.ends_with("other scores: a −1.00\n"),
            "{shown}"
        );
    }

    #[test]
    fn a_row_shows_its_chosen_columns_only() {
        let cells = (0..300).map(|i| (format!("c{i}"), format!("{i} km"))).collect();
        let mut sample =
            explained(SampleView::Row { cells }, "", &[], vec![output("y", 5.0, &[("c7", -2.0)])]);
        sample.explanation.prediction = Prediction::Value(3.0);
        sample.truth = Some("2.5".to_string());
        let shown = plain(&sample, &[]);
        assert_eq!(shown.lines().count(), 4, "{shown}");
        assert!(
            shown.starts_with("row 17: predicted 3.00 · truth 2.5 · off by +0.50\n"),
            "{shown}"
        );
        assert!(shown.contains("c7  7 km  ██████████│           −2.00\n"), "{shown}");
        assert!(shown.ends_with("intercept 5.00 − “c7” 2.00 = 3.00\n"), "{shown}");
    }

    #[test]
    fn lines_stay_within_the_width_and_plain_text_has_no_escapes() {
        let terms: Vec<_> = (0..9).map(|_| ("a fairly long name", 1.25)).collect();
        let words = "word ".repeat(400);
        let views = [text(&words), picture(28, 28, 7, 7), SampleView::Row { cells: vec![] }];
        for (view, width) in views.iter().flat_map(|s| [30, 60, 120].map(|w| (s, w))) {
            let sample =
                explained(view.clone(), "high", &[0.1, 0.9], vec![output("high", 0.5, &terms)]);
            let sample = if width == 60 { sample } else { chosen(sample) };
            let shown = terminal(&sample, &classes(&["low", "high"]), false, width);
            let widest = shown.lines().map(columns).max();
            assert!(widest.is_some_and(|w| w <= width), "{shown}");
            assert!(!shown.contains('\x1b'));
            let coloured = terminal(&sample, &classes(&["low", "high"]), true, width);
            assert!(coloured.contains("\x1b[") && !coloured.contains("\x1b[0m\x1b[0m"));
        }
    }

    #[test]
    fn empty_cases_do_not_panic() {
        for view in [text(""), picture(1, 1, 1, 1), SampleView::Row { cells: vec![] }] {
            let mut sample = explained(view, "high", &[], vec![output("high", 0.0, &[])]);
            assert!(plain(&sample, &[]).contains("intercept 0.00 = 0.00 → high\n"));
            sample.explanation.outputs.clear();
            assert!(plain(&sample, &[]).starts_with("row 17: predicted high"));
        }
    }
}
