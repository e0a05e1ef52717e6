//! Convolution, bias, ReLU and pool of plain slices: the filters in the layout that the products
//! read, and batches of images through them, forward and backward.

use super::buffer_pool::Scratch;
use super::epilogue::PoolIndex;
use super::geometry::Geometry;
use super::{PooledBuffer, add_all, direct, take_buffer, take_zeroed, winograd};
use rayon::prelude::*;

/// Gradients of the filters are summed in at most this many parts, whatever the number of threads, so
/// that the order of additions, and so every bit, is the same on one thread as on many.
const PARTS: usize = 8;

/// The number of images for which a separate sum of gradients pays off.
const IMAGES: usize = 8;

/// From this many channels on, a 3×3 convolution is worth Winograd's transforms.
const WINOGRAD_CHANNELS: usize = 16;

/// Filters in the layout that the products read.
#[derive(Debug)]
pub(crate) struct Filters {
    geometry: Geometry,
    forward: PooledBuffer,
    /// Present if the gradient of x is needed.
    backward: Option<PooledBuffer>,
}

/// Gradients of a batch.
pub(super) struct FilterGradients {
    pub x: Option<PooledBuffer>,
    pub weight: Option<Vec<f32>>,
    pub bias: Vec<f32>,
}

/// The forward pass of a group of images.
pub(super) struct Forward<'a> {
    /// In the algorithm's forward layout.
    pub filters: &'a [f32],
    pub bias: &'a [f32],
    /// [images, h, w, channels]
    pub x: &'a [f32],
    /// [images, h', w', filters]
    pub output: &'a mut [f32],
    /// The index of each output in its window, if wanted: as `output`.
    pub indices: Option<&'a mut [PoolIndex]>,
}

/// The backward pass of a group of images, which adds the group's share to the gradients of the filters
/// and the bias and, if wanted, writes x's.
pub(super) struct Backward<'a> {
    /// In the algorithm's backward layout; empty if x's gradient is not needed.
    pub filters: &'a [f32],
    /// [images, h, w, channels]
    pub x: &'a [f32],
    /// [images, h', w', filters]
    pub upstream: &'a [f32],
    /// As the forward pass wrote them.
    pub indices: &'a [PoolIndex],
    /// In the algorithm's forward layout; empty if it is not needed.
    pub filters_gradient: &'a mut [f32],
    pub bias_gradient: &'a mut [f32],
    /// As x.
    pub x_gradient: Option<&'a mut [f32]>,
}

/// Packs the filters of a weight into the layout that a product reads.
type FilterLayout = fn(&Geometry, &[f32]) -> PooledBuffer;

