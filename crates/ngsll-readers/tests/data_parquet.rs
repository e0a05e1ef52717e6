//! Reading Parquet tables, good and bad.

mod common;

use common::{Folder, all, labels, message, notes, specs};
use ngsll::Dataset;
use ngsll::dataset::{Column, ColumnKind, ColumnSpec, Samples, Table, Values};
use ngsll::error::{Location, Result};
use ngsll_readers::{LabelUse, ReadDataset, Reader, TableReader, read_table};
use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SCHEMA: &str = "message schema {
    OPTIONAL DOUBLE amount;
    REQUIRED BOOLEAN member;
    REQUIRED INT64 id;
    REQUIRED INT32 day (DATE);
    REQUIRED INT64 at (TIMESTAMP(NANOS, true));
    REQUIRED INT32 price (DECIMAL(6, 2));
    OPTIONAL BYTE_ARRAY city (UTF8);
    REQUIRED BYTE_ARRAY outcome;
}";

/// Two row groups of two rows each.
fn write(folder: &Folder, name: &str, compression: Compression, amounts: [f64; 2]) -> PathBuf {
    let path = folder.path(name);
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let file = File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    for amount in amounts {
        let mut group = writer.next_row_group().unwrap();
        column::<DoubleType>(&mut group, &[amount], Some(&[1, 0]));
        column::<BoolType>(&mut group, &[true, false], None);
        column::<Int64Type>(&mut group, &[7, i64::MAX], None);
        column::<Int32Type>(&mut group, &[1, -1], None);
        column::<Int64Type>(&mut group, &[1_500_000_000, 0], None);
        column::<Int32Type>(&mut group, &[1234, -5], None);
        column::<ByteArrayType>(&mut group, &[ByteArray::from("Bern")], Some(&[0, 1]));
        column::<ByteArrayType>(&mut group, &[ByteArray::from("yes"), ByteArray::from("no")], None);
        group.close().unwrap();
    }
    writer.close().unwrap();
    path
}

fn column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    levels: Option<&[i16]>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, levels, None).unwrap();
    column.close().unwrap();
}

fn read(path: &Path) -> Result<Dataset> {
    read_without(path, &[])
}

fn read_without(path: &Path, drop: &[&str]) -> Result<Dataset> {
    let drop: Vec<String> = drop.iter().map(|name| name.to_string()).collect();
    read_table(path, "outcome", &BTreeMap::new(), &drop, LabelUse::Required)
}

fn table(data: &Dataset) -> &Table {
    match data.samples() {
        Samples::Table(table) => table,
        other => panic!("expected a table, found {other:?}"),
    }
}

fn levels<const N: usize>(levels: [Option<&str>; N]) -> Values {
    Column::categorical("", levels).values().clone()
}

#[test]
fn every_type_and_compression_is_read() {
    use ColumnKind::{Categorical, Date, Numeric};
    let folder = Folder::new();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
    ] {
        let path = write(&folder, "a.parquet", compression, [0.5, 2.5]);
        let inferred = read(&path).unwrap();
        let columns = specs(&inferred);
        let kinds: Vec<_> = columns.iter().map(|c| c.kind).collect();
        assert_eq!(kinds, [Numeric, Categorical, Categorical, Date, Date, Numeric, Categorical]);
        let known = all(TableReader::open(&path, &columns, Some("outcome"), LabelUse::Required));
        for data in [inferred, known.unwrap()] {
            let columns = table(&data).columns();
            let numbers = |column: usize| match columns[column].values() {
                // NaN is not equal to itself, so it is shown as a number that does not occur.
                Values::Numeric(n) => {
                    n.iter().map(|n| if n.is_nan() { -99.0 } else { *n }).collect::<Vec<_>>()
                }
                other => panic!("expected numbers, found {other:?}"),
            };
            assert_eq!(numbers(0), [0.5, -99.0, 2.5, -99.0]);
            let max = i64::MAX.to_string();
            let ids = levels(["7", &max, "7", &max].map(Some));
            assert_eq!(columns[2].values(), &ids);
            let names: Vec<&str> = columns.iter().map(Column::name).collect();
            let parts = ["year", "month", "weekday", "days since 2020-01-01"];
            assert_eq!(names[3..7], parts.map(|part| format!("day: {part}")));
            assert_eq!(numbers(3)[..2], [1970.0, 1969.0]);
            let months = ["January", "December", "January", "December"].map(Some);
            assert_eq!(columns[4].values(), &levels(months));
            assert_eq!(numbers(6)[..2], [-18261.0, -18263.0]);
            assert_eq!((names[10], numbers(10)[0]), ("at: hour", 0.0));
            assert_eq!(numbers(11)[0], 1.5 / 86400.0 - 18262.0);
            assert_eq!(numbers(12)[..2], [12.34, -0.05]);
            let members = levels(["true", "false", "true", "false"].map(Some));
            assert_eq!(columns[1].values(), &members);
            let cities = levels([None, Some("Bern"), None, Some("Bern")]);
            assert_eq!(columns[13].values(), &cities);
            assert_eq!(labels(&data).unwrap(), ["yes", "no", "yes", "no"]);
            assert_eq!(data.location(3), Location::line(&path, 4));
        }
        // The short way does not look at the name.
        let other = folder.path("part-0");
        std::fs::copy(&path, &other).unwrap();
        let data = Dataset::from_parquet(&other, "outcome").unwrap();
        assert_eq!(specs(&data), specs(&read(&path).unwrap()));
    }
}

