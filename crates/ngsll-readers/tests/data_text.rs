//! Reading texts, good and bad.

mod common;

use common::{Folder, all, gzip, labels, message};
use ngsll::Dataset;
use ngsll::dataset::Samples;
use ngsll::error::{Location, Result};
use ngsll_readers::{LabelUse, Reader, TextOptions, TextReader};

fn read(path: &std::path::Path, options: &TextOptions) -> Result<Dataset> {
    all(TextReader::open(path, options))
}

fn options(text: Option<&str>, target: Option<&str>, labels: LabelUse) -> TextOptions {
    let mut options = TextOptions::default();
    options.text = text.map(str::to_owned);
    options.target = target.map(str::to_owned);
    options.labels = labels;
    options
}

fn texts(data: &Dataset) -> Vec<&str> {
    match data.samples() {
        Samples::Texts(texts) => texts.iter().collect(),
        other => panic!("expected texts, found {other:?}"),
    }
}

#[test]
fn lines_with_labels() {
    let folder = Folder::new();
    let content = "\u{feff}pos\tgood \"film\r\n\r\n\nneg\t \"bad\nneg\t";
    for (name, bytes) in [("a.txt", content.as_bytes().to_vec()), ("a.tsv.gz", gzip(content))] {
        let path = folder.write(name, bytes);
        let data = read(&path, &TextOptions::default()).unwrap();
        assert_eq!(texts(&data), ["good \"film", " \"bad", ""]);
        assert_eq!(labels(&data).unwrap(), ["pos", "neg", "neg"]);
        assert_eq!(data.location(1), Location::line(&path, 4));
    }
}

#[test]
fn chunks_have_the_requested_length() {
    let folder = Folder::new();
    let content: String = (0..5000).map(|i| format!("{}\ttext number {i}\n", i % 3)).collect();
    let mut reader =
        TextReader::open(folder.write("a.tsv", content), &TextOptions::default()).unwrap();
    let mut lengths = Vec::new();
    while let Some(data) = reader.next_chunk(2000).unwrap() {
        assert_eq!(texts(&data)[0], format!("text number {}", 2000 * lengths.len()));
        lengths.push(data.len());
    }
    assert_eq!(lengths, [2000, 2000, 1000]);
}

#[test]
fn labels_may_be_optional_or_ignored() {
    let folder = Folder::new();
    let mixed = folder.write("a.txt", "pos\tgood\nbad\n");
    let data = read(&mixed, &options(None, None, LabelUse::Optional)).unwrap();
    assert_eq!(texts(&data), ["good", "bad"]);
    assert_eq!(labels(&data).unwrap(), ["pos", ""]);
    let data = read(&mixed, &options(None, None, LabelUse::Ignored)).unwrap();
    assert_eq!((texts(&data), labels(&data)), (vec!["good", "bad"], None));
    let bare = folder.write("b.txt", "good\nbad\n");
    assert_eq!(read(&bare, &options(None, None, LabelUse::Optional)).unwrap().labels(), None);
    // A model's target need not be in the file to predict for.
    let csv = folder.write("c.csv", "review\ngood\n");
    let data = read(&csv, &options(None, Some("stars"), LabelUse::Optional)).unwrap();
    assert_eq!((texts(&data), labels(&data)), (vec!["good"], None));
}

#[test]
fn columns_are_found_by_name() {
    let folder = Folder::new();
    let cases = [
        (
            "a.csv",
            "id,Label,Text\n1,pos,\"a, \"\"b\"\"\nc\"\n2,neg,d\n",
            options(None, None, LabelUse::Required),
        ),
        (
            "c.csv",
            "y,words\npos,\"a, \"\"b\"\"\nc\"\nneg,d\n",
            options(None, None, LabelUse::Required),
        ),
        (
            "b.csv",
            "review_id,review_text,label\n1,\"a, \"\"b\"\"\nc\",pos\n2,d,neg\n",
            options(None, None, LabelUse::Required),
        ),
        (
            "d.csv",
            "stars,q,words\npos,0,\"a, \"\"b\"\"\nc\"\nneg,0,d\n",
            options(Some("words"), Some("stars"), LabelUse::Required),
        ),
    ];
    for (name, content, options) in cases {
        for (name, bytes) in
            [(name.to_owned(), content.as_bytes().to_vec()), (format!("{name}.gz"), gzip(content))]
        {
            let path = folder.write(&name, bytes);
            let data = read(&path, &options).unwrap();
            assert_eq!(texts(&data), ["a, \"b\"\nc", "d"], "{name}");
            assert_eq!(labels(&data).unwrap(), ["pos", "neg"], "{name}");
            assert_eq!(data.location(1), Location::line(&path, 4), "{name}");
        }
    }
}

#[test]
fn a_tab_separated_file_may_have_a_header() {
    let folder = Folder::new();
    let path = folder.write("a.tsv", "TEXT\tid\tLABEL\n\"a\" b\t1\tpos\n");
    let data = read(&path, &TextOptions::default()).unwrap();
    assert_eq!(texts(&data), vec!["\"a\" b"]);
    assert_eq!(labels(&data).unwrap(), ["pos"]);
    let path = folder.write("b.txt", "stars\twords\n1\tgood\n");
    let data = read(&path, &options(Some("words"), Some("stars"), LabelUse::Required)).unwrap();
    assert_eq!(texts(&data), vec!["good"]);
    assert_eq!(labels(&data).unwrap(), ["1"]);
}

