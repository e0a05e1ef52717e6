//! Reading delimited tables and finding their columns, good and bad.

mod common;

use common::{Folder, all, gzip, labels, message, specs};
use ngsll::Dataset;
use ngsll::dataset::{Column, ColumnKind, ColumnSpec, Samples, Values};
use ngsll::error::{Location, Result};
use ngsll_readers::{LabelUse, Reader, TableReader, read_table};
use std::collections::BTreeMap;
use std::path::Path;

const ADULT: &str = "\
age, workclass,fnl,empty,income
39, Private,1e3,,<=50K
?,NA,-0.5,n/a,>50K

 28 ,Private,,None,<=50K
";

fn spec(name: &str, kind: ColumnKind) -> ColumnSpec {
    ColumnSpec::new(name, kind)
}

fn infer(path: &Path, target: &str, drop: &[&str]) -> Result<Dataset> {
    let drop: Vec<String> = drop.iter().map(|name| name.to_string()).collect();
    read_table(path, target, &BTreeMap::new(), &drop, LabelUse::Required)
}

fn values(data: &Dataset, column: usize) -> &Values {
    match data.samples() {
        Samples::Table(table) => table.columns()[column].values(),
        other => panic!("expected a table, found {other:?}"),
    }
}

fn levels<const N: usize>(levels: [Option<&str>; N]) -> Values {
    Column::categorical("", levels).values().clone()
}

#[test]
fn a_table_is_inferred_and_read() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("a.csv", ADULT.as_bytes().to_vec()),
        ("a.csv.gz", gzip(ADULT)),
        ("a.tsv", ADULT.replace(',', "\t").into_bytes()),
        ("semicolons.csv", ADULT.replace(',', ";").into_bytes()),
        ("tabs.csv", ADULT.replace(',', "\t").into_bytes()),
    ] {
        let path = folder.write(name, bytes);
        let inferred = infer(&path, "income", &[]).unwrap();
        let columns = specs(&inferred);
        assert_eq!(
            columns,
            [
                spec("age", ColumnKind::Numeric),
                spec("workclass", ColumnKind::Categorical),
                spec("fnl", ColumnKind::Numeric),
                spec("empty", ColumnKind::Numeric),
            ]
        );
        let known = all(TableReader::open(&path, &columns, Some("income"), LabelUse::Required));
        for data in [inferred, known.unwrap()] {
            let Values::Numeric(ages) = values(&data, 0) else { panic!("ages are numeric") };
            assert_eq!((ages[0], ages[1].is_nan(), ages[2]), (39.0, true, 28.0));
            assert_eq!(values(&data, 1), &levels([Some("Private"), None, Some("Private")]));
            assert_eq!(labels(&data).unwrap(), ["<=50K", ">50K", "<=50K"]);
            assert_eq!(data.location(2), Location::line(&path, 5));
        }
    }
}

#[test]
fn overrides_and_drops_decide() {
    let folder = Folder::new();
    let path = folder.write("a.csv", ADULT);
    let overrides = BTreeMap::from([("age".to_owned(), ColumnKind::Categorical)]);
    let drop = ["fnl".to_owned()];
    let data = read_table(&path, "income", &overrides, &drop, LabelUse::Required).unwrap();
    assert_eq!(values(&data, 0), &levels([Some("39"), None, Some("28")]));
    assert_eq!(
        specs(&data),
        [
            spec("age", ColumnKind::Categorical),
            spec("workclass", ColumnKind::Categorical),
            spec("empty", ColumnKind::Numeric),
        ]
    );
}

#[test]
fn columns_come_in_the_requested_order_and_chunk_by_chunk() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "x,y,z\n1,a,3\n2,b,4\n5,b,6\n");
    let columns = [spec("z", ColumnKind::Numeric), spec("y", ColumnKind::Categorical)];
    let mut reader = TableReader::open(&path, &columns, Some("none"), LabelUse::Optional).unwrap();
    let first = reader.next_chunk(2).unwrap().unwrap();
    assert_eq!((values(&first, 0), first.labels()), (&Values::Numeric(vec![3.0, 4.0]), None));
    let second = reader.next_chunk(2).unwrap().unwrap();
    assert_eq!((second.len(), values(&second, 1)), (1, &levels([Some("b")])));
    assert_eq!(reader.next_chunk(2).unwrap(), None);
}

#[test]
fn bad_cells_are_explained() {
    let folder = Folder::new();
    let columns = [spec("x", ColumnKind::Numeric)];
    for (cell, expected) in [
        ("abc", "\"abc\" is not a number, but the column is numeric"),
        ("-inf", "-inf is not a finite number; leave the cell empty where the value is missing"),
        ("1e999", "1e999 is not a finite number; leave the cell empty where the value is missing"),
    ] {
        let path = folder.write("a.csv", format!("x,y\n1,a\n{cell},b\n"));
        let expected = format!("a.csv line 3 column \"x\": {expected}");
        let read = all(TableReader::open(&path, &columns, Some("y"), LabelUse::Required));
        assert_eq!(message(&folder, read), expected);
        let kinds = BTreeMap::from([("x".to_owned(), ColumnKind::Numeric)]);
        let read = read_table(&path, "y", &kinds, &[], LabelUse::Required);
        assert_eq!(message(&folder, read), expected);
    }
    let path = folder.write("a.csv", "x,y\n1,a\n2,?\n3,b\n4,\n");
    let inferred = read_table(&path, "y", &BTreeMap::new(), &[], LabelUse::Required);
    let expected = "a.csv line 3 column \"y\": the target is missing, here and in 1 more of 4 rows; leave these rows out of the file";
    assert_eq!(message(&folder, inferred), expected);
    let path = folder.write("a.csv", "x,y\n1,a\n2,?\n");
    let known = |labels| all(TableReader::open(&path, &columns, Some("y"), labels));
    let inferred = |labels| read_table(&path, "y", &BTreeMap::new(), &[], labels);
    for read in [&known as &dyn Fn(LabelUse) -> Result<Dataset>, &inferred] {
        assert_eq!(
            message(&folder, read(LabelUse::Required)),
            "a.csv line 3 column \"y\": the target is missing; every row needs one"
        );
        assert_eq!(labels(&read(LabelUse::Optional).unwrap()).unwrap(), ["a", ""]);
        assert_eq!(read(LabelUse::Ignored).unwrap().labels(), None);
    }
}

