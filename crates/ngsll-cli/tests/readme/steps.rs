//! How a command of the documents is run here.

use crate::common::{QUICK, QUICK_IMAGE, QUICK_TEXT};

/// How a command is handled.
#[derive(Clone, Copy)]
pub enum Action {
    /// It runs, with these options besides its own, and succeeds.
    Run(&'static str),
    /// It runs, with these options besides its own, and is refused for this reason.
    Refused(&'static str, &'static str),
    /// It is a server that goes on running.
    Serve,
    /// It asks that server.
    Ask,
    /// It does not run here, for this reason.
    LeftOut(&'static str),
}

/// The start of a command, and what is done with it; the first that fits counts.
const STEPS: [(&str, Action); 29] = [
    ("cargo run --release -- demo", Action::LeftOut("tests/demo.rs runs the whole of it")),
    ("ngsll demo", Action::LeftOut("tests/demo.rs runs the whole of it")),
    ("ngsll examples", Action::Run("")),
    ("ngsll help", Action::Run("")),
    ("cat examples", Action::Run("")),
    ("cargo test", Action::LeftOut("it runs this test")),
    ("cargo bench", Action::LeftOut("it measures for minutes")),
    ("cargo doc", Action::LeftOut("CI builds the documentation")),
    ("cargo install", Action::LeftOut("it builds the program that the other commands run")),
    ("benches/", Action::LeftOut("it measures for minutes, against programs in Python")),
    ("ngsll train --task text", Action::Run(QUICK_TEXT)),
    ("ngsll train --task image", Action::Run(QUICK_IMAGE)),
    ("ngsll train --task tabular", Action::Run(QUICK)),
    // The file holds the batch size and the epochs of its own training.
    ("ngsll train --config", Action::Run(QUICK)),
    ("ngsll tune", Action::Run("--set training.epochs=2 --set generator.members=2")),
    ("ngsll predict", Action::Run("")),
    ("ngsll explain", Action::Run("")),
    ("ngsll evaluate", Action::Run("")),
    ("ngsll compare", Action::Run("")),
    ("ngsll drift", Action::Run("")),
    ("ngsll judge", Action::Run("")),
    ("ngsll describe", Action::Run("")),
    ("ngsll export", Action::Run("")),
    ("ngsll completions", Action::Run("")),
    // Without a network it can only say what it lacks: the catalogue's checksums admit no stand-ins.
    ("ngsll data get", Action::Refused("--from .", "found in it or in its")),
    // The planted data have their own size, so only what is quickly trained is named here.
    (
        "ngsll reproduce honesty",
        Action::Run("--epochs 1 --k 1 --methods chosen,random --sets trec,syn1"),
    ),
    ("ngsll reproduce", Action::Run("--seeds 1 --epochs 1 --k 1")),
    ("ngsll serve", Action::Serve),
    ("curl ", Action::Ask),
];

/// How a command is handled; `None` if no step names it.
pub fn action(command: &str) -> Option<Action> {
    let fits = |(start, _): &&(&str, Action)| command.starts_with(start);
    STEPS.iter().find(fits).map(|(_, action)| *action)
}

/// The command with more options, given as `--name value`; its own win, but `--set` adds up.
pub fn with_options(command: &str, more: &str) -> String {
    let more: Vec<&str> = more.split_whitespace().collect();
    let missing = more.chunks(2).filter(|option| {
        option[0] == "--set" || !command.split_whitespace().any(|word| word == option[0])
    });
    missing.fold(command.to_string(), |command, option| format!("{command} {}", option.join(" ")))
}

#[test]
fn options_of_the_command_win() {
    let more = "--seeds 1 --set a=1";
    assert_eq!(with_options("x --seeds 3 --set b=2", more), "x --seeds 3 --set b=2 --set a=1");
}
