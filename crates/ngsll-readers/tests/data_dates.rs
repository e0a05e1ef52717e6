//! Columns of dates in delimited tables.

mod common;

use common::{Folder, all, message, specs, train};
use ngsll::Dataset;
use ngsll::config::DataConfig;
use ngsll::dataset::{ColumnKind, Samples, Table};
use ngsll_readers::{LabelUse, TableReader};

/// A row as `name = value`.
fn row(data: &Dataset, row: usize) -> Vec<String> {
    let Samples::Table(table) = data.samples() else { panic!("{data:?}") };
    cells(table, row)
}

fn cells(table: &Table, row: usize) -> Vec<String> {
    let text = |c: &ngsll::dataset::Column| c.text(row).unwrap_or_else(|| "missing".into());
    table.columns().iter().map(|column| format!("{} = {}", column.name(), text(column))).collect()
}

#[test]
fn dates_become_their_parts_in_training_and_later() {
    let folder = Folder::new();
    let path = folder.write(
        "a.csv",
        "sold,at,y\n05/03/2024,2024-03-05 14:30,a\n31/12/2019,2024-03-06T00:00:00Z,b\n,,a\n",
    );
    let (data, notes) = train(&path, |_| ()).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    let expected = [
        "sold: year = 2024",
        "sold: month = March",
        "sold: weekday = Tuesday",
        "sold: days since 2020-01-01 = 1525",
        "at: year = 2024",
        "at: month = March",
        "at: weekday = Tuesday",
        "at: hour = 14",
    ];
    assert_eq!(row(&data, 0)[..8], expected);
    assert!(row(&data, 2).iter().all(|cell| cell.ends_with("= missing")));
    let columns = specs(&data);
    let kinds: Vec<_> = columns.iter().map(|c| (c.name.as_str(), c.kind)).collect();
    assert_eq!(kinds, [("sold", ColumnKind::Date), ("at", ColumnKind::Date)]);

    // The date itself, in any form; the day comes first as in training.
    for text in [
        "05/03/2024,2024-03-05T14:59",
        "2024-03-05,5.3.2024 14:00",
        "05.03.2024,05/03/2024 2:30 PM",
    ] {
        let path = folder.write("new.csv", format!("sold,at\n{text}\n"));
        let read = all(TableReader::open(&path, &columns, None, LabelUse::Ignored)).unwrap();
        assert_eq!(row(&read, 0)[..8], expected, "{text}");
    }
    for wrong in ["03/31/2024", "soon", "2024"] {
        let path = folder.write("new.csv", format!("sold,at\n{wrong},\n"));
        let refused = all(TableReader::open(&path, &columns, None, LabelUse::Ignored));
        let expected = format!(
            "new.csv line 2 column \"sold\": {wrong:?} is not a date, expected one such as"
        );
        let found = message(&folder, refused);
        assert!(found.starts_with(&expected), "{found}");
    }
}

#[test]
fn an_assumed_order_of_day_and_month_is_reported() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "sold,y\n01/02/2024,a\n03/04/2024,b\n");
    let (data, notes) = train(&path, |_| ()).unwrap();
    assert_eq!(row(&data, 0)[1], "sold: month = February");
    let note = "column \"sold\": 01/02/2024 could be 1 February or 2 January; it is read as 1 February, and data.month_first = true changes that";
    assert_eq!(notes, [note]);
    let (data, notes) = train(&path, |data| data.month_first = Some(true)).unwrap();
    assert_eq!((row(&data, 0)[1].as_str(), notes.len()), ("sold: month = January", 0));
    let columns = specs(&data);
    let read = all(TableReader::open(&path, &columns, None, LabelUse::Ignored)).unwrap();
    assert_eq!(row(&read, 0)[1], "sold: month = January");
}

#[test]
fn the_options_decide_what_is_a_date() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "sold,y\n2024-01-31,a\n2024-02-01,b\n");
    let kind = |kind: ColumnKind| {
        move |data: &mut DataConfig| {
            data.columns.insert("sold".into(), kind.into());
        }
    };
    let (data, _) = train(&path, kind(ColumnKind::Categorical)).unwrap();
    assert_eq!(row(&data, 0), ["sold = 2024-01-31"]);
    let (data, _) = train(&path, kind(ColumnKind::Date)).unwrap();
    assert_eq!(row(&data, 0).len(), 4);
    let path = folder.write("a.csv", "sold,y\n2024-01-31,a\nlater,b\n");
    let found = message(&folder, train(&path, kind(ColumnKind::Date)));
    assert!(found.starts_with("a.csv line 3 column \"sold\": \"later\" is not a date"), "{found}");
    let (data, _) = train(&path, |_| ()).unwrap();
    assert_eq!(row(&data, 1), ["sold = later"]);
}

#[test]
fn truth_values_are_named_as_written() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "member,paid,y\nyes,true,a\nno,FALSE,b\n");
    let (data, _) = train(&path, |_| ()).unwrap();
    assert_eq!(row(&data, 1), ["member = no", "paid = false"]);
}
