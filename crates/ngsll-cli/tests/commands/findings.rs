//! Notes about the data before training, and about new data at prediction.

use crate::answers::parse;
use crate::common::{Desk, QUICK};

/// Pseudorandom numbers from 0 to 1 that are the same each time.
fn draw(i: usize, purpose: usize) -> f64 {
    let mixed = (i * 2_654_435_761 + purpose * 40_503 + 12_345) % 4_294_967_291;
    (mixed * mixed % 1_000_003) as f64 / 1_000_003.0
}

/// 240 birds as in the table of the penguins: every column is what it seems.
fn birds() -> String {
    let row = |i: usize| {
        let species = ["Adelie", "Chinstrap", "Gentoo"][i % 3];
        let length = 38.0 + 4.0 * (i % 3) as f64 + 8.0 * draw(i, 1);
        let (mass, year) = (3300 + (draw(i, 2) * 300.0) as usize * 5, 2007 + i % 3 * 7 % 3);
        let island = ["Biscoe", "Dream", "Torgersen"][(draw(i, 3) * 3.0) as usize];
        let sex = ["male", "female", ""][(draw(i, 4) * 2.1) as usize];
        let age = 1 + (draw(i, 5) * 12.0) as usize;
        format!("{species},{island},{length:.1},{mass},{sex},{},{age}\n", year + i / 90)
    };
    let header = "species,island,bill_length_mm,body_mass_g,sex,year,age\n";
    header.to_string() + &(0..240).map(row).collect::<String>()
}

/// 240 rows with one trap of each kind.
fn traps() -> String {
    let row = |i: usize| {
        let (size, region) = (draw(i, 1) * 90.0, (draw(i, 2) * 5.0) as usize);
        let sold = draw(i, 3) + [0.2, -0.4, 0.5, -0.3, 0.4][region] > 0.5;
        let class = if i < 4 { "unsure" } else { ["no", "yes"][usize::from(sold)] };
        let paid = match class {
            "yes" => format!("{:.2}", 100.0 + size),
            "no" => "0".to_string(),
            _ => "-1".to_string(),
        };
        format!("{},EUR,,{region},{size:.3},{paid},{class}\n", 1000 + i)
    };
    let mut rows: Vec<String> = (0..240).map(row).collect();
    for i in (0..60).map(|i| i * 4) {
        // With an id of its own.
        let rest = rows[i].split_once(',').unwrap().1.to_string();
        rows.push(format!("{},{rest}", 5000 + i));
    }
    "id,currency,comment,region,size,paid,outcome\n".to_string() + &rows.concat()
}

/// What training on a table says.
#[track_caller]
fn notes(desk: &Desk, more: &str) -> Vec<String> {
    let done =
        desk.run(&format!("train --task tabular --data table.csv {QUICK} {more} --out model"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let notes = done.err.lines().filter_map(|line| line.strip_prefix("note: "));
    notes.filter(|note| !note.contains("help on the validation rows")).map(String::from).collect()
}

#[test]
fn columns_that_are_what_they_seem_are_passed_over() {
    let desk = Desk::new();
    desk.write("table.csv", birds());
    let said = notes(&desk, "--target species");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("figures from 24 validation rows are rough; cross-validation"));
    assert!(said[0].ends_with("; --folds 5 measures on all samples"), "{said:?}");
}

#[test]
fn each_trap_is_named_with_its_way_out() {
    let desk = Desk::new();
    desk.write("table.csv", traps());
    let said = notes(&desk, "--target outcome --test-fraction 0.1");
    let has = |start: &str, end: &str| {
        let found = said.iter().any(|note| note.starts_with(start) && note.ends_with(end));
        assert!(found, "{start} … {end} is not in {said:#?}");
    };
    has(
        "column \"id\" has 300 distinct values in 300 rows, like an id, and is left out",
        "; --set 'data.keep=[\"id\"]' keeps it",
    );
    has(
        "columns \"comment\", \"currency\" have the same value in every training row",
        ", and are left out",
    );
    has(
        "column \"region\" holds whole numbers that look like category codes",
        "reads it as a category",
    );
    has(
        "column \"paid\" predicts the target by itself, with an accuracy of ",
        "; --set 'data.drop=[\"paid\"]' leaves it out",
    );
    has("", "remove repeated samples from the data");
    has("1 class has fewer than ten samples (\"unsure\" ", "; --group GROUPS merges classes");
    has("there are only 3 features", "so K is 3, not 5");
    assert_eq!(said.len(), 8, "{said:#?}");

    // They are kept with the model, which does without the id.
    let about = parse(&desk.ok("describe model --json"));
    let kinds: Vec<&str> =
        about["findings"].as_array().unwrap().iter().map(|f| f["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[0], "id_column");
    assert!(kinds.contains(&"leak") && kinds.contains(&"repeated_samples"), "{kinds:?}");
    assert!(!desk.read_text("model/columns.json").contains("\"id\""));
    assert!(desk.read_text("model/README.md").contains("- column \"id\" has 300 distinct values"));
    let without: String =
        traps().lines().map(|line| format!("{}\n", line.split_once(',').unwrap().1)).collect();
    desk.write("new.csv", without);
    desk.ok("predict model --data new.csv");
}

#[test]
fn an_id_can_be_kept() {
    let desk = Desk::new();
    desk.write("table.csv", traps());
    let said = notes(&desk, "--target outcome --set data.keep=[\"id\"]");
    assert!(said.iter().all(|note| !note.contains("\"id\"")), "{said:?}");
    assert!(desk.read_text("model/columns.json").contains("\"id\""));
    let train = "train --task tabular --data table.csv --target outcome";
    let parts = ["table.csv: no column \"idd\", but data.keep names it"];
    desk.refused(&format!("{train} --set data.keep=[\"idd\"] --out other"), &parts);
}

#[test]
fn new_data_unlike_that_of_training_is_counted() {
    let desk = Desk::new();
    desk.write("table.csv", birds());
    notes(&desk, "--target species");
    let mut lines: Vec<String> = birds().lines().take(21).map(String::from).collect();
    for line in &mut lines[1..4] {
        *line = "Adelie,Atlantis,455.0,3500,,2008,3".into();
    }
    lines[4] = "Adelie,Biscoe,45.5,3500,male,2031,3".into();
    desk.write("new.csv", lines.join("\n") + "\n");
    for command in ["predict", "explain", "evaluate"] {
        let done = desk.run(&format!("{command} model --data new.csv"));
        assert_eq!(done.code, Some(0), "{}", done.err);
        for note in [
            "note: column \"bill_length_mm\" has numbers far outside the training range in 3 of 20 rows; predictions from them are guesses",
            "note: column \"island\" has values that training never saw in 3 of 20 rows",
            "note: column \"year\" has numbers far outside the training range in 1 of 20 rows",
        ] {
            assert!(done.err.contains(note), "{command}: {}", done.err);
        }
    }
    let done = desk.run("predict model --data table.csv");
    assert_eq!(done.err, "", "what training saw needs no note");
    let blank = |line: &str| line.replacen(line.split(',').nth(2).unwrap(), "", 1);
    let lines: Vec<String> = birds()
        .lines()
        .enumerate()
        .map(|(i, l)| if i == 0 { l.into() } else { blank(l) })
        .collect();
    desk.write("blank.csv", lines.join("\n") + "\n");
    let done = desk.run("predict model --data blank.csv");
    assert!(
        done.err.contains("column \"bill_length_mm\" is empty in all 240 rows"),
        "{}",
        done.err
    );
}
