//! Runs the command under `strace`, which records its system calls and can make them fail.

use crate::common::{Desk, left_out};
use std::process::{Command, Output};

/// Whether there is an `strace` that may trace.
pub fn is_there(test: &str) -> bool {
    let found = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    let works = found.is_ok_and(|output| output.status.success());
    if !works {
        left_out(test, "strace");
    }
    works
}

/// Runs the command with options for `strace`.
pub fn run(desk: &Desk, options: &[&str], args: &str) -> Output {
    let traced = desk.command(args);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(options).arg(traced.get_program()).args(traced.get_args());
    command.current_dir(desk.path("")).output().expect("strace starts")
}
