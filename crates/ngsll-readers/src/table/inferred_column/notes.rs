//! Notes for the user about how a column was read.

use super::super::dates_among_levels::Dates;
use super::super::decimal::prevailing;
use super::super::slips;
use super::{InferredCells, InferredColumn};
use crate::ReaderNote;
use ngsll::dataset::{Categories, DecimalMark, NumberCells, WrittenNumber, loses_digits};
use ngsll::findings::Remedy;
use ngsll::readable::count_of;

impl InferredColumn {
    /// Notes about how its cells were read; `lines` are those of its rows.
    pub fn notes(&self, lines: &[u64]) -> Vec<ReaderNote> {
        let name = &self.spec.name;
        let levels = match &self.cells {
            InferredCells::Known(builder) if self.open => builder.levels(),
            InferredCells::Dates(Dates { unclear: true, .. }) => {
                let text = format!(
                    "column {name:?}: 01/02/2024 could be 1 February or 2 January; it is read as 1 February"
                );
                let remedy = Remedy::new("data.month_first", "true", "changes that");
                return vec![ReaderNote::with_remedy(text, ", and", remedy)];
            }
            _ => None,
        };
        if let Some(levels) = levels {
            let note = lost_digits(name, levels).or_else(|| slips::note(name, levels, lines));
            return note.into_iter().collect();
        }
        self.numbers().map_or_else(Vec::new, |numbers| self.notes_on_numbers(numbers))
    }

    fn notes_on_numbers(&self, numbers: &NumberCells) -> Vec<ReaderNote> {
        let (name, form, mut notes) = (&self.spec.name, &self.spec.form, Vec::new());
        if form.clock {
            notes.push(
                format!("column {name:?} holds times such as 4:28:48, read as seconds").into(),
            );
        }
        if let Some(unit) = self.unit(numbers) {
            notes.push(format!("column {name:?} is read as numbers in {unit}").into());
        }
        if numbers.limits() > 0 {
            let cells = count_of(numbers.limits(), "cell");
            let text = format!(
                "column {name:?}: the signs < and > are ignored in {cells} (<5 is read as 5)"
            );
            notes.push(ReaderNote::with_remedy(text, ";", self.as_category()));
        }
        let [ambiguous, with_comma] = numbers.ambiguous();
        let unclear = form.decimal == DecimalMark::Point && prevailing(numbers.marks()).is_none();
        if unclear && with_comma > 0 {
            let text =
                format!("column {name:?}: commas are read as thousands separators (1,234 is 1234)");
            let remedy = Remedy::new("data.decimal", "comma", "reads 1.234 instead");
            notes.push(ReaderNote::with_remedy(text, ";", remedy));
        } else if unclear && ambiguous > 0 && self.points_are_a_guess {
            let text = format!(
                "column {name:?}: points are read as decimal points (1.234 is a little more than 1)"
            );
            let remedy = Remedy::new("data.decimal", "comma", "reads 1234 instead");
            notes.push(ReaderNote::with_remedy(text, ";", remedy));
        }
        if self.open && self.usual_words && !self.words.is_empty() {
            let words = self.words.iter();
            let words =
                words.map(|(word, cells)| format!("{word:?} ({})", count_of(*cells, "cell")));
            let words: Vec<String> = words.collect();
            let text = format!(
                "column {name:?} holds numbers; {} {} read as missing",
                words.join(", "),
                if words.len() == 1 { "is" } else { "are" }
            );
            notes.push(ReaderNote::with_remedy(text, ";", self.as_category()));
        }
        notes
    }

    /// The option that reads its numbers as levels.
    fn as_category(&self) -> Remedy {
        let option = format!("data.columns.{:?}", self.spec.name);
        Remedy::new(option, "categorical", "makes it a category")
    }
}

/// The note about numbers read as levels because they would lose digits otherwise.
fn lost_digits(name: &str, levels: &Categories) -> Option<ReaderNote> {
    let is_number = |text: &String| WrittenNumber::read(text).is_some();
    let example = levels.levels().iter().find(|text| loses_digits(text))?;
    levels.levels().iter().all(is_number).then(|| {
        let what = match example.trim_start_matches('-').starts_with('0') {
            true => "with leading zeros",
            false => "with more digits than a quantity can keep",
        };
        let text = format!(
            "column {name:?} has numbers {what}, such as {example}, so its values are levels"
        );
        let option = format!("data.columns.{name:?}");
        ReaderNote::with_remedy(
            text,
            ";",
            Remedy::new(option, "numeric", "makes quantities of them"),
        )
    })
}
