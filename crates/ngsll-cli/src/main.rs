//! The command `ngsll`: trains, predicts and explains models whose every prediction is the sum of
//! K named terms.

mod args;
mod asked_samples;
mod commands;
mod flags;
mod interrupt;
mod jobs_progress;
mod judge;
mod metrics;
mod output;
mod paths;
mod progress;
mod sample_csv;
mod sample_parquet;
mod samples;
mod shell;
mod stdin;
mod terminal;
mod training;
mod trust;
mod warnings;
mod yardstick;

use args::{Cli, Command, DataArgs, DataCommand};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use flags::Flags;
use ngsll::error::system_reason;
use output::eprint_line;
use std::process::ExitCode;

/// Bad input, bad options, damaged files: everything that the user can fix.
const BAD_INPUT: u8 = 2;
/// Stopped by Ctrl-C, as shells count it.
const INTERRUPTED: u8 = 130;
/// The most characters of a sentence about an error.
const LONGEST_SENTENCE: usize = 4000;

fn main() -> ExitCode {
    let mut command_line = Cli::command();
    let parsed = command_line.try_get_matches_from_mut(std::env::args_os());
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return bad_command_line(&error),
    };
    if let Some(threads) = cli.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        if let Err(error) = pool.build_global() {
            eprint_line(format_args!("error: --threads {threads}: {error}"));
            return ExitCode::from(BAD_INPUT);
        }
    }
    let result = match cli.command {
        Command::Demo(args) => commands::demo::run(&args),
        Command::Examples(args) => commands::examples::run(&args),
        Command::Train(args) => commands::train::run(&args),
        Command::Tune(args) => commands::tune::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Evaluate(args) => commands::evaluate::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Drift(args) => commands::drift::run(&args),
        Command::Judge(args) => commands::judge::run(&args),
        Command::Describe(args) => commands::describe::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Data(DataArgs { command: DataCommand::Get(args) }) => commands::get::run(&args),
        Command::Reproduce(args) => commands::reproduce::run(&args),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Help(args) => commands::help::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let train = command_line.find_subcommand("train").unwrap_or(&command_line);
            let flags = Flags::new(subcommand(&command_line, &matches), train);
            eprint_line(format_args!("error: {}", sentence(&error, &flags)));
            let interrupted = matches!(error.downcast_ref(), Some(ngsll::Error::Interrupted));
            ExitCode::from(if interrupted { INTERRUPTED } else { BAD_INPUT })
        }
    }
}

/// The innermost subcommand that was called, such as `get` of `data get`.
fn subcommand<'a>(command: &'a clap::Command, matches: &clap::ArgMatches) -> &'a clap::Command {
    let inner = matches.subcommand();
    match inner.and_then(|(name, inner)| Some((command.find_subcommand(name)?, inner))) {
        Some((command, matches)) => subcommand(command, matches),
        None => command,
    }
}

/// Help and version unchanged; an error as one line, like every other error.
fn bad_command_line(error: &clap::Error) -> ExitCode {
    let help = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == help {
        error.exit();
    }
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    eprint_line(format_args!("{}", lines.collect::<Vec<_>>().join(" ")));
    ExitCode::from(BAD_INPUT)
}

/// An error and its causes as one line; a cause that is already quoted is not repeated.
fn sentence(error: &anyhow::Error, flags: &Flags<'_>) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = match (cause.downcast_ref(), cause.downcast_ref()) {
            (Some(error), _) => flags.sentence(error),
            (None, Some(error)) => system_reason(error),
            (None, None) => cause.to_string(),
        };
        if !text.contains(&cause) {
            text += if text.is_empty() { "" } else { ": " };
            text += &cause;
        }
    }
    cut(&text.lines().map(str::trim).collect::<Vec<_>>().join(" "))
}

/// The start and the end of a sentence that quotes a cell or a name of a million characters.
fn cut(sentence: &str) -> String {
    if sentence.chars().count() <= LONGEST_SENTENCE {
        return sentence.to_string();
    }
    let at = |place: Option<(usize, char)>| place.map_or(0, |(at, _)| at);
    let start = at(sentence.char_indices().nth(LONGEST_SENTENCE / 2));
    let end = at(sentence.char_indices().nth_back(LONGEST_SENTENCE / 2));
    format!("{} … {}", &sentence[..start], &sentence[end..])
}
