//! `evaluate --report`: what the page says, and that no data breaks it.

use crate::answers::parse;
use crate::common::data::{houses, reviews};
use crate::common::{Desk, QUICK, QUICK_TEXT};

/// Evaluates `model` on `data` and gives the page, after what holds for every page.
#[track_caller]
fn page(desk: &Desk, data: &str, more: &str) -> String {
    desk.ok(&format!("evaluate model --data {data} --report page.html {more}"));
    let page = desk.read_text("page.html");
    std::fs::remove_file(desk.path("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    for id in ["mistakes", "trust", "features", "cases"] {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "part {id}");
    }
    for foreign in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(foreign), "the page has {foreign}");
    }
    assert_eq!(page.matches("<script").count(), 1, "only the page's own script");
    for number in ["NaN", "inf", "Infinity %"] {
        let markup = &page[page.find("<body").unwrap()..page.find("<script").unwrap()];
        assert!(!markup.contains(number), "the page has the number {number}");
    }
    page
}

/// The text between two marks.
#[track_caller]
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let start = page.find(from).unwrap_or_else(|| panic!("no {from:?}")) + from.len();
    let end = page[start..].find(to).unwrap_or_else(|| panic!("no {to:?} after {from:?}"));
    &page[start..start + end]
}

#[test]
fn two_classes_of_text_with_json_beside_it() {
    let desk = Desk::new();
    desk.text_model();
    let alone = parse(&desk.ok("evaluate model --data reviews.tsv --json"));
    let beside = parse(&desk.ok("evaluate model --data reviews.tsv --json --report page.html"));
    for (key, value) in alone.as_object().unwrap() {
        assert!(key == "seconds" || beside[key] == *value, "{key}: {value} and {}", beside[key]);
    }
    let page = desk.read_text("page.html");
    let right = (alone["accuracy"].as_f64().unwrap() * 60.0).round();
    assert!(
        page.contains(&format!("<b>{right} of 60</b> rows")),
        "{}",
        between(&page, "<p class=\"lead\">", "</p>")
    );
    for figure in ["AUROC", "Log loss", "Brier score", "Calibration error"] {
        assert!(page.contains(&format!("<dt>{figure}</dt>")), "no {figure}");
    }
    // The cells of the matrix add up to the rows.
    let matrix = between(&page, "<table class=\"confusion\">", "</table>");
    let cells = matrix.split("<td").skip(2).map(|cell| between(cell, ">", "<"));
    assert_eq!(cells.map(|n| n.parse::<usize>().unwrap()).sum::<usize>(), 60);
    assert_eq!(page.matches("<article").count(), 60);
    // Both sides of the one score have their names, and the runner-up its words.
    assert!(page.contains("supports pos") && page.contains("supports neg"));
    assert!(page.contains("Runner-up") && page.contains("support"));
    assert!(page.contains("data-error=\"") && page.contains("data-confidence=\"0."));
}

#[test]
fn a_report_is_the_same_whatever_the_number_of_threads() {
    let desk = Desk::new();
    desk.text_model();
    // More rows than are read at a time and than are kept for drawing.
    desk.write("long.tsv", reviews().repeat(50));
    let with = |threads: &str| {
        let mut command = desk.command("evaluate model --data long.tsv --report page.html");
        assert!(command.env("RAYON_NUM_THREADS", threads).status().unwrap().success());
        let page = desk.read_text("page.html");
        std::fs::remove_file(desk.path("page.html")).unwrap();
        page
    };
    let page = with("1");
    assert!(page == with("2"), "the pages differ");
    assert!(page.contains("dots are drawn, at random") && page.contains("3,000</b> rows"));
    assert!(page.contains("On 2,000 rows drawn at random."));
    assert_eq!(page.matches("<article").count(), 60);
}

