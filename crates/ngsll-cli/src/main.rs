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
mod notes;
mod output;
mod predict;
mod progress;
mod report;
mod reproduce;
mod serve;
mod train;
mod view;

use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use output::tell;
use std::io::Write;
use std::process::ExitCode;

/// Bad input, bad options, damaged files: everything that the user can mend.
const BAD_INPUT: u8 = 2;
/// Stopped by Ctrl-C, as shells count it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return command_line(&error),
    };
    let result = match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Describe(args) => describe::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Data(args) => get_command::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Completions { shell } => {
            // By way of memory: the generator itself panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "ngsll", &mut script);
            std::io::stdout().write_all(&script).map_err(Into::into)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("error: {}", sentence(&error)));
            let interrupted = matches!(error.downcast_ref(), Some(ngsll::Error::Interrupted));
            ExitCode::from(if interrupted { INTERRUPTED } else { BAD_INPUT })
        }
    }
}

/// Help and version as they are; a mistake as one line, like every other error.
fn command_line(error: &clap::Error) -> ExitCode {
    let help = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == help {
        error.exit();
    }
    let text = error.render().to_string();
    let said = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = said.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    tell(format_args!("{}", said.collect::<Vec<_>>().join(" ")));
    ExitCode::from(BAD_INPUT)
}

/// An error and its causes as one line; a cause that is quoted already is not repeated.
fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            text += if text.is_empty() { "" } else { ": " };
            text += &cause;
        }
    }
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
