//! The command `ngsll`: trains, predicts and explains models whose every prediction is the sum of
//! K named terms.

mod args;
mod commands;
mod interrupt;
mod metrics;
mod output;
mod paths;
mod progress;
mod sample_csv;
mod samples;
mod terminal;
mod warnings;

use args::{Cli, Command, DataArgs, DataCommand};
use clap::Parser;
use clap::error::ErrorKind;
use output::tell;
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
        Command::Demo(args) => commands::demo::run(&args),
        Command::Train(args) => commands::train::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Evaluate(args) => commands::evaluate::run(&args),
        Command::Describe(args) => commands::describe::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Data(DataArgs { command: DataCommand::Get(args) }) => commands::get::run(&args),
        Command::Reproduce(args) => commands::reproduce::run(&args),
        Command::Completions { shell } => commands::completions::run(shell),
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
