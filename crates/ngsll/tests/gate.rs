//! The gates against the paper's definition, over random weights, masks, K and τ.
//!
//! The reference is the sequential definition in f64 under automatic differentiation; the closed
//! form reads and writes f32. Tolerances: values 1e-6 absolute, gradients 1e-5 of the largest one.

use burn::tensor::{DType, Device, Tensor, TensorData};
use ngsll::gate::KHotGate;
use ngsll::gate::hard::{hard_gate, top_k};
use ngsll::gate::k_hot::k_hot_gate;
use ngsll::gate::sequential::sequential_gate;
use ngsll::random::{Purpose, gumbel, stream};
use proptest::prelude::*;

const VALUE_TOLERANCE: f64 = 1e-6;
const GRADIENT_TOLERANCE: f64 = 1e-5;

/// One row of gate inputs.
#[derive(Debug, Clone)]
struct GateInputs {
    squares: Vec<f32>,
    mask: Vec<f32>,
    noise: Vec<f32>,
    /// ∂loss/∂g.
    upstream: Vec<f32>,
    k: usize,
    temperature: f32,
}

fn case() -> impl Strategy<Value = GateInputs> {
    (1_usize..40, 1_usize..15, 0.02_f32..1.0, any::<u64>()).prop_flat_map(
        |(d, k, temperature, seed)| {
            let row = |range: std::ops::Range<f32>| prop::collection::vec(range, d);
            let mask = prop::collection::vec(prop::bool::weighted(0.3), d);
            (row(-3.0..3.0), mask, row(-1.0..1.0)).prop_map(move |(weights, mask, upstream)| {
                GateInputs {
                    squares: weights.iter().map(|w| w * w).collect(),
                    mask: mask.iter().map(|&m| f32::from(u8::from(m))).collect(),
                    noise: gumbel(&mut stream(seed, Purpose::Noise, 0, 0), d),
                    upstream,
                    k,
                    temperature,
                }
            })
        },
    )
}

/// Gate and gradient by w², by the closed form (f32) or the sequential definition (f64).
fn run(case: &GateInputs, closed_form: bool) -> (Vec<f64>, Vec<f64>) {
    let device = Device::default().autodiff();
    let dtype = if closed_form { DType::F32 } else { DType::F64 };
    let row = |values: &[f32]| -> Tensor<2> {
        Tensor::from_data(TensorData::new(values.to_vec(), [1, values.len()]), (&device, dtype))
    };
    let squares = row(&case.squares).require_grad();
    let (mask, noise) = (row(&case.mask), row(&case.noise));
    let gate = if closed_form {
        k_hot_gate(squares.clone(), mask, noise, case.k, case.temperature)
    } else {
        sequential_gate(squares.clone(), mask, |_| noise.clone(), case.k, case.temperature)
    };
    let grads = (gate.clone() * row(&case.upstream)).sum().backward();
    let numbers = |t: Tensor<2>| t.into_data().iter::<f64>().collect::<Vec<f64>>();
    let gradient = squares.grad(&grads).map_or(vec![0.0; case.mask.len()], numbers);
    (numbers(gate.inner()), gradient)
}

