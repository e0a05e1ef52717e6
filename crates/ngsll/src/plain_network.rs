//! The plain network (the DNN of the comparisons): it reads the whole sample and gives scores without
//! terms. Its gradients show afterwards what it looked at.

use crate::dataset::{Dataset, ImageSize, Samples};
use crate::error::{Error, Result};
use crate::generator::{BuiltIn, Dropout};
use crate::metrics::Quality;
use crate::network::{Gating, Network};
use crate::objective::Objective;
use crate::representation::{Batch, Grid, Representation};
use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Int, Tensor};
use rayon::prelude::*;

/// Samples that go through the network together.
const BATCH: usize = 32;

/// The support of each feature of a sample, by its name, for the predicted class: cells of an image,
/// words of a text, columns of a table.
pub type FeatureSupport = Vec<(String, f64)>;

/// A trained network without terms.
#[derive(Debug, Clone)]
pub struct PlainNetwork {
    representation: Representation,
    objective: Objective,
    network: Network<BuiltIn>,
    /// The same, for gradients by its input.
    tracked: Network<BuiltIn>,
    device: Device,
}

impl PlainNetwork {
    /// Wraps a trained network for prediction.
    pub(crate) fn new(
        representation: Representation,
        objective: Objective,
        network: Network<BuiltIn>,
        device: &Device,
    ) -> Self {
        let network = network.valid();
        let tracked = network.clone().train().no_grad();
        Self { representation, objective, network, tracked, device: device.clone() }
    }

    /// Its objective: the classes or the number that it predicts.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// Its representation of samples.
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// The scores of every sample in the user's units: the input of [`Objective::prediction`].
    pub fn scores(&self, samples: &Samples) -> Result<Vec<Vec<f64>>> {
        let (factor, offset) = self.objective.units();
        self.batches(samples, &self.device, |batch| {
            let scores = forward(&self.network, batch.plain())?;
            let scores: Vec<f64> =
                scores.into_data().iter::<f64>().map(|s| s * factor + offset).collect();
            Ok(scores.chunks_exact(self.objective.outputs()).map(<[f64]>::to_vec).collect())
        })
    }

    /// The quality of its predictions of labelled samples.
    pub fn quality(&self, data: &Dataset) -> Result<Quality> {
        let (scores, targets) = (self.scores(data.samples())?, self.objective.targets(data)?);
        Ok(Quality::of(&self.objective, &scores, &targets))
    }

    /// Gradient × input of every feature: Σ x_i · ∂s/∂x_i over the pixels of a cell, the dimensions of
    /// the vectors of a word or of a column, where s is the score of the predicted
    /// class (of two classes, the score for the predicted one).
    pub fn gradient_times_input(&self, samples: &Samples) -> Result<Vec<FeatureSupport>> {
        let schema = self.representation.schema();
        let columns: Vec<&str> = schema.columns().iter().map(|c| c.name.as_str()).collect();
        self.batches(samples, &self.device.clone().autodiff(), |batch| {
            let n = if columns.is_empty() { batch.features() } else { columns.len() };
            // By the chain rule the sum is the derivative by a common factor of those numbers, at 1.
            let factors = Tensor::<2>::ones([batch.rows.len(), n], &batch.z.device());
            let factors = factors.require_grad();
            let plain = Batch { x: batch.scaled(&factors, 1.0), ..batch.clone().plain() };
            let gradients = predicted(forward(&self.tracked, plain)?).sum().backward();
            let gradient = factors.grad(&gradients).expect("the score depends on the input");
            let values: Vec<f64> = gradient.into_data().iter::<f64>().collect();
            let supports = |(b, values): (usize, &[f64])| -> FeatureSupport {
                let name = |at: usize| match columns.get(at) {
                    Some(column) => column.to_string(),
                    None => self.representation.name(batch.feature_at(b, at)),
                };
                let listed = if columns.is_empty() { batch.listed(b) } else { n };
                values[..listed].iter().enumerate().map(|(at, v)| (name(at), *v)).collect()
            };
            Ok(values.chunks_exact(n).enumerate().map(supports).collect())
        })
    }

