//! Tables as spreadsheets and people write them: decimal commas, other encodings, signs and words among numbers.

mod common;

use common::{Folder, all, labels, message, specs, train};
use ngsll::Dataset;
use ngsll::dataset::{ColumnKind, DecimalMark, Samples, Values};
use ngsll_readers::{LabelUse, TableReader};

/// The numbers of a column; NaN as -1, so that they can be compared.
fn numbers(data: &Dataset, column: usize) -> Vec<f64> {
    let Samples::Table(table) = data.samples() else { panic!("{data:?}") };
    let Values::Numeric(values) = table.columns()[column].values() else { panic!("{table:?}") };
    values.iter().map(|v| if v.is_nan() { -1.0 } else { *v }).collect()
}

#[test]
fn decimal_commas_are_read_in_training_and_later() {
    let folder = Folder::new();
    let path = folder.write(
        "german.csv",
        "sep=;\r\nFläche;Preis;Anteil;y\r\n12,5;1.234,50 €;12 %;0,5\r\n7;1.200 €;7,5%;1.500\r\n",
    );
    let (data, notes) = train(&path, |_| ()).unwrap();
    assert_eq!(numbers(&data, 0), [12.5, 7.0]);
    assert_eq!(numbers(&data, 1), [1234.5, 1200.0]);
    assert_eq!(numbers(&data, 2), [12.0, 7.5]);
    assert_eq!(labels(&data).unwrap(), ["0,5", "1500"]);
    assert_eq!(data.location(0).to_string(), format!("{} line 3", path.display()));
    let expected = [
        "decimal commas (12,5 is 12.5) are read in columns \"Fläche\", \"Preis\", \"Anteil\"",
        "column \"Preis\" is read as numbers in €",
        "column \"Anteil\" is read as numbers in %",
    ];
    assert_eq!(notes, expected);

    // The model's columns in other files: what the file says counts, then what training found.
    let columns = specs(&data);
    assert!(columns.iter().all(|column| column.form.decimal == DecimalMark::Comma));
    for (text, expected) in [
        ("Fläche;Preis;Anteil\n1,5;1.234;3\n", [1.5, 1234.0, 3.0]),
        ("Fläche;Preis;Anteil\n2;1.234;3\n", [2.0, 1234.0, 3.0]),
        ("Fläche;Preis;Anteil\n2.25;1.234;3\n", [2.25, 1.234, 3.0]),
        ("Fläche,Preis,Anteil\n12.5,1.234,3\n", [12.5, 1.234, 3.0]),
        ("Fläche,Preis,Anteil\n12.5,\"$1,234\",3\n", [12.5, 1234.0, 3.0]),
    ] {
        let path = folder.write("new.csv", text);
        let read = all(TableReader::open(&path, &columns, Some("y"), LabelUse::Optional)).unwrap();
        assert_eq!([0, 1, 2].map(|column| numbers(&read, column)[0]), expected, "{text}");
    }
}

#[test]
fn numbers_that_could_be_either_are_as_the_rest_of_the_file() {
    let folder = Folder::new();
    let read = |text: &str| {
        let path = folder.write("a.csv", text);
        let (data, notes) = train(&path, |_| ()).unwrap();
        (numbers(&data, 0)[0], notes.len())
    };
    // By itself, and beside numbers of each kind.
    assert_eq!(read("x,y\n1.234,a\n"), (1.234, 0));
    assert_eq!(read("x;y\n1.234;a\n"), (1.234, 1));
    assert_eq!(read("x;z;y\n1.234;0,5;a\n"), (1234.0, 1));
    assert_eq!(read("x;z;y\n1,234;0.5;a\n"), (1234.0, 1));
    assert_eq!(read("x;y\n1,234;a\n"), (1.234, 1));
    assert_eq!(read("x,y\n\"1,234\",a\n"), (1234.0, 1));
    assert_eq!(read("x,y\n\"1,234.5\",a\n"), (1234.5, 0));
    assert_eq!(read("x\ty\n1 234,5\ta\n"), (1234.5, 1));
    let path = folder.write("a.csv", "x,y\n\"1,234\",a\n");
    let (data, _) = train(&path, |data| data.decimal = Some(DecimalMark::Comma)).unwrap();
    assert_eq!(numbers(&data, 0), [1.234]);
}

