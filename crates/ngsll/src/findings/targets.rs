//! Oddities in the target: numbers far from all others, and different spellings of one class.

use super::Finding;
use std::collections::BTreeMap;

/// Robust standard deviations from the median beyond which a value dominates everything, and the same for the
/// logarithms of values that are all positive: amounts of money are naturally far apart.
const FAR: f64 = 20.0;
const FAR_IN_LOGARITHMS: f64 = 6.0;

/// The rows per outlier: with more outliers, they belong to the distribution.
const ROWS_PER_FAR: usize = 200;

/// The interquartile range of a normal distribution, in standard deviations.
const QUARTILES: f64 = 1.349;

/// The values that are far from the others, the farthest first: the row, and whether the others are as far.
pub(crate) fn far_targets(values: &[f64], location: impl Fn(usize) -> String) -> Option<Finding> {
    let quartiles = Quartiles::of(values)?;
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let of_logarithms = match values.iter().all(|value| *value > 0.0) {
        true => Some(Quartiles::of(&logarithms)?),
        false => None,
    };
    let is_far = |row: &usize| {
        let of_logarithm =
            of_logarithms.as_ref().map(|quartiles| quartiles.deviations(logarithms[*row]));
        quartiles.deviations(values[*row]) > FAR
            && of_logarithm.is_none_or(|deviations| deviations > FAR_IN_LOGARITHMS)
    };
    let far: Vec<usize> = (0..values.len()).filter(is_far).collect();
    let deviations = |row: &usize| quartiles.deviations(values[*row]);
    let farthest = *far.iter().max_by(|a, b| deviations(a).total_cmp(&deviations(b)))?;
    let few = far.len() <= values.len().div_ceil(ROWS_PER_FAR);
    few.then(|| Finding::FarTargets {
        value: values[farthest],
        location: location(farthest),
        others: far.len() - 1,
        middle: quartiles.middle,
    })
}

/// The quartiles of the values.
struct Quartiles {
    median: f64,
    middle: [f64; 2],
}

impl Quartiles {
    /// `None` if half of the values are equal.
    fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            sorted.get((share * sorted.len().saturating_sub(1) as f64).round() as usize)
        };
        let [low, median, high] = [0.25, 0.5, 0.75].map(at);
        let (low, median, high) = (*low?, *median?, *high?);
        (high > low).then_some(Self { median, middle: [low, high] })
    }

    /// The distance of a value from the median, in robust standard deviations.
    fn deviations(&self, value: f64) -> f64 {
        let [low, high] = self.middle;
        (value - self.median).abs() / ((high - low) / QUARTILES)
    }
}

/// Classes whose names differ by case or spaces only; each has the number of its samples.
pub(crate) fn alike_classes(classes: &[(&str, usize)]) -> Option<Finding> {
    let plain = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut spellings: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    for (name, samples) in classes {
        spellings.entry(plain(name)).or_default().push((name, *samples));
    }
    for names in spellings.values_mut() {
        names.sort_by_key(|(_, samples)| std::cmp::Reverse(*samples));
    }
    // Every class needs a group; one name keeps them apart from ranges of numbers.
    let group = |names: &Vec<(&str, usize)>| {
        let items = names.iter().map(|(name, _)| format!("{name}={}", names[0].0));
        items.collect::<Vec<String>>()
    };
    let writable =
        classes.iter().all(|(name, _)| !name.contains([',', '=', '-']) && name.trim() == *name);
    let groups: Vec<String> = spellings.values().flat_map(group).collect();
    let alike = spellings.into_values().filter(|names| names.len() > 1);
    let names =
        |names: Vec<(&str, usize)>| names.into_iter().map(|(name, _)| name.to_string()).collect();
    let classes: Vec<Vec<String>> = alike.map(names).collect();
    let groups = writable.then(|| groups.join(","));
    (!classes.is_empty()).then_some(Finding::AlikeClasses { classes, groups })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far(values: &[f64]) -> Option<(f64, String, usize)> {
        match far_targets(values, |row| format!("row {row}"))? {
            Finding::FarTargets { value, location, others, .. } => Some((value, location, others)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_value_far_from_all_others_is_found_and_a_heavy_tail_is_not() {
        let with = |more: &[f64]| -> Vec<f64> {
            (0..200)
                .map(|i| 30_000.0 + 137.0 * f64::from(i % 50))
                .chain(more.iter().copied())
                .collect()
        };
        assert_eq!(far(&with(&[2e7])), Some((2e7, "row 200".into(), 0)));
        assert_eq!(far(&with(&[-2e7, 1.9e7])), Some((-2e7, "row 200".into(), 1)));
        assert_eq!(far(&with(&[])), None);
        assert_eq!(far(&with(&[45_000.0])), None, "a little farther");
        assert_eq!(far(&with(&[2e7; 3])), None, "as the target is");
        let prices: Vec<f64> = (1..400).map(|i| (f64::from(i) / 40.0).exp()).collect();
        assert_eq!(far(&prices), None);
        let counts: Vec<f64> = (0..300).map(|i| f64::from(u8::from(i == 7)) * 900.0).collect();
        assert_eq!(far(&counts), None, "half of them are the same");
        assert_eq!(far(&[]), None);
    }

    #[test]
    fn spellings_of_one_class_are_found() {
        let found = alike_classes(&[("no", 5), ("No", 9), ("yes", 3), ("maybe", 1)]).unwrap();
        let message = "classes differ by case or spaces only (\"No\", \"no\")";
        assert_eq!(found.to_string(), message);
        let groups = found.remedy().unwrap().value.unwrap();
        assert_eq!(groups, "maybe=maybe,No=No,no=No,yes=yes");
        assert!(crate::dataset::Groups::parse(&groups).is_ok());
        assert_eq!(alike_classes(&[("a", 1), ("b", 1)]), None);
        let odd = alike_classes(&[("a  b", 1), ("a b", 1), ("x=y", 1)]).unwrap();
        assert_eq!(odd.remedy().unwrap().value, None);
    }
}
