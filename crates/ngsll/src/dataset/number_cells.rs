//! The numbers of a column while it is read.

use super::{DecimalMark, WrittenNumber};

/// The numbers of a column while it is read: their decimal mark may become clear only later.
#[derive(Debug, Default)]
pub struct NumberCells {
    /// The values with a decimal point.
    values: Vec<f64>,
    /// Rows whose value depends on the mark.
    ambiguous: Vec<u32>,
    /// The number of these with a comma, not a point.
    ambiguous_commas: usize,
    /// The numbers of cells certainly written with a point, and with a comma.
    marks: [usize; 2],
    unit: Option<char>,
    /// The number of cells that are ends of ranges.
    limits: usize,
}

impl NumberCells {
    /// Appends a missing value.
    pub fn push_missing(&mut self) {
        self.values.push(f64::NAN);
    }

    /// Appends a number that was stored as such.
    pub fn push_value(&mut self, value: f64) {
        self.values.push(value);
    }

    /// Appends a number; if its unit differs from that of the cells before, appends nothing and returns `false`.
    pub fn push(&mut self, number: &WrittenNumber) -> bool {
        if number.unit.is_some() && self.unit.is_some() && number.unit != self.unit {
            return false;
        }
        self.unit = self.unit.or(number.unit);
        let by_point = number.value(DecimalMark::Point);
        match number.mark {
            Some(DecimalMark::Point) => self.marks[0] += 1,
            Some(DecimalMark::Comma) => self.marks[1] += 1,
            None => {}
        }
        if let (true, Ok(row)) = (number.is_ambiguous(), u32::try_from(self.values.len())) {
            self.ambiguous.push(row);
            self.ambiguous_commas += usize::from(has_comma(by_point));
        }
        self.limits += usize::from(number.is_limit);
        self.values.push(by_point);
        true
    }

    /// The numbers of cells certainly written with a point, and with a comma.
    pub fn marks(&self) -> [usize; 2] {
        self.marks
    }

    /// The number of ambiguous cells, and how many of these have a comma.
    pub fn ambiguous(&self) -> [usize; 2] {
        [self.ambiguous.len(), self.ambiguous_commas]
    }

    /// The sign beside the numbers.
    pub fn unit(&self) -> Option<char> {
        self.unit
    }

    /// The number of cells that are ends of ranges, as `<0.5`.
    pub fn limits(&self) -> usize {
        self.limits
    }

    /// The values so far, with a decimal point.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The numbers, with ambiguous ones read by this mark.
    pub fn finish(mut self, mark: DecimalMark) -> Vec<f64> {
        if mark == DecimalMark::Comma {
            for row in self.ambiguous {
                let value = &mut self.values[row as usize];
                *value = by_comma(*value);
            }
        }
        self.values
    }
}

/// Whether an ambiguous number is written with a comma: with a point it is below a thousand.
fn has_comma(by_point: f64) -> bool {
    by_point.abs() >= 1000.0
}

/// An ambiguous number read with a decimal comma. It has three digits after its mark, so both values are
/// exactly what its digits say.
pub(super) fn by_comma(by_point: f64) -> f64 {
    if has_comma(by_point) { by_point / 1000.0 } else { (by_point * 1000.0).round() }
}
