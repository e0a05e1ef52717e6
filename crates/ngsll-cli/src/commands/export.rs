//! `ngsll export`

use crate::args::ExportArgs;
use crate::output::{Output, aligned, eprint_line};
use anyhow::Result;
use ngsll::Model;
use ngsll_view::{Beside, promise};
use std::io::Write;

pub fn run(args: &ExportArgs) -> Result<()> {
    let model = Model::load(&args.model)?;
    let mut out = Output::open(Some(&args.onnx))?;
    let beside = Beside::features_of(model.representation());
    let promised = promise(model.evidence(), beside).join(" ");
    let file = ngsll_onnx::export(&model, args.k, &[("promise", promised)])?;
    out.write_all(&file.bytes).map_err(|error| out.write_error(error))?;
    out.finish()?;
    let facts = [
        ("K".to_string(), file.k.to_string()),
        ("inputs".to_string(), listed(&file.inputs)),
        ("outputs".to_string(), file.outputs.join(", ")),
        ("size".to_string(), format!("{:.1} MB", file.bytes.len() as f64 / 1e6)),
    ];
    aligned(&facts).for_each(eprint_line);
    Ok(())
}

/// The most names that are shown.
const LISTED: usize = 12;

fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(LISTED)].join(", ");
    let more = names.len().saturating_sub(LISTED);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
