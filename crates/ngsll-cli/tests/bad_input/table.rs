//! Tables.

use crate::common::data::{gzip, houses};
use crate::common::{Desk, QUICK};

/// Training on `file` must be refused.
#[track_caller]
fn refused(file: &str, bytes: impl AsRef<[u8]>, more: &str, parts: &[&str]) {
    let desk = Desk::new();
    desk.write(file, bytes);
    desk.refused(&format!("train --task tabular --data {file} {QUICK} --out model {more}"), parts);
}

/// The houses with the cell of a line (counted from 1) and a column (from 0) replaced.
fn houses_with(line: usize, column: usize, cell: &str) -> String {
    let mut lines: Vec<String> = houses().lines().map(str::to_string).collect();
    let mut cells: Vec<&str> = lines[line - 1].split(',').collect();
    cells[column] = cell;
    lines[line - 1] = cells.join(",");
    lines.join("\n") + "\n"
}

/// A model of `houses.csv` must refuse `new.csv`.
#[track_caller]
fn refused_by_model(command: &str, bytes: &str, parts: &[&str]) {
    let desk = Desk::new();
    desk.table_model();
    desk.write("new.csv", bytes);
    desk.refused(&format!("{command} model --data new.csv"), parts);
}

#[test]
fn no_target() {
    refused(
        "houses.csv",
        houses(),
        "",
        &["houses.csv: no target column is given: expected --target COLUMN"],
    );
}

#[test]
fn a_wrong_column_name() {
    let parts = [
        "houses.csv: no column \"knid\"",
        "\"size\", \"colour\", \"price\", \"kind\"",
        "did you mean \"kind\"?",
    ];
    refused("houses.csv", houses(), "--target knid", &parts);
}

#[test]
fn a_wrong_column_name_with_a_dot_among_those_of_a_kind() {
    let more = "--target kind --set data.columns.\"colour.x\"=categorical";
    refused("houses.csv", houses(), more, &["houses.csv: no column \"colour.x\""]);
    let more = "--target kind --set data.columns.\"colour=categorical";
    refused("houses.csv", houses(), more, &["no column \"\\\"colour\""]);
}

#[test]
fn a_monotone_column_that_cannot_be_one() {
    let asked = |more: &str, parts: &[&str]| refused("houses.csv", houses(), more, parts);
    let set = "--target price --set data.columns";
    asked(&format!("{set}.sise.monotone=up"), &["no column \"sise\"", "did you mean \"size\"?"]);
    let part = "--set data.columns.colour.monotone=up: the column holds categories";
    asked(&format!("{set}.colour.monotone=up"), &[part]);
    let part = "--set data.columns.size.monotone=up: this needs evidence chosen";
    asked(&format!("{set}.size.monotone=up --evidence whole"), &[part]);
    let part = "data.columns.size.monotone=upwards: expected up or down";
    asked(&format!("{set}.size.monotone=upwards"), &[part]);
}

#[test]
fn a_number_to_predict_that_is_none() {
    let parts = ["houses.csv line 5 column \"price\": the target (\"none\") is missing"];
    refused("houses.csv", houses_with(5, 2, "none"), "--target price", &parts);
}

/// Rows with the target `y`, from 1 to `rows` except for the cells of some lines.
fn amounts(rows: usize, others: &[(usize, &str)]) -> String {
    let mut text = "x,y\n".to_string();
    for line in 2..rows + 2 {
        let other = others.iter().find(|(at, _)| *at == line).map(|(_, cell)| cell.to_string());
        let y = other.unwrap_or_else(|| (line % 40).to_string());
        text += &format!("{},{y}\n", line % 7);
    }
    text
}

#[test]
fn a_slip_among_the_numbers_to_predict() {
    let slip = amounts(200, &[(17, "<5")]);
    let parts = [
        "y.csv line 17 column \"y\": the target \"<5\" is not a number, as those of 199 of 200 rows are; \
         correct this cell or leave its row out, or --set objective=classes predicts classes",
    ];
    refused("y.csv", slip, "--target y", &parts);
    let units = amounts(200, &[(2, "EUR"), (150, "l00")]);
    let parts = ["line 2", "\"EUR\"", "of 198 of 200 rows", "correct all 2 such cells or leave"];
    refused("y.csv", units, "--target y", &parts);
}

#[test]
fn a_word_for_a_missing_number_to_predict() {
    for word in ["k.A.", "unknown", "-"] {
        let text = amounts(60, &[(9, word)]);
        let part = format!(
            "y.csv line 9 column \"y\": the target ({word:?}) is missing; every row needs one"
        );
        refused("y.csv", text, "--target y", &[&part]);
    }
    let text = amounts(60, &[(9, "unknown"), (12, ""), (30, "n/a")]);
    let part = "line 9 column \"y\": the target (\"unknown\") is missing, here and in 2 more of 60 rows; \
                leave these rows out of the file";
    refused("y.csv", text, "--target y", &[part]);
}

