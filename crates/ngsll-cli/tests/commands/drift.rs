//! `drift`, and the model card.

use crate::answers::parse;
use crate::common::data::{digits, houses, reviews};
use crate::common::{Desk, QUICK};

/// The rows of a table, several times, with another text in the place of some.
fn times(table: &str, n: usize, from: &str, to: &str) -> String {
    let (header, rows) = table.split_once('\n').unwrap();
    format!("{header}\n{}", rows.repeat(n).replace(from, to))
}

#[test]
fn shifts_of_a_table_are_reported_column_by_column() {
    let desk = Desk::new();
    desk.write("houses.csv", times(&houses(), 5, "", ""));
    let files = "--data houses.csv --target kind";
    desk.ok(&format!("train --task tabular {files} --k 2 {QUICK} --out model"));
    assert!(desk.ok("drift model --data houses.csv").ends_with("\nNothing moved.\n"));
    let json = parse(&desk.ok("drift model --data houses.csv --json"));
    assert_eq!((&json["rows"], &json["findings"]), (&400.into(), &serde_json::json!([])));

    // One row is too few, whatever it holds.
    desk.write("one.csv", "size,colour,price,kind\n900,red,1,big\n");
    let shown = desk.ok("drift model --data one.csv");
    assert!(shown.ends_with(
        "\nToo few samples to tell: with fewer than 30, differences are due to chance.\n"
    ));
    assert_eq!(parse(&desk.ok("drift model --data one.csv --json"))["too_few"], true);

    // Labels are not needed.
    let unlabelled = times(&houses(), 5, "red", "blue").replace(",kind", "").replace(",big", "");
    desk.write("new.csv", unlabelled.replace(",small", ""));
    let shown = desk.ok("drift model --data new.csv");
    let line = "column \"colour\": blue in 50.0 % of the rows, 2";
    assert!(shown.contains(line) && shown.contains("Moved far"), "{shown}");
    assert!(!shown.contains("column \"size\""), "{shown}");
    let json = parse(&desk.ok("drift model --data new.csv --json"));
    let first = &json["findings"][0];
    assert!(first["psi"].as_f64().unwrap() > 0.25 && first["now"].as_f64().is_some(), "{first}");
}

#[test]
fn texts_and_images() {
    let desk = Desk::new();
    desk.text_model();
    assert!(desk.ok("drift model --data reviews.tsv").contains("Nothing moved."));
    desk.write("new.tsv", reviews().replace("film", "opera").repeat(4));
    let shown = desk.ok("drift model --data new.tsv");
    assert!(shown.contains("the word \"film\" is in 0.0 % of the texts"), "{shown}");
    assert!(shown.contains("of all words are not in the vocabulary, 0.0 % in training"), "{shown}");

    let desk = Desk::new();
    desk.image_model();
    let (images, _) = digits(400);
    desk.write("new-idx3-ubyte", &images);
    assert!(desk.ok("drift model --data new-idx3-ubyte").contains("Nothing moved."));
    let header = images[..16].to_vec();
    desk.write("dark-idx3-ubyte", [header, vec![250; images.len() - 16]].concat());
    let shown = desk.ok("drift model --data dark-idx3-ubyte");
    assert!(shown.contains("row 1, column 1: ink above"), "{shown}");
}

#[test]
fn a_card_has_the_figures_and_room_for_the_intended_use() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target kind --set data.drop=[\"price\"] --test-fraction 0.2";
    desk.ok(&format!("train --task tabular {files} --judge --k 2 {QUICK} --out model"));
    desk.ok("describe model --out card.md");
    let card = desk.read_text("card.md");
    for part in [
        "# model\n",
        "| predicts | 2 classes (big, small) |",
        "## Intended use\n\n*To be filled in",
        "| test accuracy |",
        "| columns left out | price |",
        "Measured with K = 2 on 16 samples of houses.csv (held out):",
    ] {
        assert!(card.contains(part), "no {part:?} in\n{card}");
    }
    let kept = desk.read_text("model/README.md");
    assert_eq!(kept.replacen("# An NGSLL model", "# model", 1), card);
}
