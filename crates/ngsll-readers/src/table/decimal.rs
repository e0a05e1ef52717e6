//! What numbers such as `1.234` are in a file: its other numbers tell, else what separates its cells.

use ngsll::dataset::{DecimalMark, NumberCells, WrittenNumber};
use std::cmp::Ordering;

/// What is known about the numbers of a file so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FileNumbers {
    /// How many cells are certainly written with a point, and with a comma.
    pub marks: [usize; 2],
    /// What separates the cells.
    pub separator: Option<u8>,
}

impl FileNumbers {
    /// Counts the numbers of a column.
    pub fn add(&mut self, numbers: &NumberCells) {
        for (all, more) in self.marks.iter_mut().zip(numbers.marks()) {
            *all += more;
        }
    }

    /// The mark of a column's numbers: that of its own cells or of the file's, else `trained`, which the column had
    /// in training. Where nothing tells, a file whose cells are separated by semicolons has commas to spare.
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

    /// Writes labels such as `1.234` as plain numbers where they have a decimal comma; labels that are not all numbers
    /// stay as they are.
    pub fn plain_labels(
        &self,
        labels: &mut [String],
        trained: DecimalMark,
        given: Option<DecimalMark>,
    ) {
        let mut numbers = NumberCells::default();
        for label in labels.iter().filter(|label| !label.is_empty()) {
            let number = WrittenNumber::read(label);
            if !number.is_some_and(|number| numbers.push(&number)) {
                return;
            }
        }
        if given.unwrap_or_else(|| self.decide(&numbers, trained)) == DecimalMark::Point {
            return;
        }
        for label in labels {
            let number = WrittenNumber::read(label).filter(WrittenNumber::is_ambiguous);
            if let Some(number) = number {
                *label = number.value(DecimalMark::Comma).to_string();
            }
        }
    }
}

/// The mark that most cells have for certain.
pub(super) fn prevailing([points, commas]: [usize; 2]) -> Option<DecimalMark> {
    match points.cmp(&commas) {
        Ordering::Less => Some(DecimalMark::Comma),
        Ordering::Greater => Some(DecimalMark::Point),
        Ordering::Equal => None,
    }
}
