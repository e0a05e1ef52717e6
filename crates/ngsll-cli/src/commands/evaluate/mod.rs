//! `ngsll evaluate`

mod groups;
mod protected;
mod threshold;

use crate::args::{EvaluateArgs, PartArg};
use crate::metrics::facts;
use crate::output::{Output, aligned, eprint_line, table_lines};
use crate::paths::file_name;
use crate::progress::RowProgress;
use crate::samples::{self, CHUNK};
use crate::shell::quoted;
use crate::stdin::InputFile;
use crate::{trust, warnings, yardstick};
use anyhow::{Result, bail};
use groups::{ByGroup, SampleGroups};
use ngsll::metrics::{Evaluation, Metrics, Yardstick};
use ngsll::{Dataset, Finding, Model, ModelFolder, TestRows, Trust, readable};
use ngsll_readers::{LabelUse, Reader, read_all};
use ngsll_view::{Collected, Collector, Measured, UnseenValues};
use protected::{Protected, ProtectedUse};
use serde::Serialize;
use std::io::Write;
use std::time::Instant;
use threshold::AtThreshold;

/// Figures of fewer samples are not saved with a model.
const FEWEST: usize = 30;

/// The results, in the form of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    task: ngsll::config::Task,
    k: usize,
    #[serde(flatten)]
    metrics: &'a Metrics,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<AtThreshold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<ByGroup>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protected: Option<ProtectedUse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<Trust>,
    #[serde(skip_serializing_if = "Option::is_none")]
    yardstick: Option<&'a Yardstick>,
    seconds: f64,
}

pub fn run(args: &EvaluateArgs) -> Result<()> {
    // Opened first, so that a page that cannot be written does not cost a long evaluation.
    let page = args.report.as_deref().map(|path| Output::open(Some(path))).transpose()?;
    let model = Model::load(&args.model)?;
    let k = model.check_k(args.k)?;
    let started = Instant::now();
    let config = model.config();
    let input = InputFile::open(&args.data, args.reading.input_format, config.task, &config.data)?;
    let mut request = threshold::ThresholdRequest::new(args, &model)?;
    let model = request.apply(model, args.k, |model| open(model, args, &input))?;
    let config = model.config();
    let rows = test_rows(&model, args)?.map(TestRows::rows);
    let groups = args.by.as_deref().map(|column| SampleGroups::read(input.path(), column, rows));
    let mut groups = groups.transpose()?;
    let mut reader = open(&model, args, &input)?;
    let mut evaluation = Evaluation::new(&model, args.k)?;
    let mut collector = page.as_ref().map(|_| Collector::new(&model, k)).transpose()?;
    let mut protected = Protected::of(&model);
    let needs_terms = groups.is_some() || protected.is_some();
    let mut unseen = UnseenValues::default();
    let progress = RowProgress::new(false);
    let mut row = 0;
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        unseen.add(&model, &chunk);
        progress.add(chunk.len());
        let explained = match &mut collector {
            Some(collector) => {
                collector.add(&chunk, |i| samples::row_number(rows, row + i)).map(Some)
            }
            None if needs_terms => evaluation.explain(&chunk).map(Some),
            None => evaluation.add(&chunk).map(|()| None),
        };
        let explained =
            explained.map_err(|error| error.in_column(config.data.target.as_deref()))?;
        if let Some((explanations, targets)) = &explained {
            if let Some(groups) = &mut groups {
                groups.add(&model, &chunk, row, (explanations, targets))?;
            }
            if let Some(protected) = &mut protected {
                protected.add(&model, explanations);
            }
        }
        row += chunk.len();
    }
    progress.finish();
    let collected = collector.map(Collector::finish).transpose()?;
    let metrics = match &collected {
        Some(collected) => collected.overview.metrics.clone(),
        None => evaluation.finish(),
    };
    warnings::reading(reader.as_ref());
    warnings::unseen(&unseen, metrics.n);
    let useless = Finding::no_better_than_a_guess(&metrics, None);
    useless.iter().map(warnings::finding).for_each(eprint_line);
    if metrics.n == 0 {
        return Err(samples::none_error(input.path()));
    }
    request.keep(&model, args)?;
    let report = Report {
        task: config.task,
        k,
        threshold: request.report(&model, &metrics),
        by: groups.map(|groups| groups.finish(&model)),
        protected: protected.map(Protected::finish),
        trust: measured(&model, args, &input, !request.is_for_now())?,
        yardstick: model.notes().yardstick.as_ref(),
        metrics: &metrics,
        seconds: started.elapsed().as_secs_f64(),
    };
    if let (Some(mut page), Some(collected)) = (page, &collected) {
        page.write_all(html(args, &model, collected, &report).as_bytes())?;
        page.finish()?;
    }
    let mut out = Output::open(None)?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        for line in lines(args, &model, &report) {
            out.line(line)?;
        }
    }
    out.finish()
}

