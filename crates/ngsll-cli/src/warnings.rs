//! Warnings on standard error about data that a user may want to look at.

use crate::output::eprint_line;
use ngsll::dataset::{Dataset, Images, Samples, Values};
use ngsll::objective::{Objective, Targets};
use ngsll::representation::Representation;
use ngsll::{PartRows, TrainingSetup};
use ngsll_view::UnseenValues;
use std::collections::HashSet;

/// A column with more levels than this, most of them in one row only, looks like names or ids.
const MANY_LEVELS: usize = 50;

/// Says which values of `rows` rows the model never saw.
pub fn unseen(unseen: &UnseenValues, rows: usize) {
    unseen.sentences(rows).iter().for_each(|line| eprint_line(format_args!("note: {line}")));
}

/// Says what was done to the samples while they were read.
pub fn reading(notes: &[String]) {
    notes.iter().for_each(|line| eprint_line(format_args!("note: {line}")));
}

/// Columns that are not read because they hold the same in every row.
pub fn constant_columns(representation: &Representation) -> Option<String> {
    let Representation::Columns(columns) = representation else { return None };
    let names: Vec<String> = columns.constant().iter().map(|name| format!("{name:?}")).collect();
    let (s, hold, are) = if names.len() == 1 { ("", "holds", "is") } else { ("s", "hold", "are") };
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!(
            "note: column{s} {names} {hold} the same in every row to learn from, and {are} left out"
        )
    })
}

/// Columns that are not read because there are too many.
pub fn many_columns(setup: &TrainingSetup) -> Option<String> {
    let (left_out, read) = (setup.columns_left_out(), setup.representation().features());
    (left_out > 0).then(|| {
        format!(
            "note: of {} columns the {read} that say most about the target by themselves are read; \
             so many rows cannot tell more of them apart",
            left_out + read
        )
    })
}

/// Columns that are never chosen because they do not help on held-out rows.
pub fn uninformative_columns(representation: &Representation) -> Option<String> {
    let Representation::Columns(columns) = representation else { return None };
    let names: Vec<String> =
        columns.uninformative().iter().map(|name| format!("{name:?}")).collect();
    let (s, do_not) = if names.len() == 1 { ("", "does not") } else { ("s", "do not") };
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!(
            "note: column{s} {names} {do_not} help on the validation rows, and will not be chosen; \
             --set training.screening=false keeps all"
        )
    })
}

/// Texts of which only the beginning is read.
pub fn cut_texts(data: &Dataset, representation: &Representation) -> Option<String> {
    let (Representation::Words(words), Samples::Texts(texts)) = (representation, data.samples())
    else {
        return None;
    };
    let cut: Vec<&str> = texts.iter().filter(|text| words.is_cut(text)).collect();
    let longest = cut.iter().map(|text| words.length(text)).max()?;
    let (count, of, most) = (cut.len(), texts.len(), words.config().max_tokens);
    Some(format!(
        "note: {count} of {of} texts have more than {most} tokens, and only the first {most} are read; \
         the longest has {longest}: --set representation.max_tokens={longest} reads them all"
    ))
}

/// Images that training has seen and that are to measure it.
pub fn identical_images(
    data: &Dataset,
    valid: Option<&Dataset>,
    rows: &PartRows,
) -> Option<String> {
    let (Samples::Images(images), valid) = (data.samples(), valid.unwrap_or(data)) else {
        return None;
    };
    let Samples::Images(valid) = valid.samples() else { return None };
    let learned: HashSet<&[u8]> = rows.train.iter().map(|&row| images.get(row)).collect();
    let seen = |images: &Images, rows: &[usize]| {
        rows.iter().filter(|&&row| learned.contains(images.get(row))).count()
    };
    let parts = [
        (seen(valid, &rows.valid), rows.valid.len(), "validation"),
        (seen(images, &rows.test), rows.test.len(), "test"),
    ];
    let found = parts.iter().filter(|(count, _, _)| *count > 0);
    let found: Vec<String> =
        found.map(|(count, of, part)| format!("{count} of {of} {part} images")).collect();
    (!found.is_empty()).then(|| {
        format!(
            "note: {} are also among those to learn from, pixel for pixel; what is measured on them is \
             better than it will be on new images: keep one of each",
            found.join(" and ")
        )
    })
}

/// Training data that looks like a slip: a class of one sample, a column of names or ids.
pub fn training(data: &Dataset, objective: &Objective, targets: &Targets) -> Vec<String> {
    let mut notes = Vec::new();
    if let Targets::Classes(classes) = targets {
        for (c, name) in objective.classes().iter().enumerate() {
            let mut rows = (0..classes.len()).filter(|&row| classes[row] == c);
            if let (Some(row), None) = (rows.next(), rows.next()) {
                let location = data.location(row);
                notes.push(format!(
                    "note: the class {name:?} has one sample only, {location}; is that a header?"
                ));
            }
        }
    }
    if let Samples::Table(table) = data.samples() {
        for column in table.columns() {
            if let Values::Categorical(categories) = column.values()
                && categories.levels().len() > MANY_LEVELS
                && 2 * categories.levels().len() > data.len()
            {
                let (name, n) = (column.name(), categories.levels().len());
                notes.push(format!(
                    "note: column {name:?} has {n} different values in {} rows; if they are names or ids, \
                     leave it out with --set 'data.drop=[{name:?}]'",
                    data.len()
                ));
            }
        }
    }
    notes
}
