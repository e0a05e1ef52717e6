//! A few held-out samples that a model folder keeps, for people to start from.

use crate::dataset::{Dataset, Samples};
use crate::error::Result;
use crate::objective::{Objective, Targets};
use serde::{Deserialize, Serialize};

/// Longer texts are passed over: an example is to be taken in at a glance.
const LONGEST_TEXT: usize = 2000;

/// A held-out sample with its known answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// The sample.
    #[serde(flatten)]
    pub input: Input,
    /// Its label, or its value in regression, as it stood in the data.
    pub label: String,
}

/// A sample in plain JSON: `{"text": …}`, `{"row": {…}}` or `{"image": …}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A text.
    Text(String),
    /// A row of a table: a number, a text or null (missing) for each column.
    Row(serde_json::Map<String, serde_json::Value>),
    /// A PNG image in base64.
    Image(String),
}

/// At most `n` of the given rows: from each class in turn, or spread evenly over the values of the
/// target. Only data and rows decide which; samples without labels give none.
pub fn choose(
    data: &Dataset,
    rows: &[usize],
    objective: &Objective,
    n: usize,
) -> Result<Vec<usize>> {
    if data.labels().is_none() || n == 0 {
        return Ok(Vec::new());
    }
    let short = |row: usize| match data.samples() {
        Samples::Texts(texts) => texts.get(row).chars().nth(LONGEST_TEXT).is_none(),
        _ => true,
    };
    let rows: Vec<usize> = rows.iter().copied().filter(|&row| short(row)).collect();
    let chosen = match objective.targets(data)?.select(&rows) {
        Targets::Classes(classes) => in_turn(&classes, n),
        Targets::Values(values) => spread(&values, n),
    };
    Ok(chosen.into_iter().map(|at| rows[at]).collect())
}

/// Places of the first sample of every class, then of the second, and so on.
fn in_turn(classes: &[usize], n: usize) -> Vec<usize> {
    let mut seen = vec![0_usize; classes.iter().max().map_or(0, |c| c + 1)];
    let mut turns: Vec<(usize, usize, usize)> = Vec::with_capacity(classes.len());
    for (place, &class) in classes.iter().enumerate() {
        turns.push((seen[class], class, place));
        seen[class] += 1;
    }
    turns.sort_unstable();
    turns.into_iter().take(n).map(|(_, _, place)| place).collect()
}

/// Places at evenly spaced ranks of the values, from the smallest to the largest.
fn spread(values: &[f32], n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let n = n.min(order.len());
    (0..n).map(|i| order[(2 * i + 1) * order.len() / (2 * n)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Origin};
    use proptest::prelude::*;

    fn chunk(samples: Samples, labels: &[&str]) -> Chunk {
        let lines = (1..=labels.len() as u64).collect();
        Chunk {
            samples,
            labels: Some(labels.iter().map(|l| l.to_string()).collect()),
            origin: Origin::Lines { file: "memory".into(), lines },
        }
    }

    fn binary() -> Objective {
        Objective::Binary { classes: vec!["a".into(), "b".into()] }
    }

    #[test]
    fn classes_take_turns_and_only_the_given_rows_are_shown() {
        let long = "x".repeat(LONGEST_TEXT + 1);
        let texts = ["zero", "one", "two", "three", &long, "five"].into_iter().collect();
        let chunk = chunk(Samples::Texts(texts), &["a", "a", "a", "a", "b", "b"]);
        let found = examples(&chunk, &[1, 2, 3, 4, 5], &binary(), 3).unwrap();
        let json = serde_json::to_value(&found).unwrap();
        let expected = serde_json::json!([
            {"text": "one", "label": "a"}, {"text": "five", "label": "b"}, {"text": "two", "label": "a"},
        ]);
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<Vec<Example>>(json).unwrap(), found);
        assert!(examples(&chunk, &[1, 2], &binary(), 0).unwrap().is_empty());
    }

    #[test]
    fn values_are_spread_from_small_to_large_and_missing_cells_are_null() {
        let size = Values::Numeric(vec![f64::NAN, 1.0, 2.5, 3.0]);
        let colour =
            Values::Categorical { levels: vec!["red".into()], ids: vec![0, MISSING, 0, 0] };
        let column = |name: &str, values| Column { name: name.into(), values };
        let table = Table { columns: vec![column("size", size), column("colour", colour)] };
        let chunk = chunk(Samples::Table(table), &["9", "1", "5", "7"]);
        let objective = Objective::Regression { target: "price".into(), mean: 0.0, deviation: 1.0 };
        let found = examples(&chunk, &[0, 1, 2, 3], &objective, 2).unwrap();
        let expected = serde_json::json!([
            {"row": {"size": 2.5, "colour": "red"}, "label": "5"},
            {"row": {"size": null, "colour": "red"}, "label": "9"},
        ]);
        assert_eq!(serde_json::to_value(found).unwrap(), expected);
    }

    #[test]
    fn images_come_back_from_their_png() {
        for channels in [1, 3] {
            let pixels: Vec<u8> = (0..2 * channels as u8 * 6).map(|v| v * 5).collect();
            let images = Images { width: 3, height: 2, channels, pixels };
            let chunk = chunk(Samples::Images(images.clone()), &["a", "b"]);
            let found = examples(&chunk, &[1], &binary(), 5).unwrap();
            let Input::Image(base64) = &found[0].input else { panic!("{found:?}") };
            let read = image::load_from_memory(&STANDARD.decode(base64).unwrap()).unwrap();
            let (plane, pixels) = (6, images.get(1));
            let expected: Vec<u8> = (0..plane * channels)
                .map(|i| pixels[i % channels * plane + i / channels])
                .collect();
            assert_eq!(read.as_bytes(), expected);
        }
        let many = Images { width: 1, height: 1, channels: 2, pixels: vec![0; 4] };
        let found = examples(&chunk(Samples::Images(many), &["a", "b"]), &[0], &binary(), 1);
        assert!(found.unwrap().is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn places_are_distinct_and_as_many_as_asked_for(
            classes in prop::collection::vec(0_usize..5, 0..40),
            values in prop::collection::vec(-3_f32..3.0, 0..40),
            n in 0_usize..50,
        ) {
            for (places, len) in [(in_turn(&classes, n), classes.len()), (spread(&values, n), values.len())] {
                prop_assert_eq!(places.len(), n.min(len));
                let mut sorted = places.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!(sorted.len(), places.len());
                prop_assert!(places.iter().all(|&p| p < len));
            }
            prop_assert!(spread(&values, n).windows(2).all(|p| values[p[0]] <= values[p[1]]));
        }
    }
}
