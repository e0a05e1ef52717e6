//! Opening files as a configuration and a schema ask.

mod common;

use common::{Folder, labels, message, specs};
use ngsll::config::{DataConfig, Task};
use ngsll::dataset::{Groups, ImageSize};
use ngsll::representation::{ColumnDomain, ColumnSchema};
use ngsll::{Dataset, Result, Schema};
use ngsll_readers::{LabelUse, Reader, open, read_all};
use std::path::Path;

const TABLE: &str = "size,colour,grade\n1,red,1\n2,blue,4\n3,red,9\n";

fn data(target: Option<&str>, group: Option<&str>) -> DataConfig {
    let mut data = DataConfig::default();
    data.target = target.map(str::to_owned);
    data.group = group.map(|text| Groups::parse(text).unwrap());
    data
}

fn table(data: &DataConfig, path: &Path, labels: LabelUse) -> Result<Box<dyn Reader>> {
    open(Task::Tabular, data, path, None, labels, None)
}

fn lengths(mut reader: Box<dyn Reader>, max_rows: usize) -> Vec<usize> {
    std::iter::from_fn(|| reader.next_chunk(max_rows).unwrap().map(|data| data.len())).collect()
}

#[test]
fn a_table_comes_in_chunks_with_a_schema_and_without() {
    let folder = Folder::new();
    let path = folder.write("a.csv", TABLE);
    let config = data(Some("grade"), None);
    let whole = read_all(table(&config, &path, LabelUse::Required).unwrap().as_mut()).unwrap();
    assert_eq!(labels(&whole).unwrap(), ["1", "4", "9"]);
    let domain = ColumnDomain::Categorical { levels: vec!["red".into()] };
    let schema = Schema::Table(vec![ColumnSchema::new("colour", domain)]);
    let with_schema =
        || open(Task::Tabular, &config, &path, None, LabelUse::Optional, Some(&schema)).unwrap();
    for max_rows in [1, 2, 3, 9] {
        let expected: Vec<usize> = [0, 1, 2].chunks(max_rows).map(<[_]>::len).collect();
        assert_eq!(lengths(table(&config, &path, LabelUse::Required).unwrap(), max_rows), expected);
        assert_eq!(lengths(with_schema(), max_rows), expected);
    }
    let mut first = table(&config, &path, LabelUse::Required).unwrap();
    assert_eq!(first.next_chunk(2).unwrap(), Some(whole.select(&[0, 1])));
    assert_eq!(first.next_chunk(2).unwrap(), Some(whole.select(&[2])));
    let names = |data: &Dataset| specs(data).into_iter().map(|c| c.name).collect::<Vec<_>>();
    assert_eq!(names(&whole), ["size", "colour"]);
    assert_eq!(names(&read_all(with_schema().as_mut()).unwrap()), ["colour"]);
}

#[test]
fn labels_are_merged_into_groups() {
    let folder = Folder::new();
    let path = folder.write("a.csv", TABLE);
    let read =
        |group, labels| read_all(table(&data(Some("grade"), Some(group)), &path, labels)?.as_mut());
    let all = read("0-4=low,5-9=high", LabelUse::Required).unwrap();
    assert_eq!(labels(&all).unwrap(), ["low", "low", "high"]);
    assert_eq!(
        message(&folder, read("0-4=low", LabelUse::Required)),
        "a.csv line 4 column \"grade\": label \"9\" is in no group"
    );
    let shown = read("0-4=low", LabelUse::Optional).unwrap();
    assert_eq!(labels(&shown).unwrap(), ["low", "low", "9"]);
    assert_eq!(read("0-4=low", LabelUse::Ignored).unwrap().labels(), None);
}

#[test]
fn a_missing_option_is_named() {
    let folder = Folder::new();
    let path = folder.write("a.csv", TABLE);
    assert_eq!(
        message(&folder, table(&data(None, None), &path, LabelUse::Required)),
        "a.csv: no target column is given: data.target is not set"
    );
    assert_eq!(
        message(&folder, table(&data(None, None), &folder.path("b.csv"), LabelUse::Required)),
        "b.csv: there is no such file or folder"
    );
    let labels = open(
        Task::Text,
        &data(None, None),
        &path,
        Some(Path::new("labels")),
        LabelUse::Required,
        None,
    );
    assert_eq!(
        message(&folder, labels),
        "data.labels = labels: only IDX images have a separate file of labels"
    );
    let images = folder.write("images", [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 7]);
    let open = |label_use, schema: Option<&Schema>| {
        open(Task::Image, &data(None, None), &images, None, label_use, schema)
    };
    assert_eq!(
        message(&folder, open(LabelUse::Required, None)),
        "images: there is no file of labels beside it: data.labels is not set"
    );
    let schema = Schema::Image(ImageSize { width: 2, height: 1, channels: 1 });
    assert_eq!(
        message(&folder, open(LabelUse::Optional, Some(&schema))),
        "images: the images are 1×1 with 1 channel, but the model reads 2×1 with 1 channel"
    );
    assert_eq!(lengths(open(LabelUse::Optional, None).unwrap(), 5), [1]);
}
