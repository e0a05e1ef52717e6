//! The files that the documents' commands read, small, made when a command first names them.

use crate::common::Desk;
use crate::common::data::{digit, gzip, idx, png};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// Makes files.
type Make = fn(&Desk);

/// A part of a command, and what makes the files that it names.
const FILES: [(&str, Make); 5] = [
    (" photos.csv", photo_list),
    ("=mask.png", |desk| desk.write("mask.png", png(8, 8, &mask()))),
    (" houses.parquet", |desk| desk.write("houses.parquet", houses())),
    (" data/trec", trec),
    (" --data data ", paper),
];

/// Makes the files that a command names and that are not there yet.
pub fn make_for(desk: &Desk, command: &str) {
    for (part, make) in FILES {
        if format!("{command} ").contains(part) {
            make(desk);
        }
    }
}

/// Images of two sizes, and the list of them.
fn photo_list(desk: &Desk) {
    let mut list = "path,kind\n".to_string();
    for i in 0..40 {
        let wide = [digit(i), digit(i)].concat();
        let image = if i % 4 == 0 { png(8, 16, &wide) } else { png(8, 8, &digit(i)) };
        desk.write(&format!("pictures/{i}.png"), image);
        list += &format!("pictures/{i}.png,{}\n", ["left", "right"][i % 2]);
    }
    desk.write("photos.csv", list);
}

/// The left half and the right half.
fn mask() -> Vec<u8> {
    (0..64).map(|at| if at % 8 < 4 { 0 } else { 255 }).collect()
}

fn idx_files(desk: &Desk, folder: &str, part: &str, n: usize, side: usize) {
    let labels: Vec<u8> = (0..n).map(|i| (i % 10) as u8).collect();
    // A bar whose height tells the digit.
    let ink = |i: usize, at: usize| {
        if at / side * 10 / side == i % 10 { 200 + (i % 50) as u8 } else { 0 }
    };
    let pixels: Vec<u8> = (0..n).flat_map(|i| (0..side * side).map(move |at| ink(i, at))).collect();
    let (n, side) = (n as u32, side as u32);
    let images = gzip(&idx(&[n, side, side], &pixels));
    desk.write(&format!("{folder}{part}-images-idx3-ubyte.gz"), images);
    desk.write(&format!("{folder}{part}-labels-idx1-ubyte.gz"), gzip(&idx(&[n], &labels)));
}

/// A Parquet file with the columns id, zip, size, city and price.
fn houses() -> Vec<u8> {
    let schema = "message houses { REQUIRED INT64 id; REQUIRED INT64 zip; REQUIRED DOUBLE size; \
                  REQUIRED BYTE_ARRAY city (UTF8); REQUIRED DOUBLE price; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let (n, mut file) = (80, Vec::new());
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    column::<Int64Type>(&mut group, (0..n).map(|i| 1000 + i).collect());
    column::<Int64Type>(&mut group, (0..n).map(|i| 8000 + i % 3).collect());
    column::<DoubleType>(&mut group, (0..n).map(|i| (i % 11) as f64 + 0.5).collect());
    let city = |i: i64| ByteArray::from(["Bern", "Chur", "Thun"][i as usize % 3]);
    column::<ByteArrayType>(&mut group, (0..n).map(city).collect());
    column::<DoubleType>(&mut group, (0..n).map(|i| 100.0 + 3.25 * (i % 11) as f64).collect());
    group.close().unwrap();
    writer.close().unwrap();
    file
}

fn column<T: DataType>(group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>, values: Vec<T::T>) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(&values, None, None).unwrap();
    column.close().unwrap();
}

fn trec(desk: &Desk) {
    let question = |i: usize| {
        let words = ["how does it work", "what colour is it", "what does it stand for"];
        let more = ["who was that man", "where is the city", "how far is it"];
        format!("{}\t{} ?\n", i % 6, [words, more].concat()[i % 6])
    };
    let lines = |n: usize| (0..n).map(question).collect::<String>();
    desk.write("data/trec/train.tsv", lines(60));
    desk.write("data/trec/test.tsv", lines(18));
    desk.write("data/trec/labels.txt", "DESC\nENTY\nABBR\nHUM\nLOC\nNUM\n");
}

/// All data sets of the paper.
fn paper(desk: &Desk) {
    trec(desk);
    for (part, n) in [("train", 60), ("t10k", 20)] {
        idx_files(desk, "data/mnist/", part, n, 28);
    }
    let opinion = |i: usize| ["a bad poor film", "a good fine film"][i % 2];
    let lines: String = (0..40).map(|i| format!("{}\t{} {}\n", i % 2, opinion(i), i % 3)).collect();
    for name in ["mpqa", "subj"] {
        desk.write(&format!("data/{name}/{name}.tsv"), &lines);
        desk.write(&format!("data/{name}/labels.txt"), "no\nyes\n");
    }
}
