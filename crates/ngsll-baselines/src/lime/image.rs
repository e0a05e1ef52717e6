//! LIME for segmented images.

use super::LimeOptions;
use super::local_surrogate::{LocalSurrogate, on_off_kernel};
use crate::explainer::{Attribution, Predict, Responses, check_sample};
use ngsll::error::{Error, Result};
use ngsll::random::{Purpose, stream};
use rand::RngExt;

/// Explains each of `outputs` of the model for an image: `image: [pixels, channels], segments: [pixels]`.
///
/// `segments[p]` is the segment of pixel p, for instance its cell
/// ([`Grid::cells`](ngsll::representation::Grid::cells)); segments are numbered from 0 without gaps. A
/// segment is on with probability ½; off, its pixels are replaced by their mean in each channel.
pub fn image(
    model: &impl Predict,
    image: &[f32],
    segments: &[usize],
    outputs: &[usize],
    options: &LimeOptions,
) -> Result<Vec<Attribution>> {
    let n = options.check(1000)?;
    let d = check_segments(segments)?;
    let pixels = segments.len();
    if image.is_empty() || !image.len().is_multiple_of(pixels) {
        let expected = format!("{pixels} for each channel, as there are segment numbers");
        return Err(Error::setting("number of image values", image.len(), expected));
    }
    check_sample(image, image.len())?;
    let channels = image.len() / pixels;
    let blank = means(image, segments, d);
    let (rows, weights) = switch_off(d, n, options.seed);
    let mut values = Vec::new();
    let responses = Responses::query(n, image.len(), |range| {
        values.clear();
        for row in range.clone() {
            let on = &rows[row * d..][..d];
            let pixels = image.chunks_exact(channels).zip(blank.chunks_exact(channels));
            for (&segment, (own, mean)) in segments.iter().zip(pixels) {
                values.extend_from_slice(if on[segment] == 1.0 { own } else { mean });
            }
        }
        model.predict(&values, range.len())
    })?;
    LocalSurrogate::new(rows, d, weights).explain(&responses, outputs, options.k)
}

/// The number of segments, if they are numbered without gaps.
fn check_segments(segments: &[usize]) -> Result<usize> {
    let Some(&last) = segments.iter().max() else {
        return Err(Error::setting("number of segment numbers", 0, "each pixel has one"));
    };
    let mut found = vec![false; segments.len().min(last.saturating_add(1))];
    segments.iter().for_each(|&s| found.get_mut(s).into_iter().for_each(|f| *f = true));
    match found.iter().position(|found| !found) {
        None => Ok(found.len()),
        Some(missing) => {
            let expected = format!("segments are numbered from 0, but none is {missing}");
            Err(Error::setting("largest segment number", last, expected))
        }
    }
}

/// The image with each pixel replaced by the mean of its segment, channel by channel.
fn means(image: &[f32], segments: &[usize], d: usize) -> Vec<f32> {
    let channels = image.len() / segments.len();
    let mut sums = vec![0.0; d * channels];
    let mut counts = vec![0.0; d];
    for (pixel, &segment) in image.chunks_exact(channels).zip(segments) {
        let sums = &mut sums[segment * channels..][..channels];
        sums.iter_mut().zip(pixel).for_each(|(sum, &x)| *sum += f64::from(x));
        counts[segment] += 1.0;
    }
    let mean = |&segment: &usize| {
        let sums = &sums[segment * channels..][..channels];
        let count = counts[segment];
        sums.iter().map(move |sum| (sum / count) as f32)
    };
    segments.iter().flat_map(mean).collect()
}

/// All segments on, then n − 1 rows where each is on with probability ½; and the weights of all.
fn switch_off(d: usize, n: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = stream(seed, Purpose::Sample, 0, 0);
    let mut rows = vec![1.0; n * d];
    rows[d..].iter_mut().for_each(|on| *on = f64::from(u8::from(rng.random::<bool>())));
    let on = |row: &[f64]| row.iter().sum::<f64>() as usize;
    let weights = rows.chunks_exact(d).map(|row| on_off_kernel(on(row), d, 1.0, 0.25)).collect();
    (rows, weights)
}
