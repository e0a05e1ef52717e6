//! `ngsll evaluate`

use crate::args::EvaluateArgs;
use crate::notes::Unseen;
use crate::output::Output;
use crate::predict::{CHUNK, empty};
use crate::progress::RowProgress;
use anyhow::Result;
use ngsll::Predictor;
use ngsll::data::Labels;
use ngsll::metrics::{Evaluation, Metrics};
use serde::Serialize;
use std::io::Write;
use std::time::Instant;

#[derive(Serialize)]
struct Report<'a> {
    task: ngsll::config::Task,
    k: usize,
    #[serde(flatten)]
    metrics: &'a Metrics,
    seconds: f64,
}

pub fn run(args: &EvaluateArgs) -> Result<()> {
    let predictor = Predictor::load(&args.model)?;
    let k = predictor.check_k(args.k)?;
    let started = Instant::now();
    let config = predictor.config();
    let like = Some(predictor.representation());
    let mut reader = config.open(&args.data, args.labels.as_deref(), Labels::Required, like)?;
    let mut evaluation = Evaluation::new(predictor.objective());
    let mut unseen = Unseen::default();
    let progress = RowProgress::new(false);
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        let targets = predictor.objective().targets(&chunk);
        let targets = targets.map_err(|e| e.in_column(config.data.target.as_deref()))?;
        unseen.add(&predictor, &chunk.samples);
        progress.add(chunk.len());
        evaluation.add(&predictor.explain(&chunk.samples, args.k)?, &targets);
    }
    progress.finish();
    let metrics = evaluation.finish();
    unseen.say(metrics.n);
    if metrics.n == 0 {
        return Err(empty(&args.data));
    }
    let seconds = started.elapsed().as_secs_f64();
    let mut out = Output::open(None)?;
    if args.json {
        let report = Report { task: config.task, k, metrics: &metrics, seconds };
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        for (name, value) in facts(&metrics, k) {
            writeln!(out, "{name:<28} {value}")?;
        }
        writeln!(out, "{:<28} {seconds:.2}", "seconds")?;
    }
    out.finish()
}

/// The metrics as a person reads them.
pub fn facts(metrics: &Metrics, k: usize) -> Vec<(String, String)> {
    let mut facts = vec![("samples".to_string(), metrics.n.to_string())];
    let shares = [("accuracy", metrics.accuracy), ("AUROC", metrics.auroc), ("R²", metrics.r2)];
    for (name, value) in shares {
        facts.extend(value.map(|v| (name.to_string(), format!("{v:.4}"))));
    }
    facts.extend(metrics.rmse.map(|v| ("RMSE".to_string(), format!("{v:.4}"))));
    let Metrics { features_max, features_mean, additivity_error_max, .. } = metrics;
    let used = format!("at most {features_max} of K = {k}, {features_mean:.2} on average");
    facts.push(("features of a score".to_string(), used));
    facts.push((
        "largest error of a sum".to_string(),
        match additivity_error_max {
            0.0 => "0".to_string(),
            error => format!("{error:.1e}"),
        },
    ));
    facts
}
