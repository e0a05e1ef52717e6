//! The command `ngsll`: trains, predicts and explains models whose every prediction is the sum of
//! K named terms.

mod args;
mod cases;
mod demo;
mod describe;
mod evaluate;
mod explain;
mod get;
mod get_command;
mod interrupt;
mod output;
mod predict;
mod progress;
mod train;
mod view;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use std::process::ExitCode;

/// Bad input, bad options, damaged files: everything that the user can mend.
const BAD_INPUT: u8 = 2;
/// Stopped by Ctrl-C, as shells count it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Describe(args) => describe::run(&args),
        Command::Data(args) => get_command::run(&args),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "ngsll", &mut std::io::stdout());
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            let interrupted = matches!(error.downcast_ref(), Some(ngsll::Error::Interrupted));
            ExitCode::from(if interrupted { INTERRUPTED } else { BAD_INPUT })
        }
    }
}
