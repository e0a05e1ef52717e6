//! The sample with its chosen features marked: a file for each kind, drawn for pages
//! and terminals. In this crate only this module and `report/feature_labels.rs` tell the kinds apart.

mod bars;
mod contrast;
mod image;
mod picture;
mod regions;
mod row;
mod text;

use crate::interpretation::{Contrast, Interpretation, Score};
use crate::markup::cut;
use crate::terminal::lines::Style;
use ngsll::SampleView;
use ngsll::explanation::Term;
use ngsll::representation::TokenView;
use picture::Picture;

/// The most characters of a segment beside its bar.
const BEGINNING: usize = 32;

/// An image, defined once to be used by every score of its sample; empty for other samples.
pub(crate) fn definition(view: &SampleView, id: &str) -> String {
    Picture::of(view).map(|picture| picture.definition(id)).unwrap_or_default()
}

/// The number of the feature that each pixel belongs to, row by row; `None` unless the sample is an image.
pub fn pixel_features(view: &SampleView) -> Option<Vec<usize>> {
    let picture = Picture::of(view)?;
    let (width, height) = (picture.size.width, picture.size.height);
    (0..width * height).map(|at| picture.feature(at % width, at / width)).collect()
}

/// The sample with its chosen features marked; a row is shown by its bars alone.
pub(crate) fn marked(interpretation: &Interpretation, score: &Score, id: &str) -> String {
    match &interpretation.sample.view {
        SampleView::Text { tokens } => text::html(interpretation, score, tokens),
        view => Picture::of(view)
            .map(|picture| image::html(interpretation, score, &picture, id))
            .unwrap_or_default(),
    }
}

/// The chosen cells alone, as an overlay of an image; empty for other samples.
pub(crate) fn overlay(interpretation: &Interpretation, score: &Score) -> String {
    Picture::of(&interpretation.sample.view)
        .map(|picture| image::overlay(interpretation, score, &picture))
        .unwrap_or_default()
}

/// The contributions as bars.
pub(crate) fn bars(interpretation: &Interpretation, score: &Score) -> String {
    match &interpretation.sample.view {
        SampleView::Row { cells } => row::html(interpretation, score, cells),
        _ => bars::html(interpretation.scale(), score, name_alone),
    }
}

/// The contributions as bars, those of two rows side by side.
pub(crate) fn bars_against(
    before: (&Interpretation, &Score),
    now: (&Interpretation, &Score),
) -> String {
    match (&before.0.sample.view, &now.0.sample.view) {
        (SampleView::Row { cells: old }, SampleView::Row { cells }) => {
            row::side_by_side((before.0, before.1, old), (now.0, now.1, cells))
        }
        _ => bars(now.0, now.1),
    }
}

/// The differences between two classes as a table, feature by feature.
pub(crate) fn contrast(interpretation: &Interpretation, contrast: &Contrast) -> String {
    contrast::html(contrast, |term| label(&interpretation.sample.view, term))
}

/// The same as lines of the terminal, at most `width` columns wide.
pub(crate) fn contrast_lines(
    interpretation: &Interpretation,
    contrast: &Contrast,
    style: Style,
    width: usize,
) -> Vec<String> {
    contrast::lines(contrast, style, width, |term| label(&interpretation.sample.view, term))
}

/// The text before the bar of a term of this sample.
fn label(view: &SampleView, term: &Term) -> bars::Label {
    match view {
        SampleView::Row { cells } => row::label(term, cells),
        _ => name_alone(term),
    }
}

/// The sample and its bars as a card shows them.
pub(crate) fn figure(interpretation: &Interpretation, score: &Score, id: &str) -> String {
    match &interpretation.sample.view {
        // A text carries its numbers itself.
        SampleView::Text { .. } => marked(interpretation, score, id),
        SampleView::Row { .. } => bars(interpretation, score),
        _ => format!(
            "<div class=\"figure\">{}{}</div>",
            marked(interpretation, score, id),
            bars(interpretation, score)
        ),
    }
}

/// The details folded away under a card: all columns of a row.
pub(crate) fn details(view: &SampleView) -> String {
    match view {
        SampleView::Row { cells } => row::all_columns(cells),
        _ => String::new(),
    }
}

/// Whether it has no known feature: a text without a known word. An empty text needs no notice.
pub(crate) fn knows_nothing(view: &SampleView) -> bool {
    match view {
        SampleView::Text { tokens } => {
            !tokens.is_empty() && tokens.iter().all(|token| token.feature.is_none())
        }
        _ => false,
    }
}

/// Whether words out of the vocabulary may be in it.
pub(crate) fn is_text(view: &SampleView) -> bool {
    matches!(view, SampleView::Text { .. })
}

/// Whether it is a row of a table.
pub(crate) fn is_row(view: &SampleView) -> bool {
    matches!(view, SampleView::Row { .. })
}

/// The text that a search covers: the words of a text, the columns of a row.
pub(crate) fn searchable(view: &SampleView) -> String {
    match view {
        SampleView::Text { tokens } => {
            let spaced = |token: &TokenView| {
                let text = cut(&token.text, text::LONGEST);
                format!("{}{text}", if token.space_before { " " } else { "" })
            };
            format!(" {}", tokens.iter().map(spaced).collect::<String>())
        }
        SampleView::Row { cells } => {
            let cell =
                |(name, value): &(String, String)| format!(" {name}={}", cut(value, text::LONGEST));
            cells.iter().map(cell).collect()
        }
        _ => String::new(),
    }
}

/// The sample and its bars as lines of the terminal, at most `width` columns wide.
pub(crate) fn lines(
    interpretation: &Interpretation,
    score: &Score,
    style: Style,
    width: usize,
) -> Vec<String> {
    match &interpretation.sample.view {
        SampleView::Text { tokens } => text::lines(interpretation, score, tokens, style, width),
        SampleView::Row { cells } => row::lines(interpretation, score, cells, style, width),
        view => Picture::of(view)
            .map(|picture| image_and_bars(interpretation, score, &picture, style, width))
            .unwrap_or_default(),
    }
}

/// An image with its bars beside it, or below it if the terminal is too narrow.
fn image_and_bars(
    interpretation: &Interpretation,
    score: &Score,
    picture: &Picture,
    style: Style,
    width: usize,
) -> Vec<String> {
    const GAP: usize = 3;
    const LEAST_LIST: usize = 34;
    let (left, across) = image::lines(interpretation, score, picture, style, width);
    let beside = across + GAP + LEAST_LIST <= width;
    let available = if beside { width - across - GAP } else { width };
    let right = bars::lines(interpretation.scale(), score, style, available, name_alone);
    if !beside {
        return [left, right].concat();
    }
    // One more than the picture has, so that the sum does not touch it.
    let rows = (left.len() + 1).max(right.len());
    let blank = " ".repeat(across);
    let line = |i: usize| {
        let (l, r) = (left.get(i).unwrap_or(&blank), right.get(i).map_or("", |r| r));
        format!("{l}{}{r}", " ".repeat(GAP))
    };
    (0..rows).map(line).collect()
}

/// A term whose value goes without saying; for a segment of a text, its beginning.
fn name_alone(term: &Term) -> bars::Label {
    let beginning = term.observed.as_deref().map(|text| cut(text, BEGINNING));
    (term.name.clone(), beginning.unwrap_or_default())
}
