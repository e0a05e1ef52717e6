//! `ngsll demo`: trains on digits that the program carries with it and shows what comes out.

mod digits;

use crate::args::DemoArgs;
use crate::interrupt;
use crate::metrics::measure;
use crate::output::check_writable;
use crate::progress::TrainingProgress;
use crate::terminal;
use anyhow::Result;
use ngsll::config::Task;
use ngsll::data::{Chunk, Groups, Images, Origin, Samples};
use ngsll::examples::examples;
use ngsll::explanation::Prediction;
use ngsll::files::write_atomic;
use ngsll::fit::{Fitted, Holdout, Prepared};
use ngsll::generator::{GeneratorConfig, ImageCnnConfig};
use ngsll::model_folder::{Notes, refuse_existing};
use ngsll::objective::{Targets, group};
use ngsll::representation::Representation;
use ngsll::{Config, Error};
use ngsll_baselines::{LinearModel, RidgeOptions, SparseRows, Terms};
use ngsll_view::{Collected, Collector, ExplainedSample, Summary, SummaryTable};
use std::io::Write;
use std::time::Instant;

/// The gate sizes that are compared; the model of the middle one is kept.
const KS: [usize; 3] = [1, 3, 5];
const KEPT: usize = 1;
/// The two classes.
const GROUPS: &str = "0-4=low,5-9=high";
/// Digits drawn in the terminal.
const DRAWN: usize = 3;

pub fn run(args: &DemoArgs) -> Result<()> {
    refuse_existing(&args.out)?;
    check_writable(&args.out)?;
    let mut out = std::io::stdout();
    let started = Instant::now();
    let chunk = chunk()?;
    let mut config = Config::new(Task::Image).with("representation.cells", "[4, 4]")?;
    // Two blocks: a third would pool 8×8 pixels to a single one.
    config.generator = GeneratorConfig::ImageCnn(ImageCnnConfig {
        channels: vec![32, 64],
        dropout: 0.3,
        ..ImageCnnConfig::default()
    });
    config.k = KS[KEPT];
    config.data.group = Some(GROUPS.to_string());
    config.training.batch_size = Some(32);
    config.training.epochs = Some(60);
    let holdout = Holdout { test_fraction: 0.1, ..Holdout::default() };
    let prepared = Prepared::new(config, "digit", &chunk, holdout)?;
    writeln!(
        out,
        "Handwritten digits of 8×8 pixels: is it 0–4 (low) or 5–9 (high)?\n\
         {} images to learn from, {} to test. The network sees the image; each prediction is the\n\
         sum of K of 16 cells, ink times a weight written for that very image.\n",
        prepared.train_rows.len(),
        prepared.test_rows.len()
    )?;
    interrupt::listen();
    let mut progress = TrainingProgress::new("", "accuracy", false);
    let mut fitted = Vec::new();
    let trained = prepared.fit_each(&KS, &mut |event| progress.event(event), &mut |one| {
        fitted.push(one);
        Ok(())
    });
    progress.finish();
    trained?;
    let mut progress = TrainingProgress::new("plain network, ", "accuracy", false);
    let test = chunk.select(&prepared.test_rows);
    let network = prepared.black_box(&[&test], &mut |event| progress.event(event));
    progress.finish();
    let table = comparison(&prepared, &chunk, &fitted, network?[0])?;
    writeln!(out, "{}", plain_table(&table))?;
    for case in drawn(&fitted[KEPT], &prepared, &test)? {
        let (colour, width) = (terminal::colour(), terminal::width());
        let drawn = ngsll_view::terminal(&case, prepared.objective.classes(), colour, width);
        writeln!(out, "{drawn}")?;
    }
    save(args, &fitted[KEPT], &prepared, &chunk, table)?;
    let folder = args.out.display();
    writeln!(
        out,
        "Done in {:.0} s. Open {folder}/report.html in a browser. What to try next:\n  \
         ngsll serve {folder}/model\n  \
         ngsll data get trec\n  \
         ngsll train --task text --data data/trec/train.tsv --k 1 --out questions\n  \
         ngsll explain questions --data data/trec/test.tsv --rows 0-9",
        started.elapsed().as_secs_f64()
    )?;
    Ok(())
}

fn chunk() -> Result<Chunk> {
    let digits = digits::digits();
    let lines = (1..=digits.labels.len() as u64).collect();
    let mut chunk = Chunk {
        labels: Some(digits.labels.iter().map(u8::to_string).collect()),
        origin: Origin::Lines { file: "digits".into(), lines },
        samples: Samples::Images(Images {
            width: digits.width,
            height: digits.height,
            channels: 1,
            pixels: digits.pixels,
        }),
    };
    group(&mut chunk, &Groups::parse(GROUPS)?)?;
    Ok(chunk)
}

