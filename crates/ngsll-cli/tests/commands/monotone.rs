//! Columns in whose value the score may only rise or only fall.

use crate::common::data::houses;
use crate::common::{Desk, QUICK};

/// A price that rises with the size is required never to do so.
#[test]
fn a_monotone_column_is_promised_and_the_promise_is_kept() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target price --k 2 --out model";
    let asked = "--set data.columns.size.monotone=down";
    desk.ok(&format!("train --task tabular {files} {QUICK} {asked}"));
    let promised = "never rises as size rises, all else equal (as requested)";
    let about = desk.ok("describe model");
    let words = about.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("The predicted price {promised}.")), "{about}");
    let train = desk.read_text("model/train.toml");
    assert!(train.contains("[data.columns.size]\nmonotone = \"down\""), "{train}");
    desk.ok("explain model --data houses.csv --rows 0-3 --format html --out page.html");
    desk.ok("evaluate model --data houses.csv --report report.html");
    for file in ["model/README.md", "page.html", "report.html"] {
        assert!(desk.read_text(file).contains(promised), "{file}");
    }

    let sizes = [-1e9, -3.0, 0.0, 0.5, 1.0, 2.0, 3.5, 6.0, 9.0, 40.0, 1e9];
    let rows = sizes.map(|size| format!("{size},red,big\n")).concat();
    desk.write("new.csv", format!("size,colour,kind\n{rows}"));
    for k in 1..=3 {
        let shown = desk.ok(&format!("predict model --data new.csv --k {k}"));
        let value = |line: &str| line.split(',').nth(1).unwrap().parse::<f64>().unwrap();
        let values: Vec<f64> = shown.lines().skip(1).map(value).collect();
        assert_eq!(values.len(), sizes.len(), "{shown}");
        let rises = values.windows(2).any(|pair| pair[1] > pair[0] + 1e-5 * pair[0].abs());
        assert!(!rises, "K = {k}: {values:?}");
    }
}
