//! A column as places in the list of its distinct values.

/// The distinct values of a feature, and which of them each row has: splits are then searched
/// among small whole numbers, by counting instead of sorting where a node holds many rows.
pub(super) struct Levels {
    /// Rising.
    pub(super) values: Vec<f32>,
    /// The place of each row's value in `values`.
    pub(super) of_row: Vec<u32>,
}

impl Levels {
    /// Feature j of `z: [rows, features]`.
    pub(super) fn new(z: &[f32], features: usize, j: usize) -> Self {
        let column = || z.iter().skip(j).step_by(features).copied();
        let mut values: Vec<f32> = column().collect();
        values.sort_by(f32::total_cmp);
        // By ==, so that −0 and 0 are one value.
        values.dedup();
        let place = |value: f32| values.partition_point(|&v| v < value) as u32;
        let of_row = column().map(place).collect();
        Self { values, of_row }
    }

    /// A threshold from the value at `left` up to, but not including, the one at `right`.
    pub(super) fn between(&self, left: u32, right: u32) -> f32 {
        let (low, high) = (self.values[left as usize], self.values[right as usize]);
        let middle = low / 2.0 + high / 2.0;
        if (low..high).contains(&middle) { middle } else { low }
    }
}
