//! `ngsll describe`

use crate::args::DescribeArgs;
use crate::output::{Output, aligned};
use anyhow::Result;
use ngsll::Model;
use ngsll::objective::Objective;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;

pub fn run(args: &DescribeArgs) -> Result<()> {
    let model = Model::load(&args.model)?;
    let (config, facts) = (model.config(), &model.notes().facts);
    let parameters = model.parameters();
    let mut out = Output::open(None)?;
    if args.json {
        let about = json!({
            "task": config.task,
            "k": config.k,
            "objective": model.objective(),
            "features": model.representation().features(),
            "parameters": parameters,
            "facts": facts.iter().cloned().collect::<BTreeMap<_, _>>(),
            "config": config,
        });
        writeln!(out, "{about:#}")?;
        return out.finish();
    }
    let objective = match model.objective() {
        Objective::Binary { classes } => format!("{} or {}", classes[0], classes[1]),
        Objective::Regression { target, .. } => format!("{target}, a number"),
        objective => format!("one of {}", objective.classes().join(", ")),
    };
    let network = format!("{}, {parameters} parameters", config.generator.kind());
    let mut lines = vec![
        ("predicts".to_string(), objective),
        ("from".to_string(), model.representation().describe()),
        ("terms of each score".to_string(), format!("at most {}", config.k)),
        ("network".to_string(), network),
    ];
    lines.extend(facts.iter().cloned());
    for line in aligned(&lines) {
        writeln!(out, "{line}")?;
    }
    out.finish()
}
