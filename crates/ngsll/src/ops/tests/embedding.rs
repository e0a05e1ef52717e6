//! Rows of a table with sparse gradients against Burn's own operation, over random sizes.

use super::{Draw, numbers};
use crate::ops::embedding::{embedding, embedding_plain};
use crate::ops::sparse_gradient::SparseGradient;
use crate::random::{Purpose, stream};
use crate::test_support::assert_same_on_any_threads;
use burn::tensor::{Int, Tensor, TensorData};
use proptest::prelude::*;
use rand::RngExt;

#[derive(Debug, Clone)]
struct EmbeddingInputs {
    table: [usize; 2],
    ids: Vec<i64>,
    time: usize,
    seed: u64,
}

fn case() -> impl Strategy<Value = EmbeddingInputs> {
    (1_usize..90_000, 1_usize..40, 1_usize..9, 1_usize..9, any::<u64>()).prop_map(
        |(ids, width, batch, time, seed)| {
            let mut rng = stream(seed, Purpose::Sample, 0, 1);
            // Few different ones, so that rows repeat; now and then far apart.
            let few = rng.random_range(1..=ids.min(10)) as i64;
            let stride = rng.random_range(1..=ids as i64 / few);
            let ids_of = (0..batch * time).map(|_| rng.random_range(0..few) * stride).collect();
            EmbeddingInputs { table: [ids, width], ids: ids_of, time, seed }
        },
    )
}

/// Values, and the gradient of the table as the graph carries it.
fn run(
    case: &EmbeddingInputs,
    read: fn(Tensor<2>, Tensor<2, Int>) -> Tensor<3>,
) -> (Vec<f32>, Tensor<2>) {
    let mut draw = Draw::new(case.seed, false);
    let table = draw.tensor(case.table).require_grad();
    let shape = [case.ids.len() / case.time, case.time];
    let ids = Tensor::<2, Int>::from_data(TensorData::new(case.ids.clone(), shape), &draw.device);
    let out = read(table.clone(), ids);
    let upstream = draw.tensor(out.dims());
    let grads = (out.clone() * upstream).sum().backward();
    (numbers(out), table.grad(&grads).unwrap())
}

fn decoded(gradient: Tensor<2>, table: [usize; 2]) -> SparseGradient {
    SparseGradient::from_gradient(gradient.into_data(), &table).expect("the gradient is sparse")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn rows_and_their_gradients_equal_burn_s(case in case()) {
        let [_, width] = case.table;
        let ((ours, sparse), (theirs, dense)) = (run(&case, embedding), run(&case, embedding_plain));
        prop_assert_eq!(ours, theirs);
        let mut touched = case.ids.clone();
        touched.sort_unstable();
        touched.dedup();
        // Padding is not a row.
        touched.retain(|&id| id != 0);
        prop_assert!(SparseGradient::from_gradient(dense.to_data(), &case.table).is_err());
        let (sparse, mut dense) = (decoded(sparse, case.table), numbers(dense));
        prop_assert_eq!(sparse.iter().count(), touched.len());
        for ((row, values), id) in sparse.iter().zip(touched) {
            prop_assert_eq!(row as i64, id);
            let expected = &mut dense[row * width..][..width];
            for (value, expected) in values.iter().zip(&*expected) {
                // Up to 64 parts below 1 each, added in another order.
                prop_assert!((value - expected).abs() < 1e-5, "{} instead of {}", value, expected);
            }
            expected.fill(0.0);
        }
        prop_assert!(dense.iter().all(|&value| value == 0.0), "a row is not listed");
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let ids = (0..3000_i64).map(|i| i * i % 700).collect();
    let case = EmbeddingInputs { table: [700, 33], ids, time: 10, seed: 4 };
    assert_same_on_any_threads(|| {
        let (values, gradient) = run(&case, embedding);
        (values, numbers(gradient))
    });
}

#[test]
#[should_panic(expected = "used twice in one graph")]
fn a_table_that_a_graph_reads_twice_is_noticed() {
    let case = EmbeddingInputs { table: [6, 2], ids: vec![1, 4, 4, 2], time: 2, seed: 0 };
    let twice = |table: Tensor<2>, ids: Tensor<2, Int>| {
        embedding(table.clone(), ids.clone()) + embedding(table, ids)
    };
    decoded(run(&case, twice).1, case.table);
}
