//! Example files, the help of options, standard input for every command, and notes that must not get lost.

use crate::common::data::houses;
use crate::common::{Desk, QUICK};
use std::io::Write;
use std::process::Stdio;

#[test]
fn example_files_are_the_same_each_time_and_nothing_is_overwritten() {
    let desk = Desk::new();
    let printed = desk.ok("examples");
    assert!(printed.contains("people.csv      2,400 people"), "{printed}");
    let people = desk.read_text("examples/people.csv");
    assert_eq!(people.lines().next(), Some("age,hours,education,workclass,savings,city,income"));
    assert_eq!(
        (people.lines().count(), desk.read("examples/shapes/circle/00.png").len() > 100),
        (2401, true)
    );
    desk.refused("examples", &["examples: already exists"]);
    desk.ok("examples --out again");
    for file in ["people.csv", "new-people.csv", "reviews.csv", "shapes/cross/79.png"] {
        assert_eq!(desk.read(&format!("examples/{file}")), desk.read(&format!("again/{file}")));
    }
}

#[test]
fn options_have_help() {
    let desk = Desk::new();
    let printed = desk.ok("help options tabular_ensemble dropout");
    assert!(printed.contains("generator.dropout") && printed.contains("default: 0.1"), "{printed}");
    assert!(!printed.contains("generator.units"), "{printed}");
    assert!(desk.ok("help train").contains("--valid-fraction"));
    assert!(desk.ok("help").contains("Commands:"));
    desk.refused(
        "help options nonsense",
        &["help options nonsense: no option matches these words"],
    );
    desk.refused("help nonsense", &["help nonsense: expected options or a command: demo, "]);
}

#[test]
fn every_command_reads_standard_input() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    desk.ok(&format!("train --task tabular --data houses.csv --target kind {QUICK} --out model"));
    for args in ["judge model", "compare model model", "drift model", "evaluate model"] {
        let mut command = desk.command(&format!("{args} --data -"));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(houses().as_bytes()).unwrap();
        let done = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{args}: {printed}");
    }
}

#[test]
fn notes_on_reading_are_not_lost_with_the_test_part() {
    let desk = Desk::new();
    // Latin-1: é is no UTF-8.
    let latin: Vec<u8> =
        houses().replace("red", "r\u{e9}d").chars().map(|c| c as u32 as u8).collect();
    desk.write("houses.csv", latin);
    desk.ok(&format!(
        "train --task tabular --data houses.csv --target kind --test-fraction 0.3 {QUICK} --out model"
    ));
    let done = desk.run("evaluate model --data houses.csv --part test");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("note: houses.csv is read as Windows-1252"), "{}", done.err);
}

#[test]
fn all_missing_columns_are_named() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    desk.ok(&format!("train --task tabular --data houses.csv --target kind {QUICK} --out model"));
    desk.write("new.csv", "price\n100\n");
    let parts = ["new.csv: no columns \"size\", \"colour\"; the columns are \"price\""];
    desk.refused("predict model --data new.csv", &parts);
}