#[test]
fn numbers_with_missing_values_and_a_smaller_k() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target price --out model";
    desk.ok(&format!("train --task tabular {files} --k 3 {QUICK}"));
    let page = page(&desk, "houses.csv", "--k 2");
    for part in [
        "Predicted against true",
        "Errors",
        "How large its errors are",
        "<dt>RMSE</dt>",
        "<dt>MAE</dt>",
        "<dt>Median error</dt>",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    assert!(!page.contains("Calibration") && !page.contains("class=\"confusion"));
    assert!(
        page.contains("at most K\u{a0}=\u{a0}2") && page.contains("How many features it takes")
    );
    assert!(page.contains("it chooses and weighs them anew for each k.</p>"));
    assert!(page.contains("<title>k = 3: ") && page.contains("in the units of price"));
    assert!(page.contains("(the mean)") && page.contains("saw nothing else."));
    assert!(
        page.contains("<td><span class=\"none\">missing</span></td>"),
        "a missing value says so"
    );
    assert!(page.contains("that are furthest off, then 12 drawn at random."));
}

#[test]
fn a_gate_that_keeps_fewer_weights() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target price --preset annealed --out model";
    desk.ok(&format!("train --task tabular {files} --k 3 {QUICK}"));
    let page = page(&desk, "houses.csv", "--k 2");
    assert!(page.contains("Fewer terms") && page.contains("It was trained for K = 3."));
    assert!(page.contains("<title>k = 3: ") && page.contains("so a term need not be the reason."));
    assert!(page.contains("intercept ") && !page.contains("with no feature known"));
}

#[test]
fn a_constant_number_and_one_term() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target price --preset annealed --out model";
    desk.ok(&format!("train --task tabular {files} --k 1 {QUICK}"));
    desk.write(
        "same.csv",
        "size,colour,kind,price\n".to_string() + &"3.5,red,big,101.7\n".repeat(3),
    );
    let page = page(&desk, "same.csv", "");
    assert!(page.contains("The true value is the same in all of them."));
    assert!(!page.contains("<dt>R²</dt>") && page.contains("each score has a single term"));
    assert!(page.contains("All rows, those that are furthest off first."));
}

#[test]
fn one_class_only_and_always_the_same_prediction() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("one.tsv", "neg\tbad film\nneg\tbad film\n");
    let page = page(&desk, "one.tsv", "");
    assert!(page.contains("title=\"there are none\">–"), "pos has no rows");
    assert!(page.contains("never predicted"));
    assert!(!page.contains("<dt>AUROC</dt>"));
}

#[test]
fn names_that_look_like_markup_stay_text() {
    let desk = Desk::new();
    let row = |i: usize| {
        let class = ["<img/onerror=x>", "\"a&b'"][i % 2];
        format!("{},<u>{}</u>,\"{}\"\n", i % 2 * 10 + i % 3, i % 4, class.replace('"', "\"\""))
    };
    let table: String = (0..60).map(row).collect();
    desk.write(
        "odd.csv",
        format!("<script>alert(1)</script>,\"x\"\" onload=\"\"y\",kind\n{table}"),
    );
    desk.ok(&format!(
        "train --task tabular --data odd.csv --target kind --k 2 {QUICK} --out model"
    ));
    let page = page(&desk, "odd.csv", "");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("&lt;img/onerror=x&gt;") && page.contains("&quot;a&amp;b&#39;"));
    for raw in ["<img", "<script>alert", "<u>0", "onload=\"y"] {
        assert!(!page.contains(raw), "{raw} is markup");
    }
}

#[test]
fn three_hundred_classes_and_very_long_texts() {
    let desk = Desk::new();
    let line = |i: usize| format!("class{:03}\tword{} and {} more\n", i % 300, i % 300, i % 7);
    desk.write("many.tsv", (0..900).map(line).collect::<String>());
    desk.ok(&format!("train --task text --data many.tsv --k 2 {QUICK_TEXT} --out model"));
    let long = format!("class000\t{} and {}\n", "a".repeat(50_000), "word1 and ".repeat(3000));
    desk.write("long.tsv", (0..300).map(line).collect::<String>() + &long);
    let page = page(&desk, "long.tsv", "");
    assert!(page.contains("The most common mistakes") && !page.contains("class=\"confusion"));
    assert!(page.contains("a matrix of 300 classes would be too large"));
    assert!(page.contains(" more have smaller scores."));
    assert!(page.contains("Why class") && page.contains(", the runner-up <span"));
    assert!(page.len() < 6_000_000, "the page has {} bytes", page.len());
}