#[test]
fn other_encodings_are_detected_and_reported() {
    let folder = Folder::new();
    let text = "Größe;y\n1,5;schön\n2;naïve €\n";
    let utf_16 = |big: bool, mark: &str| -> Vec<u8> {
        let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        format!("{mark}{text}").encode_utf16().flat_map(bytes).collect()
    };
    let latin: Vec<u8> =
        text.chars().map(|c| if c == '€' { 0x80 } else { u8::try_from(c).unwrap() }).collect();
    for (name, bytes, note) in [
        ("utf8.csv", text.as_bytes().to_vec(), None),
        ("bom.csv", format!("\u{feff}{text}").into_bytes(), None),
        ("le.csv", utf_16(false, "\u{feff}"), Some("le.csv is read as UTF-16")),
        ("be.csv", utf_16(true, "\u{feff}"), Some("be.csv is read as UTF-16")),
        ("bare.csv", utf_16(false, ""), Some("bare.csv is read as UTF-16")),
        (
            "latin.csv",
            latin,
            Some("latin.csv is read as Windows-1252 (Latin-1), as it is not UTF-8"),
        ),
    ] {
        let path = folder.write(name, bytes);
        let (data, notes) = train(&path, |_| ()).unwrap();
        assert_eq!(specs(&data)[0].name, "Größe", "{name}");
        assert_eq!(labels(&data).unwrap(), ["schön", "naïve €"], "{name}");
        assert_eq!(notes.len(), 1 + usize::from(note.is_some()), "{notes:?}");
        assert!(note.is_none_or(|note| notes[0].ends_with(note)), "{notes:?}");
    }
    // UTF-8 before, something else after: the file is damaged. A control character is in no text.
    for bytes in [b"x,y\n1,\xc3\xa9\n2,\xe9\n".to_vec(), b"x,y\n1,\xe9\x01\n2,b\n".to_vec()] {
        let path = folder.write("mixed.csv", bytes);
        let found = message(&folder, train(&path, |_| ()));
        assert!(found.ends_with("the text is not valid UTF-8"), "{found}");
    }
}

#[test]
fn words_among_numbers_are_missing_where_they_are_rare() {
    let folder = Folder::new();
    let rows = |more: &str| -> String {
        let numbers: String = (0..40).map(|i| format!("{i},a\n")).collect();
        format!("x,y\n{numbers}{more}")
    };
    let path = folder.write("a.csv", rows("Unknown,b\n-,b\nsold out,b\nunknown,b\n"));
    let (data, notes) = train(&path, |_| ()).unwrap();
    assert_eq!(numbers(&data, 0)[39..], [39.0, -1.0, -1.0, -1.0, -1.0]);
    assert_eq!(
        notes,
        [
            "column \"x\" holds numbers; \"-\" (1 cell), \"sold out\" (1 cell), \"unknown\" (2 cells) \
          are read as missing; data.columns.\"x\" = categorical makes it a category"
        ]
    );
    let columns = specs(&data);
    assert_eq!(columns[0].form.missing_words, ["sold out"]);

    // The same words later; others are still refused.
    let new = folder.write("new.csv", "x\nSold Out\nn/a\n-\n3\n");
    let read = all(TableReader::open(&new, &columns, None, LabelUse::Ignored)).unwrap();
    assert_eq!(numbers(&read, 0), [-1.0, -1.0, -1.0, 3.0]);
    let new = folder.write("new.csv", "x\nclosed\n");
    let refused = all(TableReader::open(&new, &columns, None, LabelUse::Ignored));
    let expected =
        "new.csv line 2 column \"x\": \"closed\" is not a number, but the column is numeric";
    assert_eq!(message(&folder, refused), expected);

    // The options decide, and what is frequent or has digits is a level.
    let kind = |more: &str, words: Option<&[&str]>| {
        let path = folder.write("a.csv", rows(more));
        let words = words.map(|words| words.iter().map(|word| word.to_string()).collect());
        let (data, notes) = train(&path, |data| data.missing_words = words).unwrap();
        (specs(&data)[0].kind, notes.len())
    };
    use ColumnKind::{Categorical, Numeric};
    assert_eq!(kind("sold out,b\n", None), (Numeric, 1));
    assert_eq!(kind("sold out,b\n", Some(&[])), (Categorical, 1));
    assert_eq!(kind("-,b\n", Some(&[])), (Categorical, 0));
    assert_eq!(kind("sold out,b\n", Some(&["Sold out"])), (Numeric, 0));
    assert_eq!(kind(&"sold out,b\n".repeat(9), Some(&["sold out"])), (Numeric, 0));
    assert_eq!(kind(&"sold out,b\n".repeat(9), None), (Categorical, 0));
    assert_eq!(kind("A12,b\n", None), (Categorical, 1));
    assert_eq!(kind(&"unknown,b\n".repeat(20), None), (Numeric, 1));
}

