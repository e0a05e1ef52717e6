//! Against Shapley values summed over all orders' subsets, and the conditions φ has to meet.

use super::*;
use ngsll::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Two outputs with products of up to three features, a bend and a jump.
fn bent(weights: Vec<f64>, d: usize) -> impl Fn(&[f32], usize) -> Result<Vec<f64>> {
    move |rows: &[f32], n: usize| {
        assert_eq!(rows.len(), n * d);
        let output = |x: &[f32], shift: usize| {
            let x = |j: usize| f64::from(x[j % d]);
            let terms = (0..d).map(|j| {
                let w = weights[(j + shift) % d];
                w * x(j) * x(j + 1) * x(j + 2) + (w * x(j)).tanh() + f64::from(x(j) > w)
            });
            terms.sum::<f64>()
        };
        Ok(rows.chunks_exact(d).flat_map(|x| [output(x, 0), output(x, 1)]).collect())
    }
}

fn values(rng: &mut ChaCha8Rng, n: usize) -> Vec<f32> {
    (0..n).map(|_| rng.random_range(-2.0..2.0)).collect()
}

/// φ_j = Σ over sets S without j of |S|!(d − 1 − |S|)!/d! · (v(S + j) − v(S)), where v(S) is the
/// model's mean over the background with the features in S taken from the sample.
fn shapley(
    model: &impl Predict,
    background: &[f32],
    sample: &[f32],
    output: usize,
    outputs: usize,
) -> Vec<f64> {
    let d = sample.len();
    let value = |set: usize| {
        let pick =
            |(at, &b): (usize, &f32)| if set >> (at % d) & 1 == 1 { sample[at % d] } else { b };
        let rows: Vec<f32> = background.iter().enumerate().map(pick).collect();
        let responses = model.predict(&rows, rows.len() / d).unwrap();
        responses.iter().skip(output).step_by(outputs).sum::<f64>() / (rows.len() / d) as f64
    };
    let v: Vec<f64> = (0..1 << d).map(value).collect();
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    let part = |set: usize, j: usize| {
        let s = set.count_ones() as usize;
        factorial(s) * factorial(d - 1 - s) / factorial(d) * (v[set | 1 << j] - v[set])
    };
    (0..d)
        .map(|j| (0..1 << d).filter(|set| set >> j & 1 == 0).map(|set| part(set, j)).sum())
        .collect()
}

