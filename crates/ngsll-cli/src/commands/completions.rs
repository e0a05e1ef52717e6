//! `ngsll completions`

use crate::args::Cli;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

pub fn run(shell: Shell) -> Result<()> {
    // Via memory: the generator itself panics on write errors.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ngsll", &mut script);
    std::io::stdout().write_all(&script).map_err(Into::into)
}