#[test]
fn one_column_has_one_sign() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "x,y\n$5,a\n5 €,b\n");
    let (data, _) = train(&path, |_| ()).unwrap();
    assert_eq!(specs(&data)[0].kind, ColumnKind::Categorical);
    let path = folder.write("a.csv", "x,y\n$5,a\n\"$1,200\",b\n");
    let columns = specs(&train(&path, |_| ()).unwrap().0);
    let path = folder.write("b.csv", "x,y\n$5,a\n5 €,b\n");
    let mixed = all(TableReader::open(&path, &columns, Some("y"), LabelUse::Required));
    assert_eq!(
        message(&folder, mixed),
        "b.csv line 3 column \"x\": \"5 €\" has the sign €, but others in the column have $"
    );
}

/// Forty rows, the first of which are given.
fn forty(cells: &[&str], others: impl Fn(usize) -> String) -> String {
    let others = (cells.len()..40).map(others);
    let cells = cells.iter().map(|cell| cell.to_string()).chain(others);
    "x,y\n".to_string() + &cells.map(|cell| format!("\"{cell}\",a\n")).collect::<String>()
}

#[test]
fn units_times_and_limits_are_read_and_reported() {
    let folder = Folder::new();
    let read = |text: String| {
        let path = folder.write("a.csv", text);
        let (data, notes) = train(&path, |_| ()).unwrap();
        (numbers(&data, 0)[..3].to_vec(), notes.join("; "), specs(&data))
    };
    let (values, note, columns) =
        read(forty(&["1034.12 EUR", "7,177.73 eur", "5"], |i| format!("{i}.5 EUR")));
    assert_eq!(values, [1034.12, 7177.73, 5.0]);
    assert_eq!(note, "column \"x\" is read as numbers in EUR");
    let new = folder.write("new.csv", "x\nEUR 5\n6\n");
    let later = all(TableReader::open(&new, &columns, None, LabelUse::Ignored)).unwrap();
    assert_eq!(numbers(&later, 0), [5.0, 6.0]);
    let new = folder.write("new.csv", "x\n5 USD\n");
    let refused = all(TableReader::open(&new, &columns, None, LabelUse::Ignored));
    let expected = "new.csv line 2 column \"x\": \"5 USD\" is not a number, but the column holds numbers in EUR";
    assert_eq!(message(&folder, refused), expected);

    let (values, note, columns) = read(forty(&["<0.5", "> 90", "7"], |i| i.to_string()));
    assert_eq!(values, [0.5, 90.0, 7.0]);
    let expected = "column \"x\": the signs < and > are ignored in 2 cells (<5 is read as 5); \
                    data.columns.\"x\" = categorical makes it a category";
    assert_eq!(note, expected);
    let new = folder.write("new.csv", "x\n<0.25\n");
    let later = all(TableReader::open(&new, &columns, None, LabelUse::Ignored)).unwrap();
    assert_eq!(numbers(&later, 0), [0.25]);

    let (values, note, columns) = read(forty(&["04:28:48", "", "0:01"], |i| format!("{i}:00:00")));
    assert_eq!(values, [16_128.0, -1.0, 60.0]);
    assert_eq!(note, "column \"x\" holds times such as 4:28:48, read as seconds");
    let new = folder.write("new.csv", "x\n30:00:01\n");
    let later = all(TableReader::open(&new, &columns, None, LabelUse::Ignored)).unwrap();
    assert_eq!(numbers(&later, 0), [108_001.0]);
}

