//! Notes about the data before training, and about new data at prediction.

use crate::answers::parse;
use crate::common::data::noisy_rows;
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

/// The notes of training on a table.
#[track_caller]
fn notes(desk: &Desk, more: &str) -> Vec<String> {
    let done =
        desk.run(&format!("train --task tabular --data table.csv {QUICK} {more} --out model"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let notes = done.err.lines().filter_map(|line| line.strip_prefix("note: "));
    notes.filter(|note| !note.contains("help on the validation rows")).map(String::from).collect()
}

/// The parts of a date are not columns of the file: leaving them out needs the name of the date.
#[test]
fn a_date_that_predicts_the_target_is_named_once_and_can_be_left_out() {
    let desk = Desk::new();
    let row = |i: usize| {
        let day = format!("20{:02}-{:02}-{:02}", 10 + i / 12, 1 + i % 12, 1 + i % 28);
        format!("{day},{:.2},{}\n", draw(i, 1), 31 * i + i % 28)
    };
    let rows: String = (0..160).map(row).collect();
    desk.write("table.csv", format!("taken,size,count\n{rows}"));
    let found = notes(&desk, "--target count");
    let leaks: Vec<&String> = found.iter().filter(|n| n.contains("by itself")).collect();
    assert_eq!(leaks.len(), 1, "{leaks:?}");
    assert!(leaks[0].starts_with("column \"taken\" predicts the target by itself"), "{}", leaks[0]);
    let way_out =
        "will it be known when a prediction is made? --set 'data.drop=[\"taken\"]' leaves it out";
    assert!(leaks[0].ends_with(way_out), "{}", leaks[0]);
    std::fs::remove_dir_all(desk.path("model")).unwrap();
    let left = notes(&desk, "--target count --set data.drop=[\"taken\"]");
    assert!(left.iter().all(|note| !note.contains("by itself")), "{left:?}");
}

/// Nothing in these columns is related to the target.
#[test]
fn a_model_no_better_than_a_guess_is_reported() {
    let desk = Desk::new();
    let row = |i: usize| format!("{:.3},{:.3},{:.3}\n", draw(i, 1), draw(i, 2), draw(i, 9));
    desk.write("table.csv", format!("a,b,y\n{}", (0..120).map(row).collect::<String>()));
    let train = format!("train --task tabular --data table.csv --target y {QUICK} --out model");
    let printed =
        "note: on the validation samples the model is no better than always predicting the mean";
    assert!(desk.run(&train).err.contains(printed));
    let useful = |i: usize| format!("{:.3},{:.3},{:.3}\n", draw(i, 1), draw(i, 2), draw(i, 1));
    desk.write("useful.csv", format!("a,b,y\n{}", (0..120).map(useful).collect::<String>()));
    let done = desk.run("evaluate model --data useful.csv");
    assert!(done.err.contains("note: on the samples the model is no better than"), "{}", done.err);
    let train = format!("train --task tabular --data useful.csv --target y {QUICK} --out useful");
    assert!(!desk.run(&train).err.contains("no better than"));
}

#[test]
fn columns_that_are_what_they_seem_are_passed_over() {
    let desk = Desk::new();
    desk.write("table.csv", birds());
    let printed = notes(&desk, "--target species");
    assert_eq!(printed.len(), 1, "{printed:?}");
    assert!(printed[0].starts_with("figures from 24 validation rows are rough; cross-validation"));
    assert!(printed[0].ends_with("; --folds 5 measures on all samples"), "{printed:?}");
}

#[test]
fn each_trap_is_named_with_its_way_out() {
    let desk = Desk::new();
    desk.write("table.csv", traps());
    let printed = notes(&desk, "--target outcome --test-fraction 0.1");
    let has = |start: &str, end: &str| {
        let found = printed.iter().any(|note| note.starts_with(start) && note.ends_with(end));
        assert!(found, "{start} … {end} is not in {printed:#?}");
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
        "? --set 'data.drop=[\"paid\"]' leaves it out",
    );
    has("", "remove repeated samples from the data");
    has("1 class has fewer than ten samples (\"unsure\" ", "; --group GROUPS merges classes");
    has("there are only 3 features", "so K is 3, not 5");
    assert_eq!(printed.len(), 8, "{printed:#?}");

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

/// Two columns that are left out like ids tell rows apart that are alike in the others.
#[test]
fn samples_that_differ_in_a_column_that_is_left_out_are_not_repeated() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (size, weight) = (i % 7 * 13, i % 5 * 11);
        format!("{size},{weight},{},note {i},{}\n", i % 3 * 7, ["no", "yes"][i % 2])
    };
    let rows: String = (0..240).map(row).collect();
    desk.write("table.csv", format!("size,weight,height,remark,sold\n{rows}"));
    let printed = notes(&desk, "--target sold --test-fraction 0.1");
    assert!(printed.iter().any(|note| note.contains("\"remark\"")), "{printed:?}");
    assert!(printed.iter().all(|note| !note.contains("repeated")), "{printed:?}");
}

#[test]
fn an_id_can_be_kept() {
    let desk = Desk::new();
    desk.write("table.csv", traps());
    let printed = notes(&desk, "--target outcome --set data.keep=[\"id\"]");
    assert!(printed.iter().all(|note| !note.contains("\"id\"")), "{printed:?}");
    assert!(desk.read_text("model/columns.json").contains("\"id\""));
    let train = "train --task tabular --data table.csv --target outcome";
    let parts = ["--set data.keep=idd: the data have no column of this name"];
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
        done.err.contains(
            "note: column \"bill_length_mm\" has no value in 240 of 240 rows, which it always had in training; \
             predictions are made without it there"
        ),
        "{}",
        done.err
    );
    // Also of one row, and in JSON lines without the name.
    desk.write(
        "one.jsonl",
        "{\"island\": \"Dream\", \"body_mass_g\": 3500, \"sex\": \"male\", \"age\": 3}\n",
    );
    let done = desk.run("explain model --data one.jsonl");
    assert!(done.err.contains("no row has the columns \"bill_length_mm\""), "{}", done.err);
    assert!(done.err.contains("has no value in 1 of 1 rows"), "{}", done.err);
    desk.write("nothing.csv", "species,island,bill_length_mm,body_mass_g,sex,year,age\n,,,,,,\n");
    desk.ok("predict model --data nothing.csv");
}

