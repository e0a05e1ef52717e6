//! Small files that unpack to a lot, or take long: refused with a sentence, in bounded memory and time.

mod common;

use common::Folder;
use flate2::write::{GzEncoder, ZlibEncoder};
use ngsll::config::ImageConfig;
use ngsll::dataset::{ImageSize, Images};
use ngsll_readers::{LabelUse, Reader, TextOptions, TextReader, decode_into, read_table};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A gzip file of one byte, so many times over.
fn gzip_of(byte: u8, megabytes: usize, end: &[u8]) -> Vec<u8> {
    let mut file = GzEncoder::new(Vec::new(), flate2::Compression::best());
    let block = vec![byte; 1 << 20];
    (0..megabytes).for_each(|_| file.write_all(&block).unwrap());
    file.write_all(end).unwrap();
    file.finish().unwrap()
}

fn table(path: &Path) -> ngsll::Result<ngsll::Dataset> {
    read_table(path, "y", &BTreeMap::new(), &[], LabelUse::Required)
}

fn refused<T>(result: ngsll::Result<T>, words: &str) {
    let message = result.map(|_| ()).unwrap_err().to_string();
    assert!(message.contains(words), "{message}");
}

#[test]
fn separators_and_nothing_else() {
    let desk = Folder::new();
    let path = desk.write("commas.csv.gz", gzip_of(b',', 64, b"y\n"));
    refused(table(&path), "a record of more than 1048576 fields starts here");
}

#[test]
fn gzip_files_that_unpack_to_far_more_than_data_do() {
    let desk = Folder::new();
    // Blank lines, which are passed over one by one.
    let path = desk.write("blank.csv.gz", gzip_of(b'\n', 400, b"y\n"));
    refused(table(&path), "it unpacks to more than 200 times its size");
}

#[test]
fn blank_lines_where_every_line_is_a_sample() {
    let desk = Folder::new();
    let path = desk.write("blank.txt", [vec![b'\n'; 2 << 20], b"text\n".to_vec()].concat());
    let mut options = TextOptions::default();
    options.labels = LabelUse::Optional;
    let mut reader = TextReader::open(&path, &options).unwrap();
    refused(reader.next_chunk(16), "more than 1048576 blank lines come before it");
}

#[test]
fn a_header_of_very_many_columns_takes_no_longer_for_each() {
    let desk = Folder::new();
    let names: Vec<String> = (0..300_000).map(|i| format!("c{i}")).collect();
    let row = vec!["1"; 300_000].join(",");
    let file = format!("{},y\n{row},a\n{row},b\n", names.join(","));
    let path = desk.write("wide.csv", file);
    let start = Instant::now();
    assert_eq!(table(&path).unwrap().len(), 2);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn names_that_every_line_of_json_invents() {
    let desk = Folder::new();
    let line = |i: usize| format!("{{\"c{i}\":1,\"y\":\"a\"}}\n");
    let path = desk.write("wide.jsonl", (0..40_000).map(line).collect::<String>());
    refused(table(&path), "take more than 4 GiB of memory");
}

/// A Parquet file of texts `x` and `y`.
fn parquet(
    path: &Path,
    compression: Compression,
    write: impl Fn(&mut ColumnWriterImpl<'_, ByteArrayType>),
) {
    let schema = "message schema { OPTIONAL BYTE_ARRAY x (UTF8); OPTIONAL BYTE_ARRAY y (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        write(column.typed::<ByteArrayType>());
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn a_parquet_file_of_very_many_rows() {
    let desk = Folder::new();
    let path = desk.path("rows.parquet");
    // Sixty million empty cells, of which a file says how many there are and no more.
    parquet(&path, Compression::UNCOMPRESSED, |column| {
        for _ in 0..60 {
            column.write_batch(&[], Some(&[0; 1_000_000]), None).unwrap();
        }
    });
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    let start = Instant::now();
    refused(table(&path), "the samples take more than 4 GiB of memory");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_parquet_file_whose_pages_unpack_to_far_more_than_data_do() {
    let desk = Folder::new();
    let path = desk.path("pages.parquet");
    let text = ByteArray::from(vec![b'a'; 1 << 20]);
    parquet(&path, Compression::ZSTD(ZstdLevel::default()), |column| {
        for _ in 0..150 {
            column.write_batch(std::slice::from_ref(&text), Some(&[1]), None).unwrap();
        }
    });
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    refused(table(&path), "it unpacks to more than 200 times its size");
}

/// A PNG with a palette of `length` bytes.
fn with_palette(length: usize) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], content: &[u8]| {
        file.extend((content.len() as u32).to_be_bytes());
        let both = [&kind[..], content].concat();
        file.extend(&both);
        file.extend(crc(&both).to_be_bytes());
    };
    chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 2, 8, 3, 0, 0, 0]);
    chunk(b"PLTE", &vec![7; length]);
    let mut pixels = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    pixels.write_all(&[0, 0, 1, 0, 1, 0]).unwrap();
    chunk(b"IDAT", &pixels.finish().unwrap());
    chunk(b"IEND", &[]);
    file
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[test]
fn a_palette_that_is_no_list_of_colours() {
    let size = ImageSize { width: 2, height: 2, channels: 3 };
    let mut images = Images::empty(size).unwrap();
    let mut decode = |length: usize| {
        decode_into(&mut images, &with_palette(length), &ImageConfig::default(), 1 << 20)
    };
    assert_eq!(decode(6), Ok((2, 2)));
    for length in [1, 2, 4, 5, 7, 8] {
        let message = decode(length).unwrap_err();
        assert!(message.starts_with("not a readable PNG"), "{length}: {message}");
    }
}
