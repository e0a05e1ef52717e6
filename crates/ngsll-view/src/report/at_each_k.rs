//! The quality of predictions with fewer or more terms.

use super::sampling::Reservoir;
use ngsll::explanation::Explanation;
use ngsll::generator::Generator;
use ngsll::metrics::{AtK, ByK, Evaluation, k_grid};
use ngsll::objective::Targets;
use ngsll::{Dataset, Evidence, Model, Result, Samples};

/// Rows on which a model that chooses anew for each k is measured.
const ROWS: usize = 2000;
/// The k at which it is measured, up to the number of features.
const KS: [usize; 5] = [1, 2, 3, 5, 10];

/// Measures a model at several k.
pub(super) enum AtEachK<'a> {
    /// A gate keeps the largest weights, so smaller k follow from the explanations at the largest.
    Truncated(ByK<'a>),
    /// Every k has its own choice and weights, so some rows are kept and predicted again at each.
    Repredicted { ks: Vec<usize>, rows: Box<Reservoir<Dataset>> },
}

/// The results.
#[derive(Debug)]
pub(super) struct MeasuredAtEachK {
    /// The metrics at each k.
    pub(super) points: Vec<AtK>,
    /// The number of rows.
    pub(super) rows: usize,
    /// The evidence of the model's predictions.
    pub(super) evidence: Evidence,
}

impl<'a> AtEachK<'a> {
    /// For a model that is shown with `k` terms; `number` distinguishes its sample from others of the same seed.
    pub(super) fn new<G: Generator>(model: &'a Model<G>, k: usize, number: u64) -> Self {
        match model.evidence() {
            Evidence::Chosen => Self::Repredicted {
                ks: ks(k, model.largest_k()),
                rows: Box::new(Reservoir::new(ROWS, model.config().seed, number)),
            },
            _ => {
                let gate_scope = model.network().gate_scope();
                Self::Truncated(ByK::new(model.objective(), gate_scope, k_grid(model.k())))
            }
        }
    }

    /// Adds labelled samples, explained with `k` terms.
    pub(super) fn add<G: Generator>(
        &mut self,
        model: &Model<G>,
        data: &Dataset,
        (k, explanations): (usize, &[Explanation]),
        targets: &Targets,
    ) -> Result<()> {
        match self {
            Self::Truncated(by_k) if k == model.k() => by_k.add(explanations, targets),
            Self::Truncated(by_k) => by_k.add(&model.explain(data)?, targets),
            Self::Repredicted { rows, .. } => {
                (0..data.len()).for_each(|i| rows.offer(|| data.select(&[i])));
            }
        }
        Ok(())
    }

    /// The metrics of everything added, which was `n` rows.
    pub(super) fn finish<G: Generator>(
        self,
        model: &Model<G>,
        n: usize,
    ) -> Result<MeasuredAtEachK> {
        let evidence = model.evidence();
        let (ks, rows) = match self {
            Self::Truncated(by_k) => {
                return Ok(MeasuredAtEachK { points: by_k.finish(), rows: n, evidence });
            }
            Self::Repredicted { ks, rows } => (ks, rows.into_items()),
        };
        let Some(samples) = Samples::join(rows.iter().map(Dataset::samples)) else {
            return Ok(MeasuredAtEachK { points: Vec::new(), rows: 0, evidence });
        };
        let labels = rows.iter().map(|row| row.label(0).unwrap_or_default());
        let data = Dataset::new(samples).with_labels(labels)?;
        let at = |k| {
            let mut evaluation = Evaluation::new(model, Some(k))?;
            evaluation.add(&data)?;
            Ok(AtK::new(k, &evaluation.finish()))
        };
        let points = ks.into_iter().map(at).collect::<Result<_>>()?;
        Ok(MeasuredAtEachK { points, rows: data.len(), evidence })
    }
}

/// A short list up to `largest`, and `k` itself.
fn ks(k: usize, largest: usize) -> Vec<usize> {
    let most = KS[KS.len() - 1].min(largest);
    let mut ks: Vec<usize> =
        KS.into_iter().filter(|&other| other < most).chain([most, k]).collect();
    ks.sort_unstable();
    ks.dedup();
    ks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_holds_the_model_s_k_and_every_feature_of_a_few() {
        assert_eq!(ks(5, 784), [1, 2, 3, 5, 10]);
        assert_eq!(ks(4, 7), [1, 2, 3, 4, 5, 7]);
        assert_eq!(ks(30, 784), [1, 2, 3, 5, 10, 30]);
        assert_eq!(ks(1, 1), [1]);
    }
}
