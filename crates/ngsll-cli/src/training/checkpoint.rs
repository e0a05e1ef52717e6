//! Checkpoints of `ngsll train`.

use crate::args::TrainArgs;
use crate::output::eprint_line;
use anyhow::{Context, Result, bail};
use ngsll::TrainingSetup;
use ngsll::train::Checkpoints;
use std::path::{Path, PathBuf};

/// The checkpoints beside the model in the making.
pub fn checkpoints(args: &TrainArgs, setup: &TrainingSetup) -> Result<Checkpoints> {
    let folder = beside(&args.out, "checkpoint")?;
    let checkpoints = Checkpoints::new(&folder, setup.fingerprint());
    // From here on no other process trains this model.
    checkpoints.hold()?;
    if checkpoints.exists() && !args.resume {
        bail!(
            "{}: an earlier run stopped here; add --resume to continue it, or remove the folder",
            folder.display()
        );
    }
    if args.resume && !checkpoints.exists() && !args.out.exists() && !args.quiet {
        eprint_line(format_args!(
            "{}: no checkpoint, so training starts from the beginning",
            folder.display()
        ));
    }
    Ok(checkpoints)
}

/// A folder beside the model: `income` → `income.checkpoint`.
pub fn beside(out: &Path, what: &str) -> Result<PathBuf> {
    let name = out.file_name().context("--out needs a folder name")?;
    Ok(out.with_file_name(format!("{}.{what}", name.to_string_lossy())))
}
