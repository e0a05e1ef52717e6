//! The quality of a ranking of the samples of two classes by score.

/// The probability that a positive scores above a negative, ties counting half; `None` without both.
///
/// ```
/// use ngsll::metrics::auroc;
/// assert_eq!(auroc(&[0.1, 0.4, 0.35, 0.8], &[0.0, 0.0, 1.0, 1.0]), Some(0.75));
/// assert_eq!(auroc(&[0.1], &[1.0]), None);
/// ```
pub fn auroc(scores: &[f64], truths: &[f64]) -> Option<f64> {
    let groups = by_falling_score(scores, truths);
    let positives: f64 = groups.iter().map(|group| group.positives).sum();
    let negatives = truths.len() as f64 - positives;
    let (mut pairs, mut below) = (0.0, negatives);
    for Group { samples, positives } in groups {
        let tied = samples - positives;
        below -= tied;
        pairs += positives * (below + tied / 2.0);
    }
    let all = positives * negatives;
    (all > 0.0).then(|| pairs / all)
}

/// Average precision, the area under the curve of precision against recall as steps: the mean over the
/// positives of the share of positives among the samples that score as high or higher; `None` without
/// positives.
///
/// ```
/// use ngsll::metrics::average_precision;
/// let found = average_precision(&[0.1, 0.4, 0.35, 0.8], &[0.0, 0.0, 1.0, 1.0]).unwrap();
/// assert!((found - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-12);
/// ```
pub fn average_precision(scores: &[f64], truths: &[f64]) -> Option<f64> {
    let (mut sum, mut samples, mut found) = (0.0, 0.0, 0.0);
    for group in by_falling_score(scores, truths) {
        samples += group.samples;
        found += group.positives;
        sum += group.positives * found / samples;
    }
    (found > 0.0).then(|| sum / found)
}

/// The number of positives in the tenth with the highest scores, relative to a tenth drawn at random
/// (rounded up if ten does not divide the number); of samples with equal scores at its end,
/// the share counts. `None` without positives.
///
/// ```
/// use ngsll::metrics::lift;
/// let scores: Vec<f64> = (0..20).map(f64::from).collect();
/// let truths: Vec<f64> = (0..20).map(|i| f64::from(u8::from(i >= 15))).collect();
/// assert_eq!(lift(&scores, &truths), Some(4.0)); // two of two, where a quarter of all is positive
/// ```
pub fn lift(scores: &[f64], truths: &[f64]) -> Option<f64> {
    let top = scores.len().div_ceil(10) as f64;
    let (mut left, mut found, mut positives) = (top, 0.0, 0.0);
    for group in by_falling_score(scores, truths) {
        let taken = group.samples.min(left);
        found += group.positives * taken / group.samples;
        left -= taken;
        positives += group.positives;
    }
    (positives > 0.0).then(|| (found / top) / (positives / scores.len() as f64))
}

/// Samples with one score.
struct Group {
    samples: f64,
    positives: f64,
}

/// The samples by falling score, those of the same score together; a positive has a truth above ½.
fn by_falling_score(scores: &[f64], truths: &[f64]) -> Vec<Group> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let group = |ties: &[usize]| Group {
        samples: ties.len() as f64,
        positives: ties.iter().filter(|&&i| truths[i] > 0.5).count() as f64,
    };
    order.chunk_by(|&a, &b| scores[a] == scores[b]).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_positives_there_is_nothing_to_find() {
        for truths in [&[][..], &[0.0, 0.0]] {
            let scores = vec![0.5; truths.len()];
            assert_eq!(auroc(&scores, truths), None);
            assert_eq!(average_precision(&scores, truths), None);
            assert_eq!(lift(&scores, truths), None);
        }
        assert_eq!(average_precision(&[0.5, 0.5], &[0.0, 1.0]), Some(0.5), "ties go together");
        assert_eq!(lift(&[0.5; 30], &[1.0; 30]), Some(1.0));
    }

    proptest! {
        /// The definitions, pair by pair and sample by sample.
        #[test]
        fn figures_are_those_of_their_definitions(
            list in prop::collection::vec((0_u8..9, any::<bool>()), 1..60)
        ) {
            let scores: Vec<f64> = list.iter().map(|(s, _)| f64::from(*s)).collect();
            let truths: Vec<f64> = list.iter().map(|(_, t)| f64::from(u8::from(*t))).collect();
            let rows = |positive: bool| list.iter().filter(move |(_, t)| *t == positive);
            let (mut won, mut pairs, mut precisions) = (0.0, 0.0, Vec::new());
            for (p, _) in rows(true) {
                for (n, _) in rows(false) {
                    won += if p > n { 1.0 } else if p == n { 0.5 } else { 0.0 };
                    pairs += 1.0;
                }
                let as_high = list.iter().filter(|(s, _)| s >= p);
                let right = as_high.clone().filter(|(_, t)| *t).count() as f64;
                precisions.push(right / as_high.count() as f64);
            }
            let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                (a, b) => a == b,
            };
            prop_assert!(close(auroc(&scores, &truths), (pairs > 0.0).then_some(won / pairs)));
            let n = precisions.len() as f64;
            let expected = (n > 0.0).then(|| precisions.iter().sum::<f64>() / n);
            prop_assert!(close(average_precision(&scores, &truths), expected));
            // Each positive by the chance that it is in the top, however ties are broken.
            let top = list.len().div_ceil(10);
            let chance = |score: u8| {
                let above = list.iter().filter(|(s, _)| *s > score).count();
                let tied = list.iter().filter(|(s, _)| *s == score).count();
                (top.saturating_sub(above) as f64 / tied as f64).min(1.0)
            };
            let found: f64 = rows(true).map(|(s, _)| chance(*s)).sum();
            let expected = (n > 0.0).then(|| found / top as f64 / (n / list.len() as f64));
            prop_assert!(close(lift(&scores, &truths), expected));
        }
    }
}
