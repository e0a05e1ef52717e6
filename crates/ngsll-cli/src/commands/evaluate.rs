//! `ngsll evaluate`

use crate::args::EvaluateArgs;
use crate::metrics::facts;
use crate::output::{Output, aligned, eprint_line, table_lines};
use crate::paths::file_name;
use crate::progress::RowProgress;
use crate::samples::{self, CHUNK};
use crate::shell::quoted;
use crate::{trust, warnings, yardstick};
use anyhow::Result;
use ngsll::metrics::{Evaluation, Metrics, Yardstick};
use ngsll::trust::Sentence;
use ngsll::{Model, ModelFolder, Trust};
use ngsll_readers::{LabelUse, Reader, read_all};
use ngsll_view::{Collected, Collector, Measured, Summary, SummaryTable, UnseenValues};
use serde::Serialize;
use std::io::Write;
use std::time::Instant;

#[derive(Serialize)]
struct Report<'a> {
    task: ngsll::config::Task,
    k: usize,
    #[serde(flatten)]
    metrics: &'a Metrics,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<&'a Trust>,
    #[serde(skip_serializing_if = "Option::is_none")]
    yardstick: Option<&'a Yardstick>,
    seconds: f64,
}

pub fn run(args: &EvaluateArgs) -> Result<()> {
    // First of all, so that a page that cannot be written does not cost a long evaluation.
    let page = args.report.as_deref().map(|path| Output::open(Some(path))).transpose()?;
    let model = Model::load(&args.model)?;
    let k = model.check_k(args.k)?;
    let started = Instant::now();
    let config = model.config();
    let mut reader = open(&model, args)?;
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
    let collected = collector.map(Collector::finish).transpose()?;
    let metrics = match &collected {
        Some(collected) => collected.overview.metrics.clone(),
        None => evaluation.finish(),
    };
    warnings::reading(&reader.notes());
    warnings::unseen(&unseen, metrics.n);
    if metrics.n == 0 {
        return Err(samples::none_error(&args.data));
    }
    let trust = measured(&model, args)?;
    let yardstick = model.notes().yardstick.as_ref();
    let seconds = started.elapsed().as_secs_f64();
    if let (Some(mut page), Some(collected)) = (page, collected) {
        page.write_all(html(args, &model, &collected, trust.as_ref()).as_bytes())?;
        page.finish()?;
    }
    let mut out = Output::open(None)?;
    if args.json {
        let (task, metrics, trust) = (config.task, &metrics, trust.as_ref());
        let report = Report { task, k, metrics, trust, yardstick, seconds };
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
        if let Some(yardstick) = yardstick {
            writeln!(out)?;
            for line in table_lines(&yardstick::table(yardstick)) {
                writeln!(out, "{line}")?;
            }
        }
        match &trust {
            Some(trust) => {
                for line in trust::lines(trust) {
                    writeln!(out, "{line}")?;
                }
            }
            None => {
                let model = args.model.display().to_string();
                let model = quoted(&model);
                writeln!(
                    out,
                    "\nCan the terms be trusted? Not measured: ngsll judge {model} --data TRAINING-FILE adds a judge."
                )?;
            }
        }
    }
    out.finish()
}

fn open(model: &Model, args: &EvaluateArgs) -> Result<Box<dyn Reader>> {
    samples::open(model, &args.data, args.labels.as_deref(), LabelUse::Required)
}

/// What the model's judge says, which is kept with the model; `None` where it has no judge.
fn measured(model: &Model, args: &EvaluateArgs) -> Result<Option<Trust>> {
    if model.judge().is_none() {
        return Ok(None);
    }
    let data = read_all(open(model, args)?.as_mut())?;
    let trust = trust::measure(model, &data, args.k, file_name(&args.data))?;
    if let Some(trust) = &trust {
        let kept = ModelFolder::keep_trust(&args.model, trust.clone());
        eprint_line(match kept {
            Ok(()) => format!("note: the figures are kept in {}", args.model.display()),
            // The folder may be read-only; the figures are shown all the same.
            Err(error) => format!("note: the figures are not kept with the model: {error}"),
        });
    }
    Ok(trust)
}

fn html(
    args: &EvaluateArgs,
    model: &Model,
    collected: &Collected,
    trust: Option<&Trust>,
) -> String {
    let Collected { overview, chosen, samples } = collected;
    let yardstick = model.notes().yardstick.as_ref().map(yardstick::table);
    let measured =
        trust.map_or_else(|| Measured::of(model, overview.k, "MODEL"), |trust| trust.into());
    let (model, data) = (file_name(&args.model), file_name(&args.data));
    let summary = Summary {
        title: format!("How well {model} predicts"),
        facts: vec![
            ("Model".to_string(), model),
            ("Predicts".to_string(), overview.objective.describe()),
            ("Measured on".to_string(), data),
            ("Terms of each score".to_string(), format!("at most {}", overview.k)),
        ],
        tables: trust.map(trust_table).into_iter().chain(yardstick).collect(),
        classes: overview.objective.classes().to_vec(),
        measured,
    };
    ngsll_view::report(&summary, overview, chosen, samples)
}

fn trust_table(trust: &Trust) -> SummaryTable {
    let row = |sentence: Sentence| vec![sentence.name.into(), sentence.figure, sentence.meaning];
    SummaryTable {
        caption: format!("Can the terms be trusted? Measured on {} samples", trust.samples),
        header: ["figure", "value", "what it means"].map(String::from).into(),
        rows: trust.sentences().into_iter().map(row).collect(),
    }
}
