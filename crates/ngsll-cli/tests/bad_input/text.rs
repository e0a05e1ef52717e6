//! Text files.

use crate::common::data::{gzip, reviews};
use crate::common::{Desk, QUICK_TEXT};

/// Training on `file` must be refused.
#[track_caller]
fn refused(file: &str, bytes: impl AsRef<[u8]>, more: &str, parts: &[&str]) {
    let desk = Desk::new();
    desk.write(file, bytes);
    desk.refused(
        &format!("train --task text --data {file} {QUICK_TEXT} --out model {more}"),
        parts,
    );
}

#[test]
fn a_file_that_is_not_there() {
    Desk::new().refused(
        "train --task text --data nowhere.tsv --out model",
        &["nowhere.tsv: there is no such file"],
    );
}

#[test]
fn a_folder_instead_of_a_file() {
    refused("folder/x.tsv", reviews(), "--set data.path=folder", &["folder: ", "directory"]);
}

#[test]
fn an_empty_file() {
    refused("empty.tsv", "", "", &["empty.tsv: it is empty: expected at least one sample"]);
}

#[test]
fn an_empty_csv() {
    refused("empty.csv", "", "", &["empty.csv: the file is empty, expected a header line"]);
}

#[test]
fn a_csv_with_a_header_alone() {
    refused(
        "bare.csv",
        "label,text\n",
        "",
        &["bare.csv: it is empty: expected at least one sample"],
    );
}

#[test]
fn a_line_without_label() {
    let text = reviews() + "a line without a tab\n";
    refused("short.tsv", text, "", &["short.tsv line 61: found 1 field, expected 2"]);
}

#[test]
fn a_row_with_a_field_too_many() {
    let text = "label,text\na,one\nb,two,three\n";
    refused(
        "long.csv",
        text,
        "",
        &["long.csv line 3: found 3 fields, expected 2 as in the header"],
    );
}

#[test]
fn a_quote_that_is_never_closed() {
    let text = "label,text\na,one\nb,\"two\nc,three\n";
    refused("open.csv", text, "", &["open.csv line 3", "quote", "never closed"]);
}

#[test]
fn not_utf_8() {
    let text = b"a\tcaf\xc3\xa9\nb\tcaf\xe9\n";
    refused("latin.tsv", text, "", &["latin.tsv line 2: the text is not valid UTF-8"]);
}

#[test]
fn a_gzip_file_cut_off() {
    let whole = gzip(reviews().as_bytes());
    let half = &whole[..whole.len() / 2];
    refused("cut.tsv.gz", half, "", &["cut.tsv.gz: the gzip data are damaged or cut off"]);
}

#[test]
fn one_class_only() {
    let text = reviews().replace("neg", "pos");
    refused("one.tsv", text, "", &["one.tsv", "only the class \"pos\"", "at least two classes"]);
}

#[test]
fn a_wrong_column_name_for_the_target() {
    let message = "data.csv: no column \"lable\"; the columns are \"label\", \"text\"; did you mean \"label\"?";
    refused("data.csv", "label,text\na,b\n", "--target lable", &[message]);
}

#[test]
fn a_wrong_column_name_for_the_text() {
    let parts = ["data.csv: no column \"txet\"", "did you mean \"text\"?"];
    refused("data.csv", "label,text\na,b\n", "--set data.text=txet", &parts);
}

#[test]
fn a_label_without_group() {
    let parts = ["reviews.tsv line 1: label \"neg\" is in no group"];
    refused("reviews.tsv", reviews(), "--group pos=good", &parts);
}

#[test]
fn groups_that_are_none() {
    let parts = ["--group rubbish: expected FROM-TO=NAME or LABEL=NAME"];
    refused("reviews.tsv", reviews(), "--group rubbish", &parts);
}

#[test]
fn groups_that_leave_one_class() {
    let parts = ["only the class \"all\"", "at least two classes"];
    refused("reviews.tsv", reviews(), "--group pos=all,neg=all", &parts);
}

#[test]
fn a_validation_file_with_other_labels() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.write("valid.tsv", "pos\ta good film\nmaybe\ta film\n");
    desk.refused(
        &format!("train --task text --data reviews.tsv --valid valid.tsv {QUICK_TEXT} --out model"),
        &["valid.tsv line 2: label \"maybe\" is not one of neg, pos"],
    );
}

#[test]
fn an_empty_validation_file() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.write("valid.tsv", "");
    desk.refused(
        &format!("train --task text --data reviews.tsv --valid valid.tsv {QUICK_TEXT} --out model"),
        &["valid.tsv: it is empty: expected at least one sample"],
    );
}

#[test]
fn no_word_occurs_often_enough() {
    let parts =
        ["--set representation.min_count=900", "no word of the training texts occurs that often"];
    refused("reviews.tsv", reviews(), "--set representation.min_count=900", &parts);
}

#[test]
fn labels_that_are_no_numbers_in_regression() {
    let parts = ["reviews.tsv line 1: the target \"neg\" is not a finite number"];
    refused("reviews.tsv", reviews(), "--set objective=regression", &parts);
}

#[test]
fn a_label_that_training_never_saw() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("new.tsv", "pos\ta good film\nmaybe\ta film\n");
    let parts = ["new.tsv line 2: label \"maybe\" is not one of neg, pos"];
    desk.refused("evaluate model --data new.tsv", &parts);
}

#[test]
fn evaluation_without_labels() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("new.txt", "a good film\na bad film\n");
    let parts = ["new.txt line 1: found 1 field, expected 2: the label and the text"];
    desk.refused("evaluate model --data new.txt", &parts);
}

#[test]
fn prediction_from_a_csv_without_text() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("table.csv", "size,colour\n1,red\n");
    let parts = [
        "table.csv: ",
        "it is not clear which of the columns \"size\", \"colour\" is the text",
        "expected a model trained with --set data.text=COLUMN",
    ];
    desk.refused("predict model --data table.csv", &parts);
}

#[test]
fn prediction_from_nothing() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("empty.tsv", "");
    for command in ["predict", "explain", "evaluate"] {
        let parts = ["empty.tsv: it is empty: expected at least one sample"];
        desk.refused(&format!("{command} model --data empty.tsv"), &parts);
    }
}
