//! `--resume` of a training that has ended, but was stopped before it could clean up.

use super::repeated;
use crate::args::TrainArgs;
use crate::output::eprint_line;
use crate::shell;
use anyhow::Result;
use ngsll::train::Checkpoints;
use ngsll::{Error, ModelFolder, TrainingSetup};

/// Removes the remains of a finished training, if the model in its place is the one that this command makes.
pub fn finish(args: &TrainArgs, setup: &TrainingSetup, checkpoints: &Checkpoints) -> Result<()> {
    let folder = ModelFolder::open(&args.out)?;
    let k = if repeated::chooses_k(args) { folder.config().k } else { setup.config().k };
    let is_made_so = folder.notes().command == setup.resolved_toml_with(k)?;
    if !is_made_so || !checkpoints.may_be_resumed()? {
        return Err(Error::AlreadyExists { path: args.out.clone() }.into());
    }
    checkpoints.clear()?;
    repeated::clear(&args.out)?;
    if !args.quiet {
        let out = args.out.display().to_string();
        let out = shell::quoted(&out);
        eprint_line(format_args!("{out}: the model already exists; nothing to do"));
    }
    Ok(())
}
