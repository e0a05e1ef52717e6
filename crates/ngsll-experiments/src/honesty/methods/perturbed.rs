//! LIME and KernelSHAP of the DNN: the effect of removing features on the probability of the predicted
//! class.

use super::dnn::NumberedSupports;
use super::numbering::Numbering;
use ngsll::dataset::{Column, ImageSize, Images, Table, Texts, Values};
use ngsll::error::Result;
use ngsll::representation::TokenView;
use ngsll::{Dataset, PlainNetwork, SampleView, Samples};
use ngsll_baselines::{Attribution, KernelShap, KernelShapOptions, LimeOptions, lime};

/// Rows of the training data that KernelSHAP takes the values of absent columns from.
const BACKGROUND: usize = 20;

/// The DNN and the samples to explain.
pub(super) struct Perturbed<'a> {
    network: &'a PlainNetwork,
    numbering: &'a Numbering,
    judged: &'a Dataset,
    /// The class that the DNN predicts for each sample.
    classes: Vec<usize>,
    ground: Ground,
}

/// The replacement of an absent feature.
enum Ground {
    /// A word is left out.
    Nothing,
    /// A cell has this grey: the median pixel of the training images.
    Grey(u8),
    /// Columns of these names: LIME draws others by their spread, KernelSHAP takes the values of some
    /// training rows, [rows, columns].
    Columns { names: Vec<String>, spread: lime::Tabular, background: Vec<f32> },
}

impl<'a> Perturbed<'a> {
    pub(super) fn new(
        network: &'a PlainNetwork,
        numbering: &'a Numbering,
        train: &Dataset,
        judged: &'a Dataset,
    ) -> Result<Self> {
        let scores = network.scores(judged.samples())?;
        let classes = scores.iter().map(|scores| network.objective().class(scores)).collect();
        let ground = match train.samples() {
            Samples::Images(images) => Ground::Grey(median(images.pixels())),
            Samples::Table(table) => {
                let names: Vec<String> =
                    table.columns().iter().map(|column| column.name().to_string()).collect();
                let mut background: Vec<f32> =
                    (0..table.len()).flat_map(|row| numbers_of(table, row)).collect();
                let spread = lime::Tabular::fit(&background, names.len())?;
                background.truncate(BACKGROUND * names.len());
                Ground::Columns { names, spread, background }
            }
            _ => Ground::Nothing,
        };
        Ok(Self { network, numbering, judged, classes, ground })
    }

    /// LIME with all features, by their coefficients.
    pub(super) fn lime(&self, row: usize) -> Result<NumberedSupports> {
        let options = LimeOptions::default().k(self.numbering.representation.features());
        match (self.judged.samples(), &self.ground) {
            (Samples::Images(images), _) => {
                let (size, Some(grid)) = (images.size(), self.numbering.representation.grid())
                else {
                    return Ok(Vec::new());
                };
                let own: Vec<f32> = images.get(row).iter().map(|&p| f32::from(p)).collect();
                let model = |rows: &[f32], _: usize| {
                    let pixels = rows.iter().map(|p| p.round() as u8).collect();
                    self.probabilities(row, &Images::new(size, pixels)?.into())
                };
                Ok(supports(&lime::image(&model, &own, &grid.cells(), &[0], &options)?, Some))
            }
            (Samples::Table(table), Ground::Columns { names, spread, .. }) => {
                let model = |rows: &[f32], _: usize| self.rows(row, names, rows);
                let found = spread.explain(&model, &numbers_of(table, row), &[0], &options)?;
                Ok(supports(&found, |at| self.numbering.number(&names[at])))
            }
            (samples, _) => {
                let tokens = self.tokens(samples, row);
                if tokens.is_empty() {
                    return Ok(Vec::new());
                }
                let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
                let model = |texts: &[Vec<&str>]| {
                    let texts: Texts = texts.iter().map(|words| words.join(" ")).collect();
                    self.probabilities(row, &texts.into())
                };
                let found = lime::text(&model, &words, &[0], &options)?;
                Ok(supports(&found, |at| tokens[at].feature))
            }
        }
    }

    /// KernelSHAP over the features that the sample has.
    pub(super) fn kernel_shap(&self, row: usize) -> Result<NumberedSupports> {
        if let (Some(table), Ground::Columns { names, background, .. }) =
            (self.judged.samples().as_table(), &self.ground)
        {
            let (d, options) = (names.len(), KernelShapOptions::default());
            let model = |rows: &[f32], _: usize| self.rows(row, names, rows);
            let shap = KernelShap::new(model, background.clone(), d, options)?;
            let found = shap.explain(&numbers_of(table, row), &[0])?;
            return Ok(supports(&found, |at| self.numbering.number(&names[at])));
        }
        let present = self.numbering.available(row);
        if present.is_empty() {
            return Ok(Vec::new());
        }
        let d = present.len();
        // A coalition is a row of ones and zeros: features that are present, and others.
        let model = |rows: &[f32], _: usize| {
            let coalitions = rows.chunks_exact(d).map(|members| {
                let absent = present.iter().zip(members).filter(|(_, member)| **member == 0.0);
                absent.map(|(feature, _)| *feature).collect::<Vec<usize>>()
            });
            self.probabilities(row, &self.without(row, coalitions)?)
        };
        let shap = KernelShap::new(model, vec![0.0; d], d, KernelShapOptions::default())?;
        Ok(supports(&shap.explain(&vec![1.0; d], &[0])?, |at| Some(present[at])))
    }

