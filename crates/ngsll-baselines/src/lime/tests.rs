//! Linear models, whose coefficients are known, and numbers worked out by hand.

use super::local_surrogate::{LocalSurrogate, kernel, on_off_kernel};
use super::*;
use crate::explainer::{Attribution, Responses};
use ngsll::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

fn options(k: usize, samples: usize) -> LimeOptions {
    LimeOptions { k, samples: Some(samples), seed: 1 }
}

/// The features of an explanation, in rising order.
fn kept(explained: &Attribution) -> Vec<usize> {
    let mut kept: Vec<_> = explained.contributions.iter().map(|c| c.feature).collect();
    kept.sort_unstable();
    kept
}

/// Two linear outputs of `coefficients: [d]`, the second of opposite sign, and a constant of 3.
fn linear(coefficients: &[f64]) -> impl Fn(&[f32], usize) -> Result<Vec<f64>> {
    move |rows: &[f32], n: usize| {
        assert_eq!(rows.len(), n * coefficients.len());
        let dot =
            |x: &[f32]| x.iter().zip(coefficients).map(|(&x, c)| f64::from(x) * c).sum::<f64>();
        let outputs = rows.chunks_exact(coefficients.len()).map(dot);
        Ok(outputs.flat_map(|y| [3.0 + y, 3.0 - y]).collect())
    }
}

/// Training rows with known mean and deviation: mean ± deviation.
fn two_rows(means: &[f32], deviations: &[f32]) -> Vec<f32> {
    let columns = || means.iter().zip(deviations);
    columns().map(|(m, s)| m - s).chain(columns().map(|(m, s)| m + s)).collect()
}

