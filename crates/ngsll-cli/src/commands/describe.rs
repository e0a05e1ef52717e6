//! `ngsll describe`

use crate::args::DescribeArgs;
use crate::output::Output;
use anyhow::Result;
use ngsll::Predictor;
use ngsll::model_folder::notes;
use ngsll::objective::Objective;
use ngsll::representation::{ColumnEncoding, Representation};
use ngsll::train::weights_of;
use serde_json::json;
use std::io::Write;

/// Names of features that are listed in full; of more, only the first.
const LISTED: usize = 12;

pub fn run(args: &DescribeArgs) -> Result<()> {
    let predictor = Predictor::load(&args.model)?;
    let notes = notes(&args.model)?;
    let config = predictor.config();
    let parameters: usize = weights_of(predictor.model()).values().map(|a| a.values.len()).sum();
    let mut out = Output::open(None)?;
    if args.json {
        let about = json!({
            "task": config.task,
            "k": config.k,
            "objective": predictor.objective(),
            "features": predictor.representation().features(),
            "parameters": parameters,
            "facts": notes.facts.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "config": config,
        });
        writeln!(out, "{about:#}")?;
        return out.finish();
    }
    let objective = match predictor.objective() {
        Objective::Binary { classes } => format!("{} or {}", classes[0], classes[1]),
        Objective::Classes { classes } => format!("one of {}", classes.join(", ")),
        Objective::Regression { target, .. } => format!("{target}, a number"),
    };
    let network = format!("{}, {parameters} parameters", config.generator.kind());
    let mut lines = vec![
        ("predicts".to_string(), objective),
        ("from".to_string(), features(predictor.representation())),
        ("terms of each score".to_string(), format!("at most {}", config.k)),
        ("network".to_string(), network),
    ];
    lines.extend(notes.facts);
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, value) in lines {
        writeln!(out, "{name:<width$}  {value}")?;
    }
    out.finish()
}

fn features(representation: &Representation) -> String {
    match representation {
        Representation::Grid(g) => {
            format!("images of {}×{} pixels in {}×{} cells", g.width, g.height, g.columns, g.rows)
        }
        Representation::Words(words) => {
            let list = words.vocabulary();
            let shown = list.iter().take(LISTED).cloned().collect::<Vec<_>>().join(" ");
            format!(
                "a bag of {} words: {shown}{}",
                list.len(),
                if list.len() > LISTED { " …" } else { "" }
            )
        }
        Representation::Columns(columns) => {
            let column = |e: &ColumnEncoding| match e {
                ColumnEncoding::Numeric { name, .. } => name.clone(),
                ColumnEncoding::Categorical { name, levels } => {
                    format!("{name} ({} levels)", levels.len())
                }
            };
            let all = columns.encodings();
            let shown: Vec<String> = all.iter().take(LISTED).map(column).collect();
            let (s, more) = (
                if all.len() == 1 { "" } else { "s" },
                if all.len() > LISTED { ", …" } else { "" },
            );
            format!("{} column{s}: {}{more}", all.len(), shown.join(", "))
        }
    }
}
