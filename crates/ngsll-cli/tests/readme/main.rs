//! Runs every command that README.md and the documents in docs show.
//!
//! Those of README.md run as they stand, in order, in an empty folder; those of a tutorial likewise, with less training.
//! The pages of docs run in the folder of README.md, on its models and on small data of the names they use.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod shown;
mod steps;

use common::server::Server;
use common::{Desk, left_out};
use shown::Shown;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use steps::Action;

#[test]
fn every_command_of_readme_works_as_it_stands_and_then_those_of_the_pages() {
    let readme = shown::of_file("README.md");
    assert!(readme.len() >= 15, "only {} commands found", readme.len());
    let mut folder = Folder::new();
    readme.iter().for_each(|shown| folder.carry_out(shown, How::AsItStands));
    for page in shown::pages() {
        for shown in &page {
            files::make_for(&folder.desk, &shown.command);
            folder.carry_out(shown, How::Quickly);
        }
    }
}

#[test]
fn every_tutorial_works_from_its_first_line_to_its_last() {
    let tutorials = shown::tutorials();
    assert_eq!(tutorials.len(), 3);
    for tutorial in tutorials {
        let mut folder = Folder::new();
        tutorial.iter().for_each(|shown| folder.carry_out(shown, How::Quickly));
    }
}

/// The most that a newcomer reads in one go; everything else has a separate page in docs.
#[test]
fn readme_is_short() {
    let lines = shown::text_of("README.md").lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
}

/// How a command is run.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// Unchanged.
    AsItStands,
    /// With options that shorten a training.
    Quickly,
}

/// The folder in which the reader of the documents is.
struct Folder {
    desk: Desk,
    /// The last `ngsll serve`.
    server: Option<Server>,
}

impl Folder {
    fn new() -> Self {
        Self { desk: Desk::new(), server: None }
    }

    fn carry_out(&mut self, shown: &Shown, how: How) {
        let action = steps::action(&shown.command).unwrap_or_else(|| {
            panic!("{shown}: no step of tests/readme/steps.rs fits this command; add one")
        });
        match action {
            Action::LeftOut(reason) => {
                // Not by eprintln!, which the test harness would swallow.
                let _ = writeln!(std::io::stderr(), "left out: {shown}: {reason}");
            }
            Action::Run(more) => {
                let more = if how == How::Quickly { more } else { "" };
                let command = steps::with_options(&shown.command, more);
                let done = self.run(&command);
                let (code, printed) = (done.status.code(), text(&done.stderr));
                assert_eq!(code, Some(0), "{shown}: run as {command}\n{printed}");
            }
            Action::Refused(more, reason) => {
                let done = self.run(&format!("{} {more}", shown.command));
                let (code, printed) = (done.status.code(), text(&done.stderr));
                assert!(code == Some(2) && printed.contains(reason), "{shown}: {printed}");
            }
            Action::Serve => self.serve(shown),
            Action::Ask => self.ask(shown),
        }
    }

    /// Runs a command by the shell, which finds the program under its name.
    fn run(&self, command: &str) -> Output {
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_ngsll"));
        let folder = program.parent().expect("a program is in a folder").to_path_buf();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(folder).chain(std::env::split_paths(&others));
        Command::new("sh")
            .args(["-c", command])
            .env("PATH", std::env::join_paths(path).expect("no colon in the folder's name"))
            .current_dir(self.desk.path(""))
            .stdin(Stdio::null())
            .output()
            .expect("there is a shell")
    }

    /// Starts the server in the background, at a free port instead of the one that is shown.
    fn serve(&mut self, shown: &Shown) {
        let words = shown.command.split_whitespace().skip(2);
        let models: Vec<&str> = words.take_while(|word| *word != "--addr").collect();
        self.server = Some(Server::start(&self.desk, &models.join(" ")));
    }

    /// Asks the server that was shown last; the answer must be JSON without an error.
    fn ask(&self, shown: &Shown) {
        if self.run("curl --version").status.code() != Some(0) {
            return left_out(&shown.to_string(), "curl");
        }
        let server = self.server.as_ref().unwrap_or_else(|| panic!("{shown}: nothing is served"));
        let command = shown.command.replace("http://127.0.0.1:8080", &server.url(""));
        assert_ne!(command, shown.command, "{shown}: no http://127.0.0.1:8080 in it");
        let done = self.run(&format!("{command} --silent --show-error --fail-with-body"));
        let (answer, printed) = (text(&done.stdout), text(&done.stderr));
        assert_eq!(done.status.code(), Some(0), "{shown}: {printed}\n{answer}");
        let json = serde_json::from_str::<serde_json::Value>(&answer);
        assert!(json.is_ok_and(|answer| answer.is_object()), "{shown}: {answer}");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