#[test]
fn rows_count_what_the_kernel_says() {
    // √exp(−1) and √exp(−4)
    assert!((kernel(2.0, 2.0) - 0.6065306597126334).abs() < 1e-15);
    assert!((kernel(3.0, 1.5) - 0.1353352832366127).abs() < 1e-15);
    // One of four left: cosine distance 1 − √¼ = ½, so √exp(−(50/25)²) = e⁻², √exp(−(½/¼)²) = e⁻².
    assert!((on_off_kernel(1, 4, 100.0, 25.0) - 0.1353352832366127).abs() < 1e-15);
    assert!((on_off_kernel(1, 4, 1.0, 0.25) - 0.1353352832366127).abs() < 1e-15);
    // None left: distance 1, e⁻⁸. All left: 1.
    assert!((on_off_kernel(0, 4, 100.0, 25.0) - 0.00033546262790251185).abs() < 1e-17);
    assert_eq!(on_off_kernel(4, 4, 100.0, 25.0), 1.0);

    // d = 4: width 1.5. Row 1 has to be e^(−δ²/4.5) for its distance δ to the standardised sample.
    let training = two_rows(&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 0.5, 1.0]);
    let tabular = Tabular::fit(&training, 4).unwrap();
    let (rows, weights) = tabular.perturb(&[2.0, 2.0, 2.0, 4.0], 3, 0);
    assert_eq!(rows[..4], [1.0, 0.0, -2.0, 0.0]);
    assert_eq!(weights[0], 1.0);
    let square = |j: usize| (rows[4 + j] - rows[j]).powi(2);
    let distance: f64 = (0..4).map(square).sum();
    assert!((weights[1] - (-distance / 4.5).exp()).abs() < 1e-15);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The error of a ridge coefficient on exact data is at most α‖c‖ over the smallest eigenvalue
    /// of the weighted Gram matrix.
    #[test]
    fn tabular_recovers_a_linear_model(d in 1..12_usize, seed: u64) {
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let mut draw = |low: f32, high: f32| (0..d).map(|_| rng.random_range(low..high)).collect();
        let (means, deviations): (Vec<f32>, Vec<f32>) = (draw(-2.0, 2.0), draw(0.5, 3.0));
        let (z, c): (Vec<f32>, Vec<f32>) = (draw(-1.0, 1.0), draw(-1.0, 1.0));
        let coefficients: Vec<f64> = c.iter().map(|&c| f64::from(c)).collect();
        let sample: Vec<f32> = (0..d).map(|j| means[j] + deviations[j] * z[j]).collect();
        let model = linear(&coefficients);
        let tabular = Tabular::fit(&two_rows(&means, &deviations), d)?;
        let n = 20_000;
        let explained = tabular.explain(&model, &sample, &[0, 1], &options(d, n))?;

        // Σ weight·(z − mean)² is about n·E[w]·v, where under the kernel's weight a standard normal
        // draw has variance v = 1/(1 + 1/width²) and E[w] is √v^d·exp(−|z|²/(2 + 2·width²)), where
        // |z|² ≤ d; a fifth is left to chance.
        let v = 1.0 / (1.0 + 1.0 / (0.5625 * d as f64));
        let smallest = 0.8 * n as f64 * v.powf(d as f64 / 2.0) * (-1.0 / 1.125_f64).exp() * v;
        let slope = |j: usize| coefficients[j] * f64::from(deviations[j]);
        let size = (0..d).map(|j| slope(j).powi(2)).sum::<f64>().sqrt();
        let tolerance = size / smallest + 1e-5;
        prop_assert!(tolerance < 0.01 * size + 1e-5, "{tolerance} shows nothing");
        for j in 0..d {
            prop_assert!((explained[0].contribution_of(j) - slope(j)).abs() < tolerance);
            prop_assert!((explained[1].contribution_of(j) + slope(j)).abs() < tolerance);
        }
        // The intercept is the model at the training mean, the local prediction that at the sample.
        let at = |point: &[f32]| model(point, 1).map(|y| y[0]);
        let spread = tolerance * 2.0 * d as f64;
        prop_assert!((explained[0].intercept - at(&means)?).abs() < spread);
        prop_assert!((explained[0].local_prediction - at(&sample)?).abs() < spread);
    }

    /// Against what a fit of every candidate says.
    #[test]
    fn forward_selection_takes_the_best_at_each_step(d in 2..7_usize, k in 1..5_usize, seed: u64) {
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let n = 40;
        let rows: Vec<f64> = (0..n * d).map(|_| rng.random_range(-1.0..2.0)).collect();
        let weights: Vec<f64> = (0..n).map(|_| rng.random_range(0.1..1.0)).collect();
        let y: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        let responses = Responses::query(n, d, |_| Ok(y.clone()))?;
        let explained = LocalSurrogate::new(rows.clone(), d, weights.clone()).explain(&responses, &[0], k)?;
        let mut best: Vec<usize> = Vec::new();
        for _ in 0..k.min(d) {
            let error = |j: usize| {
                let columns: Vec<usize> = best.iter().copied().chain([j]).collect();
                least_squares_error(&rows, d, &columns, &weights, &y)
            };
            let free = (0..d).filter(|j| !best.contains(j));
            best.push(free.min_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap());
        }
        best.sort_unstable();
        prop_assert_eq!(kept(&explained[0]), best);
    }
}

/// The weighted squared error of least squares with intercept on some columns, by Gram-Schmidt on
/// the weighted columns themselves.
fn least_squares_error(
    rows: &[f64],
    d: usize,
    columns: &[usize],
    weights: &[f64],
    y: &[f64],
) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let weighted = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..y.len()).map(|i| value(i) * weights[i].sqrt()).collect()
    };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut vectors = vec![weighted(&|_| 1.0)];
    vectors.extend(columns.iter().map(|&j| weighted(&|i| rows[i * d + j])));
    vectors.push(weighted(&|i| y[i]));
    for mut vector in vectors {
        for b in &basis {
            let along = dot(&vector, b) / dot(b, b);
            vector.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
        }
        basis.push(vector);
    }
    let left = &basis[basis.len() - 1];
    dot(left, left)
}

#[test]
fn informative_features_are_selected() {
    let mut coefficients = vec![0.0; 30];
    for (j, c) in [(3, 1.0), (8, -0.7), (20, 0.5)] {
        coefficients[j] = c;
    }
    let training = two_rows(&[0.0; 30], &[1.0; 30]);
    let tabular = Tabular::fit(&training, 30).unwrap();
    let explain = |k| {
        let model = linear(&coefficients);
        tabular.explain(&model, &[0.8; 30], &[0], &options(k, 3000)).unwrap().remove(0)
    };
    assert_eq!(kept(&explain(3)), [3, 8, 20]);
    let order: Vec<usize> = explain(3).contributions.iter().map(|c| c.feature).collect();
    assert_eq!(order, [3, 8, 20]);
    // Above six by the ridge over all features; the others add nothing.
    let many = explain(10);
    assert_eq!(many.contributions.len(), 10);
    assert_eq!(many.contributions[..3].iter().map(|c| c.feature).collect::<Vec<_>>(), [3, 8, 20]);
    assert!(many.contributions[3..].iter().all(|c| c.contribution.abs() < 1e-2));
}

