//! The K-hot gate, whose cost should not grow with K.

use crate::common::GateRows;
use divan::Bencher;

const KS: [usize; 3] = [1, 10, 50];

fn rows() -> GateRows {
    GateRows::new(16, 10_000)
}

#[divan::bench(args = KS, sample_count = 50)]
fn hard(bencher: Bencher, k: usize) {
    let rows = rows();
    bencher.bench_local(|| rows.hard(k));
}

#[divan::bench(args = KS, sample_count = 50)]
fn soft_forward_backward(bencher: Bencher, k: usize) {
    let rows = rows();
    bencher.bench_local(|| rows.forward_backward(k));
}