    /// Grad-CAM (Selvaraju et al., 2017) of every cell of an image: the maps of the last convolution,
    /// before pooling, weighted by the mean gradient of the predicted class's score; the positive part
    /// of their sum is interpolated to the size of the image and averaged over the cell.
    pub fn grad_cam(&self, samples: &Samples) -> Result<Vec<FeatureSupport>> {
        let Some(grid) = self.representation.grid() else {
            return Err(Error::setting("samples", samples.kind(), "Grad-CAM is for images"));
        };
        self.batches(samples, &self.device.clone().autodiff(), |batch| {
            let regions = batch.active.regions.clone();
            let batch = batch.plain();
            let generator = self.tracked.generator();
            let maps = generator.maps(&batch.x).expect("a network of images has maps");
            let maps = maps.detach().require_grad();
            let weights = generator.forward_maps(maps.clone(), &batch.active);
            let scores = self.tracked.scores(&batch, weights);
            let gradients = predicted(scores).sum().backward();
            let gradient = maps.grad(&gradients).expect("the score depends on the maps");
            let heat = heat(maps.inner(), gradient).into_iter().enumerate();
            let supports = heat.map(|(b, heat)| match &regions {
                Some(regions) => {
                    let owners = regions.of(b).iter().map(|&region| usize::from(region));
                    self.cells(grid, owners, &heat)
                }
                None => self.cells(grid, grid.cells().into_iter(), &heat),
            });
            Ok(supports.collect())
        })
    }

    /// The mean of a map, interpolated to the size of the image, in every cell or region that has pixels, given
    /// the one that each pixel belongs to.
    fn cells(
        &self,
        grid: &Grid,
        owners: impl Iterator<Item = usize>,
        heat: &[Vec<f64>],
    ) -> FeatureSupport {
        let (rows, columns) = (heat.len(), heat[0].len());
        let mut sums = vec![(0.0, 0.0); self.representation.features()];
        let ImageSize { width, height, .. } = grid.size();
        for (pixel, cell) in owners.enumerate() {
            let (y, x) = (pixel / width, pixel % width);
            let down = between(y, height, rows);
            let right = between(x, width, columns);
            let mut value = 0.0;
            for (row, a) in down {
                value += right.iter().map(|&(column, b)| a * b * heat[row][column]).sum::<f64>();
            }
            sums[cell] = (sums[cell].0 + value, sums[cell].1 + 1.0);
        }
        let mean = |(j, (sum, n)): (usize, (f64, f64))| (self.representation.name(j), sum / n);
        let occurring = sums.into_iter().enumerate().filter(|(_, (_, n))| *n > 0.0);
        occurring.map(mean).collect()
    }

    fn batches<T: Send>(
        &self,
        samples: &Samples,
        device: &Device,
        read: impl Fn(Batch) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let encoded = self.representation.encode(samples)?;
        let rows: Vec<usize> = (0..encoded.len()).collect();
        let parts = rows
            .par_chunks(BATCH)
            .map(|rows| read(self.representation.batch(&encoded, rows, device)));
        Ok(parts.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// The scores of a plain batch: [batch, outputs]
fn forward(network: &Network<BuiltIn>, batch: Batch) -> Result<Tensor<2>> {
    Ok(network.forward(&batch, Gating::Hard { k: 1 }, &mut Dropout::off())?.scores)
}

/// The score of each sample's predicted class; of a single score, the score for the predicted one of
/// two: [batch, outputs] → [batch, 1]
fn predicted(scores: Tensor<2>) -> Tensor<2> {
    if scores.dims()[1] == 1 {
        return scores.abs();
    }
    let best: Tensor<2, Int> = scores.clone().detach().argmax(1);
    scores.gather(1, best)
}

/// relu(Σ_c α_c A_c) with α_c the mean gradient of map c.
///
/// maps, gradient: [batch, h, w, filters] → h rows of w numbers for each sample
fn heat(maps: Tensor<4>, gradient: Tensor<4>) -> Vec<Vec<Vec<f64>>> {
    let [_, height, width, _] = maps.dims();
    let alpha = gradient.mean_dim(1).mean_dim(2);
    let heat: Tensor<4> = relu((maps * alpha).sum_dim(3));
    let values: Vec<f64> = heat.into_data().iter::<f64>().collect();
    let rows = |map: &[f64]| map.chunks_exact(width).map(<[f64]>::to_vec).collect();
    values.chunks_exact(height * width).map(rows).collect()
}

/// The two of `n` positions between which position `at` of `size` lies, and their weights.
fn between(at: usize, size: usize, n: usize) -> [(usize, f64); 2] {
    let position = (at as f64 + 0.5) * n as f64 / size as f64 - 0.5;
    let position = position.clamp(0.0, (n - 1) as f64);
    let (low, part) = (position.floor() as usize, position.fract());
    [(low, 1.0 - part), ((low + 1).min(n - 1), part)]
}

#[cfg(test)]
mod tests;
