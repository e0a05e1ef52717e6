//! `ngsll explain`

use crate::args::{ExplainArgs, ExplainFormat};
use crate::asked_samples::{self, AskedSamples};
use crate::output::{JsonArray, Output, eprint_line, extension};
use crate::paths::file_name;
use crate::progress::RowProgress;
use crate::sample_csv::SampleCsv;
use crate::sample_parquet::{CellKind, ParquetCell, SampleParquet};
use crate::samples::SampleId;
use crate::terminal;
use anyhow::Result;
use ngsll::{Error, Explanation, Model};
use ngsll_readers::LabelUse;
use ngsll_view::{ExplainedSample, Measured, Summary};
use serde::Serialize;
use std::io::Write;
use std::ops::{ControlFlow, RangeInclusive};

/// The rows shown as table or page if none are named.
const SHOWN: usize = 20;

#[derive(Serialize)]
struct ExplanationLine<'a> {
    #[serde(flatten)]
    id: SampleId,
    #[serde(flatten)]
    explanation: &'a Explanation,
    /// Whether the sample has no known feature.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nothing_known: bool,
}

pub fn run(args: &ExplainArgs) -> Result<()> {
    let model = asked_samples::model(&args.question)?;
    let format = format(args);
    let for_eyes = matches!(format, ExplainFormat::Table | ExplainFormat::Html);
    let rows = match &args.rows {
        Some(text) => RowSelection::parse(text)?,
        None if for_eyes => RowSelection(vec![0..=SHOWN - 1]),
        None => RowSelection(vec![0..=usize::MAX]),
    };
    let mut samples = AskedSamples::open(&model, &args.question, LabelUse::Optional)?;
    let out = Output::open(args.out.as_deref())?;
    let progress = RowProgress::new(out.is_terminal());
    let mut writer = Writer::new(args, format, &model, out)?;
    let found = samples.each_chunk(progress, |chunk, first| {
        let end = first + chunk.len();
        if rows.touches(first, end) {
            let explanations = model.explain_with(chunk, args.question.k)?;
            for (i, explanation) in explanations.into_iter().enumerate() {
                let row = first + i;
                if rows.contains(row) {
                    let sample =
                        || ExplainedSample::new(&model, chunk, i, row, explanation.clone());
                    let known = !model.representation().knows_nothing_of(chunk.samples(), i);
                    writer.add((SampleId::new(chunk, i, row), known), &explanation, sample)?;
                }
            }
        }
        // If no rows are named, the rest is counted only where that is needed.
        let is_done = args.rows.is_some() && rows.last() < end;
        Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if args.rows.is_some() && rows.last() >= found {
        let value = rows.last();
        return Err(Error::setting(
            "rows",
            value,
            format!("the data have rows 0 to {}", found - 1),
        )
        .into());
    }
    writer.finish()?;
    samples.warn();
    if args.rows.is_none() && for_eyes && found > SHOWN {
        eprint_line(format_args!(
            "showing the first {SHOWN} of {found} rows; --rows chooses others"
        ));
    }
    Ok(())
}

/// The requested format, or the one that the file name implies.
fn format(args: &ExplainArgs) -> ExplainFormat {
    args.format.unwrap_or_else(|| match extension(args.out.as_deref()) {
        Some("csv") => ExplainFormat::Csv,
        Some("html") => ExplainFormat::Html,
        Some("json") => ExplainFormat::Json,
        Some("parquet") => ExplainFormat::Parquet,
        _ => ExplainFormat::Table,
    })
}

/// Writes explanations in the requested format.
struct Writer<'a> {
    model: &'a Model,
    args: &'a ExplainArgs,
    format: Format,
}

/// A format, with its state between rows.
enum Format {
    Table { out: Output },
    Json { out: Output, array: JsonArray },
    Csv(SampleCsv),
    Parquet(SampleParquet),
    Html { out: Output, samples: Vec<ExplainedSample> },
}

const CSV_COLUMNS: [&str; 9] = [
    "output",
    "score",
    "intercept",
    "feature",
    "value",
    "observed",
    "weight",
    "level",
    "contribution",
];

impl<'a> Writer<'a> {
    fn new(
        args: &'a ExplainArgs,
        format: ExplainFormat,
        model: &'a Model,
        out: Output,
    ) -> Result<Self> {
        let format = match format {
            ExplainFormat::Table => Format::Table { out },
            ExplainFormat::Json => Format::Json { out, array: JsonArray::default() },
            ExplainFormat::Csv => Format::Csv(SampleCsv::new(out)),
            ExplainFormat::Parquet => Format::Parquet(SampleParquet::new(out)?),
            ExplainFormat::Html => Format::Html { out, samples: Vec::new() },
        };
        Ok(Self { model, args, format })
    }

    fn add(
        &mut self,
        (id, known): (SampleId, bool),
        explanation: &Explanation,
        sample: impl FnOnce() -> ExplainedSample,
    ) -> Result<()> {
        match &mut self.format {
            Format::Json { out, array } => {
                array.push(out, &ExplanationLine { id, explanation, nothing_known: !known })?
            }
            Format::Html { samples, .. } => samples.push(sample()),
            Format::Table { out } => {
                let colour = out.is_terminal() && terminal::colour();
                let classes = self.model.objective().classes();
                let text = ngsll_view::terminal(&sample(), classes, colour, terminal::width());
                writeln!(out, "{text}")?;
            }
            Format::Csv(csv) => {
                csv.begin(&id, || CSV_COLUMNS)?;
                csv_records(csv, &id, explanation)?;
            }
            Format::Parquet(parquet) => {
                let kind = |name: &str| match name {
                    "output" | "feature" | "observed" => CellKind::Text,
                    _ => CellKind::Number,
                };
                parquet
                    .begin(&id, || CSV_COLUMNS.map(|name| (name.to_string(), kind(name))).into())?;
                parquet_records(parquet, &id, explanation)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let k = self.model.check_k(self.args.question.k)?;
        match self.format {
            Format::Table { mut out } => {
                let colour = out.is_terminal() && terminal::colour();
                let promise = terminal::promise(self.model, k, &self.args.question.model, colour);
                out.write_all(promise.as_bytes())?;
                out.finish()
            }
            Format::Json { mut out, array } => {
                array.finish(&mut out)?;
                out.finish()
            }
            Format::Csv(csv) => csv.finish(),
            Format::Parquet(parquet) => parquet.finish(),
            Format::Html { mut out, samples } => {
                let facts = vec![
                    ("Data".to_string(), file_name(&self.args.question.data)),
                    ("Model".to_string(), file_name(&self.args.question.model)),
                    ("Terms of each score".to_string(), format!("at most {k}")),
                    ("Rows shown".to_string(), samples.len().to_string()),
                ];
                // A page may be passed on, so it does not name the model's folder.
                let measured = Measured::of(self.model, k, "MODEL");
                let summary = Summary::new("Explanations", self.model.objective().classes())
                    .with_facts(facts)
                    .with_measured(measured);
                out.write_all(ngsll_view::html(&summary, &samples).as_bytes())?;
                out.finish()
            }
        }
    }
}

/// A record for each term; a score without terms has one record, too.
fn csv_records(csv: &mut SampleCsv, id: &SampleId, explanation: &Explanation) -> Result<()> {
    for o in &explanation.outputs {
        let (score, intercept) = (o.score.to_string(), o.intercept.to_string());
        let start = [o.name.as_str(), &score, &intercept];
        if o.terms.is_empty() {
            csv.add(id, start.into_iter().chain([""; 6]))?;
        }
        for t in &o.terms {
            let observed = t.observed.as_deref().unwrap_or("");
            let [value, weight, level, contribution] =
                [t.value, t.weight, t.level, t.contribution].map(|number| number.to_string());
            let term = [t.name.as_str(), &value, observed, &weight, &level, &contribution];
            csv.add(id, start.into_iter().chain(term))?;
        }
    }
    Ok(())
}

/// The same records, with numbers as numbers.
fn parquet_records(
    parquet: &mut SampleParquet,
    id: &SampleId,
    explanation: &Explanation,
) -> Result<()> {
    for o in &explanation.outputs {
        let start = || {
            [
                ParquetCell::Text(o.name.as_str()),
                ParquetCell::Number(o.score),
                ParquetCell::Number(o.intercept),
            ]
        };
        if o.terms.is_empty() {
            let missing = std::iter::repeat_with(|| ParquetCell::Missing).take(6);
            parquet.add(id, start().into_iter().chain(missing).collect())?;
        }
        for t in &o.terms {
            let term = [
                ParquetCell::Text(t.name.as_str()),
                ParquetCell::Number(t.value),
                t.observed.as_deref().map_or(ParquetCell::Missing, ParquetCell::Text),
                ParquetCell::Number(t.weight),
                ParquetCell::Number(t.level),
                ParquetCell::Number(t.contribution),
            ];
            parquet.add(id, start().into_iter().chain(term).collect())?;
        }
    }
    Ok(())
}

/// A choice of rows: `0,5,7-9`.
struct RowSelection(Vec<RangeInclusive<usize>>);

impl RowSelection {
    fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::setting("rows", text, "expected row numbers from 0 and ranges, such as 0,5,7-9")
        };
        let number = |s: &str| s.trim().parse::<usize>().map_err(|_| wrong());
        let mut ranges = Vec::new();
        for item in text.split(',') {
            let range = match item.split_once('-') {
                Some((from, to)) => number(from)?..=number(to)?,
                None => number(item)?..=number(item)?,
            };
            if range.is_empty() {
                let expected = "expected a range that goes upwards, such as 7-9";
                return Err(Error::setting("rows", item.trim(), expected).into());
            }
            ranges.push(range);
        }
        Ok(Self(ranges))
    }

    fn contains(&self, row: usize) -> bool {
        self.0.iter().any(|range| range.contains(&row))
    }

    fn touches(&self, first: usize, end: usize) -> bool {
        self.0.iter().any(|range| *range.start() < end && *range.end() >= first)
    }

    fn last(&self) -> usize {
        self.0.iter().map(|range| *range.end()).max().unwrap_or(0)
    }
}
