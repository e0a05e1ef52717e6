//! `ngsll explain`

use crate::args::{ExplainArgs, ExplainFormat};
use crate::cases::case;
use crate::notes::Unseen;
use crate::output::{JsonArray, Output, tell};
use crate::predict::{CHUNK, Id, empty};
use crate::progress::RowProgress;
use crate::view::{self, Case, Summary};
use anyhow::Result;
use ngsll::data::Labels;
use ngsll::explanation::Explanation;
use ngsll::{Error, Predictor};
use ngsll_experiments::results::field;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::ops::RangeInclusive;
use std::path::Path;

/// Rows shown as table or page when none are named: what a person may want to look at.
const SHOWN: usize = 20;

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    id: Id,
    #[serde(flatten)]
    explanation: &'a Explanation,
}

pub fn run(args: &ExplainArgs) -> Result<()> {
    let predictor = Predictor::load(&args.model)?;
    predictor.check_k(args.k)?;
    let for_eyes = matches!(args.format, ExplainFormat::Table | ExplainFormat::Html);
    let rows = match &args.rows {
        Some(text) => Rows::parse(text)?,
        None if for_eyes => Rows(vec![0..=SHOWN - 1]),
        None => Rows(vec![0..=usize::MAX]),
    };
    let like = Some(predictor.representation());
    let mut reader = predictor.config().open(&args.data, None, Labels::Optional, like)?;
    let mut out = Output::open(args.out.as_deref())?;
    let mut writer = Writer::new(args, &predictor);
    let mut unseen = Unseen::default();
    let progress = RowProgress::new(out.is_terminal());
    let mut first = 0;
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        progress.add(chunk.len());
        unseen.add(&predictor, &chunk.samples);
        let end = first + chunk.len();
        if rows.touches(first, end) {
            for (i, explanation) in
                predictor.explain(&chunk.samples, args.k)?.into_iter().enumerate()
            {
                if rows.contains(first + i) {
                    let id = Id::new(&chunk, i, first + i);
                    let case = || case(&predictor, &chunk, i, first + i, explanation.clone());
                    writer.add(&mut out, id, &explanation, case)?;
                }
            }
        }
        first = end;
        // Rows that were not named may still be counted, but need not be.
        if args.rows.is_some() && rows.last() < first {
            break;
        }
    }
    progress.finish();
    if first == 0 {
        return Err(empty(&args.data));
    }
    if args.rows.is_some() && rows.last() >= first {
        let value = rows.last();
        return Err(
            Error::setting("rows", value, format!("the data has rows 0 to {}", first - 1)).into()
        );
    }
    writer.finish(&mut out)?;
    out.finish()?;
    unseen.say(first);
    if args.rows.is_none() && for_eyes && first > SHOWN {
        tell(format_args!("showing the first {SHOWN} of {first} rows; --rows chooses others"));
    }
    Ok(())
}

/// Writes explanations in the format that was asked for.
struct Writer<'a> {
    format: ExplainFormat,
    predictor: &'a Predictor,
    args: &'a ExplainArgs,
    json: JsonArray,
    begun: bool,
    cases: Vec<Case>,
}

impl<'a> Writer<'a> {
    fn new(args: &'a ExplainArgs, predictor: &'a Predictor) -> Self {
        Self {
            format: args.format,
            predictor,
            args,
            json: JsonArray::default(),
            begun: false,
            cases: Vec::new(),
        }
    }

    fn add(
        &mut self,
        out: &mut Output,
        id: Id,
        explanation: &Explanation,
        case: impl FnOnce() -> Case,
    ) -> Result<()> {
        match self.format {
            ExplainFormat::Json => self.json.push(out, &Line { id, explanation })?,
            ExplainFormat::Html => self.cases.push(case()),
            ExplainFormat::Table => {
                let colour = out.is_terminal() && colour();
                let text =
                    view::terminal(&case(), self.predictor.objective().classes(), colour, width());
                writeln!(out, "{text}")?;
            }
            ExplainFormat::Csv => {
                // With the first row: a file that cannot be read leaves no header behind.
                if !std::mem::replace(&mut self.begun, true) {
                    let columns =
                        "output,score,intercept,feature,value,observed,weight,contribution";
                    writeln!(out, "{}", id.header(columns))?;
                }
                csv_lines(out, &id, explanation)?;
            }
        }
        Ok(())
    }

    fn finish(self, out: &mut Output) -> Result<()> {
        match self.format {
            ExplainFormat::Json => self.json.finish(out),
            ExplainFormat::Html => {
                let k = self.predictor.check_k(self.args.k)?;
                let facts = vec![
                    ("Data".to_string(), file_name(&self.args.data)),
                    ("Model".to_string(), file_name(&self.args.model)),
                    ("Terms of each score".to_string(), format!("at most {k}")),
                    ("Rows shown".to_string(), self.cases.len().to_string()),
                ];
                let summary = Summary {
                    title: "Explanations".to_string(),
                    facts,
                    tables: Vec::new(),
                    classes: self.predictor.objective().classes().to_vec(),
                };
                out.write_all(view::html(&summary, &self.cases).as_bytes())?;
                Ok(())
            }
            ExplainFormat::Table | ExplainFormat::Csv => Ok(()),
        }
    }
}

/// The last part of a path: a page that is passed on need not say where it was made.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn csv_lines(out: &mut Output, id: &Id, explanation: &Explanation) -> Result<()> {
    for o in &explanation.outputs {
        let start = format!("{},{},{}", field(&o.name), o.score, o.intercept);
        if o.terms.is_empty() {
            writeln!(out, "{}", id.csv(&format!("{start},,,,,")))?;
        }
        for t in &o.terms {
            let observed = field(t.observed.as_deref().unwrap_or(""));
            let (name, value, weight) = (field(&t.name), t.value, t.weight);
            let term = format!("{start},{name},{value},{observed},{weight},{}", t.contribution);
            writeln!(out, "{}", id.csv(&term))?;
        }
    }
    Ok(())
}

/// Whether standard output shows colours.
pub fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Columns of the terminal, or a plain 80.
pub fn width() -> usize {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((24, 80));
    usize::from(columns).clamp(24, 120)
}

/// A choice of rows: `0,5,7-9`.
struct Rows(Vec<RangeInclusive<usize>>);

impl Rows {
    fn parse(text: &str) -> Result<Self> {
        let wrong =
            || Error::setting("rows", text, "row numbers from 0 and ranges, such as 0,5,7-9");
        let number = |s: &str| s.trim().parse::<usize>().map_err(|_| wrong());
        let mut ranges = Vec::new();
        for item in text.split(',') {
            let range = match item.split_once('-') {
                Some((from, to)) => number(from)?..=number(to)?,
                None => number(item)?..=number(item)?,
            };
            if range.is_empty() {
                let expected = "a range goes upwards, such as 7-9";
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
