//! Vectors of columns against Burn's own operations, over random tables.

use super::{Draw, numbers};
use crate::ops::column_embedding::{column_embedding, column_embedding_plain};
use crate::random::{Purpose, stream};
use crate::representation::{EmbeddingSpan, EmbeddingSpans};
use proptest::prelude::*;
use rand::RngExt;
use std::sync::Arc;

#[derive(Debug, Clone)]
struct ColumnEmbeddingInputs {
    spans: EmbeddingSpans,
    width: usize,
    batch: usize,
    seed: u64,
}

fn case() -> impl Strategy<Value = ColumnEmbeddingInputs> {
    (1_usize..6, 1_usize..20, 1_usize..9, any::<u64>()).prop_map(|(columns, width, batch, seed)| {
        let mut rng = stream(seed, Purpose::Sample, 0, 1);
        let (mut firsts, mut numeric) = (vec![0], Vec::new());
        for c in 0..columns {
            // The column's own row, at least one bin or level, and missing values.
            firsts.push(firsts[c] + rng.random_range(3..30));
            numeric.push(rng.random::<bool>());
        }
        let mut span = |at: usize| {
            let (first, end) = (firsts[at % columns], firsts[at % columns + 1]);
            let row = rng.random_range(first + 1..end) as u32;
            let is_number = numeric[at % columns] && (row as usize) < end - 1;
            let start = if is_number { first as u32 + 1 } else { row };
            EmbeddingSpan { start, row, part: rng.random_range(0..5) as f32 / 4.0 }
        };
        let spans = (0..batch * columns).map(&mut span).collect();
        ColumnEmbeddingInputs {
            spans: EmbeddingSpans { spans, firsts, numeric },
            width,
            batch,
            seed,
        }
    })
}

/// Values and the gradients of the table and of the marks.
fn run(case: &ColumnEmbeddingInputs, plain: bool) -> [Vec<f32>; 3] {
    let ColumnEmbeddingInputs { spans, width, batch, seed } = case;
    let columns = spans.numeric.len();
    let mut draw = Draw::new(*seed, true);
    let table = draw.tensor([spans.firsts[columns], *width]).require_grad();
    let kept = draw.tensor([*batch, columns]).require_grad();
    let vectors = match plain {
        true => column_embedding_plain(table.clone(), kept.clone(), spans),
        false => column_embedding(table.clone(), kept.clone(), Arc::new(spans.clone())),
    };
    let upstream = draw.tensor(vectors.dims());
    let gradients = (vectors.clone() * upstream).sum().backward();
    let by_table = table.grad(&gradients).unwrap();
    [numbers(vectors), numbers(by_table), numbers(kept.grad(&gradients).unwrap())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn vectors_and_gradients_equal_burn_s(case in case()) {
        let (ours, theirs) = (run(&case, false), run(&case, true));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            prop_assert_eq!(ours.len(), theirs.len());
            for (ours, theirs) in ours.iter().zip(theirs) {
                prop_assert!((ours - theirs).abs() < 1e-3, "{} instead of {}", ours, theirs);
            }
        }
    }
}