fn unmasked(case: &GateInputs) -> usize {
    case.mask.iter().filter(|m| **m == 0.0).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_closed_form_equals_the_sequential_definition(case in case()) {
        let (gate, gradient) = run(&case, true);
        let (reference, reference_gradient) = run(&case, false);
        for (j, (g, r)) in gate.iter().zip(&reference).enumerate() {
            prop_assert!((g - r).abs() <= VALUE_TOLERANCE, "gate {j}: {g} instead of {r}");
        }
        let scale = reference_gradient.iter().fold(1.0_f64, |a, g| a.max(g.abs()));
        for (j, (g, r)) in gradient.iter().zip(&reference_gradient).enumerate() {
            prop_assert!((g - r).abs() <= GRADIENT_TOLERANCE * scale, "gradient {j}: {g} instead of {r}");
        }
    }

    #[test]
    fn the_gate_sums_to_k_and_never_opens_a_masked_feature(case in case()) {
        let (gate, gradient) = run(&case, true);
        let sum: f64 = gate.iter().sum();
        let expected = case.k.min(unmasked(&case)) as f64;
        prop_assert!((sum - expected).abs() < 1e-5, "sum {sum}, expected {expected}");
        for j in 0..gate.len() {
            prop_assert!(gate[j].is_finite() && gradient[j].is_finite());
            prop_assert!(case.mask[j] == 0.0 || (gate[j] == 0.0 && gradient[j] == 0.0));
        }
    }

    #[test]
    fn the_hard_gate_opens_the_k_largest(case in case()) {
        let device = Device::default();
        let row = |values: &[f32]| -> Tensor<2> {
            Tensor::from_data(TensorData::new(values.to_vec(), [1, values.len()]), &device)
        };
        let gate = hard_gate(row(&case.squares), row(&case.mask), case.k);
        let gate: Vec<f32> = gate.into_data().iter::<f32>().collect();
        prop_assert!(gate.iter().all(|g| *g == 0.0 || *g == 1.0));
        let open: Vec<usize> = (0..gate.len()).filter(|&j| gate[j] == 1.0).collect();
        prop_assert_eq!(open.len(), case.k.min(unmasked(&case)));
        let least = open.iter().map(|&j| case.squares[j]).fold(f32::INFINITY, f32::min);
        for j in (0..gate.len()).filter(|&j| case.mask[j] == 0.0 && gate[j] == 0.0) {
            prop_assert!(case.squares[j] <= least);
        }
        prop_assert!(open.iter().all(|&j| case.mask[j] == 0.0));
    }

    /// As τ falls and without noise, the soft gate becomes the hard one.
    #[test]
    fn a_cold_gate_without_noise_is_the_hard_gate(d in 2_usize..20, k in 1_usize..6, seed in any::<u64>()) {
        use rand::seq::SliceRandom;
        // Squares at least 1 apart, in random order.
        let mut squares: Vec<f32> = (0..d).map(|j| j as f32).collect();
        squares.shuffle(&mut stream(seed, Purpose::Sample, 0, 0));
        let zeros = vec![0.0; d];
        let case = GateInputs { squares, mask: zeros.clone(), noise: zeros.clone(), upstream: zeros, k, temperature: 0.02 };
        let (gate, _) = run(&case, true);
        let open = top_k(&case.squares, &case.mask, k);
        for (j, g) in gate.iter().enumerate() {
            let expected = if open.contains(&j) { 1.0 } else { 0.0 };
            prop_assert!((g - expected).abs() < 1e-6, "{g} at {j}");
        }
    }
}

fn plain(squares: &[f32], mask: &[f32], k: usize, temperature: f32) -> GateInputs {
    let zeros = vec![0.0; squares.len()];
    let upstream = (0..squares.len()).map(|j| j as f32 - 1.0).collect();
    GateInputs {
        squares: squares.to_vec(),
        mask: mask.to_vec(),
        noise: zeros,
        upstream,
        k,
        temperature,
    }
}

/// Many ties, and K on both sides of where the way to choose changes.
#[test]
fn the_largest_are_chosen_in_order_however_many() {
    let mut rng = stream(9, Purpose::Sample, 0, 0);
    for (d, k) in [(1, 1), (40, 7), (400, 128), (400, 129), (400, 399), (400, 500)] {
        let squares: Vec<f32> = gumbel(&mut rng, d).iter().map(|x| (x * 2.0).round()).collect();
        let mask: Vec<f32> = (0..d).map(|j| f32::from(u8::from(j % 5 == 4))).collect();
        let mut sorted: Vec<usize> = (0..d).filter(|j| j % 5 != 4).collect();
        sorted.sort_by(|a, b| squares[*b].total_cmp(&squares[*a]).then(a.cmp(b)));
        sorted.truncate(k);
        assert_eq!(top_k(&squares, &mask, k), sorted, "d = {d}, K = {k}");
    }
}

