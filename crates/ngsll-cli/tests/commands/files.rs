//! Files as people bring them: spreadsheets, dates, standard input, columns that name rows, Parquet.

use crate::answers::parse;
use crate::common::{Desk, Done, QUICK, QUICK_TEXT, data};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::io::Write;
use std::process::Stdio;

/// 80 rows with a name, a date, a price with a decimal comma and a class, separated by semicolons.
fn sales() -> String {
    let row = |i: usize| {
        let price = if i == 7 {
            "unknown".to_string()
        } else {
            format!("1.{:03},{}", i % 11 * 90, i % 9 + 1)
        };
        let day = format!("{:02}.{:02}.2024", 1 + i % 28, 1 + i % 12);
        format!("S{i};{day};{price} €;{}\n", if i % 11 > 5 { "big" } else { "small" })
    };
    "sep=;\nname;sold;price;kind\n".to_string()
        + &(0..80).map(row).collect::<String>().replace("unknown €", "unknown")
}

/// Runs a command with something on its standard input.
fn run_with(desk: &Desk, args: &str, input: &[u8]) -> Done {
    let mut command = desk.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_table_of_a_spreadsheet_with_dates_and_names() {
    let desk = Desk::new();
    let latin: Vec<u8> =
        sales().chars().map(|c| if c == '€' { 0x80 } else { u8::try_from(c).unwrap() }).collect();
    desk.write("sales.csv", latin);
    let files = "--data sales.csv --target kind --id name --out model --k 4";
    let done = desk.run(&format!("train --task tabular {files} {QUICK}"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    for note in [
        "note: sales.csv is read as Windows-1252",
        "note: decimal commas (12,5 is 12.5) are read in column \"price\"",
        "note: column \"price\" is read as numbers in €",
        "note: column \"price\" holds numbers; \"unknown\" (1 cell) is read as missing; \
         --set 'data.columns.\"price\"=categorical' makes it a category",
        "note: column \"sold: year\" has the same value in every training row",
    ] {
        assert!(done.err.contains(note), "{note} is not in {}", done.err);
    }

    // Every output says which row it is about, and what that row is called.
    let new = "price,name,sold\n1234.5,A1,2024-03-05\n,A2,\n";
    desk.write("new.csv", new);
    let csv = desk.ok("predict model --data new.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "row,id,prediction,p(big),p(small)");
    assert!(lines[1].starts_with("0,A1,") && lines[2].starts_with("1,A2,"), "{csv}");
    let explained = parse(&desk.ok("explain model --data new.csv --format json --k 4"));
    assert_eq!((&explained[1]["row"], &explained[1]["id"]), (&1.into(), &"A2".into()));
    let terms = explained[0]["outputs"][0]["terms"].as_array().unwrap();
    let observed = |name: &str| {
        let term = terms.iter().find(|term| term["name"] == name);
        term.map(|term| term["observed"].as_str().unwrap().to_string())
    };
    for (name, value) in [
        ("price", "1234.5"),
        ("sold: month", "March"),
        ("sold: weekday", "Tuesday"),
        ("sold: days since 2020-01-01", "1525"),
    ] {
        assert_eq!(observed(name).as_deref(), Some(value), "{terms:?}");
    }
    assert!(desk.ok("explain model --data new.csv").contains("row 1 (A2):"));
    desk.ok("explain model --data new.csv --out page.html");
    assert!(desk.read_text("page.html").contains("row 1 · A2"));

    // A file without that column has no names, unless one is requested.
    desk.write("bare.csv", "price;sold;code\n1.234,5;05/03/2024;x\n");
    assert!(desk.ok("predict model --data bare.csv").starts_with("row,prediction"));
    assert!(desk.ok("predict model --data bare.csv --id code").contains("\n0,x,"));
    desk.refused("predict model --data bare.csv --id name", &["bare.csv: no column \"name\""]);
}

#[test]
fn standard_input_and_output() {
    let desk = Desk::new();
    let table = data::houses();
    let train = format!("train --task tabular --data - --target kind --out model --k 2 {QUICK}");
    let done = run_with(&desk, &train, table.as_bytes());
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("--data FILE"), "{}", done.err);
    assert!(desk.read_text("model/train.toml").contains("path = \"-\""));
    desk.write("houses.csv", &table);
    let expected = desk.ok("predict model --data houses.csv");
    let json: String = table
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let size = if cells[0].is_empty() { "null" } else { cells[0] };
            format!("{{\"size\": {size}, \"colour\": \"{}\", \"price\": {}}}\n", cells[1], cells[2])
        })
        .collect();
    for (input, more) in [
        (table.clone(), ""),
        (table.clone(), "--input-format csv --out -"),
        (table.replace(',', "\t"), ""),
        (json, ""),
    ] {
        let done = run_with(&desk, &format!("predict model --data - {more}"), input.as_bytes());
        assert_eq!((done.code, done.out.as_str()), (Some(0), expected.as_str()), "{}", done.err);
    }
    let done = run_with(&desk, "explain model --data - --rows 0", table.as_bytes());
    assert!(done.out.contains("row 0: predicted"), "{done:?}");
    let done = run_with(&desk, "evaluate model --data - --json", table.as_bytes());
    assert_eq!(parse(&done.out)["n"], 80, "{done:?}");

    let done = run_with(&desk, "predict model --data -", b"size,colour,price\n1,red\n");
    let sentence = "error: standard input line 2: found 2 fields, expected 3 as in the header\n";
    assert_eq!((done.code, done.err.as_str()), (Some(2), sentence));
    desk.refused(
        "predict model --data houses.csv --input-format csv",
        &["--input-format: only for --data -; the format of a file follows from its name"],
    );
    desk.write("digits", "");
    desk.refused(
        "train --task image --data - --out digits-model",
        &["--data -: images cannot be read"],
    );
}

#[test]
fn texts_from_standard_input() {
    let desk = Desk::new();
    let train = format!("train --task text --data - --k 2 --out model {QUICK_TEXT}");
    let done = run_with(&desk, &train, data::reviews().as_bytes());
    assert_eq!(done.code, Some(0), "{}", done.err);
    let done = run_with(&desk, "predict model --data -", b"a good film, really\nbad\n");
    assert_eq!(done.out.lines().count(), 3, "{done:?}");
    let json = b"{\"key\": \"r7\", \"text\": \"a good film\"}\n";
    let done = run_with(&desk, "predict model --data - --id key --format json", json);
    assert_eq!(parse(&done.out)[0]["id"], "r7", "{done:?}");
}

#[test]
fn results_as_parquet() {
    let desk = Desk::new();
    desk.table_model();
    desk.ok("predict model --data houses.csv --id price --out predictions.parquet");
    desk.ok("explain model --data houses.csv --id price --out terms.parquet");
    let rows = |name: &str| {
        let file = std::fs::File::open(desk.path(name)).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let fields = reader.metadata().file_metadata().schema().get_fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().to_string()).collect();
        (names, reader.into_iter().map(Result::unwrap).collect::<Vec<_>>())
    };
    let (names, predictions) = rows("predictions.parquet");
    assert_eq!(names, ["row", "id", "prediction", "p(big)", "p(small)"]);
    assert_eq!(predictions.len(), 80);
    let json = parse(&desk.ok("predict model --data houses.csv --format json"));
    for (i, row) in predictions.iter().enumerate() {
        assert_eq!(row.get_long(0).unwrap(), i as i64);
        let class = &json[i]["prediction"]["class"];
        assert_eq!(row.get_string(2).unwrap(), class["label"].as_str().unwrap());
        let p = class["probabilities"][0]["probability"].as_f64().unwrap();
        assert_eq!(row.get_double(3).unwrap(), p);
    }
    assert_eq!(predictions[0].get_string(1).unwrap(), "100");
    let (names, terms) = rows("terms.parquet");
    assert_eq!(names[..3], ["row", "id", "output"]);
    let csv = desk.ok("explain model --data houses.csv --format csv");
    assert_eq!(terms.len() + 1, csv.lines().count());
}

#[test]
fn a_k_above_the_number_of_features_is_reported() {
    let desk = Desk::new();
    desk.write("houses.csv", data::houses());
    let files = "--data houses.csv --target kind --out model";
    let done = desk.run(&format!("train --task tabular {files} {QUICK}"));
    assert!(done.err.contains("note: there are only 3 features, so K is 3, not 5"), "{}", done.err);
    desk.refused(
        "predict model --data houses.csv --k 4",
        &["--k 4: K must be from 1 to 3, the number of features"],
    );
}