/// A column that is never chosen may be absent.
#[test]
fn a_column_that_does_not_help_may_be_absent_from_new_data() {
    let desk = Desk::new();
    desk.write("rows.csv", noisy_rows(2200));
    let quick = "--set training.epochs=3 --set generator.units=16";
    desk.ok(&format!("train --task tabular --data rows.csv --target y {quick} --out model"));
    desk.write("without.csv", "x,w\n0.9,0.1\n");
    desk.write("with.csv", "x,a,b,c,d,e,f,g,h,w\n0.9,1,2,3,4,5,6,7,8,0.1\n");
    let [without, with] =
        ["without", "with"].map(|name| desk.run(&format!("predict model --data {name}.csv")));
    assert_eq!((without.out, without.err), (with.out, String::new()));
    desk.write("other.csv", "x,a\n0.5,1\n");
    desk.refused("predict model --data other.csv", &["other.csv: no column \"w\""]);
}

#[test]
fn a_row_of_totals_and_a_slip_in_the_target_are_named() {
    let desk = Desk::new();
    let sales = |i: usize| {
        let (size, staff) = (80 + 10 * (i * 7 % 23), 2 + i * 5 % 9);
        (size, staff, 90 * size + 13 * (i * 11 % 37))
    };
    let row = |i: usize| {
        let (size, staff, sold) = sales(i);
        format!("{};{size};{staff};{sold}\n", if i < 3 { "north" } else { "" })
    };
    let rows: String = (0..120).map(row).collect();
    let sum =
        |of: fn((usize, usize, usize)) -> usize| (0..120).map(|i| of(sales(i))).sum::<usize>();
    let (size, staff, sold) = (sum(|row| row.0), sum(|row| row.1), sum(|row| row.2));
    let header = "region;size;staff;sold\n";
    desk.write("table.csv", format!("{header}{rows}Total;{size};{staff};{sold}\n"));
    let printed = notes(&desk, "--target sold");
    let has = |printed: &[String], start: &str| {
        assert!(printed.iter().any(|n| n.starts_with(start)), "{start}: {printed:#?}")
    };
    has(
        &printed,
        "table.csv line 122 holds the sums of the rows above, but is used for training like any other; remove it",
    );
    has(&printed, "column \"region\" has a value in only 4 of 121 rows; if cells were merged");

    std::fs::remove_dir_all(desk.path("model")).unwrap();
    desk.write("table.csv", format!("{header}{rows};100;4;900000000\n"));
    let printed = notes(&desk, "--target sold");
    has(
        &printed,
        "the target is 900,000,000 in table.csv line 122, while the middle half of all values is between",
    );
    let way_out = "correct it if it is an error; --set training.loss=huber makes them count less";
    assert!(printed.iter().any(|note| note.ends_with(way_out)), "{printed:#?}");
}

#[test]
fn spellings_of_one_class_are_named_with_the_groups_that_merge_them() {
    let desk = Desk::new();
    let row = |i: usize| {
        let big = draw(i, 1) > 0.5;
        let class = if big { ["yes", "Yes", "YES"][i % 3] } else { ["no", "No"][i % 2] };
        format!("{:.3},{class}\n", draw(i, 1))
    };
    desk.write("table.csv", format!("size,big\n{}", (0..120).map(row).collect::<String>()));
    let printed = notes(&desk, "--target big");
    let note = printed
        .iter()
        .find(|note| note.starts_with("classes differ by case or spaces only"))
        .unwrap();
    let (_, groups) = note.split_once("; --group ").unwrap();
    let groups = groups.strip_suffix(" makes one class of each").unwrap();
    let groups = groups.trim_matches('\'');
    std::fs::remove_dir_all(desk.path("model")).unwrap();
    let printed = notes(&desk, &format!("--target big --group {groups}"));
    assert!(printed.iter().all(|note| !note.contains("differ by case")), "{printed:?}");
}
