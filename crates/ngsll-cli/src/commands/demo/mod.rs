//! `ngsll demo`: trains on digits embedded in the program and shows the results.

mod comparison;
mod digits;

use crate::args::DemoArgs;
use crate::output::{Output, check_writable, table_lines};
use crate::progress::TrainingProgress;
use crate::{interrupt, judge, terminal, trust};
use anyhow::Result;
use comparison::comparison;
use ngsll::config::Task;
use ngsll::dataset::Groups;
use ngsll::generator::{CellContextConfig, GeneratorConfig};
use ngsll::model_folder::refuse_existing;
use ngsll::representation::GridConfig;
use ngsll::{Config, Dataset, Device, Error, Fitted, Model, Notes, TrainingSetup};
use ngsll_view::{Collected, Collector, ExplainedSample, Measured, Summary, SummaryTable};
use std::io::Write;
use std::time::Instant;

/// The numbers of cells that are compared, and the one that is shown.
const KS: [usize; 3] = [1, 3, 5];
const SHOWN: usize = 3;
/// The two classes.
const GROUPS: &str = "0-4=low,5-9=high";
/// Rows, and columns, of cells that an image is cut into.
const CELLS: usize = 4;
/// Digits drawn in the terminal.
const DRAWN: usize = 3;

pub fn run(args: &DemoArgs) -> Result<()> {
    refuse_existing(&args.out)?;
    check_writable(&args.out)?;
    let mut out = std::io::stdout();
    let started = Instant::now();
    let groups = Groups::parse(GROUPS)?;
    let data = digits::digits()?.grouped(&groups)?;
    let setup = TrainingSetup::new(config(groups).check()?, &data, None, &Device::default())?;
    let rows = setup.rows();
    writeln!(
        out,
        "Handwritten digits of 8×8 pixels: is it 0–4 (low) or 5–9 (high)?\n\
         {} images to learn from, {} to test. Each prediction is made from K of {} cells: the\n\
         network that weighs them sees nothing else of the image. One network serves every K.\n",
        rows.train.len(),
        rows.test.len(),
        CELLS * CELLS
    )?;
    let test = data.select(&rows.test);
    let (Fitted { model, history, .. }, network) = train(&setup, &test)?;
    let model = model.with_judge(judge::fit(setup.options(), &data, None, false)?);
    let trust = trust::measure(&model, &test, None, "the test digits".to_string())?;
    let model = trust.into_iter().fold(model, Model::with_trust);
    let table = comparison(&setup, &data, &model, network)?;
    for line in table_lines(&table) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for sample in drawn(&model, &setup, &test)? {
        let (colour, width) = (terminal::colour(), terminal::width());
        let classes = setup.objective().classes();
        writeln!(out, "{}", ngsll_view::terminal(&sample, classes, colour, width))?;
    }
    let folder = args.out.join("model");
    writeln!(out, "{}", terminal::promise(&model, SHOWN, &folder, terminal::colour()))?;
    let kept = setup.config().data.examples();
    let mut notes = Notes::default();
    notes.facts = facts(&setup);
    notes.history = history;
    notes.examples = ngsll_readers::examples(&data, &rows.valid, setup.objective(), kept)?;
    save(args, &model.with_notes(notes), &setup, &test, table)?;
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

fn config(groups: Groups) -> Config {
    let mut config = Config::new(Task::Image);
    let mut grid = GridConfig::default();
    grid.cells = [CELLS, CELLS];
    config.representation = grid.into();
    let mut network = CellContextConfig::default();
    // Two blocks: a third would pool 8×8 pixels to a single one.
    network.channels = vec![32, 64];
    network.dropout = 0.3;
    config.generator = GeneratorConfig::CellContext(network);
    config.k = SHOWN;
    config.data.group = Some(groups);
    config.data.test_fraction = 0.1;
    config.training.batch_size = Some(32);
    config.training.epochs = Some(60);
    config
}

/// The model, and the test accuracy of the network that explains nothing.
fn train(setup: &TrainingSetup, test: &Dataset) -> Result<(Fitted, f64)> {
    interrupt::listen();
    let mut progress = TrainingProgress::new("", "accuracy", false);
    let fitted = setup.fit(None, &mut |event| progress.event(event));
    progress.finish();
    let fitted = fitted?;
    let mut progress = TrainingProgress::new("plain network, ", "accuracy", false);
    let network = setup.fit_plain_network(&mut |event| progress.event(event));
    progress.finish();
    Ok((fitted, network?.quality(test)?.main().unwrap_or(f64::NAN)))
}

/// The first test digits that are predicted right, for the terminal.
fn drawn(model: &Model, setup: &TrainingSetup, test: &Dataset) -> Result<Vec<ExplainedSample>> {
    let explanations = model.explain(test)?.into_iter().enumerate();
    let right = explanations.filter(|(i, explanation)| {
        explanation.prediction.class().map(|class| class.label()) == test.label(*i)
    });
    let test_rows = &setup.rows().test;
    let samples = right.map(|(i, e)| ExplainedSample::new(model, test, i, test_rows[i], e));
    Ok(samples.take(DRAWN).collect())
}

/// Facts for the report and the model card.
fn facts(setup: &TrainingSetup) -> Vec<(String, String)> {
    [
        ("Question", "Is a handwritten digit 0–4 (low) or 5–9 (high)?".to_string()),
        ("Features", format!("ink in {CELLS}×{CELLS} cells")),
        ("Terms of each score", format!("at most {SHOWN}")),
        ("Training images", setup.rows().train.len().to_string()),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .into()
}

/// Writes the model folder and the report.
fn save(
    args: &DemoArgs,
    model: &Model,
    setup: &TrainingSetup,
    test: &Dataset,
    table: SummaryTable,
) -> Result<()> {
    std::fs::create_dir_all(&args.out).map_err(|e| Error::io(&args.out, "create", e))?;
    model.save(args.out.join("model"))?;
    let mut collector = Collector::new(model, SHOWN)?;
    collector.add(test, |i| setup.rows().test[i])?;
    let Collected { overview, chosen, samples, .. } = collector.finish()?;
    let summary = Summary::new("NGSLL demo: handwritten digits", setup.objective().classes())
        .with_facts(facts(setup))
        .with_table(table)
        .with_measured(Measured::of(model, SHOWN, "MODEL"));
    let mut report = Output::open(Some(&args.out.join("report.html")))?;
    report.write_all(ngsll_view::report(&summary, &overview, &chosen, &samples).as_bytes())?;
    report.finish()
}