#[test]
fn words_count_what_their_removal_takes_away() {
    // The word 7 stands at places 0 and 2: both go together and its two weights add up.
    let tokens = [7_usize, 1, 7, 4, 9];
    let weight = |token: usize| {
        [(7, 0.3), (1, -0.5), (4, 0.0), (9, 1.0)].iter().find(|w| w.0 == token).unwrap().1
    };
    let model = |texts: &[Vec<usize>]| {
        assert!(
            texts.iter().all(|text| [0, 2].contains(&text.iter().filter(|t| **t == 7).count()))
        );
        assert!(texts.iter().all(|text| tokens.iter().filter(|t| text.contains(t)).eq(text)));
        let score = |text: &Vec<usize>| 0.25 + text.iter().map(|&t| weight(t)).sum::<f64>();
        Ok(texts.iter().map(score).collect())
    };
    let explained = text(&model, &tokens, &[0], &options(10, 200_000)).unwrap().remove(0);
    assert_eq!(kept(&explained), [0, 1, 3, 4]);
    for (place, effect) in [(0, 0.6), (1, -0.5), (3, 0.0), (4, 1.0)] {
        assert!((explained.contribution_of(place) - effect).abs() < 1e-3, "place {place}");
    }
    assert!((explained.intercept - 0.25).abs() < 1e-3);
    assert!((explained.local_prediction - 1.35).abs() < 1e-3);
}

#[test]
fn cells_count_what_their_contrast_is_worth() {
    // Two channels of 2×3 pixels in three segments; a cell switched off keeps its mean, so only a
    // model that weighs its pixels differently sees it.
    let segments = [0, 1, 1, 0, 2, 2];
    let image_values = [4.0, 0.0, 1.0, 2.0, 3.0, 2.0, 0.0, 2.0, 5.0, 1.0, 5.0, 0.0];
    let coefficients = [1.0, 0.0, 1.0, 1.0, 1.0, 2.0, 0.0, 1.0, 3.0, 0.0, 1.0, 2.0];
    let model = linear(&coefficients);
    let explained = image(&model, &image_values, &segments, &[1, 0], &options(3, 200_000)).unwrap();
    // Segment 0: channel 0 has (4, 0) against (2, 2), weighed (1, 0): 2; channel 1 (0, 2) against
    // (1, 1), weighed (0, 1): 1. Segment 1: equal weights or equal values: 0. Segment 2: channel 0
    // equal values: 0; channel 1 (1, 0) against (½, ½), weighed (0, 2): −1.
    assert_eq!((explained[0].output, explained[1].output), (1, 0));
    for (segment, effect) in [(0, 3.0), (1, 0.0), (2, -1.0)] {
        assert!((explained[1].contribution_of(segment) - effect).abs() < 1e-3, "segment {segment}");
        assert!((explained[0].contribution_of(segment) + effect).abs() < 1e-3, "segment {segment}");
    }
}

