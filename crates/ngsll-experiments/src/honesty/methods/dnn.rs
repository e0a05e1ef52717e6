//! Post-hoc explanations of the DNN: its gradients, and the effects of perturbing its
//! input.

use super::numbering::Numbering;
use super::perturbed::Perturbed;
use super::work::are_right;
use super::{JudgedMethod, OnPicks, Work};
use ngsll::error::{Error, Result};
use ngsll::{Evidence, PlainNetwork};
use ngsll_jobs::JobProgress;
use std::time::Instant;

/// The support of each feature of a sample, by the judge's numbers, for the predicted class.
pub(super) type NumberedSupports = Vec<(usize, f64)>;

pub(super) fn run(
    work: &Work<'_>,
    progress: &mut JobProgress<'_>,
    done: &mut OnPicks<'_>,
) -> Result<()> {
    let (setup, numbering) = work.setup(Evidence::Whole)?;
    let (prepared, epochs) = (work.prepared, setup.config().epochs(setup.rows().train.len()));
    let network = setup.fit_plain_network(&mut |event| progress.event(event))?;
    let scores = network.scores(prepared.judged.samples())?;
    let right = are_right(network.objective(), &scores, &prepared.judged);
    let methods = [
        JudgedMethod::GradientInput,
        JudgedMethod::GradCam,
        JudgedMethod::Lime,
        JudgedMethod::KernelShap,
    ];
    // Explaining counts as much as training, and each method as much as the others.
    let (mut share, share_each) = (1.0, 1.0 / methods.len() as f64);
    for method in methods {
        share += share_each;
        let ks = work.ks(method);
        if ks.is_empty() {
            continue;
        }
        let started = Instant::now();
        let supports = match method {
            JudgedMethod::GradientInput | JudgedMethod::GradCam => {
                by_gradient(work, &network, &numbering, method)?
            }
            _ => {
                let train = prepared.samples.select(&setup.rows().train);
                let perturbed = Perturbed::new(&network, &numbering, &train, &prepared.judged)?;
                let explain = |row: usize| {
                    let left = (prepared.judged.len() - row) as f64 / prepared.judged.len() as f64;
                    let done = share - share_each * left;
                    if progress.advance_to(epochs as f64 * done).is_break() {
                        return Err(Error::Interrupted);
                    }
                    match method {
                        JudgedMethod::Lime => perturbed.lime(row),
                        _ => perturbed.kernel_shap(row),
                    }
                };
                (0..prepared.judged.len())
                    .map(explain)
                    .collect::<Result<Vec<NumberedSupports>>>()?
            }
        };
        let time = started.elapsed();
        for k in ks {
            let rows = supports.iter().enumerate();
            let features = rows.map(|(row, supports)| numbering.top(row, supports, k)).collect();
            done(method, k, work.picks(Some(right.clone()), features, time))?;
        }
    }
    Ok(())
}

fn by_gradient(
    work: &Work<'_>,
    network: &PlainNetwork,
    numbering: &Numbering,
    method: JudgedMethod,
) -> Result<Vec<NumberedSupports>> {
    let samples = work.prepared.judged.samples();
    let supports = match method {
        JudgedMethod::GradCam => network.grad_cam(samples)?,
        _ => network.gradient_times_input(samples)?,
    };
    let numbered = |supports: Vec<(String, f64)>| -> NumberedSupports {
        let named = supports.into_iter();
        named.filter_map(|(name, support)| Some((numbering.number(&name)?, support))).collect()
    };
    Ok(supports.into_iter().map(numbered).collect())
}
