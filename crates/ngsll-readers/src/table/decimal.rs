//! The meaning of numbers such as `1.234` in a file: by its other numbers, else by the separator of its cells.

use ngsll::dataset::{CellForm, DecimalMark, Labels, NumberCells, WrittenNumber};
use std::cmp::Ordering;

/// The evidence about the decimal mark of a file so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FileNumbers {
    /// The numbers of cells certainly written with a point, and with a comma.
    pub marks: [usize; 2],
    /// The separator of the cells.
    pub separator: Option<u8>,
}

impl FileNumbers {
    /// Counts the numbers of a column.
    pub fn add(&mut self, numbers: &NumberCells) {
        for (all, more) in self.marks.iter_mut().zip(numbers.marks()) {
            *all += more;
        }
    }

    /// The mark of a column's numbers: that of its own cells or of the file's, else `trained`, that of the column
    /// in training. Otherwise a file separated by semicolons is taken to have decimal commas.
    pub fn decide(&self, numbers: &NumberCells, trained: DecimalMark) -> DecimalMark {
        let [ambiguous, with_comma] = numbers.ambiguous();
        let commas_only = with_comma > 0 && with_comma == ambiguous;
        let otherwise = match self.separator {
            None | Some(b',') => DecimalMark::Point,
            Some(b';') if commas_only => DecimalMark::Comma,
            Some(_) => trained,
        };
        prevailing(numbers.marks()).or_else(|| prevailing(self.marks)).unwrap_or(otherwise)
    }

    /// Whether a number such as `1.234` could well be thousands: between semicolons, if no number of the file decides.
    pub fn may_have_commas(&self) -> bool {
        self.separator == Some(b';') && prevailing(self.marks).is_none()
    }
}

/// The numbers among labels.
pub(super) struct LabelNumbers {
    pub cells: NumberCells,
    /// Their written form.
    pub form: CellForm,
}

impl LabelNumbers {
    /// `None` for labels that are not all numbers.
    pub fn of(labels: &[String]) -> Option<Self> {
        let labels = || labels.iter().map(String::as_str).filter(|label| !label.is_empty());
        // With few different ones a word may be a part of their names.
        let form = match Labels::nearly_all_numbers(labels()) {
            Some(_) => CellForm::of_numbers(labels().map(|label| (label, 1))),
            None => CellForm::default(),
        };
        let mut cells = NumberCells::default();
        let all =
            labels().all(|label| form.number(label).is_some_and(|number| cells.push(&number)));
        all.then_some(Self { cells, form })
    }

    /// Writes labels such as `1.234` as plain numbers if their mark is the comma.
    pub fn plain(&self, labels: &mut [String], mark: DecimalMark) {
        if mark == DecimalMark::Point {
            return;
        }
        for label in labels {
            let number = self.form.number(label).filter(WrittenNumber::is_ambiguous);
            if let Some(number) = number {
                let unit = self.form.unit.iter().map(|unit| format!(" {unit}")).collect::<String>();
                *label = format!("{}{unit}", number.value(mark));
            }
        }
    }
}

/// The mark that most unambiguous cells have.
pub(super) fn prevailing([points, commas]: [usize; 2]) -> Option<DecimalMark> {
    match points.cmp(&commas) {
        Ordering::Less => Some(DecimalMark::Comma),
        Ordering::Greater => Some(DecimalMark::Point),
        Ordering::Equal => None,
    }
}
