//! Every kind of data, from training to explanation.

use crate::answers::{Expected, check};
use crate::common::data::{digit, digits, gzip, houses, png, reviews};
use crate::common::{Desk, QUICK, QUICK_IMAGE, QUICK_TEXT};
use serde_json::Value;

const WORDS: &[&str] = &[
    "a", "and", "bad", "poor", "plain", "good", "fine", "film", "number", ",", "\"", "0", "1", "2",
    "3", "4", "5", "6",
];
const COLUMNS: &[&str] = &["size", "colour", "price", "kind"];
/// Whether the levels of a column are features.
const LEVELS: &[&str] = &["size", "colour=", "price", "kind="];

#[test]
fn text_in_lines() {
    let desk = Desk::new();
    desk.text_model();
    let classes = &["neg", "pos"];
    check(
        &desk,
        &Expected {
            data: "reviews.tsv",
            rows: 60,
            k: 2,
            classes,
            features: WORDS,
            evidence: "chosen",
        },
    );
    // Text alone is enough to predict.
    desk.write("new.txt", "a good film\nnothing known 漢字\n");
    assert_eq!(desk.ok("predict model --data new.txt").lines().count(), 3);
}

#[test]
fn text_in_a_csv_with_three_classes() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (class, words) =
            [("low", "bad, \"poor\""), ("mid", "plain"), ("high", "good, fine")][i % 3];
        format!("{i},{class},\"a {} film\"\n", words.replace('"', "\"\""))
    };
    let text = "id,stars,review\n".to_string() + &(0..60).map(row).collect::<String>();
    desk.write("reviews.csv", text);
    let files = "--data reviews.csv --target stars --set data.text=review --out model";
    desk.ok(&format!("train --task text {files} --k 2 {QUICK_TEXT}"));
    let classes = &["high", "low", "mid"];
    check(
        &desk,
        &Expected {
            data: "reviews.csv",
            rows: 60,
            k: 2,
            classes,
            features: WORDS,
            evidence: "chosen",
        },
    );
}

#[test]
fn the_papers_network_and_preset() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    let more = "--preset paper --set generator.kind=sentence_cnn --set training.gate=shared";
    desk.ok(&format!("train --task text --data reviews.tsv --k 3 {QUICK_TEXT} {more} --out model"));
    let classes = &["neg", "pos"];
    check(
        &desk,
        &Expected {
            data: "reviews.tsv",
            rows: 60,
            k: 3,
            classes,
            features: WORDS,
            evidence: "whole",
        },
    );
}

#[test]
fn a_table_whose_levels_are_features() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target kind --preset annealed --out model";
    desk.ok(&format!("train --task tabular {files} --k 2 {QUICK}"));
    let (classes, evidence) = (&["big", "small"], "whole");
    check(
        &desk,
        &Expected { data: "houses.csv", rows: 80, k: 2, classes, features: LEVELS, evidence },
    );
}

#[test]
fn a_table_of_classes() {
    let desk = Desk::new();
    desk.table_model();
    let classes = &["big", "small"];
    check(
        &desk,
        &Expected {
            data: "houses.csv",
            rows: 80,
            k: 2,
            classes,
            features: COLUMNS,
            evidence: "chosen",
        },
    );
    // The target may be absent, levels unknown and values missing.
    desk.write("new.csv", "price,colour,size\n,violet,\n120,NA,3\n");
    assert_eq!(desk.ok("predict model --data new.csv").lines().count(), 3);
}

/// `none` is a level beside lap and shoulder, in training and after, and a missing number in `alk.phos`.
#[test]
fn a_table_with_none_among_levels_and_a_dot_in_a_name() {
    let desk = Desk::new();
    let row = |i: usize| {
        let belt = ["none", "lap", "shoulder", "NA"][i % 4];
        let number = if i.is_multiple_of(10) { "none".to_string() } else { (i % 7).to_string() };
        let sex = if i % 5 == 3 { "" } else { "f" };
        format!(
            "{belt},{number},{number},{sex},{}\n",
            if i.is_multiple_of(4) { "hurt" } else { "well" }
        )
    };
    let header = "seatbelt,alk.phos,ward,sex,outcome\n".to_string();
    desk.write("people.csv", header + &(0..80).map(row).collect::<String>());
    let files = "--data people.csv --target outcome --k 2 --out model";
    let set = "--set data.columns.\"ward\"=categorical --set data.columns.\"alk.phos\"=numeric";
    desk.ok(&format!("train --task tabular {files} {QUICK} {set}"));
    let about = desk.ok("describe model");
    let columns = "4 columns: seatbelt (3 levels), alk.phos, ward (8 levels), sex (1 level)";
    assert!(about.contains(columns), "{about}");
    desk.write("new.csv", "seatbelt,alk.phos,ward,sex\nnone,none,none,f\n,,,\n");
    let rows = desk.ok("explain model --data new.csv --k 4 --format csv");
    let has = |row: &str, cell: &str| {
        rows.lines().any(|line| line.starts_with(row) && line.contains(cell))
    };
    assert!(has("0,", ",seatbelt,0,none,") && has("0,", ",ward,0,none,"), "{rows}");
    assert!(has("0,", ",alk.phos,") && !has("0,", ",alk.phos,0,none,"), "{rows}");
    assert!(!has("1,", ",none,"), "{rows}");
    let done = desk.run("predict model --data new.csv");
    assert!(done.code == Some(0) && !done.err.contains("never saw"), "{}", done.err);
}

