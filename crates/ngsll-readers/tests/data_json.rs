//! JSON lines: tables and texts, good and bad, and columns that name a row.

mod common;

use common::{Folder, all, gzip, labels, message, notes, specs};
use ngsll::Dataset;
use ngsll::config::{DataConfig, Task};
use ngsll::dataset::{ColumnKind, ColumnSpec, Samples};
use ngsll::error::{Location, Result};
use ngsll_readers::{LabelUse, Reader, TableReader, TextReader, open, read_all};
use std::path::Path;

const TABLE: &str = r#"{"size": 1.234, "id": 9007199254740993, "sold": "2024-01-31", "y": "a"}

{"size": null, "member": true, "sold": "2024-02-01", "y": "b", "id": 7}
{"member": false, "size": 2, "y": "a"}
"#;

fn train(path: &Path, task: Task, id: Option<&str>) -> Result<Dataset> {
    let mut data = DataConfig::default();
    data.target = Some("y".into()).filter(|_| task == Task::Tabular);
    data.id = id.map(String::from);
    read_all(open(task, &data, path, None, LabelUse::Required, None)?.as_mut())
}

fn row(data: &Dataset, row: usize) -> Vec<String> {
    let Samples::Table(table) = data.samples() else { panic!("{data:?}") };
    let text = |c: &ngsll::dataset::Column| c.text(row).unwrap_or_else(|| "missing".into());
    table.columns().iter().map(|c| format!("{} = {}", c.name(), text(c))).collect()
}

#[test]
fn a_table_of_objects_is_read() {
    use ColumnKind::{Categorical, Date, Numeric};
    let folder = Folder::new();
    for (name, bytes) in [
        ("a.jsonl", TABLE.as_bytes().to_vec()),
        ("a.ndjson.gz", gzip(TABLE)),
        ("a.JSONL", TABLE.into()),
    ] {
        let path = folder.write(name, bytes);
        let data = train(&path, Task::Tabular, None).unwrap();
        let columns = specs(&data);
        let kinds: Vec<_> = columns.iter().map(|c| (c.name.as_str(), c.kind)).collect();
        // Names in the order in which they first appear.
        let expected =
            [("size", Numeric), ("id", Categorical), ("sold", Date), ("member", Categorical)];
        assert_eq!(kinds, expected);
        let known = all(TableReader::open(&path, &columns, Some("y"), LabelUse::Required)).unwrap();
        for data in [data, known] {
            assert_eq!(row(&data, 0)[0], "size = 1.234");
            assert_eq!(row(&data, 1)[..2], ["size = missing", "id = 7"]);
            assert_eq!(row(&data, 2).last().unwrap(), "member = false");
            assert_eq!(labels(&data).unwrap(), ["a", "b", "a"]);
            assert_eq!(data.location(1), Location::line(&path, 3));
        }
    }
}

#[test]
fn a_row_keeps_its_name() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", TABLE);
    let data = train(&path, Task::Tabular, Some("id")).unwrap();
    let columns = specs(&data);
    assert!(columns.iter().all(|column| column.name != "id"), "{columns:?}");
    let reader =
        |id| TableReader::open_with_id(&path, &columns, Some("y"), LabelUse::Optional, Some(id));
    let named = all(reader("id")).unwrap();
    assert_eq!([0, 1, 2].map(|i| named.id(i).unwrap()), ["9007199254740993", "7", ""]);
    assert_eq!(named.select(&[1]).id(0), Some("7"));
    let named = all(reader("y")).unwrap();
    assert_eq!((named.id(1), named.label(1)), (Some("b"), Some("b")));
    let wrong = message(&folder, all(reader("di")));
    assert!(
        wrong.starts_with("a.jsonl: no column \"di\"") && wrong.ends_with("\"id\"?"),
        "{wrong}"
    );
    assert_eq!(
        message(&folder, train(&path, Task::Tabular, Some("y"))),
        "data.id = y: it is the target"
    );
}

#[test]
fn texts_are_read_and_named() {
    let folder = Folder::new();
    let text =
        "{\"id\": 4, \"label\": \"pos\", \"text\": \"fine\"}\n{\"text\": \"dull\", \"label\": 0}\n";
    let path = folder.write("a.jsonl", text);
    let data = train(&path, Task::Text, Some("id")).unwrap();
    let Samples::Texts(texts) = data.samples() else { panic!("{data:?}") };
    assert_eq!(texts.iter().collect::<Vec<_>>(), ["fine", "dull"]);
    assert_eq!(labels(&data).unwrap(), ["pos", "0"]);
    assert_eq!((data.id(0), data.id(1)), (Some("4"), Some("")));
    let plain = all(TextReader::open(&path, &Default::default())).unwrap();
    assert_eq!((plain.len(), plain.id(0)), (2, None));
    let path = folder.write("a.csv", "id,label,words\nx,pos,fine\ny,neg,dull\n");
    let data = train(&path, Task::Text, Some("id")).unwrap();
    assert_eq!((data.id(1), data.label(1)), (Some("y"), Some("neg")));
}

#[test]
fn a_name_that_no_object_has_is_a_missing_value_later() {
    let folder = Folder::new();
    let columns = ["size", "age"].map(|name| ColumnSpec::new(name, ColumnKind::Numeric));
    let path = folder.write("a.jsonl", "{\"size\": 1.5, \"y\": \"a\"}\n");
    let mut reader = TableReader::open(&path, &columns, Some("y"), LabelUse::Optional).unwrap();
    let data = reader.next_chunk(9).unwrap().unwrap();
    assert_eq!(row(&data, 0), ["size = 1.5", "age = missing"]);
    assert_eq!(labels(&data).unwrap(), ["a"]);
    assert_eq!(notes(&reader), ["no row has the column \"age\": its values are missing"]);
    // A file with none of them is another one.
    let path = folder.write("b.jsonl", "{\"Size\": 1.5}\n");
    let found = message(&folder, all(TableReader::open(&path, &columns, None, LabelUse::Ignored)));
    assert!(found.starts_with("b.jsonl: no columns \"size\", \"age\""), "{found}");
}

#[test]
fn bad_lines_are_explained() {
    let folder = Folder::new();
    for (text, expected) in [
        ("", "a.jsonl: it is empty: expected at least one sample"),
        ("{\"x\": 1, \"y\": 2}\nno\n", "a.jsonl line 2: the line is not a JSON object: "),
        ("[1, 2]\n", "a.jsonl line 1: the line is not a JSON object: "),
        (
            "{\"x\": [1], \"y\": 2}\n",
            "a.jsonl line 1 column \"x\": found a list or an object, expected a number, a text, true, false or null; \
             remove it from the file, or data.drop = [\"x\"] leaves it out",
        ),
        (
            "{\"x\": 1, \"y\": 2}\n{\"x\": 1}\n",
            "a.jsonl line 2 column \"y\": the target is missing",
        ),
    ] {
        let path = folder.write("a.jsonl", text);
        let found = message(&folder, train(&path, Task::Tabular, None));
        assert!(found.starts_with(expected), "{found}");
    }
    let path = folder.write("a.jsonl", "{\"label\": \"a\", \"text\": {}}\n");
    let found = message(&folder, train(&path, Task::Text, None));
    assert!(found.starts_with("a.jsonl line 1 column \"text\": found a list"), "{found}");
}
