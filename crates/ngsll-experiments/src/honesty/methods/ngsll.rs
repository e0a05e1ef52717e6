//! NGSLL with both kinds of evidence.

use super::numbering::Numbering;
use super::{JudgedMethod, OnPicks, Work};
use ngsll::error::Result;
use ngsll::{Evidence, Explanation, Model};
use ngsll_jobs::JobProgress;
use std::time::Instant;

/// The library's default: one model serves every K.
pub(super) fn chosen(
    work: &Work<'_>,
    progress: &mut JobProgress<'_>,
    done: &mut OnPicks<'_>,
) -> Result<()> {
    let (setup, numbering) = work.setup(Evidence::Chosen)?;
    let model = setup.fit(None, &mut |event| progress.event(event))?.model;
    for k in work.ks(JudgedMethod::Chosen) {
        explain(work, &numbering, &model, (JudgedMethod::Chosen, k), done)?;
    }
    Ok(())
}

/// The paper's method with annealed gates: a model for each K.
pub(super) fn whole(
    work: &Work<'_>,
    progress: &mut JobProgress<'_>,
    done: &mut OnPicks<'_>,
) -> Result<()> {
    let (setup, numbering) = work.setup(Evidence::Whole)?;
    let ks = work.ks(JudgedMethod::Whole);
    setup.fit_each(&ks, &mut |event| progress.event(event), &mut |fitted| {
        let model = fitted.model;
        explain(work, &numbering, &model, (JudgedMethod::Whole, model.k()), done)
    })
}

fn explain(
    work: &Work<'_>,
    numbering: &Numbering,
    model: &Model,
    (method, k): (JudgedMethod, usize),
    done: &mut OnPicks<'_>,
) -> Result<()> {
    let (judged, started) = (&work.prepared.judged, Instant::now());
    // The sample may have fewer features than requested.
    let explanations = model.explain_with(judged, Some(k.min(model.largest_k())))?;
    let time = started.elapsed();
    let right = explanations.iter().enumerate().map(|(row, explanation)| {
        explanation.prediction.class().map(|class| class.label()) == judged.label(row)
    });
    let features = explanations.iter().map(|e| named(e, numbering)).collect();
    done(method, k, work.picks(Some(right.collect()), features, time))
}

/// The features of the terms. If each class has its own features, those of the predicted class.
fn named(explanation: &Explanation, numbering: &Numbering) -> Vec<usize> {
    let predicted = explanation.prediction.class().map(|class| class.label());
    let outputs = &explanation.outputs;
    let output = outputs.iter().find(|output| Some(output.name.as_str()) == predicted);
    let terms = output.or(outputs.first()).map_or(&[][..], |output| &output.terms);
    terms.iter().filter_map(|term| numbering.number(&term.name)).collect()
}