#[test]
fn a_wrong_column_name_among_those_to_drop() {
    let more = "--target kind --set data.drop=[\"colur\"]";
    refused("houses.csv", houses(), more, &["no column \"colur\"", "did you mean \"colour\"?"]);
}

#[test]
fn a_row_with_a_field_too_few() {
    let text = houses() + "1,red,2\n";
    let parts = ["houses.csv line 82: found 3 fields, expected 4 as in the header"];
    refused("houses.csv", text, "--target kind", &parts);
}

#[test]
fn an_empty_file() {
    refused(
        "empty.csv",
        "",
        "--target kind",
        &["empty.csv: the file is empty, expected a header line"],
    );
}

#[test]
fn a_header_alone() {
    let parts = ["bare.csv: it is empty: expected at least one sample"];
    refused("bare.csv", "size,kind\n", "--target kind", &parts);
}

#[test]
fn two_columns_of_one_name() {
    let parts =
        ["twice.csv line 1: the header names two columns \"size\"; give one of them another name"];
    refused("twice.csv", "size,size,kind\n1,2,a\n", "--target kind", &parts);
}

#[test]
fn not_utf_8() {
    let text = b"size,kind\n1,\xc3\xa9\n2,caf\xe9\n";
    refused("latin.csv", text, "--target kind", &["latin.csv line 3: the text is not valid UTF-8"]);
}

#[test]
fn a_gzip_file_cut_off() {
    let whole = gzip(houses().as_bytes());
    let half = &whole[..whole.len() / 2];
    let parts = ["cut.csv.gz: the gzip data are damaged or cut off"];
    refused("cut.csv.gz", half, "--target kind", &parts);
}

#[test]
fn a_parquet_file_that_is_none() {
    let parts = ["x.parquet: the Parquet data are damaged"];
    refused("x.parquet", "no Parquet at all", "--target kind", &parts);
}

#[test]
fn a_file_of_an_unknown_kind() {
    refused(
        "table.xlsx",
        "PK",
        "--target kind",
        &["table.xlsx: the name of a table must end in .csv, .tsv"],
    );
    let parts = [
        "table.json: a table in JSON has one object on each line, in a file whose name ends in .jsonl",
    ];
    refused("table.json", "[{\"kind\": 1}]", "--target kind", &parts);
}

#[test]
fn numbers_that_are_not_finite() {
    for number in ["inf", "-Infinity", "1e999"] {
        let message = format!("houses.csv line 5 column \"size\": {number} is not a finite number");
        refused("houses.csv", houses_with(5, 0, number), "--target kind", &[&message]);
    }
}

#[test]
fn a_target_that_is_not_finite() {
    let message = "line 5 column \"price\": the target \"inf\" is not a finite number";
    refused("houses.csv", houses_with(5, 2, "inf"), "--target price", &[message]);
    let message = "line 5 column \"price\": the target (\"NaN\") is missing";
    refused("houses.csv", houses_with(5, 2, "NaN"), "--target price", &[message]);
}

#[test]
fn a_target_that_is_not_numeric_in_regression() {
    let parts = ["houses.csv line 2 column \"kind\": the target \"small\" is not a finite number"];
    refused("houses.csv", houses(), "--target kind --set objective=regression", &parts);
}

#[test]
fn a_missing_target() {
    let parts = ["houses.csv line 5 column \"kind\": the target is missing"];
    refused("houses.csv", houses_with(5, 3, ""), "--target kind", &parts);
}

#[test]
fn a_word_in_a_column_declared_numeric() {
    let parts = ["houses.csv line 2 column \"colour\": \"red\" is not a number"];
    refused("houses.csv", houses(), "--target kind --set data.columns.colour=numeric", &parts);
}

#[test]
fn the_target_as_the_only_column() {
    let parts = ["single.csv: there is no column besides the target \"kind\""];
    refused("single.csv", "kind\na\nb\na\nb\n", "--target kind", &parts);
}

#[test]
fn only_missing_values() {
    let text = "size,kind\n".to_string() + &",a\nNA,b\n".repeat(20);
    let parts = ["blank.csv: no column besides the target has any values"];
    refused("blank.csv", text, "--target kind --k 1", &parts);
}

#[test]
fn one_class_only() {
    let text = houses().replace("small", "big");
    let parts = ["houses.csv", "only the class \"big\"", "at least two classes"];
    refused("houses.csv", text, "--target kind", &parts);
}