/// A way to convolve: its layouts of the filters, and its passes over groups of images.
struct ConvAlgorithm {
    /// Images of a group.
    images: usize,
    /// Numbers of the forward layout.
    filters_len: usize,
    forward_filters: FilterLayout,
    backward_filters: FilterLayout,
    weight_gradient: fn(&Geometry, &[f32]) -> Vec<f32>,
    forward: fn(&Geometry, Forward<'_>, &mut Scratch),
    backward: fn(&Geometry, Backward<'_>, &mut Scratch),
}

impl ConvAlgorithm {
    /// Winograd's for 3×3 kernels over many channels, the direct one otherwise.
    fn choose(g: &Geometry) -> Self {
        if g.kernel == [3, 3] && g.input[2] >= WINOGRAD_CHANNELS {
            Self {
                images: winograd::group(g),
                filters_len: winograd::filters_len(g),
                forward_filters: winograd::forward_filters,
                backward_filters: winograd::backward_filters,
                weight_gradient: winograd::weight_gradient,
                forward: winograd::forward,
                backward: winograd::backward,
            }
        } else {
            Self {
                images: 1,
                filters_len: direct::filters_len(g),
                forward_filters: direct::forward_filters,
                backward_filters: direct::backward_filters,
                weight_gradient: direct::weight_gradient,
                forward: direct::forward,
                backward: direct::backward,
            }
        }
    }
}

impl Filters {
    /// weight: [filters, channels, kh, kw]
    pub(super) fn new(geometry: Geometry, weight: &[f32], with_backward: bool) -> Self {
        let (g, algorithm) = (&geometry, ConvAlgorithm::choose(&geometry));
        let backward = with_backward.then(|| (algorithm.backward_filters)(g, weight));
        Self { forward: (algorithm.forward_filters)(g, weight), backward, geometry }
    }

    /// Whether the gradient of x can be computed.
    pub(super) fn has_backward(&self) -> bool {
        self.backward.is_some()
    }

    /// The sizes that the filters were made for.
    pub(super) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// x: [batch, h, w, channels] → output, indices: [batch, h', w', filters]
    pub(super) fn forward(
        &self,
        bias: &[f32],
        x: &[f32],
        output: &mut [f32],
        indices: Option<&mut [PoolIndex]>,
    ) {
        let g = &self.geometry;
        let ConvAlgorithm { forward: pass, images, .. } = ConvAlgorithm::choose(g);
        let (from, to) = (images * g.input_len(), images * g.output_len());
        // A single group is not split, and stays on this thread.
        let groups = x.par_chunks(from).zip(output.par_chunks_mut(to));
        let run = |scratch: &mut Scratch, x, output, indices| {
            pass(g, Forward { filters: &self.forward, bias, x, output, indices }, scratch);
        };
        match indices {
            Some(indices) => groups.zip(indices.par_chunks_mut(to)).for_each_init(
                Scratch::default,
                |scratch, ((x, output), indices)| {
                    run(scratch, x, output, Some(indices));
                },
            ),
            None => groups.for_each_init(Scratch::default, |scratch, (x, output)| {
                run(scratch, x, output, None);
            }),
        }
    }

    /// x: [batch, h, w, channels], upstream, indices: [batch, h', w', filters] → gradients
    pub(super) fn backward(
        &self,
        x: &[f32],
        upstream: &[f32],
        indices: &[PoolIndex],
        [want_x, want_weight]: [bool; 2],
    ) -> FilterGradients {
        let g = &self.geometry;
        let algorithm = ConvAlgorithm::choose(g);
        let ConvAlgorithm { backward: pass, images, .. } = algorithm;
        let filters_len = if want_weight { algorithm.filters_len } else { 0 };
        let (from, to) = (images * g.input_len(), images * g.output_len());
        let fewest = if want_weight { IMAGES } else { 1 };
        let part = (x.len() / g.input_len()).div_ceil(PARTS).max(fewest);
        let mut x_gradient = want_x.then(|| take_buffer::<f32>(x.len()));
        let backward_filters = self.backward.as_deref().unwrap_or_default();
        // One slice of x's gradient per part, empty if none is needed.
        let parts = x.chunks(part * g.input_len());
        let mut own_x: Vec<&mut [f32]> = match &mut x_gradient {
            Some(gradient) => gradient.chunks_mut(part * g.input_len()).collect(),
            None => parts.clone().map(|_| Default::default()).collect(),
        };
        let parts: Vec<&[f32]> = parts.collect();
        let mut sums: Vec<(PooledBuffer, Vec<f32>)> = (parts, own_x.par_iter_mut())
            .into_par_iter()
            .enumerate()
            .map(|(i, (x, own_x))| {
                let (mut filters, mut bias) = (take_zeroed(filters_len), vec![0.0; g.filters]);
                let mut scratch = Scratch::default();
                let first = i * part * g.output_len();
                let outputs = upstream[first..].chunks(to).zip(indices[first..].chunks(to));
                let mut own_x = own_x.chunks_mut(from);
                for (x, (upstream, indices)) in x.chunks(from).zip(outputs) {
                    // The last group of a part may be smaller than the others.
                    let len = x.len() / g.input_len() * g.output_len();
                    let group = Backward {
                        filters: backward_filters,
                        x,
                        upstream: &upstream[..len],
                        indices: &indices[..len],
                        filters_gradient: &mut filters,
                        bias_gradient: &mut bias,
                        x_gradient: own_x.next(),
                    };
                    pass(g, group, &mut scratch);
                }
                (filters, bias)
            })
            .collect();
        let (mut filters, mut bias) = sums.remove(0);
        let (filter_parts, bias_parts): (Vec<&[f32]>, Vec<&[f32]>) =
            sums.iter().map(|(filters, bias)| (&filters[..], &bias[..])).unzip();
        add_all(&mut filters, &filter_parts);
        add_all(&mut bias, &bias_parts);
        let weight = want_weight.then(|| (algorithm.weight_gradient)(g, &filters));
        FilterGradients { x: x_gradient, weight, bias }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::instructions::each;
    use crate::random::{Purpose, stream};
    use rand::RngExt;

    /// Output, indices and gradients of one group, so that all work stays on the test's thread.
    fn run(g: Geometry) -> (Vec<f32>, Vec<PoolIndex>, Vec<f32>, Vec<f32>) {
        let mut rng = stream(3, Purpose::Sample, 0, 0);
        // Small multiples of 1/4: every sum is exact.
        let mut draw = |n: usize| -> Vec<f32> {
            (0..n).map(|_| f32::from(rng.random_range(-4_i8..=4)) / 4.0).collect()
        };
        let (weight, bias, x) = (draw(g.weight_len()), draw(g.filters), draw(g.input_len()));
        let upstream = draw(g.output_len());
        let (filters, algorithm) = (Filters::new(g, &weight, true), ConvAlgorithm::choose(&g));
        let (mut output, mut indices) = (vec![0.0; g.output_len()], vec![0; g.output_len()]);
        filters.forward(&bias, &x, &mut output, Some(&mut indices));
        let (mut sums, mut bias_gradient) =
            (vec![0.0; algorithm.filters_len], vec![0.0; g.filters]);
        let mut x_gradient = vec![0.0; x.len()];
        let group = Backward {
            filters: filters.backward.as_deref().unwrap(),
            x: &x,
            upstream: &upstream,
            indices: &indices,
            filters_gradient: &mut sums,
            bias_gradient: &mut bias_gradient,
            x_gradient: Some(&mut x_gradient),
        };
        (algorithm.backward)(&g, group, &mut Scratch::default());
        (output, indices, (algorithm.weight_gradient)(&g, &sums), x_gradient)
    }

    #[test]
    fn all_instruction_sets_agree() {
        for (channels, pool) in [(3, true), (19, true), (19, false)] {
            let g =
                Geometry { input: [9, 8, channels], filters: 21, kernel: [3, 3], padding: 1, pool };
            let mut results = Vec::new();
            each(|_| results.push(run(g)));
            assert!(results.len() >= 2);
            assert!(results.iter().all(|result| *result == results[0]));
        }
    }
}
