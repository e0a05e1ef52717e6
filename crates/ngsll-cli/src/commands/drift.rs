//! `ngsll drift`

use crate::args::DriftArgs;
use crate::output::{Output, aligned};
use crate::samples;
use crate::stdin::InputFile;
use crate::warnings;
use anyhow::{Result, bail};
use ngsll::Model;
use ngsll::drift::Drift;
use ngsll::readable::count;
use ngsll_readers::{LabelUse, read_all};
use ngsll_view::UnseenValues;
use serde_json::json;
use std::io::Write;

pub fn run(args: &DriftArgs) -> Result<()> {
    let model = Model::load(&args.model)?;
    let Some(summary) = model.summary() else {
        bail!(
            "{}: there is no summary of the training data to compare with, as the model was trained by an earlier version or with data.summary = false; train it again",
            args.model.display()
        );
    };
    let config = model.config();
    let input = InputFile::open(&args.data, args.input_format, config.task, &config.data)?;
    let mut reader = samples::open(&model, input.path(), None, LabelUse::Ignored, None)?;
    let data = read_all(reader.as_mut())?;
    warnings::reading(reader.as_ref());
    let mut unseen = UnseenValues::default();
    unseen.add(&model, &data);
    let drift = summary.drift(&model, &data)?;
    warnings::unseen(&unseen, data.len());
    let mut out = Output::open(None)?;
    if args.json {
        let about = json!({
            "rows": drift.rows,
            "explained": drift.explained,
            "too_few": drift.is_too_few(),
            "training": { "rows": summary.rows, "explained": summary.explained },
            "k": summary.k,
            "findings": drift.findings,
        });
        writeln!(out, "{about}")?;
    } else {
        for line in lines(&drift, summary.rows) {
            out.line(line)?;
        }
    }
    out.finish()
}

fn lines(drift: &Drift, training: usize) -> Vec<String> {
    let compared = [
        (
            "samples".to_string(),
            format!("{}, compared with {} of training", count(drift.rows), count(training)),
        ),
        ("explained".to_string(), count(drift.explained)),
    ];
    let mut lines: Vec<String> = aligned(&compared).collect();
    lines.push(String::new());
    if drift.is_too_few() {
        lines.push(
            "Too few samples to tell: with fewer than 30, differences are due to chance.".into(),
        );
        return lines;
    }
    if drift.findings.is_empty() {
        lines.push("Nothing moved.".to_string());
        return lines;
    }
    let (large, some): (Vec<_>, Vec<_>) =
        drift.findings.iter().partition(|finding| finding.is_large());
    for (heading, findings) in [("Moved far", large), ("Moved", some)] {
        if !findings.is_empty() {
            lines.push(heading.to_string());
            lines.extend(findings.iter().map(|finding| format!("  {}", finding.sentence)));
        }
    }
    lines
}