#[test]
fn far_from_the_training_data_the_sample_alone_counts() {
    // All other weights are 0 in this precision: no slope can be known, and none is made up.
    let tabular = Tabular::fit(&two_rows(&[0.0; 8], &[1.0; 8]), 8).unwrap();
    let coefficients = [1.0; 8];
    for k in [3, 8] {
        let model = linear(&coefficients);
        let explained =
            tabular.explain(&model, &[1e4; 8], &[0], &options(k, 100)).unwrap().remove(0);
        assert_eq!(explained.contributions.len(), k);
        assert!(explained.contributions.iter().all(|c| c.contribution == 0.0));
        assert!((explained.local_prediction - 80_003.0).abs() < 1e-9);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let tabular = Tabular::fit(&two_rows(&[0.0; 3], &[1.0; 3]), 3).unwrap();
    let model =
        |rows: &[f32], _| Ok(rows.chunks_exact(3).map(|x| f64::from(x[0] * x[1] + x[2])).collect());
    let texts = |texts: &[Vec<u8>]| Ok(texts.iter().map(|t| (t.len() as f64).sqrt()).collect());
    let explain = |seed| {
        let options = LimeOptions { seed, ..LimeOptions::default() };
        let mut all = tabular.explain(&model, &[1.0; 3], &[0], &options).unwrap();
        all.extend(text(&texts, &[1, 2, 3, 2], &[0], &options).unwrap());
        all.extend(image(&model, &[1.0, 2.0, 3.0], &[0, 0, 1], &[0], &options).unwrap());
        all
    };
    assert_eq!(explain(1), explain(1));
    let (one, two) = (explain(1), explain(2));
    assert!(one.iter().zip(&two).all(|(a, b)| a != b));
}

#[test]
fn the_model_is_queried_for_the_default_number_of_rows() {
    let asked = std::cell::Cell::new(0);
    let model = |_: &[f32], n: usize| {
        asked.set(asked.get() + n);
        Ok(vec![0.5; n])
    };
    let texts = |texts: &[Vec<u8>]| model(&[], texts.len());
    let default = LimeOptions::default();
    Tabular::fit(&[0.0, 1.0], 1).unwrap().explain(&model, &[1.0], &[0], &default).unwrap();
    assert_eq!(asked.take(), 5000);
    text(&texts, &[1], &[0], &default).unwrap();
    assert_eq!(asked.take(), 5000);
    // More values than one call takes.
    image(&model, &[1.0; 4000], &[0; 4000], &[0], &default).unwrap();
    assert_eq!(asked.take(), 1000);
}

#[test]
fn bad_input_is_refused() {
    let fit = |rows: &[f32]| Tabular::fit(rows, 2).unwrap_err().to_string();
    assert!(fit(&[]).contains("number of training values = 0"));
    assert!(fit(&[1.0; 3]).contains("rows of 2 values"));
    assert!(fit(&[1.0, 2.0, f32::NAN, 1.0]).contains("training row 2 feature 1 is not a finite"));

    let tabular = Tabular::fit(&[0.0, 1.0, 1.0, 3.0], 2).unwrap();
    let constant = |_: &[f32], n: usize| Ok(vec![0.5; n]);
    let default = LimeOptions::default();
    let explain = |sample: &[f32], output: usize, options: &LimeOptions| {
        tabular.explain(&constant, sample, &[output], options).unwrap_err().to_string()
    };
    assert_eq!(
        explain(&[0.0; 2], 0, &options(0, 9)),
        "k = 0: an explanation has at least 1 feature"
    );
    assert_eq!(explain(&[0.0; 2], 0, &options(1, 1)), "samples = 1: at least 2 are needed");
    assert!(explain(&[0.0; 3], 0, &default).contains("made for 2 features"));
    assert!(explain(&[0.0, f32::NAN], 0, &default).contains("sample row 1 feature 2"));
    assert_eq!(explain(&[0.0; 2], 1, &default), "output = 1: the model's outputs are 0 to 0");
    let nan =
        |_: &[f32], n: usize| Ok((0..n).map(|i| if i == 6 { f64::NAN } else { 0.0 }).collect());
    let message = tabular.explain(&nan, &[0.0; 2], &[0], &default).unwrap_err().to_string();
    assert!(message.contains("the model's output 0 for perturbed row 7 is not a finite number"));

    let empty: [u8; 0] = [];
    let texts = |texts: &[Vec<u8>]| Ok(vec![0.5; texts.len()]);
    assert!(text(&texts, &empty, &[0], &default).unwrap_err().to_string().contains("tokens = 0"));
    let cut = |values: &[f32], segments: &[usize]| {
        image(&constant, values, segments, &[0], &default).unwrap_err().to_string()
    };
    assert!(cut(&[1.0], &[]).contains("number of segment numbers = 0"));
    assert!(cut(&[1.0; 3], &[0, 1]).contains("number of image values = 3"));
    assert!(cut(&[1.0; 2], &[0, usize::MAX]).contains("none is 1"));
    assert!(cut(&[f32::NAN; 2], &[0, 1]).contains("not a finite number"));
}
