//! Tells the library the commit it is built from, where it is built in a git checkout.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Grows with every commit and checkout.
    let log = "../../.git/logs/HEAD";
    if std::path::Path::new(log).exists() {
        println!("cargo:rerun-if-changed={log}");
    }
    let commit = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    if let Some(output) = commit.ok().filter(|output| output.status.success()) {
        let changed = Command::new("git").args(["status", "--porcelain", "-uno"]).output();
        let changed = changed.is_ok_and(|output| !output.stdout.is_empty());
        let changed = if changed { " with changes" } else { "" };
        let commit = String::from_utf8_lossy(&output.stdout);
        println!("cargo:rustc-env=NGSLL_COMMIT={}{changed}", commit.trim());
    }
}
