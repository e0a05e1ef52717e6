//! L2X: a selector and a predictor for each K.

use super::work::are_right;
use super::{JudgedMethod, OnPicks, Work};
use ngsll::Evidence;
use ngsll::error::Result;
use ngsll_baselines::{L2x, L2xOptions};
use ngsll_jobs::JobProgress;
use std::time::Instant;

pub(super) fn run(
    work: &Work<'_>,
    progress: &mut JobProgress<'_>,
    done: &mut OnPicks<'_>,
) -> Result<()> {
    let (setup, numbering) = work.setup(Evidence::Whole)?;
    let (data, judged) = (&work.prepared.samples, &work.prepared.judged);
    let (config, n) = (setup.config(), setup.rows().train.len());
    let epochs = config.epochs(n);
    let options = L2xOptions::default()
        .epochs(epochs)
        .batch_size(config.batch_size(n))
        .seed(work.prepared.seed);
    for (nth, k) in work.ks(JudgedMethod::L2x).into_iter().enumerate() {
        let mut on_epoch = |done: f64| progress.advance_to((nth * epochs) as f64 + done);
        let l2x = L2x::fit(&setup, data, &options.clone().k(k), &mut on_epoch)?;
        let started = Instant::now();
        let choices = l2x.explain(judged.samples())?;
        let time = started.elapsed();
        let scores: Vec<Vec<f64>> = choices.iter().map(|choice| choice.scores.clone()).collect();
        let right = are_right(setup.objective(), &scores, judged);
        let number = |&j: &usize| numbering.number(&l2x.representation().name(j));
        let features = choices.iter().map(|c| c.features.iter().filter_map(number).collect());
        done(JudgedMethod::L2x, k, work.picks(Some(right), features.collect(), time))?;
    }
    Ok(())
}
