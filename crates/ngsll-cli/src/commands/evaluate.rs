//! `ngsll evaluate`

use crate::args::EvaluateArgs;
use crate::metrics::facts;
use crate::output::{Output, aligned};
use crate::paths::file_name;
use crate::progress::RowProgress;
use crate::samples::{self, CHUNK};
use crate::warnings;
use anyhow::Result;
use ngsll::Model;
use ngsll::metrics::{Evaluation, Metrics};
use ngsll::objective::Objective;
use ngsll_readers::LabelUse;
use ngsll_view::{Collected, Collector, Summary, UnseenValues};
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
    // First of all: a page that cannot be written should not cost a long evaluation.
    let page = args.report.as_deref().map(|path| Output::open(Some(path))).transpose()?;
    let model = Model::load(&args.model)?;
    let k = model.check_k(args.k)?;
    let started = Instant::now();
    let (config, schema) = (model.config(), model.schema());
    let mut reader = ngsll_readers::open(
        config.task,
        &config.data,
        &args.data,
        args.labels.as_deref(),
        LabelUse::Required,
        Some(&schema),
    )?;
    let mut evaluation = Evaluation::new(&model, args.k)?;
    let mut collector = page.as_ref().map(|_| Collector::new(&model, k)).transpose()?;
    let mut unseen = UnseenValues::default();
    let progress = RowProgress::new(false);
    let mut row = 0;
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        unseen.add(&model, &chunk);
        progress.add(chunk.len());
        let added = match &mut collector {
            Some(collector) => collector.add(&chunk, |i| row + i),
            None => evaluation.add(&chunk),
        };
        added.map_err(|error| error.in_column(config.data.target.as_deref()))?;
        row += chunk.len();
    }
    progress.finish();
    let collected = collector.map(Collector::finish);
    let metrics = match &collected {
        Some(collected) => collected.whole.metrics.clone(),
        None => evaluation.finish(),
    };
    warnings::unseen(&unseen, metrics.n);
    if metrics.n == 0 {
        return Err(samples::none_error(&args.data));
    }
    let seconds = started.elapsed().as_secs_f64();
    if let (Some(mut page), Some(collected)) = (page, collected) {
        page.write_all(html(args, &collected).as_bytes())?;
        page.finish()?;
    }
    let mut out = Output::open(None)?;
    if args.json {
        let report = Report { task: config.task, k, metrics: &metrics, seconds };
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        let mut facts = facts(&metrics, k);
        facts.push(("seconds".to_string(), format!("{seconds:.2}")));
        facts.extend(
            args.report.as_ref().map(|path| ("report".to_string(), path.display().to_string())),
        );
        for line in aligned(&facts) {
            writeln!(out, "{line}")?;
        }
    }
    out.finish()
}

fn html(args: &EvaluateArgs, collected: &Collected) -> String {
    let Collected { whole, chosen, cases } = collected;
    let predicts = match whole.objective {
        Objective::Binary { classes } => format!("{} or {}", classes[0], classes[1]),
        Objective::Regression { target, .. } => format!("the number {target}"),
        objective => format!("one of {} classes", objective.classes().len()),
    };
    let (model, data) = (file_name(&args.model), file_name(&args.data));
    let summary = Summary {
        title: format!("How well {model} predicts"),
        facts: vec![
            ("Model".to_string(), model),
            ("Predicts".to_string(), predicts),
            ("Measured on".to_string(), data),
            ("Terms of each score".to_string(), format!("at most {}", whole.k)),
        ],
        tables: Vec::new(),
        classes: whole.objective.classes().to_vec(),
    };
    ngsll_view::report(&summary, whole, chosen, cases)
}