#[test]
fn nan_is_a_missing_value_and_counted() {
    let folder = Folder::new();
    let path = write(&folder, "a.parquet", Compression::SNAPPY, [0.5, f64::NAN]);
    let mut reader = TableReader::open(
        &path,
        &[ColumnSpec::new("amount", ColumnKind::Numeric)],
        None,
        LabelUse::Ignored,
    )
    .unwrap();
    let data = reader.next_chunk(9).unwrap().unwrap();
    assert_eq!(table(&data).columns()[0].missing(), 3);
    assert_eq!(notes(&reader), ["column \"amount\": NaN (1 cell) is read as missing"]);
    assert_eq!(specs(&read(&path).unwrap())[0].kind, ColumnKind::Numeric);
}

#[test]
fn large_integers_keep_their_digits_as_levels() {
    let folder = Folder::new();
    let path = write(&folder, "a.parquet", Compression::SNAPPY, [0.5, 2.5]);
    let numeric = BTreeMap::from([("id".to_string(), ColumnKind::Numeric)]);
    let data = read_table(&path, "outcome", &numeric, &[], LabelUse::Required).unwrap();
    // The nearest quantity.
    assert_eq!(table(&data).columns()[2].text(1).as_deref(), Some("9223372036854776000"));
    let id = [ColumnSpec::new("id", ColumnKind::Categorical)];
    let mut reader = TableReader::open(&path, &id, None, LabelUse::Ignored).unwrap();
    let data = reader.next_chunk(3).unwrap().unwrap();
    let max = i64::MAX.to_string();
    assert_eq!(table(&data).columns()[0].values(), &levels([Some("7"), Some(&max), Some("7")]));
    assert_eq!(reader.next_chunk(3).unwrap().unwrap().len(), 1);
    assert_eq!(reader.next_chunk(3).unwrap(), None);
}

#[test]
fn bad_values_and_columns_are_explained() {
    let folder = Folder::new();
    let path = write(&folder, "a.parquet", Compression::SNAPPY, [0.5, f64::INFINITY]);
    assert_eq!(
        message(&folder, read(&path)),
        "a.parquet line 3 column \"amount\": inf is not a finite number; leave the cell empty where the value is missing"
    );
    let missing = read_table(&path, "outcomes", &BTreeMap::new(), &[], LabelUse::Required);
    assert!(message(&folder, missing).ends_with("; did you mean \"outcome\"?"));

    let path = folder.path("b.parquet");
    let schema = "message schema { REQUIRED INT32 outcome; REPEATED INT32 many; REQUIRED FIXED_LEN_BYTE_ARRAY (3) raw; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let writer =
        SerializedFileWriter::new(File::create(&path).unwrap(), schema, Default::default());
    writer.unwrap().close().unwrap();
    assert_eq!(
        message(&folder, read(&path)),
        "b.parquet column \"many\": the column is nested (a list, map or struct), which cannot be read; \
         remove it from the file, or data.drop = [\"many\"] leaves it out"
    );
    assert_eq!(
        message(&folder, read_without(&path, &["many"])),
        "b.parquet column \"raw\": the column holds bytes, which cannot be read; \
         remove it from the file, or data.drop = [\"raw\"] leaves it out"
    );
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    let folder = Folder::new();
    let path = write(&folder, "a.parquet", Compression::SNAPPY, [0.5, 2.5]);
    let good = std::fs::read(&path).unwrap();
    for length in [0, 3, 7, good.len() / 2, good.len() - 1] {
        let found = message(&folder, read(&folder.write("b.parquet", &good[..length])));
        let start = "b.parquet: the Parquet data are damaged or of an unknown kind";
        assert!(found.starts_with(start), "{found}");
    }
    // The library's panics are caught, and this keeps them out of the test's output.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut failures = 0;
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= [0x01, 0x80, 0xff][at % 3];
        match read(&folder.write("c.parquet", bad)) {
            Ok(data) => assert_eq!(data.len(), 4, "byte {at}"),
            Err(error) => {
                failures += 1;
                assert!(error.to_string().contains("c.parquet"), "byte {at}: {error}");
            }
        }
    }
    std::panic::set_hook(hook);
    assert!(failures > good.len() / 3, "only {failures} of the damages were noticed");
}

/// The size of a file that stores a value once for many rows does not show the memory it takes.
#[test]
fn long_labels_of_many_rows_are_refused() {
    let folder = Folder::new();
    let path = folder.path("long.parquet");
    let schema = "message schema { REQUIRED DOUBLE x; REQUIRED BYTE_ARRAY outcome (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let label = ByteArray::from("a".repeat(100_000).into_bytes());
    column::<DoubleType>(&mut group, &[1.0; 50], None);
    column::<ByteArrayType>(&mut group, &vec![label; 50], None);
    group.close().unwrap();
    writer.close().unwrap();
    let expected = "long.parquet line 1: a label of 100000 bytes, expected at most 65536";
    assert_eq!(message(&folder, read(&path)), expected);
}

#[test]
fn columns_of_one_name_are_refused() {
    let folder = Folder::new();
    let path = folder.path("twice.parquet");
    let schema = parse_message_type("message schema { REQUIRED BOOLEAN x; REQUIRED BOOLEAN x; }");
    let schema = Arc::new(schema.unwrap());
    let file = File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    column::<BoolType>(&mut group, &[true, false], None);
    column::<BoolType>(&mut group, &[true, false], None);
    group.close().unwrap();
    writer.close().unwrap();
    let expected = "twice.parquet: it names two columns \"x\"; give one of them another name";
    assert_eq!(message(&folder, read(&path)), expected);
}
