//! Reading delimited tables and finding their columns, good and bad.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{Folder, all, gzip, message};
use ngsll::data::{
    Chunk, ColumnKind, ColumnSpec, Labels, MISSING, Reader, Samples, TableReader, Values,
    infer_columns,
};
use ngsll::error::{Place, Result};

const ADULT: &str = "\
age, workclass,fnl,empty,income
39, Private,1e3,,<=50K
?,NA,-0.5,n/a,>50K

 28 ,Private,,None,<=50K
";

fn spec(name: &str, kind: ColumnKind) -> ColumnSpec {
    ColumnSpec { name: name.into(), kind }
}

fn infer(path: &Path, target: &str, drop: &[&str]) -> Result<Vec<ColumnSpec>> {
    let drop: Vec<String> = drop.iter().map(|name| name.to_string()).collect();
    infer_columns(path, target, &BTreeMap::new(), &drop)
}

fn values(chunk: &Chunk, column: usize) -> &Values {
    match &chunk.samples {
        Samples::Table(table) => &table.columns[column].values,
        other => panic!("expected a table, found {other:?}"),
    }
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
        let columns = infer(&path, "income", &[]).unwrap();
        assert_eq!(
            columns,
            [
                spec("age", ColumnKind::Numeric),
                spec("workclass", ColumnKind::Categorical),
                spec("fnl", ColumnKind::Numeric),
            ]
        );
        let chunk =
            all(TableReader::open(&path, &columns, Some("income"), Labels::Required)).unwrap();
        let Values::Numeric(ages) = values(&chunk, 0) else { panic!("ages are numeric") };
        assert_eq!((ages[0], ages[1].is_nan(), ages[2]), (39.0, true, 28.0));
        let Values::Categorical { levels, ids } = values(&chunk, 1) else { panic!("categorical") };
        assert_eq!(
            (levels.as_slice(), ids.as_slice()),
            (&["Private".to_owned()][..], &[0, MISSING, 0][..])
        );
        assert_eq!(chunk.labels.as_ref().unwrap(), &["<=50K", ">50K", "<=50K"]);
        assert_eq!(chunk.place(2), Place::line(&path, 5));
    }
}

#[test]
fn overrides_and_drops_decide() {
    let folder = Folder::new();
    let path = folder.write("a.csv", ADULT);
    let overrides = BTreeMap::from([("age".to_owned(), ColumnKind::Categorical)]);
    let columns = infer_columns(&path, "income", &overrides, &["fnl".to_owned()]).unwrap();
    assert_eq!(
        columns,
        [spec("age", ColumnKind::Categorical), spec("workclass", ColumnKind::Categorical),]
    );
}

#[test]
fn columns_come_in_the_order_asked_for_and_chunk_by_chunk() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "x,y,z\n1,a,3\n2,b,4\n5,b,6\n");
    let columns = [spec("z", ColumnKind::Numeric), spec("y", ColumnKind::Categorical)];
    let mut reader = TableReader::open(&path, &columns, Some("none"), Labels::Optional).unwrap();
    let first = reader.next_chunk(2).unwrap().unwrap();
    assert_eq!((values(&first, 0), &first.labels), (&Values::Numeric(vec![3.0, 4.0]), &None));
    let second = reader.next_chunk(2).unwrap().unwrap();
    let expected = Values::Categorical { levels: vec!["b".into()], ids: vec![0] };
    assert_eq!((second.len(), values(&second, 1)), (1, &expected));
    assert_eq!(reader.next_chunk(2).unwrap(), None);
}

#[test]
fn bad_cells_are_explained() {
    let folder = Folder::new();
    let columns = [spec("x", ColumnKind::Numeric)];
    for (cell, expected) in [
        ("abc", "\"abc\" is not a number, and the column is numeric"),
        ("NaN", "NaN is not a finite number; leave the cell empty where the value is missing"),
        ("-inf", "-inf is not a finite number; leave the cell empty where the value is missing"),
        ("1e999", "1e999 is not a finite number; leave the cell empty where the value is missing"),
    ] {
        let path = folder.write("a.csv", format!("x,y\n1,a\n{cell},b\n"));
        let read = all(TableReader::open(&path, &columns, Some("y"), Labels::Required));
        assert_eq!(message(&folder, read), format!("a.csv line 3 column \"x\": {expected}"));
    }
    let path = folder.write("a.csv", "x,y\n1,a\n2,?\n");
    let read = |labels| all(TableReader::open(&path, &columns, Some("y"), labels));
    assert_eq!(
        message(&folder, read(Labels::Required)),
        "a.csv line 3 column \"y\": the target is missing, and every row needs one"
    );
    assert_eq!(read(Labels::Optional).unwrap().labels.unwrap(), ["a", ""]);
    assert_eq!(read(Labels::Ignored).unwrap().labels, None);
}

#[test]
fn bad_tables_are_explained() {
    let folder = Folder::new();
    let path = folder.write("a.csv", ADULT);
    let list = "the columns are \"age\", \"workclass\", \"fnl\", \"empty\", \"income\"";
    let open = |columns: &[ColumnSpec], target| {
        TableReader::open(&path, columns, target, Labels::Required)
    };
    let age = [spec("age", ColumnKind::Numeric)];
    let unknown = |name: &str, nearest: &str| {
        format!("a.csv: no column \"{name}\", {list}; did you mean \"{nearest}\"?")
    };
    let misspelt = [spec("workclas", ColumnKind::Categorical)];
    assert_eq!(message(&folder, open(&misspelt, Some("income"))), unknown("workclas", "workclass"));
    assert_eq!(message(&folder, open(&age, Some("Income"))), unknown("Income", "income"));
    assert_eq!(
        message(&folder, open(&age, None)),
        "target = none: the column to predict is needed"
    );
    assert_eq!(message(&folder, open(&[], None)), "columns = none: at least one column is needed");
    assert_eq!(message(&folder, infer(&path, "incom", &[])), unknown("incom", "income"));
    assert_eq!(message(&folder, infer(&path, "income", &["ag"])), unknown("ag", "age"));
    let overrides = BTreeMap::from([("fnlw".to_owned(), ColumnKind::Numeric)]);
    let inferred = infer_columns(&path, "income", &overrides, &[]);
    assert_eq!(message(&folder, inferred), unknown("fnlw", "fnl"));
    let all_dropped = infer(&path, "income", &["age", "workclass", "fnl", "empty"]);
    assert_eq!(
        message(&folder, all_dropped),
        "a.csv: no column is left beside the target \"income\""
    );
    let all_empty = infer(&path, "income", &["age", "workclass", "fnl"]);
    assert_eq!(message(&folder, all_empty), "a.csv: no column but the target has any value");

    let path = folder.write("b.xlsx", "PK");
    assert_eq!(
        message(&folder, infer(&path, "y", &[])),
        "b.xlsx: a table is a file .csv, .tsv (both also with .gz) or .parquet; its name ends otherwise"
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
    let read = all(TableReader::open(&path, &columns, Some("y"), Labels::Required));
    assert_eq!(message(&folder, read), "a.csv: it holds no samples, expected at least one");
}

#[test]
fn truth_values_are_the_same_in_any_case() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "member,y\nTrue,1\nfalse,0\nTRUE,1\nFalse,0\n");
    let columns = infer(&path, "y", &[]).unwrap();
    let chunk = all(TableReader::open(&path, &columns, Some("y"), Labels::Required)).unwrap();
    let expected =
        Values::Categorical { levels: vec!["true".into(), "false".into()], ids: vec![0, 1, 0, 1] };
    assert_eq!(values(&chunk, 0), &expected);
}