#[test]
fn whole_numbers_that_would_lose_digits_are_levels() {
    let folder = Folder::new();
    for (cell, what) in [
        ("01067", "with leading zeros"),
        ("1234567890123456781", "with more digits than a quantity can keep"),
    ] {
        let path = folder.write("a.csv", forty(&[cell, "12"], |i| (i % 9 + 1).to_string()));
        let (data, notes) = train(&path, |_| ()).unwrap();
        let Samples::Table(table) = data.samples() else { panic!("a table") };
        assert_eq!(table.columns()[0].text(0).as_deref(), Some(cell));
        let note = format!(
            "column \"x\" has numbers {what}, such as {cell}, so its values are levels; \
             data.columns.\"x\" = numeric makes quantities of them"
        );
        assert_eq!(notes, [note]);
    }
}

#[test]
fn a_slip_that_makes_levels_of_a_column_is_named_with_its_line() {
    let folder = Folder::new();
    let day = |i: usize| format!("{:02}.03.2024", i % 28 + 1);
    let path = folder.write("a.csv", forty(&["05.03.2024", "31.02.2024"], day));
    let (_, notes) = train(&path, |_| ()).unwrap();
    let expected = "column \"x\" is read as levels, although 39 of 40 cells are dates: line 3 has \"31.02.2024\"; \
                    correct it, or data.missing_words = [\"31.02.2024\"] reads it as missing";
    assert_eq!(notes, [expected]);
    let words = || Some(vec!["31.02.2024".to_string()]);
    let (data, _) = train(&path, |data| data.missing_words = words()).unwrap();
    assert_eq!(specs(&data)[0].kind, ColumnKind::Date);
}

#[test]
fn a_point_in_a_file_of_decimal_commas_separates_thousands() {
    let folder = Folder::new();
    // The only number of the file that tells is the target's.
    let path = folder.write("a.csv", "Fläche;y\n450;34.953,08\n1.200;67.801,25\n80;0,5\n");
    let (data, _) = train(&path, |_| ()).unwrap();
    assert_eq!(numbers(&data, 0), [450.0, 1200.0, 80.0]);
    let new = folder.write("new.csv", "Fläche;y\n1.200;\n");
    let later = all(TableReader::open(&new, &specs(&data), None, LabelUse::Ignored)).unwrap();
    assert_eq!(numbers(&later, 0), [1200.0]);
    // Nothing decides: a note, if commas are to be expected.
    let notes = |text: &str| train(&folder.write("a.csv", text), |_| ()).unwrap().1;
    let expected = "column \"qm\": points are read as decimal points (1.234 is a little more than 1); \
                    data.decimal = comma reads 1234 instead";
    assert_eq!(notes("qm;n;y\n2.949;46;a\n8.503;47;b\n"), [expected]);
    assert!(notes("qm,n,y\n2.949,46,a\n8.503,47,b\n").is_empty());
    assert!(notes("qm;n;y\n2.949;4.6;a\n8.503;4.75;b\n").is_empty());
}

#[test]
fn the_target_may_have_a_unit() {
    let folder = Folder::new();
    let rows: String = (0..40).map(|i| format!("{i};{}.{:03} EUR\n", i % 9 + 1, 7 * i)).collect();
    let path = folder.write("a.csv", format!("x;y\n0,5;1.250,50 EUR\n{rows}"));
    let (data, notes) = train(&path, |_| ()).unwrap();
    assert!(notes.contains(&"the target \"y\" is read as numbers in EUR".to_string()), "{notes:?}");
    assert_eq!(labels(&data).unwrap()[..3], ["1.250,50 EUR", "1000 EUR", "2007 EUR"]);
}
