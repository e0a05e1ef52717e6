//! `ngsll describe`

use crate::args::DescribeArgs;
use crate::output::{Output, aligned};
use crate::paths::file_name;
use crate::terminal;
use anyhow::Result;
use ngsll::{Evidence, Model};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;

pub fn run(args: &DescribeArgs) -> Result<()> {
    let model = Model::load(&args.model)?;
    let (config, facts) = (model.config(), &model.notes().facts);
    let parameters = model.parameters();
    let mut out = Output::open(args.out.as_deref())?;
    if args.out.is_some() {
        out.write_all(model.card(&file_name(&args.model)).as_bytes())?;
        return out.finish();
    }
    if args.json {
        let about = json!({
            "task": config.task,
            "k": model.k(),
            "largest_k": model.largest_k(),
            "evidence": model.evidence(),
            "objective": model.objective(),
            "features": model.representation().features(),
            "parameters": parameters,
            "trust": model.trust(),
            "spread": model.notes().spread,
            "findings": model.notes().findings,
            "facts": facts.iter().cloned().collect::<BTreeMap<_, _>>(),
            "config": config,
        });
        writeln!(out, "{about:#}")?;
        return out.finish();
    }
    let network = format!("{}, {parameters} parameters", config.generator.kind());
    let terms = match model.evidence() {
        Evidence::Chosen => {
            format!("at most {}, with --k from 1 to {}", model.k(), model.largest_k())
        }
        _ => format!("at most {}", model.k()),
    };
    let mut lines = vec![
        ("predicts".to_string(), model.objective().describe()),
        ("from".to_string(), model.representation().describe()),
        ("terms of each score".to_string(), terms),
        ("network".to_string(), network),
    ];
    if let Some(threshold) = model.objective().threshold() {
        let positive = model.objective().output_name(0);
        lines.push(("threshold".to_string(), format!("{threshold} for {positive}")));
    }
    lines.extend(facts.iter().cloned());
    for line in aligned(&lines) {
        out.line(line)?;
    }
    let promise = terminal::promise(&model, model.k(), &args.model, terminal::colour());
    write!(out, "\n{promise}")?;
    out.finish()
}
