//! Rows of a table with sparse gradients against Burn's own operation, over random sizes.

use burn::tensor::{Device, Int, Tensor, TensorData};
use ngsll::ops::embedding::{embedding, embedding_plain, is_sparse, rows};
use ngsll::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

#[derive(Debug, Clone)]
struct Case {
    table: [usize; 2],
    ids: Vec<i64>,
    time: usize,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    (1_usize..90_000, 1_usize..40, 1_usize..9, 1_usize..9, any::<u64>()).prop_map(
        |(ids, width, batch, time, seed)| {
            let mut rng = stream(seed, Purpose::Sample, 0, 1);
            // Few different ones, so that rows repeat; now and then far apart.
            let few = rng.random_range(1..=ids.min(10)) as i64;
            let stride = rng.random_range(1..=ids as i64 / few);
            let ids_of = (0..batch * time).map(|_| rng.random_range(0..few) * stride).collect();
            Case { table: [ids, width], ids: ids_of, time, seed }
        },
    )
}

fn numbers(data: TensorData) -> Vec<f32> {
    data.iter::<f32>().collect()
}

/// Values, and the gradient of the table in the form that it comes in.
fn run(case: &Case, read: fn(Tensor<2>, Tensor<2, Int>) -> Tensor<3>) -> (Vec<f32>, Tensor<2>) {
    let device = Device::default().autodiff();
    let mut rng = stream(case.seed, Purpose::Sample, 0, 0);
    let mut draw = |shape: &[usize]| -> TensorData {
        let values: Vec<f32> =
            (0..shape.iter().product()).map(|_| rng.random_range(-1.0..1.0)).collect();
        TensorData::new(values, shape.to_vec())
    };
    let table = Tensor::<2>::from_data(draw(&case.table), &device).require_grad();
    let shape = [case.ids.len() / case.time, case.time];
    let ids = Tensor::<2, Int>::from_data(TensorData::new(case.ids.clone(), shape), &device);
    let out = read(table.clone(), ids);
    let upstream = Tensor::<3>::from_data(draw(&out.dims()), &device);
    let grads = (out.clone() * upstream).sum().backward();
    (numbers(out.into_data()), table.grad(&grads).unwrap())
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
        // Padding is no row.
        touched.retain(|&id| id != 0);
        let [listed, columns] = sparse.dims();
        prop_assert_eq!(listed, touched.len());
        prop_assert!(is_sparse(columns, width));
        let (sparse, mut dense) = (numbers(sparse.into_data()), numbers(dense.into_data()));
        for ((row, values), id) in rows(&sparse, width).zip(touched) {
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
    let case = Case { table: [700, 33], ids, time: 10, seed: 4 };
    let with_threads = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| {
            let (values, gradient) = run(&case, embedding);
            (values, numbers(gradient.into_data()))
        })
    };
    assert_eq!(with_threads(1), with_threads(3));
}

#[test]
#[should_panic(expected = "used twice in one graph")]
fn a_table_that_a_graph_reads_twice_is_noticed() {
    let case = Case { table: [6, 2], ids: vec![1, 4, 4, 2], time: 2, seed: 0 };
    let twice = |table: Tensor<2>, ids: Tensor<2, Int>| {
        embedding(table.clone(), ids.clone()) + embedding(table, ids)
    };
    let gradient = numbers(run(&case, twice).1.into_data());
    rows(&gradient, 2).for_each(drop);
}