/// Of several errors, the one that a reader of the whole file meets first; errors of the file itself come before.
#[test]
fn the_first_bad_cell_is_named() {
    let folder = Folder::new();
    let read = |rest: &str| {
        let path = folder.write("a.csv", format!("x,y,z,empty,label\n1,2,3,,a\n{rest}"));
        message(&folder, infer(&path, "label", &[]))
    };
    let start = |rest: &str, expected: &str| {
        let found = read(rest);
        assert!(found.starts_with(expected), "{found}");
    };
    start("1,inf,inf,,?\ninf,1,1,,\n", "a.csv line 3 column \"y\": inf is not a finite number");
    start("1,1,1,,?\ninf,1,1,,\n", "a.csv line 3 column \"label\": the target is missing");
    start("1,inf,1,,a\n1,x,inf,,a\n", "a.csv line 4 column \"z\": inf is not a finite number");
    start("1,inf,1,,?\n1,2\n", "a.csv line 4: found 2 fields, expected 5 as in the header");
}

#[test]
fn bad_tables_are_explained() {
    let folder = Folder::new();
    let path = folder.write("a.csv", ADULT);
    let list = "the columns are \"age\", \"workclass\", \"fnl\", \"empty\", \"income\"";
    let open = |columns: &[ColumnSpec], target| {
        TableReader::open(&path, columns, target, LabelUse::Required)
    };
    let age = [spec("age", ColumnKind::Numeric)];
    let unknown = |name: &str, nearest: &str| {
        format!("a.csv: no column \"{name}\"; {list}; did you mean \"{nearest}\"?")
    };
    let misspelt = [spec("workclas", ColumnKind::Categorical)];
    assert_eq!(message(&folder, open(&misspelt, Some("income"))), unknown("workclas", "workclass"));
    assert_eq!(message(&folder, open(&age, Some("Income"))), unknown("Income", "income"));
    assert_eq!(
        message(&folder, open(&age, None)),
        "a.csv: no target column is given: data.target is not set"
    );
    assert_eq!(message(&folder, open(&[], None)), "columns = none: at least one column is needed");
    assert_eq!(message(&folder, infer(&path, "incom", &[])), unknown("incom", "income"));
    assert_eq!(message(&folder, infer(&path, "income", &["ag"])), unknown("ag", "age"));
    let overrides = BTreeMap::from([("fnlw".to_owned(), ColumnKind::Numeric)]);
    let inferred = read_table(&path, "income", &overrides, &[], LabelUse::Required);
    assert_eq!(message(&folder, inferred), unknown("fnlw", "fnl"));
    let all_dropped = infer(&path, "income", &["age", "workclass", "fnl", "empty"]);
    assert_eq!(
        message(&folder, all_dropped),
        "a.csv: there is no column besides the target \"income\""
    );
    let all_empty = infer(&path, "income", &["age", "workclass", "fnl"]);
    assert_eq!(message(&folder, all_empty), "a.csv: no column besides the target has any values");

    let path = folder.write("b.xlsx", "PK");
    assert_eq!(
        message(&folder, infer(&path, "y", &[])),
        "b.xlsx: the name of a table must end in .csv, .tsv, .jsonl (each also with .gz) or .parquet"
    );
    let path = folder.write("c.csv", "x,y\n1,a\n2,\"b\n3,c,d\n");
    assert_eq!(
        message(&folder, infer(&path, "y", &[])),
        "c.csv line 3: a quote in the record that starts here is never closed"
    );
}

#[test]
fn a_table_without_rows_is_an_error() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "x,y\n");
    let columns = [spec("x", ColumnKind::Numeric)];
    let read = all(TableReader::open(&path, &columns, Some("y"), LabelUse::Required));
    assert_eq!(message(&folder, read), "a.csv: it is empty: expected at least one sample");
}

#[test]
fn truth_values_are_the_same_in_any_case() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "member,y\nTrue,1\nfalse,0\nTRUE,1\nFalse,0\n");
    let expected = levels(["true", "false", "true", "false"].map(Some));
    assert_eq!(values(&infer(&path, "y", &[]).unwrap(), 0), &expected);
}

#[test]
fn a_column_without_effect_may_be_absent() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "x,y\n1,a\n2,b\n");
    let columns = |optional: bool| {
        let mut z = spec("z", ColumnKind::Categorical);
        z.optional = optional;
        [z, spec("x", ColumnKind::Numeric)]
    };
    let read =
        |optional| all(TableReader::open(&path, &columns(optional), Some("y"), LabelUse::Required));
    let data = read(true).unwrap();
    assert_eq!(values(&data, 0), &levels([None, None]));
    assert_eq!(
        (values(&data, 1), labels(&data).unwrap()),
        (&Values::Numeric(vec![1.0, 2.0]), vec!["a", "b"])
    );
    assert!(message(&folder, read(false)).starts_with("a.csv: no column \"z\""));
}
