//! Destinations of the output.

use crate::common::Desk;

#[test]
fn completions_for_a_shell() {
    let script = Desk::new().ok("completions bash");
    assert!(script.contains("complete -F _ngsll"), "{script}");
    assert!(script.contains("evaluate"));
}

#[test]
fn help_and_version_go_to_standard_output() {
    let desk = Desk::new();
    assert!(desk.ok("--version").starts_with("ngsll "));
    let help = desk.ok("train --help");
    assert!(help.contains("--valid-fraction") && help.contains("Usage:"), "{help}");
}

#[test]
fn quiet_says_nothing() {
    let desk = Desk::new();
    desk.write("houses.csv", crate::common::data::houses());
    let files = "--data houses.csv --target kind --out model";
    let done = desk.run(&format!("train --quiet --task tabular {files} {}", crate::common::QUICK));
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(0), "", ""));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let desk = Desk::new();
    desk.text_model();
    let asked = "model --data reviews.tsv";
    for args in [
        format!("predict {asked}"),
        format!("predict {asked} --format json"),
        format!("explain {asked}"),
        format!("explain {asked} --format json"),
        format!("explain {asked} --format csv"),
        format!("explain {asked} --format html"),
        format!("evaluate {asked}"),
        format!("evaluate {asked} --json"),
        "describe model".to_string(),
        "describe model --json".to_string(),
        "completions bash".to_string(),
        "train --help".to_string(),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = desk.command(&args).stdout(writer).output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "ngsll {args}: {printed}");
        assert!(
            !printed.contains("panicked") && !printed.contains("error"),
            "ngsll {args}: {printed}"
        );
    }
}

#[test]
fn training_continues_when_its_progress_is_not_read() {
    let desk = Desk::new();
    desk.write("houses.csv", crate::common::data::houses());
    let files = "--data houses.csv --target kind --out model";
    let args = format!("train --task tabular {files} {}", crate::common::QUICK);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert!(desk.command(&args).stderr(writer).status().unwrap().success());
    desk.ok("describe model");
}
