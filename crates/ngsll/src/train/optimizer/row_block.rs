//! Rows of a table that are updated one by one, in parallel.

use super::UpdateRule;

/// The fewest rows that one thread updates.
const SHARE: usize = 64;

/// Neighbouring rows of a table.
pub(super) struct RowBlock<'a> {
    /// The number of the first.
    pub first: usize,
    /// Weights per row.
    pub width: usize,
    /// Moments per row.
    pub moments_width: usize,
    pub weights: &'a mut [f32],
    pub moments: &'a mut [f32],
    /// The update that each row is up to date with, or 0 where it never had one.
    pub last: &'a mut [u32],
}

/// One row of a table.
pub(super) struct Row<'a> {
    pub weights: &'a mut [f32],
    pub moments: &'a mut [f32],
    pub last: &'a mut u32,
}

impl RowBlock<'_> {
    /// The rows before `at`, and the others.
    fn split_at(self, at: usize) -> (Self, Self) {
        let Self { first, width, moments_width, .. } = self;
        let (weights, weights_after) = self.weights.split_at_mut((at - first) * width);
        let (moments, moments_after) = self.moments.split_at_mut((at - first) * moments_width);
        let (last, last_after) = self.last.split_at_mut(at - first);
        let before = Self { first, width, moments_width, weights, moments, last };
        let (weights, moments, last) = (weights_after, moments_after, last_after);
        (before, Self { first: at, width, moments_width, weights, moments, last })
    }

    fn row(&mut self, row: usize) -> Row<'_> {
        let at = row - self.first;
        Row {
            weights: &mut self.weights[at * self.width..][..self.width],
            moments: &mut self.moments[at * self.moments_width..][..self.moments_width],
            last: &mut self.last[at],
        }
    }
}

impl Row<'_> {
    /// Applies the updates that the row has missed up to number `time`.
    pub fn catch_up(&mut self, rule: &dyn UpdateRule, time: u32) {
        if (1..time).contains(self.last) {
            rule.skip_steps(*self.last, time, self.weights, self.moments);
            *self.last = time;
        }
    }
}

/// Runs `work` on the listed rows, which are in ascending order, on several threads.
pub(super) fn each_row<T: Sync>(
    mut table: RowBlock<'_>,
    listed: &[(usize, T)],
    work: &(impl Fn(&mut Row<'_>, &T) + Sync),
) {
    if listed.len() <= SHARE {
        listed.iter().for_each(|(row, with)| work(&mut table.row(*row), with));
        return;
    }
    let (left, right) = listed.split_at(listed.len() / 2);
    let (before, after) = table.split_at(right[0].0);
    rayon::join(|| each_row(before, left, work), || each_row(after, right, work));
}