#[test]
fn a_table_of_numbers() {
    let desk = Desk::new();
    desk.write("houses.csv.gz", gzip(houses().as_bytes()));
    let files = "--data houses.csv.gz --target price --test-fraction 0.1 --out model";
    desk.ok(&format!("train --task tabular {files} --k 2 {QUICK}"));
    check(
        &desk,
        &Expected {
            data: "houses.csv.gz",
            rows: 80,
            k: 2,
            classes: &[],
            features: COLUMNS,
            evidence: "chosen",
        },
    );
}

#[test]
fn images_in_idx() {
    let desk = Desk::new();
    desk.image_model();
    let classes = &["0", "1"];
    let expected = Expected {
        data: "images-idx3-ubyte",
        rows: 40,
        k: 2,
        classes,
        features: &["row "],
        evidence: "chosen",
    };
    check(&desk, &expected);
}

#[test]
fn images_in_compressed_idx_by_groups() {
    let desk = Desk::new();
    let (images, labels) = digits(40);
    desk.write("x.gz", gzip(&images));
    desk.write("y.gz", gzip(&labels));
    let files = "--data x.gz --labels y.gz --group 0=left,1-9=right --out model";
    desk.ok(&format!("train --task image {files} --k 2 {QUICK_IMAGE}"));
    let lines = desk.ok("evaluate model --data x.gz --labels y.gz");
    assert!(lines.contains("accuracy"), "{lines}");
    assert!(desk.ok("predict model --data x.gz").starts_with("row,prediction,p(left),p(right)\n"));
}

#[test]
fn images_in_folders() {
    let desk = Desk::new();
    for i in 0..40 {
        let class = ["left", "right"][i % 2];
        desk.write(&format!("images/{class}/{i}.png"), png(8, 8, &digit(i)));
    }
    desk.ok(&format!("train --task image --data images --k 2 {QUICK_IMAGE} --out model"));
    let classes = &["left", "right"];
    check(
        &desk,
        &Expected {
            data: "images",
            rows: 40,
            k: 2,
            classes,
            features: &["row "],
            evidence: "chosen",
        },
    );
    assert_eq!(desk.ok("predict model --data images/left/0.png").lines().count(), 2);
}

#[test]
fn a_validation_file() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.write("valid.tsv", "pos\ta good film\nneg\ta bad film\n");
    let files = "--data reviews.tsv --valid valid.tsv --out model";
    let done = desk.run(&format!("train --task text {files} --k 2 {QUICK_TEXT}"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("60 to train, 2 to validate, 0 to test"), "{}", done.err);
}

#[test]
fn examples_are_kept_by_default_and_change_nothing_else() {
    let desk = Desk::new();
    desk.text_model();
    let kept: Vec<Value> = serde_json::from_slice(&desk.read("model/examples.json")).unwrap();
    // Of 60 samples 6 are for validation; the classes take turns.
    assert_eq!(kept.len(), 6);
    assert_ne!(kept[0]["label"], kept[1]["label"]);
    let reviews = desk.read_text("reviews.tsv");
    for example in kept {
        let line = format!(
            "{}\t{}",
            example["label"].as_str().unwrap(),
            example["text"].as_str().unwrap()
        );
        assert!(reviews.lines().any(|known| known == line), "{line}");
    }
    let none = "--set data.examples=0 --out none";
    desk.ok(&format!("train --task text --data reviews.tsv --k 2 {QUICK_TEXT} {none}"));
    assert!(!desk.path("none/examples.json").exists());
    assert_eq!(desk.read("none/model.safetensors"), desk.read("model/model.safetensors"));
    desk.ok("describe none");
}

#[test]
fn images_of_several_sizes_that_a_csv_names() {
    let desk = Desk::new();
    let mut list = "file,kind\n".to_string();
    for i in 0..40 {
        // Every tenth is larger, with each pixel four times.
        let double = |at: usize| digit(i)[at / 32 * 8 + at % 16 / 2];
        let image = match i % 10 {
            9 => png(16, 16, &(0..256).map(double).collect::<Vec<u8>>()),
            _ => png(8, 8, &digit(i)),
        };
        desk.write(&format!("lists/pictures/{i}.png"), image);
        list += &format!("pictures/{i}.png,{}\n", ["left", "right"][i % 2]);
    }
    desk.write("lists/photos.csv", list);
    let files = "--data lists/photos.csv --target kind --out model";
    let done = desk.run(&format!("train --task image {files} --k 2 {QUICK_IMAGE}"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let note = "note: 4 of 40 images have another size than 8×8 and were scaled, shown whole with a margin";
    assert!(done.err.contains(note), "{}", done.err);
    // As the pixels were averaged, nothing is lost, and the large ones equal the small ones.
    desk.write("one/small.png", png(8, 8, &digit(0)));
    let double = |at: usize| digit(0)[at / 32 * 8 + at % 16 / 2];
    desk.write("two/large.png", png(16, 16, &(0..256).map(double).collect::<Vec<u8>>()));
    let predicted = |folder: &str| {
        let done = desk.run(&format!("predict model --data {folder} --format json"));
        assert_eq!(done.code, Some(0), "{}", done.err);
        let json: Value = serde_json::from_str(&done.out).unwrap();
        (json[0]["prediction"].clone(), done.err)
    };
    let ((small, quiet), (large, warning)) = (predicted("one"), predicted("two"));
    assert_eq!(small, large);
    assert!(quiet.is_empty() && warning.contains("note: the image has another size"), "{warning}");
    let options = desk.read_text("model/train.toml");
    assert!(options.contains("[data.image]\nfit = \"pad\"\nbackground = \"white\""), "{options}");
}
