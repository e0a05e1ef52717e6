//! The README's commands exist as it writes them.

use std::process::Command;

#[test]
fn every_command_of_the_readme_is_one_that_the_program_takes() {
    let readme = include_str!("../../../README.md");
    let commands: Vec<&str> = readme.lines().filter(|line| line.starts_with("ngsll ")).collect();
    assert!(commands.len() >= 10, "the README has {} commands", commands.len());
    for command in commands {
        // `--help` at the end: options before it must be known and have their values.
        let arguments =
            command.split_whitespace().skip(1).map(|a| a.trim_matches('"')).chain(["--help"]);
        let run = Command::new(env!("CARGO_BIN_EXE_ngsll")).args(arguments).output().unwrap();
        assert!(run.status.success(), "{command}\n{}", String::from_utf8_lossy(&run.stderr));
    }
}