/// The results, as a person reads them.
fn lines(args: &EvaluateArgs, model: &Model, report: &Report) -> Vec<String> {
    let mut facts = facts(report.metrics, report.k);
    facts.extend(report.threshold.iter().flat_map(AtThreshold::facts));
    let protected = report.protected.as_ref().map(ProtectedUse::fact);
    facts.extend(protected.map(|fact| ("uses protected columns".to_string(), fact)));
    facts.push(("seconds".to_string(), format!("{:.2}", report.seconds)));
    let page = args.report.as_ref().map(|path| path.display().to_string());
    facts.extend(page.map(|page| ("report".to_string(), page)));
    let mut lines: Vec<String> = aligned(&facts).collect();
    lines.extend(report.by.iter().flat_map(|by| by.lines(positive(model))));
    if let Some(yardstick) = report.yardstick {
        lines.push(String::new());
        lines.extend(table_lines(&yardstick::table(yardstick)));
    }
    match &report.trust {
        Some(trust) => lines.extend(trust::lines(trust)),
        None => {
            let folder = args.model.display().to_string();
            let folder = quoted(&folder);
            lines.push(format!(
                "\nCan the terms be trusted? Not measured: ngsll judge {folder} --data TRAINING-FILE adds a judge."
            ));
        }
    }
    lines
}

/// The second of two classes, which a positive score favours.
fn positive(model: &Model) -> Option<&str> {
    match model.objective().classes() {
        [_, second] => Some(second),
        _ => None,
    }
}

fn open(model: &Model, args: &EvaluateArgs, input: &InputFile) -> Result<Box<dyn Reader>> {
    let (labels, id) = (args.reading.labels.as_deref(), args.id.as_deref());
    let reader = samples::open(model, input.path(), labels, LabelUse::Required, id)?;
    match test_rows(model, args)? {
        Some(rows) => samples::test_part(reader, rows, model),
        None => Ok(reader),
    }
}

/// The rows that were set aside when the model was trained, if requested.
fn test_rows<'a>(model: &'a Model, args: &EvaluateArgs) -> Result<Option<&'a TestRows>> {
    if args.part == PartArg::All {
        return Ok(None);
    }
    let Some(rows) = &model.notes().test_rows else {
        let model = args.model.display();
        bail!("--part test: {model} keeps no test rows, as it was trained without --test-fraction");
    };
    Ok(Some(rows))
}

/// The figures of the model's judge, which are saved with the model if that is the one in the folder; `None` if it has
/// no judge.
fn measured(
    model: &Model,
    args: &EvaluateArgs,
    input: &InputFile,
    keep: bool,
) -> Result<Option<Trust>> {
    if model.judge().is_none() {
        return Ok(None);
    }
    let data = read_all(open(model, args, input)?.as_mut())?;
    let trust = trust::measure(model, &data, args.k, data_name(args))?;
    if let Some(trust) = trust.as_ref().filter(|_| keep) {
        let kept = match says_little(model, &data) {
            Some(why) => Err(why),
            // The folder may be read-only; the figures are shown all the same.
            None => ModelFolder::keep_trust(&args.model, trust.clone()).map_err(|e| e.to_string()),
        };
        eprint_line(match kept {
            Ok(()) => format!("note: the figures are saved in {}", args.model.display()),
            Err(why) => format!("note: the figures are not saved with the model: {why}"),
        });
    }
    Ok(trust)
}

/// The reason why figures of these samples are not saved with the model.
fn says_little(model: &Model, data: &Dataset) -> Option<String> {
    let digest = model.notes().data.as_ref();
    if digest.is_some_and(|digest| digest.is_of(data, &model.schema())) {
        return Some("it was trained on these samples; use others".into());
    }
    (data.len() < FEWEST).then(|| {
        format!(
            "{} are too few, at least {FEWEST} are needed",
            readable::count_of(data.len(), "sample")
        )
    })
}

fn html(args: &EvaluateArgs, model: &Model, collected: &Collected, report: &Report) -> String {
    let Collected { overview, chosen, samples, .. } = collected;
    let trust = report.trust.as_ref();
    let measured = match trust {
        Some(trust) => Measured::from(trust).for_model(model),
        None => Measured::of(model, overview.k, "MODEL"),
    };
    let name = file_name(&args.model);
    let mut summary = overview.summary(&name, &data_name(args), trust, measured);
    summary.tables.extend(report.threshold.as_ref().map(AtThreshold::table));
    summary.tables.extend(report.by.iter().flat_map(|by| by.tables(positive(model))));
    summary.tables.extend(report.yardstick.map(yardstick::table));
    let protected = report.protected.as_ref().map(ProtectedUse::fact);
    summary.facts.extend(protected.map(|fact| ("Uses protected columns".to_string(), fact)));
    ngsll_view::report(&summary, overview, chosen, samples)
}

/// The name of the samples, for people.
fn data_name(args: &EvaluateArgs) -> String {
    let name = file_name(&args.data);
    match args.part {
        PartArg::All => name,
        PartArg::Test => format!("{name} (held out)"),
    }
}
