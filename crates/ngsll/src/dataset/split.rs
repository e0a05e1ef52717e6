//! Splitting samples at random: training, validation, test.

use rand::Rng;
use rand::seq::SliceRandom;

/// Differences below this are rounding, not intention.
const TOLERANCE: f64 = 1e-6;

/// Splits the indices of `classes` (the class of each sample) by `fractions`, the last part taking the rest, so that each
/// part has its fraction of each class and of the whole, to within less than one sample. Indices are sorted.
///
/// `fractions` are not negative and add up to 1.
pub fn stratified(classes: &[usize], fractions: &[f64], rng: &mut impl Rng) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); classes.iter().max().map_or(0, |class| class + 1)];
    classes.iter().enumerate().for_each(|(index, class)| members[*class].push(index));
    let sizes = part_sizes(&members.iter().map(Vec::len).collect::<Vec<_>>(), fractions);
    let mut parts = vec![Vec::new(); fractions.len()];
    for (members, sizes) in members.iter_mut().zip(sizes) {
        members.shuffle(rng);
        let mut rest = members.as_slice();
        for (part, size) in parts.iter_mut().zip(sizes) {
            let (taken, left) = rest.split_at(size);
            part.extend_from_slice(taken);
            rest = left;
        }
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// Splits the indices 0 to n−1 by `fractions`, as [`stratified`] does with a single class.
pub fn random(n: usize, fractions: &[f64], rng: &mut impl Rng) -> Vec<Vec<usize>> {
    stratified(&vec![0; n], fractions, rng)
}

/// The number of rows of each class in each part: every exact share, and every part's total, rounded up or down.
///
/// Rounding class by class cannot do that; the shares have to be rounded together. A row is added to the table of
/// shares that makes the columns add up to integers. Then every row and column that has a fractional entry has two,
/// so that from any of them a closed path over fractional entries can be walked, alternating along rows and columns.
/// Adding to one and subtracting from the next along the path keeps all sums; it goes on until an entry is an integer.
fn part_sizes(counts: &[usize], fractions: &[f64]) -> Vec<Vec<usize>> {
    let Some(last) = fractions.len().checked_sub(1) else { return vec![Vec::new(); counts.len()] };
    let mut shares: Vec<Vec<f64>> = counts
        .iter()
        .map(|count| {
            let mut row: Vec<f64> = fractions.iter().map(|f| f * *count as f64).collect();
            row[last] = (*count as f64 - row[..last].iter().sum::<f64>()).max(0.0);
            row
        })
        .collect();
    let totals = (0..=last).map(|part| shares.iter().map(|row| row[part]).sum::<f64>());
    let slack = totals.map(|total| total.ceil() - total).collect();
    shares.push(slack);
    let mut first = 0;
    while first < shares.len() {
        match closed_path(&shares, first) {
            Some(path) => shift(&mut shares, &path),
            None => first += 1,
        }
    }
    shares.pop();
    shares.iter().zip(counts).map(|(row, count)| integers(row, *count)).collect()
}

fn is_fractional(share: f64) -> bool {
    (share - share.round()).abs() > TOLERANCE
}

/// A closed path over fractional entries (row, part) that starts in row `first`, steps along the row and along the part
/// in turn; `None` where that row is all integers.
fn closed_path(shares: &[Vec<f64>], first: usize) -> Option<Vec<(usize, usize)>> {
    let part = shares[first].iter().position(|share| is_fractional(*share))?;
    let mut path = vec![(first, part)];
    loop {
        let (row, part) = path[path.len() - 1];
        let next_part = (0..shares[row].len())
            .find(|other| *other != part && is_fractional(shares[row][*other]))?;
        path.push((row, next_part));
        // The path closes where it comes to a part or to a row for the second time.
        if let Some(at) = path.iter().step_by(2).position(|entry| entry.1 == next_part) {
            return Some(path.split_off(2 * at));
        }
        let next_row = (0..shares.len())
            .find(|other| *other != row && is_fractional(shares[*other][next_part]))?;
        path.push((next_row, next_part));
        if let Some(at) = path.iter().skip(1).step_by(2).position(|entry| entry.0 == next_row) {
            return Some(path.split_off(2 * at + 1));
        }
    }
}

/// Adds to the entries at even positions of the path and subtracts from those at odd ones until one is an integer.
fn shift(shares: &mut [Vec<f64>], path: &[(usize, usize)]) {
    let slack = |(at, (row, part)): (usize, &(usize, usize))| {
        let share = shares[*row][*part];
        if at % 2 == 0 { share.ceil() - share } else { share - share.floor() }
    };
    let step = path.iter().enumerate().map(slack).fold(f64::INFINITY, f64::min);
    for (at, (row, part)) in path.iter().enumerate() {
        shares[*row][*part] += if at % 2 == 0 { step } else { -step };
    }
}

/// A row of shares that are integers up to rounding, made to add up to `count`.
fn integers(row: &[f64], count: usize) -> Vec<usize> {
    let mut left = count;
    let mut sizes: Vec<usize> = row
        .iter()
        .map(|share| {
            let size = (share.round() as usize).min(left);
            left -= size;
            size
        })
        .collect();
    if let Some(last) = sizes.last_mut() {
        *last += left;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn fractions() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(0.0..1.0_f64, 1..6).prop_map(|weights| {
            let sum: f64 = weights.iter().sum::<f64>() + 1e-3;
            let mut fractions: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
            fractions.push(1.0 - fractions.iter().sum::<f64>());
            fractions
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn parts_are_disjoint_complete_and_in_proportion(
            classes in prop::collection::vec(0_usize..8, 0..200),
            fractions in fractions(),
            seed: u64,
        ) {
            let parts = stratified(&classes, &fractions, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert_eq!(parts.len(), fractions.len());
            let mut all = parts.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..classes.len()).collect::<Vec<_>>());
            for (part, fraction) in parts.iter().zip(&fractions) {
                prop_assert!(part.is_sorted());
                let near = |found: usize, of: usize| (found as f64 - fraction * of as f64).abs() < 1.0;
                prop_assert!(near(part.len(), classes.len()));
                for class in 0..8 {
                    let found = part.iter().filter(|index| classes[**index] == class).count();
                    prop_assert!(near(found, classes.iter().filter(|c| **c == class).count()));
                }
            }
        }

        #[test]
        fn a_random_split_is_in_proportion(n in 0_usize..500, fractions in fractions(), seed: u64) {
            let parts = random(n, &fractions, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), n);
            for (part, fraction) in parts.iter().zip(&fractions) {
                prop_assert!((part.len() as f64 - fraction * n as f64).abs() < 1.0);
            }
        }
    }

    #[test]
    fn round_fractions_are_met_exactly_and_the_seed_decides() {
        let classes: Vec<usize> = (0..1000).map(|index| usize::from(index % 10 == 0)).collect();
        let parts =
            |seed| stratified(&classes, &[0.8, 0.1, 0.1], &mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(parts(1).iter().map(Vec::len).collect::<Vec<_>>(), [800, 100, 100]);
        assert_eq!(parts(1)[2].iter().filter(|index| classes[**index] == 1).count(), 10);
        assert_eq!(parts(1), parts(1));
        assert_ne!(parts(1), parts(2));
    }

    #[test]
    fn many_small_classes_still_fill_every_part() {
        let classes: Vec<usize> = (0..1000).map(|index| index / 2).collect();
        let parts = stratified(&classes, &[0.8, 0.1, 0.1], &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [800, 100, 100]);
    }

    /// 30,596 of the 60,000 training images of MNIST show the digits 0 to 4.
    #[test]
    fn mnist_is_split_into_55_000_and_5_000() {
        let classes: Vec<usize> = (0..60_000).map(|i| usize::from(i >= 30_596)).collect();
        let valid = 5_000.0 / 60_000.0;
        let shares = [valid, 0.0, 1.0 - valid];
        let parts = stratified(&classes, &shares, &mut ChaCha8Rng::seed_from_u64(0));
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [5_000, 0, 55_000]);
    }
}