fn total(explained: &Attribution) -> f64 {
    explained.contributions.iter().map(|c| c.contribution).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn with_all_coalitions_the_values_are_exact(d in 1..=8_usize, rows in 1..5_usize, seed: u64) {
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let weights = (0..d).map(|_| rng.random_range(-1.0..1.0)).collect();
        let model = bent(weights, d);
        let (background, sample) = (values(&mut rng, rows * d), values(&mut rng, d));
        let shap = KernelShap::new(&model, background.clone(), d, KernelShapOptions::default())?;
        for explained in shap.explain(&sample, &[1, 0])? {
            let exact = shapley(&model, &background, &sample, explained.output, 2);
            for (j, exact) in exact.iter().enumerate() {
                prop_assert!((explained.contribution_of(j) - exact).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_sum_is_exact_whatever_is_sampled(
        d in 2..40_usize,
        samples in 200..400_usize,
        k in proptest::option::of(1..6_usize),
        seed: u64,
    ) {
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let weights = (0..d).map(|_| rng.random_range(-1.0..1.0)).collect();
        let model = bent(weights, d);
        let (background, sample) = (values(&mut rng, 3 * d), values(&mut rng, d));
        let options = KernelShapOptions { samples: Some(samples), k, seed };
        let shap = KernelShap::new(&model, background.clone(), d, options)?;
        let fx = model(&sample, 1)?;
        let expected = model(&background, 3)?;
        for explained in shap.explain(&sample, &[0, 1])? {
            let output = explained.output;
            let mean = (expected[output] + expected[2 + output] + expected[4 + output]) / 3.0;
            prop_assert!((explained.intercept - mean).abs() < 1e-12);
            prop_assert_eq!(explained.local_prediction, fx[output]);
            prop_assert!((total(&explained) - (fx[output] - mean)).abs() < 1e-10);
            prop_assert_eq!(explained.contributions.len(), k.unwrap_or(d).min(d));
            let sizes = explained.contributions.iter().map(|c| c.contribution.abs());
            prop_assert!(sizes.is_sorted_by(|a, b| a >= b));
        }
    }
}

#[test]
fn features_like_the_background_get_nothing() {
    let model = bent(vec![0.3, -0.5, 0.8, 0.1], 4);
    let background = vec![1.0, 0.5, -1.0, 2.0, 1.0, 0.7, -1.0, 2.0];
    let shap = KernelShap::new(model, background, 4, KernelShapOptions::default()).unwrap();
    let kept = |sample: &[f32]| {
        let explained = shap.explain(sample, &[0]).unwrap().remove(0);
        assert!(
            (total(&explained) + explained.intercept - explained.local_prediction).abs() < 1e-12
        );
        let mut kept: Vec<_> = explained.contributions.iter().map(|c| c.feature).collect();
        kept.sort_unstable();
        kept
    };
    // Feature 1 differs from one background row even where it is like the other.
    assert_eq!(kept(&[1.0, 0.5, 0.0, 2.0]), [1, 2]);
    assert_eq!(kept(&[1.0, 0.5, -1.0, 2.0]), [1]);
    let shap = KernelShap::new(
        |_: &[f32], n| Ok(vec![0.5; n]),
        vec![1.0, 2.0],
        2,
        KernelShapOptions::default(),
    );
    assert!(shap.unwrap().explain(&[1.0, 2.0], &[0]).unwrap()[0].contributions.is_empty());
}

#[test]
fn a_linear_model_is_found_by_any_sample_of_coalitions() {
    let d = 30;
    let model = |rows: &[f32], _| {
        let value = |x: &[f32]| (0..d).map(|j| (j as f64 - 9.5) * f64::from(x[j])).sum::<f64>();
        Ok(rows.chunks_exact(d).map(value).collect())
    };
    let options = KernelShapOptions { samples: Some(150), ..KernelShapOptions::default() };
    let shap = KernelShap::new(model, vec![0.0; d], d, options).unwrap();
    let explained = &shap.explain(&vec![1.0; d], &[0]).unwrap()[0];
    for j in 0..d {
        assert!((explained.contribution_of(j) - (j as f64 - 9.5)).abs() < 1e-9, "feature {j}");
    }
}

#[test]
fn the_strong_features_are_selected() {
    let strong = [(3, 10.0), (11, -12.0), (20, 11.0)];
    let model = |rows: &[f32], _| {
        let weak = |x: &[f32]| x.iter().sum::<f32>() * 0.1;
        let value = |x: &[f32]| strong.iter().map(|&(j, w)| x[j] * w).sum::<f32>() + weak(x);
        Ok(rows.chunks_exact(30).map(|x| f64::from(value(x))).collect())
    };
    let options = KernelShapOptions { k: Some(3), ..KernelShapOptions::default() };
    let shap = KernelShap::new(model, vec![0.0; 30], 30, options).unwrap();
    let explained = &shap.explain(&[1.0; 30], &[0]).unwrap()[0];
    let mut kept: Vec<usize> = explained.contributions.iter().map(|c| c.feature).collect();
    kept.sort_unstable();
    assert_eq!(kept, [3, 11, 20]);
}

#[test]
fn least_angles_not_largest_correlations_decide() {
    // Column 0 enters first. A step γ takes γ from its correlation and 0.9γ from that of column 1,
    // which is almost the same: they meet at 0.05/0.1 = 0.5. Column 2, at right angles, is met at
    // 1 − 0.6 = 0.4, whatever its sign.
    let gram = |i: usize, j: usize| match (i, j) {
        (0, 1) | (1, 0) => 0.9,
        _ => f64::from(u8::from(i == j)),
    };
    for sign in [1.0, -1.0] {
        let entered = |k| lars::select(gram, vec![1.0, 0.95, 0.6 * sign], k).unwrap();
        assert_eq!(entered(2), [0, 2]);
        assert_eq!(entered(3), [0, 2, 1]);
    }
}

#[test]
fn the_model_is_queried_for_each_coalition_once_and_within_the_budget() {
    for (m, most) in [(2, 9), (5, 30), (5, 12), (6, 61), (12, 500), (20, 2088), (70, 300)] {
        let Coalitions { members, weights, .. } = Coalitions::choose(m, most, 3);
        assert!(weights.len() <= most && weights.iter().all(|w| *w > 0.0));
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "m = {m}");
        let mut rows: Vec<Vec<u8>> =
            members.chunks_exact(m).map(|row| row.iter().map(|&v| v as u8).collect()).collect();
        assert!(rows.iter().all(|row| row.contains(&0) && row.contains(&1)));
        rows.sort_unstable();
        let n = rows.len();
        rows.dedup();
        assert_eq!(rows.len(), n, "m = {m}");
    }
    assert_eq!(Coalitions::choose(11, 5000, 0).weights.len(), (1 << 11) - 2);
    // All 40 of one and of 19 features are there, then the rest of the budget is drawn.
    let Coalitions { members, .. } = Coalitions::choose(20, 2088, 0);
    let size = |row: &[f64]| row.iter().sum::<f64>();
    for s in [1.0, 19.0] {
        assert_eq!(members.chunks_exact(20).filter(|row| size(row) == s).count(), 20);
    }
}

#[test]
fn sizes_weigh_what_the_kernel_says() {
    // m = 5: 4/(1·4) = 1 for 1 and 4 features, 4/(2·3) = ⅔ for 2 and 3; doubled and made to sum
    // to 1: 0.6 over 10 coalitions and 0.4 over 20.
    let Coalitions { members, weights, .. } = Coalitions::choose(5, 30, 0);
    for (row, weight) in members.chunks_exact(5).zip(weights) {
        let outer = [1.0, 4.0].contains(&row.iter().sum::<f64>());
        assert!((weight - if outer { 0.06 } else { 0.02 }).abs() < 1e-15);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let mut rng = stream(5, Purpose::Sample, 0, 0);
    let d = 25;
    let model = bent((0..d).map(|_| rng.random_range(-1.0..1.0)).collect(), d);
    let (background, sample) = (values(&mut rng, 2 * d), values(&mut rng, d));
    let explain = |seed| {
        let options = KernelShapOptions { seed, ..KernelShapOptions::default() };
        let shap = KernelShap::new(&model, background.clone(), d, options).unwrap();
        shap.explain(&sample, &[0]).unwrap()
    };
    assert_eq!(explain(1), explain(1));
    assert_ne!(explain(1), explain(2));
}

/// Four ones against a background of zeros.
fn ones(model: &impl Predict, samples: Option<usize>) -> Result<Vec<Attribution>> {
    let options = KernelShapOptions { samples, ..KernelShapOptions::default() };
    let model = |rows: &[f32], n: usize| model.predict(rows, n);
    KernelShap::new(model, vec![0.0; 4], 4, options)?.explain(&[1.0; 4], &[0])
}

#[test]
fn bad_input_is_refused() {
    let constant = |_: &[f32], n: usize| Ok(vec![0.5; n]);
    let default = KernelShapOptions::default;
    let made = |background: &[f32], options| {
        KernelShap::new(constant, background.to_vec(), 2, options).err().unwrap().to_string()
    };
    assert!(made(&[], default()).contains("number of background values = 0"));
    assert!(made(&[1.0; 3], default()).contains("rows of 2 values"));
    assert!(
        made(&[1.0, f32::NAN], default()).contains("background row 1 feature 2 is not a finite")
    );
    let none = made(&[1.0; 2], KernelShapOptions { k: Some(0), ..default() });
    assert_eq!(none, "k = 0: at least 1 is needed");
    let none = made(&[1.0; 2], KernelShapOptions { samples: Some(0), ..default() });
    assert_eq!(none, "samples = 0: at least 1 is needed");

    let shap = KernelShap::new(constant, vec![0.0; 2], 2, default()).unwrap();
    let error = |sample: &[f32], output| shap.explain(sample, &[output]).unwrap_err().to_string();
    assert!(error(&[1.0], 0).contains("made for 2 features"));
    assert!(error(&[1.0, f32::INFINITY], 0).contains("sample row 1 feature 2"));
    assert_eq!(error(&[1.0, 1.0], 1), "output = 1: the model's outputs are 0 to 0");

    let message = |result: Result<Vec<Attribution>>| result.unwrap_err().to_string();
    let nan = |rows: &[f32], n| {
        Ok(if rows.iter().sum::<f32>() == 0.0 { vec![0.0; n] } else { vec![f64::NAN; n] })
    };
    assert!(message(ones(&nan, None)).contains("the model's output 0 for perturbed row 1 is not"));
    assert!(
        message(ones(&|_: &[f32], _| Ok(Vec::new()), None)).contains("number of model outputs = 0")
    );
    let growing = |_: &[f32], n: usize| Ok(vec![0.5; if n == 1 { 1 } else { n + 1 }]);
    assert!(message(ones(&growing, None)).contains("number of model outputs = 15"));
    let shrinking = |_: &[f32], n: usize| Ok(vec![0.5; if n == 1 { 2 } else { n }]);
    assert!(message(ones(&shrinking, None)).contains("it had 2 outputs a row before"));
    let few = message(ones(&constant, Some(2)));
    assert_eq!(few, "samples = 2: 2 coalitions do not tell the 4 features apart, give more");
}
