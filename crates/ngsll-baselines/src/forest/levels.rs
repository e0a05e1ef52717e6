//! A column as ranks among its distinct values.

/// The distinct values of a feature, and the rank of each row's value among them. Splits are then
/// searched among small integers, by counting instead of sorting in nodes with many rows.
pub(super) struct Levels {
    /// Rising.
    pub(super) values: Vec<f32>,
    /// The index of each row's value in `values`.
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
        let level = |value: f32| values.partition_point(|&v| v < value) as u32;
        let of_row = column().map(level).collect();
        Self { values, of_row }
    }

    /// A threshold between two levels: at least the value of `left`, below that of `right`.
    pub(super) fn between(&self, left: u32, right: u32) -> f32 {
        let (low, high) = (self.values[left as usize], self.values[right as usize]);
        let middle = low / 2.0 + high / 2.0;
        if (low..high).contains(&middle) { middle } else { low }
    }
}