/// Rows of a gate with their own masks, on one thread and on three, against row by row.
#[test]
fn rows_do_not_depend_on_each_other_or_on_threads() {
    let (rows, d, k) = (64, 512, 9);
    let mut rng = stream(4, Purpose::Sample, 0, 0);
    let mut numbers = || gumbel(&mut rng, rows * d);
    let squares: Vec<f32> = numbers().into_iter().map(f32::abs).collect();
    let (noise, upstream) = (numbers(), numbers());
    // Row 0 is masked whole, row r has 2r features, so the first rows have fewer than K.
    let mask: Vec<f32> = (0..rows * d).map(|i| if i % d < i / d * 2 { 0.0 } else { 1.0 }).collect();
    let run = |from: usize, to: usize| -> [Vec<f32>; 2] {
        let device = Device::default().autodiff();
        let part = |values: &[f32]| -> Tensor<2> {
            let values = values[from * d..to * d].to_vec();
            Tensor::from_data(TensorData::new(values, [to - from, d]), &device)
        };
        let squares = part(&squares).require_grad();
        let gate = k_hot_gate(squares.clone(), part(&mask), part(&noise), k, 0.5);
        let gradients = (gate.clone() * part(&upstream)).sum().backward();
        let gradient = squares.grad(&gradients).unwrap();
        [gate.inner(), gradient].map(|t| t.into_data().iter::<f32>().collect())
    };
    let with_threads = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| run(0, rows))
    };
    let together = with_threads(3);
    assert_eq!(together, with_threads(1));
    for row in [0, 1, 3, 40, rows - 1] {
        let alone = run(row, row + 1);
        for (alone, together) in alone.iter().zip(&together) {
            assert_eq!(alone, &together[row * d..(row + 1) * d]);
        }
    }
    let sum: f32 = together[0][40 * d..41 * d].iter().sum();
    assert!((sum - k as f32).abs() < 1e-4 && together[0][..d].iter().all(|g| *g == 0.0));
}

#[test]
fn everything_masked_gives_a_closed_gate_and_no_gradient() {
    let (gate, gradient) = run(&plain(&[1.0, 4.0, 9.0], &[1.0; 3], 2, 0.1), true);
    assert_eq!(gate, [0.0; 3]);
    assert_eq!(gradient, [0.0; 3]);
}

#[test]
fn a_gate_larger_than_the_sample_sums_to_what_there_is() {
    let (gate, _) = run(&plain(&[1.0, 4.0, 9.0], &[0.0, 1.0, 0.0], 10, 0.5), true);
    assert!((gate[0] + gate[2] - 2.0).abs() < 1e-6 && gate[1] == 0.0, "{gate:?}");
}

#[test]
fn huge_weights_keep_gate_and_gradient_finite() {
    // w = 1e19 squares to 1e38, near f32's ceiling; w = 1e30 overflows to infinity.
    for squares in [[1e38, 9e37, 0.0], [f32::INFINITY, f32::INFINITY, 1.0]] {
        for temperature in [1.0, 0.02] {
            let (gate, gradient) = run(&plain(&squares, &[0.0; 3], 2, temperature), true);
            assert!((gate.iter().sum::<f64>() - 2.0).abs() < 1e-5, "{squares:?}: {gate:?}");
            assert!(gradient.iter().all(|g| g.is_finite()), "{gradient:?}");
            assert!(gate[2] < 1e-6);
        }
    }
}

#[test]
fn impossible_gates_are_refused() {
    for temperature in [-0.1, f32::NAN, f32::INFINITY] {
        assert!(KHotGate::new(1, temperature).is_err());
    }
}

/// The Gumbel-top-k property: one λ for all picks chooses sets as often as a new λ at each pick.
#[test]
fn shared_and_fresh_noise_choose_sets_with_equal_probability() {
    let squares: [f32; 4] = [0.0, 0.5, 1.0, 1.5];
    let n = 20_000;
    let mut counts = [[0_u32; 16]; 2];
    for i in 0..n {
        let mut rng = stream(11, Purpose::Sample, i, 0);
        let with = |noise: Vec<f32>| -> Vec<f32> {
            squares.iter().zip(noise).map(|(s, n)| s + n).collect()
        };
        let shared = top_k(&with(gumbel(&mut rng, 4)), &[0.0; 4], 2);
        let first = top_k(&with(gumbel(&mut rng, 4)), &[0.0; 4], 1)[0];
        let mut mask = [0.0; 4];
        mask[first] = 1.0;
        let second = top_k(&with(gumbel(&mut rng, 4)), &mask, 1)[0];
        counts[0][shared.iter().map(|j| 1 << j).sum::<usize>()] += 1;
        counts[1][(1 << first) + (1 << second)] += 1;
    }
    for set in 0..16 {
        let [a, b] = counts.map(|c| f64::from(c[set]) / n as f64);
        // Five standard errors of a difference of two shares are below 0.025.
        assert!((a - b).abs() < 0.025, "set {set:04b}: {a} against {b}");
    }
}