    /// Copies of a sample, each without some of its features.
    fn without(&self, row: usize, absent: impl Iterator<Item = Vec<usize>>) -> Result<Samples> {
        let samples = self.judged.samples();
        if let (Some(images), Ground::Grey(grey), Some(grid)) =
            (samples.as_images(), &self.ground, self.numbering.representation.grid())
        {
            let (size, cells): (ImageSize, Vec<usize>) = (images.size(), grid.cells());
            let mut pixels = Vec::new();
            for absent in absent {
                let own = images.get(row).chunks_exact(size.channels).zip(&cells);
                for (pixel, cell) in own {
                    match absent.contains(cell) {
                        true => pixels.extend(std::iter::repeat_n(*grey, size.channels)),
                        false => pixels.extend_from_slice(pixel),
                    }
                }
            }
            return Ok(Images::new(size, pixels)?.into());
        }
        let tokens = self.tokens(samples, row);
        let text = |absent: Vec<usize>| {
            let kept = |t: &&TokenView| t.feature.is_none_or(|word| !absent.contains(&word));
            let words: Vec<&str> = tokens.iter().filter(kept).map(|t| t.text.as_str()).collect();
            words.join(" ")
        };
        Ok(absent.map(text).collect::<Texts>().into())
    }

    fn tokens(&self, samples: &Samples, row: usize) -> Vec<TokenView> {
        match self.numbering.representation.view(samples, row) {
            Some(SampleView::Text { tokens }) => tokens,
            _ => Vec::new(),
        }
    }

    /// The DNN's probabilities for rows of numbers: [rows, columns].
    fn rows(&self, row: usize, names: &[String], rows: &[f32]) -> Result<Vec<f64>> {
        let d = names.len();
        let column = |(at, name): (usize, &String)| {
            let values = rows.iter().skip(at).step_by(d).map(|&value| f64::from(value));
            Column::numeric(name.clone(), values)
        };
        let columns = names.iter().enumerate().map(column).collect::<Result<Vec<_>>>()?;
        self.probabilities(row, &Table::new(columns)?.into())
    }

    /// The probabilities of the class that the DNN predicts for sample `row`.
    fn probabilities(&self, row: usize, samples: &Samples) -> Result<Vec<f64>> {
        let class = self.classes[row];
        let scores = self.network.scores(samples)?;
        Ok(scores.iter().map(|scores| probability(scores, class)).collect())
    }
}

/// The probability of a class by its scores: logistic for one, softmax for several.
fn probability(scores: &[f64], class: usize) -> f64 {
    if let [score] = scores {
        let score = if class == 1 { *score } else { -score };
        return 1.0 / (1.0 + (-score).exp());
    }
    1.0 / scores.iter().map(|score| (score - scores[class]).exp()).sum::<f64>()
}

/// The contributions to the only output; features without a number are left out.
fn supports(found: &[Attribution], number: impl Fn(usize) -> Option<usize>) -> NumberedSupports {
    let all = found.iter().flat_map(|attribution| &attribution.contributions);
    let mut supports: NumberedSupports = Vec::new();
    for contribution in all {
        let Some(j) = number(contribution.feature) else { continue };
        // A word in two spellings is one feature.
        match supports.iter_mut().find(|(known, _)| *known == j) {
            Some((_, sum)) => *sum += contribution.contribution,
            None => supports.push((j, contribution.contribution)),
        }
    }
    supports
}

/// The numbers of a row; gaps are 0.
fn numbers_of(table: &Table, row: usize) -> Vec<f32> {
    let number = |column: &Column| match column.values() {
        Values::Numeric(values) if values[row].is_finite() => values[row] as f32,
        _ => 0.0,
    };
    table.columns().iter().map(number).collect()
}

/// The lower of the middle values.
fn median(pixels: &[u8]) -> u8 {
    let mut counts = [0_usize; 256];
    pixels.iter().for_each(|&pixel| counts[usize::from(pixel)] += 1);
    let mut seen = 0;
    let half = pixels.len().div_ceil(2);
    let reached = |count: &usize| {
        seen += count;
        seen >= half
    };
    counts.iter().position(reached).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_by_hand() {
        assert_eq!(probability(&[0.0], 1), 0.5);
        assert!((probability(&[2.0], 0) - 1.0 / (1.0 + 2.0_f64.exp())).abs() < 1e-12);
        let scores = [1.0, 2.0, 0.5];
        let total: f64 = scores.iter().map(|s: &f64| s.exp()).sum();
        assert!((probability(&scores, 1) - 2.0_f64.exp() / total).abs() < 1e-12);
    }

    #[test]
    fn the_median_pixel() {
        assert_eq!(median(&[0, 0, 0, 9, 200]), 0);
        assert_eq!(median(&[7, 90, 91]), 90);
        assert_eq!(median(&[1, 3]), 1);
    }
}