/// Test accuracy by K, beside ridge at the same K and the network that explains nothing.
fn comparison(
    prepared: &Prepared,
    chunk: &Chunk,
    fitted: &[Fitted],
    network: f64,
) -> Result<SummaryTable> {
    let d = prepared.representation.features();
    let z = |rows: &[usize]| -> Result<(SparseRows, Vec<usize>)> {
        let part = chunk.select(rows);
        let Targets::Classes(classes) = prepared.objective.targets(&part)? else {
            unreachable!("digits are classes")
        };
        let encoded = prepared.representation.encode(&part.samples)?;
        let z = (0..rows.len()).map(|row| prepared.representation.z(&encoded, row));
        Ok((SparseRows::from_rows(z, d)?, classes))
    };
    let (train_z, train_classes) = z(&prepared.train_rows)?;
    let (test_z, test_classes) = z(&prepared.test_rows)?;
    let ridge = LinearModel::ridge(&train_z, &train_classes, 2, &RidgeOptions::default())?;
    let mut rows = Vec::new();
    for (k, fitted) in KS.iter().zip(fitted) {
        let accuracy = measure(fitted, chunk, &prepared.test_rows)?.accuracy.unwrap_or(f64::NAN);
        let linear = ridge.accuracy(&test_z, &test_classes, Terms::Top(*k));
        rows.push(vec![format!("K = {k}"), format!("{accuracy:.3}"), format!("{linear:.3}")]);
    }
    let all = ridge.accuracy(&test_z, &test_classes, Terms::All);
    rows.push(vec!["all 16 cells".to_string(), String::new(), format!("{all:.3}")]);
    rows.push(vec![
        "plain network, no explanation".to_string(),
        format!("{network:.3}"),
        String::new(),
    ]);
    Ok(SummaryTable {
        caption: "Test accuracy".to_string(),
        header: vec![String::new(), "NGSLL".to_string(), "ridge".to_string()],
        rows,
    })
}

fn plain_table(table: &SummaryTable) -> String {
    let line =
        |cells: &Vec<String>| format!("  {:<30} {:>7} {:>7}\n", cells[0], cells[1], cells[2]);
    let mut text = format!("{}\n{}", table.caption, line(&table.header));
    table.rows.iter().for_each(|row| text += &line(row));
    text
}

/// The first test digits that are right, for the terminal.
fn drawn(fitted: &Fitted, prepared: &Prepared, test: &Chunk) -> Result<Vec<ExplainedSample>> {
    let predictor = &fitted.predictor;
    let explanations = predictor.explain(&test.samples, None)?.into_iter().enumerate();
    let cases = explanations
        .map(|(i, e)| ExplainedSample::new(predictor, test, i, prepared.test_rows[i], e));
    Ok(cases.filter(is_right).take(DRAWN).collect())
}

fn is_right(case: &ExplainedSample) -> bool {
    match &case.explanation.prediction {
        Prediction::Class { label, .. } => Some(label) == case.truth.as_ref(),
        Prediction::Value(_) => true,
    }
}

fn save(
    args: &DemoArgs,
    fitted: &Fitted,
    prepared: &Prepared,
    chunk: &Chunk,
    table: SummaryTable,
) -> Result<()> {
    std::fs::create_dir_all(&args.out).map_err(|e| Error::io(&args.out, "create", e))?;
    let Representation::Grid(grid) = &prepared.representation else {
        unreachable!("digits are images")
    };
    let facts = vec![
        ("Question".to_string(), "Is a handwritten digit 0–4 (low) or 5–9 (high)?".to_string()),
        ("Features".to_string(), format!("ink in {}×{} cells", grid.columns, grid.rows)),
        ("Terms of each score".to_string(), format!("at most {}", KS[KEPT])),
        ("Training images".to_string(), prepared.train_rows.len().to_string()),
    ];
    let summary = Summary {
        title: "NGSLL demo: handwritten digits".to_string(),
        facts: facts.clone(),
        tables: vec![table],
        classes: prepared.objective.classes().to_vec(),
    };
    let kept = prepared.config.data.examples();
    let examples = examples(chunk, &prepared.valid_rows, &prepared.objective, kept)?;
    let notes = Notes { facts, history: fitted.history.clone(), examples, ..Notes::default() };
    fitted.predictor.save(&args.out.join("model"), &notes)?;
    let test = chunk.select(&prepared.test_rows);
    let mut collector = Collector::new(&fitted.predictor, KS[KEPT]);
    let targets = prepared.objective.targets(&test)?;
    collector.add(&test, &targets, |i| prepared.test_rows[i])?;
    let Collected { whole, chosen, cases } = collector.finish();
    let page = ngsll_view::report(&summary, &whole, &chosen, &cases);
    write_atomic(&args.out.join("report.html"), page.as_bytes())?;
    Ok(())
}
