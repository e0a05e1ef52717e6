//! Files of samples, image bytes and configuration files.

use crate::campaign::campaign;
use crate::common::data;
use crate::corpus::corpus;
use crate::mutate::{self, Random};
use ngsll::config::{ImageConfig, Overrides};
use ngsll::dataset::{ImageSize, Images};
use ngsll::{Dataset, Result};
use ngsll_readers::{
    LabelUse, ReadDataset, TextOptions, TextReader, decode_into, read_all, read_table,
};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Changes good files and reads each under a name.
fn of_files(target: &str, name: &str, good: Vec<Vec<u8>>, read: impl Fn(&Path) + Sync) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    for bytes in good.iter().cloned().chain(corpus(target).map(<[u8]>::to_vec)) {
        std::fs::write(&path, bytes).unwrap();
        read(&path);
    }
    campaign(target, || {
        let (folder, good, read) = (tempfile::tempdir().unwrap(), &good, &read);
        move |random: &mut Random<'_>| {
            let mut bytes = random.choose(good).clone();
            mutate::bytes(random, &mut bytes, good);
            // Some of it compressed, where that is read.
            if random.below(8) == 0 {
                bytes = data::gzip(&bytes);
            }
            random.reads(name, &bytes);
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            read(&path);
        }
    });
}

fn table(path: &Path) -> Result<Dataset> {
    read_table(path, "kind", &BTreeMap::new(), &[], LabelUse::Required)
}

#[test]
fn delimited() {
    let written = "when;size;kind\n2024-01-31;1.234,5;a\n\"31.12.2024\";\"12 %\";\"b\n\"\nNA;;a\n";
    let good = vec![
        data::houses().into_bytes(),
        written.as_bytes().to_vec(),
        "sep=,\nx,kind\n1,a\n2,b\n".into(),
        "\u{feff}größe\tkind\nsehr\ta\n".into(),
        "x,kind\n".encode_utf16().flat_map(u16::to_le_bytes).collect(),
    ];
    of_files("delimited", "table.csv", good, |path| drop(table(path)));
}

#[test]
fn texts() {
    let good = vec![data::reviews().into_bytes(), b"text\tlabel\na b\tx\n\nc\ty\n".to_vec()];
    of_files("texts", "texts.tsv", good, |path| {
        for labels in [LabelUse::Required, LabelUse::Optional] {
            let mut options = TextOptions::default();
            options.labels = labels;
            drop(TextReader::open(path, &options).and_then(|mut reader| read_all(&mut reader)));
        }
    });
}

#[test]
fn json_lines() {
    let good = vec![
        b"{\"x\": 1, \"kind\": \"a\"}\n{\"x\": null, \"kind\": \"b\", \"y\": \"2024-01-31\"}\n"
            .to_vec(),
        b"{\"text\": \"one\", \"kind\": true}\n\n{\"text\": \"\", \"kind\": 1e5}\n".to_vec(),
    ];
    of_files("json_lines", "rows.jsonl", good, |path| drop(table(path)));
}

#[test]
fn idx() {
    let (images, labels) = data::digits(6);
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("labels");
    std::fs::write(&beside, &labels).unwrap();
    let good = vec![images, labels];
    of_files("idx", "images", good, |path| {
        drop(Dataset::from_idx(path, &beside));
        drop(Dataset::from_idx(&beside, path));
    });
}

#[test]
fn images() {
    let png = data::png(8, 8, &data::digit(1));
    let mut palette = Vec::new();
    let mut encoder = png::Encoder::new(&mut palette, 4, 2);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette([7; 9].to_vec());
    encoder.write_header().unwrap().write_image_data(&[0, 1, 2, 1, 0, 1, 2, 1]).unwrap();
    let good = [png, palette];
    let empty = || Images::empty(ImageSize { width: 8, height: 8, channels: 3 }).unwrap();
    // Refused, or an image more.
    let read =
        |bytes: &[u8]| decode_into(&mut empty(), bytes, &ImageConfig::default(), 1 << 16).is_ok();
    assert!(good.iter().all(|bytes| read(bytes)));
    corpus("images").for_each(|bytes| {
        let _ = read(bytes);
    });
    campaign("images", || {
        |random: &mut Random<'_>| {
            let mut bytes = random.choose(&good).clone();
            mutate::bytes(random, &mut bytes, &good);
            // With right checksums a decoder looks further.
            if random.below(2) == 0 {
                mend_png(&mut bytes);
            }
            random.reads("image.png", &bytes);
            read(&bytes);
        }
    });
}

/// Sets the checksum of every chunk.
fn mend_png(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4) {
        let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
        let Some(end) = at.checked_add(8 + length).filter(|end| end + 4 <= bytes.len()) else {
            break;
        };
        let mut crc = flate2::Crc::new();
        crc.update(&bytes[at + 4..end]);
        bytes[end..end + 4].copy_from_slice(&crc.sum().to_be_bytes());
        at = end + 4;
    }
}

#[test]
fn parquet() {
    let good =
        [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(Default::default())];
    let good = good.map(parquet_file).to_vec();
    of_files("parquet", "table.parquet", good, |path| drop(table(path)));
}

fn parquet_file(compression: Compression) -> Vec<u8> {
    let schema = "message schema { OPTIONAL DOUBLE x; REQUIRED BYTE_ARRAY kind (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let levels = [1, 0, 1, 1];
    column.typed::<DoubleType>().write_batch(&[1.0, 2.0, 3.0], Some(&levels), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let kinds = ["a", "b", "a", "b"].map(ByteArray::from);
    column.typed::<ByteArrayType>().write_batch(&kinds, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    file
}

#[test]
fn options() {
    let tasks =
        [ngsll::config::Task::Text, ngsll::config::Task::Image, ngsll::config::Task::Tabular];
    let good = tasks.map(|task| ngsll::Config::new(task).to_toml().unwrap().into_bytes());
    let numbers = ["0", "-1", "1e999", "9223372036854775807", "nan", "[]", "\"\"", "true", "[[1]]"];
    let read = |bytes: &[u8]| {
        let Ok(options) = Overrides::from_toml(&String::from_utf8_lossy(bytes)) else { return };
        // Refused, or options that training takes.
        let _ = options.config().and_then(ngsll::Config::check);
    };
    corpus("options").for_each(read);
    campaign("options", || {
        |random: &mut Random<'_>| {
            let mut bytes = random.choose(&good).clone();
            if random.below(2) == 0 {
                // One value of the file.
                let text = String::from_utf8(bytes).unwrap();
                let mut lines: Vec<String> = text.lines().map(String::from).collect();
                let at = random.below(lines.len());
                if let Some((name, _)) = lines[at].split_once('=') {
                    lines[at] = format!("{name}= {}", random.choose(&numbers));
                }
                bytes = lines.join("\n").into_bytes();
            } else {
                mutate::bytes(random, &mut bytes, &good);
            }
            random.reads("options.toml", &bytes);
            read(&bytes);
        }
    });
}
