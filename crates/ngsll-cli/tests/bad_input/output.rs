//! Places to write to.

use crate::common::data::reviews;
use crate::common::{Desk, QUICK_TEXT};

const EXISTS: &str = "already exists and will not be overwritten; choose another name";

#[test]
fn a_model_folder_that_exists() {
    let desk = Desk::new();
    desk.text_model();
    let again = format!("train --task text --data reviews.tsv {QUICK_TEXT} --out model");
    desk.refused(&again, &["model: ", EXISTS]);
    desk.refused(&format!("{again} --resume"), &["model: ", EXISTS]);
}

#[test]
fn a_file_in_place_of_the_model_folder() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.write("model", "mine");
    let train = "train --task text --data reviews.tsv --out model";
    desk.refused(train, &["model: ", EXISTS]);
}

#[test]
fn a_demo_folder_that_exists() {
    let desk = Desk::new();
    desk.write("ngsll-demo/notes.txt", "mine");
    desk.refused("demo", &["ngsll-demo: ", EXISTS]);
}

#[test]
fn an_output_file_that_exists() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("mine.txt", "mine");
    for command in ["predict", "explain", "explain --format html", "explain --format json"] {
        let args = format!("{command} model --data reviews.tsv --out mine.txt");
        desk.refused(&args, &["mine.txt: ", EXISTS]);
    }
}

#[test]
fn an_output_file_of_a_kind_that_is_not_written() {
    let desk = Desk::new();
    desk.text_model();
    for (command, name, kind) in [("predict", "p.xlsx", "xlsx"), ("explain", "p.PDF", "pdf")] {
        let part = format!("{name}: cannot write .{kind} files; choose a name that ends in .csv");
        desk.refused(&format!("{command} model --data reviews.tsv --out {name}"), &[&part]);
    }
}

#[test]
fn an_output_file_in_a_folder_that_does_not_exist() {
    let desk = Desk::new();
    desk.text_model();
    let parts = ["new/x.csv: its folder does not exist"];
    desk.refused("predict model --data reviews.tsv --out new/x.csv", &parts);
}

#[test]
fn a_model_under_a_file() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    let parts = ["reviews.tsv/model: cannot be created: reviews.tsv is not a folder"];
    desk.refused("train --task text --data reviews.tsv --out reviews.tsv/model", &parts);
    desk.refused("demo --out reviews.tsv/model", &parts);
}

#[test]
fn bad_data_leave_no_output_file() {
    let desk = Desk::new();
    desk.text_model();
    // More good lines than are held in memory at a time come before the bad one.
    let mut bytes = reviews().repeat(30).into_bytes();
    bytes.extend(b"pos\tcaf\xc3\xa9\npos\tcaf\xe9\n");
    desk.write("long.tsv", bytes);
    for command in ["predict", "predict --format json", "explain --format csv"] {
        let args = format!("{command} model --data long.tsv --out x");
        desk.refused(&args, &["long.tsv line 1802: the text is not valid UTF-8"]);
    }
}

#[test]
fn a_report_that_cannot_be_written() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("mine.html", "mine");
    let evaluate = "evaluate model --data reviews.tsv --report";
    desk.refused(&format!("{evaluate} mine.html"), &["mine.html: ", EXISTS]);
    desk.refused(&format!("{evaluate} mine.html --json"), &["mine.html: ", EXISTS]);
    desk.refused(&format!("{evaluate} model"), &["model: ", EXISTS]);
    let folder = ["new/x.html: its folder does not exist"];
    desk.refused(&format!("{evaluate} new/x.html"), &folder);
    // Before anything else is looked at: the data would be an error, too.
    desk.refused("evaluate model --data none.tsv --report mine.html", &["mine.html: ", EXISTS]);
}

#[test]
fn bad_data_leave_no_report() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("long.tsv", reviews().repeat(30) + "maybe\ta film\n");
    let args = "evaluate model --data long.tsv --report x.html";
    desk.refused(args, &["long.tsv line 1801: label \"maybe\" is not one of neg, pos"]);
    desk.write("empty.tsv", "");
    desk.refused("evaluate model --data empty.tsv --report x.html", &["empty.tsv"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_takes_no_files() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    let part = "/proc/model: nothing can be written into /proc: this folder does not accept files";
    desk.refused("train --task text --data reviews.tsv --out /proc/model", &[part]);
}