#[test]
fn one_number_only() {
    let rows: String = (0..40).map(|i| format!("{i},3.5\n")).collect();
    let part = "flat.csv: the target is 3.5 in every row: there is nothing to learn";
    refused("flat.csv", format!("x,y\n{rows}"), "--target y", &[part]);
}

#[test]
fn a_label_without_group() {
    let parts = ["houses.csv line 2 column \"kind\": label \"small\" is in no group"];
    refused("houses.csv", houses(), "--target kind --group big=large", &parts);
}

#[test]
fn a_single_row() {
    let parts = ["price.csv: 1 samples are too few to train and validate"];
    refused("price.csv", "size,price\n1,2.5\n", "--target price --k 1", &parts);
}

#[test]
fn prediction_without_a_column() {
    let parts = ["new.csv: no column \"colour\"; the columns are \"size\", \"price\""];
    refused_by_model("predict", "size,price\n1,2\n", &parts);
}

#[test]
fn prediction_with_a_word_for_a_number() {
    let parts = ["new.csv line 2 column \"size\": \"huge\" is not a number"];
    refused_by_model("predict", "size,colour,price\nhuge,red,2\n", &parts);
}

#[test]
fn prediction_with_a_number_that_is_not_finite() {
    let parts = ["new.csv line 2 column \"price\": inf is not a finite number"];
    refused_by_model("explain", "size,colour,price\n1,red,inf\n", &parts);
}

#[test]
fn prediction_from_a_header_alone() {
    refused_by_model(
        "predict",
        "size,colour,price\n",
        &["new.csv: it is empty: expected at least one sample"],
    );
}

#[test]
fn evaluation_without_the_target() {
    refused_by_model("evaluate", "size,colour,price\n1,red,2\n", &["new.csv: no column \"kind\""]);
}

#[test]
fn a_label_that_training_never_saw() {
    let parts = ["new.csv line 2 column \"kind\": label \"huge\" is not one of big, small"];
    refused_by_model("evaluate", "size,colour,price,kind\n1,red,2,huge\n", &parts);
}

#[test]
fn evaluation_of_numbers_with_a_word() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target price --out model";
    desk.ok(&format!("train --task tabular {files} --k 2 {QUICK}"));
    desk.write("new.csv", "size,colour,price,kind\n1,red,cheap,big\n");
    let parts = ["new.csv line 2 column \"price\": the target \"cheap\" is not a finite number"];
    desk.refused("evaluate model --data new.csv", &parts);
}

#[test]
fn lines_that_end_with_carriage_returns_alone() {
    let parts = ["houses.csv: its lines end with carriage returns alone"];
    refused("houses.csv", houses().replace('\n', "\r"), "--target kind", &parts);
    // With line feeds as well they are read.
    let desk = Desk::new();
    desk.write("houses.csv", houses().replace('\n', "\r\n"));
    desk.ok(&format!(
        "train --task tabular --data houses.csv {QUICK} --target kind --out model --quiet"
    ));
}

#[test]
fn numbers_to_predict_that_have_no_standard_deviation() {
    let row = |i: usize| format!("{},{}{i}e305\n", i % 7, ["", "-"][i % 2]);
    let rows: String = (1..99).map(row).collect();
    let parts = ["kind: its numbers are too large to standardise"];
    refused("houses.csv", format!("size,kind\n{rows}"), "--target kind", &parts);
}

#[test]
fn a_column_with_a_name_of_a_megabyte() {
    let desk = Desk::new();
    desk.write("wide.csv", format!("{},kidn\n1,a\n2,b\n", "x".repeat(1 << 20)));
    let done = desk.run("train --task tabular --data wide.csv --target kind --out model");
    assert_eq!((done.code, done.err.lines().count()), (Some(2), 1));
    assert!(done.err.len() < 500 && done.err.contains("did you mean \"kidn\"?"), "{}", done.err);
}

#[test]
fn a_cell_of_a_megabyte() {
    let desk = Desk::new();
    let cell = "x".repeat(1 << 20);
    desk.write("houses.csv", houses_with(5, 2, &cell));
    let more = "--target price --out model --set data.columns.price=numeric";
    let done = desk.run(&format!("train --task tabular --data houses.csv {more}"));
    assert_eq!((done.code, done.err.lines().count()), (Some(2), 1));
    assert!(done.err.starts_with("error: houses.csv line 5") && done.err.len() < 5000);
}

#[test]
fn prediction_with_a_number_that_is_too_large() {
    let parts = ["column = price: 1.00e308 in row 0 is too large for this model"];
    refused_by_model("predict", "size,colour,price\n1,red,1e308\n", &parts);
}
