//! `ngsll help`

mod options;

use crate::args::{Cli, HelpArgs};
use crate::terminal;
use anyhow::{Result, bail};
use clap::CommandFactory;
use std::io::Write;

/// The topic that is not a command: every option of a model.
const OPTIONS: &str = "options";

pub fn run(args: &HelpArgs) -> Result<()> {
    let text = match args.topic.split_first() {
        Some((topic, words)) if topic == OPTIONS => options::text(words, terminal::width())?,
        _ => of_command(&args.topic)?,
    };
    std::io::stdout().write_all(text.as_bytes()).map_err(Into::into)
}

/// The help of the program, or of the command that `path` leads to.
fn of_command(path: &[String]) -> Result<String> {
    let mut cli = Cli::command();
    cli.build();
    let mut command = &mut cli;
    for name in path {
        let others: Vec<String> =
            command.get_subcommands().map(|command| command.get_name().to_string()).collect();
        command = match command.find_subcommand_mut(name) {
            Some(found) => found,
            None if others.is_empty() => bail!("help {}: there is no such command", path.join(" ")),
            None => bail!("help {name}: expected {OPTIONS} or a command: {}", others.join(", ")),
        };
    }
    Ok(command.render_long_help().to_string())
}