#[test]
fn bad_files_are_explained() {
    let folder = Folder::new();
    let required = options(None, None, LabelUse::Required);
    let cases: [(&str, &[u8], TextOptions, &str); 17] = [
        ("e.txt", b"", required.clone(), "it is empty: expected at least one sample"),
        ("e.csv", b"\n", required.clone(), "the file is empty, expected a header line"),
        ("h.csv", b"label,text\n", required.clone(), "it is empty: expected at least one sample"),
        (
            "a.txt",
            b"x\ty\nno tab\n",
            required.clone(),
            " line 2: found 1 field, expected 2: the label and the text, separated by a tab",
        ),
        (
            "b.txt",
            b"x\ty\tz\n",
            options(None, None, LabelUse::Ignored),
            " line 1: found 3 fields, expected 2: the label and the text, separated by a tab",
        ),
        ("c.txt", b"x\ty\n \tz\n", required.clone(), " line 2: the label is empty"),
        (
            "d.txt",
            b"x\t\xc3\xa9\nx\t\xff\n",
            required.clone(),
            " line 2: the text is not valid UTF-8",
        ),
        (
            "f.txt",
            b"x\t\xc3\xa9\nx\xc3\t\xa9\n",
            required.clone(),
            " line 2: the text is not valid UTF-8",
        ),
        (
            "g.csv",
            b"label,text\r\na,b\r\n\r\na,b,c\r\n",
            required.clone(),
            " line 4: found 3 fields, expected 2 as in the header",
        ),
        (
            "i.csv",
            b"label,text\na,b\na,\"b\nc,d\ne,f\n",
            required.clone(),
            " line 3: a quote in the record that starts here is never closed",
        ),
        (
            "p.csv",
            b"label,text\na,\"b\nc,\"d,e\n",
            required.clone(),
            " line 2: found 3 fields, expected 2 as in the header (the record spans 2 lines; is a quote never closed?)",
        ),
        ("j.csv", b"label,text\n,b\n", required.clone(), " line 2: the label is empty"),
        (
            "k.csv",
            b"id,text\n1,b\n",
            required.clone(),
            "it is not clear which of the columns \"id\", \"text\" is the label: data.target is not set",
        ),
        (
            "l.csv",
            b"label,a,b\n1,b,c\n",
            required.clone(),
            "it is not clear which of the columns \"label\", \"a\", \"b\" is the text: data.text is not set",
        ),
        (
            "m.csv",
            b"label,body\n1,b\n",
            options(Some("bdy"), None, LabelUse::Required),
            "no column \"bdy\"; the columns are \"label\", \"body\"; did you mean \"body\"?",
        ),
        (
            "n.csv",
            b"label,body\n1,b\n",
            options(Some("label"), None, LabelUse::Required),
            "column \"label\" cannot be both the text and the label",
        ),
        (
            "o.csv",
            b"label,text,text\n1,b,c\n",
            required.clone(),
            " line 1: the header names two columns \"text\"; give one of them another name",
        ),
    ];
    for (name, bytes, options, expected) in cases {
        let path = folder.write(name, bytes);
        let separator = if expected.starts_with(' ') { "" } else { ": " };
        assert_eq!(message(&folder, read(&path, &options)), format!("{name}{separator}{expected}"));
    }
}

#[test]
fn damaged_and_missing_files_are_named() {
    let folder = Folder::new();
    let mut bytes = gzip("x\ty\n".repeat(1000));
    bytes.truncate(bytes.len() / 2);
    let path = folder.write("a.txt.gz", bytes);
    let found = message(&folder, read(&path, &TextOptions::default()));
    assert!(found.starts_with("a.txt.gz: the gzip data are damaged or cut off"), "{found}");
    let found = message(&folder, read(&folder.path("none.txt"), &TextOptions::default()));
    assert!(found.starts_with("none.txt: cannot read: "), "{found}");
    let endless = format!("label,text\na,\"{}", "x".repeat(17 << 20));
    let path = folder.write("b.csv", endless);
    assert_eq!(
        message(&folder, read(&path, &TextOptions::default())),
        "b.csv line 2: a record of more than 16 MiB starts here; is a quote never closed?"
    );
}

#[test]
fn blank_lines_keep_their_row_where_a_line_is_a_sample() {
    let folder = Folder::new();
    let path = folder.write("a.txt", "one\n\n\ntwo\n");
    let data = read(&path, &options(None, None, LabelUse::Ignored)).unwrap();
    assert_eq!(texts(&data), ["one", "", "", "two"]);
    assert_eq!(data.location(3), Location::line(&path, 4));
    let labelled = folder.write("b.tsv", "x\tone\n\ny\ttwo\n");
    let data = read(&labelled, &options(None, None, LabelUse::Required)).unwrap();
    assert_eq!(texts(&data), ["one", "two"]);
}

#[test]
fn a_parquet_file_is_not_text() {
    let path = Folder::new();
    let path = path.write("a.csv", b"PAR1\x15\x04\xff");
    let error = read(&path, &TextOptions::default()).unwrap_err().to_string();
    assert!(error.contains("it is a Parquet file"), "{error}");
}
