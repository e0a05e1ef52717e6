//! Against a server on this machine, with a catalogue of small stand-ins.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::catalogue::{Catalogue, Entry, Recipe, Source};
use super::convert::Conversion;
use super::download::bytes_sha256;
use super::fetch::{FetchOutcome, fetch};
use super::test_server::{Reply, Server};
use ngsll_experiments::PaperDataset;

pub(super) const SOURCE: &[u8] = b"0 a caf\xe9 . \n1 \n1 b\n";
pub(super) const FINISHED: &str = "0\ta café .\n1\tb\n";

fn source(file: &str, content: &[u8], mirrors: &[String]) -> Source {
    Source { file: file.into(), sha256: bytes_sha256(content), mirrors: mirrors.to_vec() }
}

/// Subj as one converted file and its labels, MNIST as one file that is not converted.
fn catalogue(mirrors: &[String], images: &[u8]) -> Catalogue {
    let entry = |dataset, file: &str, content: &[u8], recipe| Entry {
        dataset,
        file: file.into(),
        sha256: bytes_sha256(content),
        recipe,
    };
    let recipe = |source, conversion| Recipe::Source { source, conversion };
    let all = recipe(source("subj.all", SOURCE, mirrors), Conversion::NumberedLines);
    let gz = recipe(source("images.gz", images, mirrors), Conversion::None);
    Catalogue {
        entries: vec![
            entry(PaperDataset::Subj, "subj.tsv", FINISHED.as_bytes(), all),
            entry(PaperDataset::Subj, "labels.txt", b"x\ny\n", Recipe::Text("x\ny\n".into())),
            entry(PaperDataset::Mnist, "images.gz", images, gz),
        ],
    }
}

pub(super) fn images() -> Vec<u8> {
    (0..200_000u64).map(|i| ((i * i) >> 7) as u8).collect()
}

/// The result of `fetch`, errors as their message.
pub(super) fn run(
    dataset: PaperDataset,
    dir: &Path,
    from: Option<&str>,
    mirrors: &[String],
) -> Result<Vec<FetchOutcome>, String> {
    let got = fetch(dataset, dir, from, &catalogue(mirrors, &images()), &mut |_| {});
    got.map(|files| files.into_iter().map(|f| f.outcome).collect()).map_err(|e| e.to_string())
}

/// The names of all files in a dataset's folder, hidden ones too; empty if there is no folder.
pub(super) fn names(dir: &Path, dataset: PaperDataset) -> Vec<String> {
    let files = fs::read_dir(dir.join(dataset.name()));
    let mut names: Vec<String> = files
        .into_iter()
        .flatten()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The permissions of a file, if the system has them: a download is as readable as any other file.
fn mode(path: &Path) -> fs::Permissions {
    fs::metadata(path).unwrap().permissions()
}

#[test]
fn a_source_is_downloaded_and_converted_and_then_kept() {
    let server = Server::start([("/d/subj.all", Reply::Body(SOURCE.to_vec()))]);
    let dir = TempDir::new().unwrap();
    let mirrors = [server.url("/d/")];
    let first = run(PaperDataset::Subj, dir.path(), None, &mirrors).unwrap();
    assert_eq!(first, [FetchOutcome::Downloaded(server.url("/d/subj.all")), FetchOutcome::Written]);
    assert_eq!(names(dir.path(), PaperDataset::Subj), ["labels.txt", "subj.tsv"]);
    assert_eq!(fs::read_to_string(dir.path().join("subj/subj.tsv")).unwrap(), FINISHED);
    let second = run(PaperDataset::Subj, dir.path(), None, &mirrors).unwrap();
    assert_eq!(second, [FetchOutcome::AlreadyThere, FetchOutcome::AlreadyThere]);
    assert_eq!(server.asked(), ["/d/subj.all"]);
}

#[test]
fn progress_counts_up_to_the_promised_total() {
    let server = Server::start([("/images.gz", Reply::Body(images()))]);
    let dir = TempDir::new().unwrap();
    let mut seen = Vec::new();
    let catalogue = catalogue(&[server.url("/")], &images());
    fetch(PaperDataset::Mnist, dir.path(), None, &catalogue, &mut |p| {
        assert_eq!((p.file, p.total), ("images.gz", Some(200_000)));
        seen.push(p.bytes);
    })
    .unwrap();
    assert!(seen.len() > 2 && seen.is_sorted(), "{seen:?}");
    assert_eq!((seen[0], seen[seen.len() - 1]), (0, 200_000));
    assert_eq!(fs::read(dir.path().join("mnist/images.gz")).unwrap(), images());
}

#[test]
fn a_body_of_unknown_length_and_a_redirect_are_followed() {
    let server = Server::start([
        ("/old/images.gz", Reply::Redirect("/new/images.gz".into())),
        ("/new/images.gz", Reply::UnknownLength(images())),
    ]);
    let dir = TempDir::new().unwrap();
    run(PaperDataset::Mnist, dir.path(), None, &[server.url("/old/")]).unwrap();
    assert_eq!(server.asked(), ["/old/images.gz", "/new/images.gz"]);
    assert_eq!(fs::read(dir.path().join("mnist/images.gz")).unwrap(), images());
}

#[test]
fn the_next_mirror_helps_out() {
    let server = Server::start([
        ("/wrong/images.gz", Reply::Body(b"<html>".to_vec())),
        ("/cut/images.gz", Reply::Cut(images()[..150_000].to_vec())),
        ("/good/images.gz", Reply::Body(images())),
    ]);
    let dir = TempDir::new().unwrap();
    let mirrors = ["/none/", "/wrong/", "/cut/", "/good/"].map(|path| server.url(path));
    let outcomes = run(PaperDataset::Mnist, dir.path(), None, &mirrors).unwrap();
    assert_eq!(outcomes, [FetchOutcome::Downloaded(server.url("/good/images.gz"))]);
    assert_eq!(names(dir.path(), PaperDataset::Mnist), ["images.gz"]);
}

#[test]
fn each_failure_is_named_and_leaves_no_file() {
    let part = images()[..150_000].to_vec();
    let server = Server::start([
        ("/wrong/images.gz", Reply::Body(b"<html>".to_vec())),
        ("/cut/images.gz", Reply::Cut(part.clone())),
        ("/stall/images.gz", Reply::Stall(part)),
        ("/broken/images.gz", Reply::Status(503)),
    ]);
    let dir = TempDir::new().unwrap();
    let failure = |path: &str| {
        let error = run(PaperDataset::Mnist, dir.path(), None, &[server.url(path)]).unwrap_err();
        assert_eq!(names(dir.path(), PaperDataset::Mnist), [""; 0], "after {error}");
        assert!(error.starts_with(&dir.path().join("mnist/images.gz").display().to_string()));
        assert!(error.contains(&server.url(path)) && error.contains("--from"), "{error}");
        error
    };
    assert!(failure("/none/").contains("images.gz: HTTP status 404)"));
    assert!(failure("/broken/").contains("HTTP status 503"));
    let wrong = format!(
        "6 bytes with SHA-256 {}, expected {}",
        bytes_sha256(b"<html>"),
        bytes_sha256(&images())
    );
    assert!(failure("/wrong/").contains(&wrong));
    let cut = failure("/cut/");
    assert!(cut.contains("disconnected"), "{cut}");
    let stall = failure("/stall/");
    assert!(stall.contains("timeout"), "{stall}");
}

#[test]
fn a_file_with_another_content_stays_and_nothing_is_fetched() {
    let server = Server::start([("/subj.all", Reply::Body(SOURCE.to_vec()))]);
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("subj")).unwrap();
    fs::write(dir.path().join("subj/labels.txt"), "mine").unwrap();
    let error = run(PaperDataset::Subj, dir.path(), None, &[server.url("/")]).unwrap_err();
    let expected = format!(
        "{}: a file with SHA-256 {} is already there, expected {}; nothing was overwritten, \
         move it away or choose another --dir",
        dir.path().join("subj/labels.txt").display(),
        bytes_sha256(b"mine"),
        bytes_sha256(b"x\ny\n")
    );
    assert_eq!(error, expected);
    assert_eq!(fs::read(dir.path().join("subj/labels.txt")).unwrap(), b"mine");
    assert_eq!(names(dir.path(), PaperDataset::Subj), ["labels.txt"]);
    assert!(server.asked().is_empty());
}

#[test]
fn from_a_url_replaces_the_mirrors() {
    let server = Server::start([("/mine/subj.all", Reply::Body(SOURCE.to_vec()))]);
    for base in ["/mine", "/mine/"] {
        let dir = TempDir::new().unwrap();
        let outcomes = run(PaperDataset::Subj, dir.path(), Some(&server.url(base)), &[]).unwrap();
        assert_eq!(outcomes[0], FetchOutcome::Downloaded(server.url("/mine/subj.all")));
    }
}

#[test]
fn from_a_folder_takes_sources_or_finished_files_in_either_layout() {
    let places = [
        ("subj.all", SOURCE),
        ("subj/subj.all", SOURCE),
        ("orig/subj.all", SOURCE),
        ("subj/orig/subj.all", SOURCE),
        ("subj.tsv", FINISHED.as_bytes()),
        ("subj/subj.tsv", FINISHED.as_bytes()),
    ];
    for (place, content) in places {
        let (dir, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let file = folder.path().join(place);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        let outcomes = run(PaperDataset::Subj, dir.path(), folder.path().to_str(), &[]).unwrap();
        assert_eq!(mode(&dir.path().join("subj/subj.tsv")), mode(&file));
        assert_eq!(outcomes, [FetchOutcome::Taken(file), FetchOutcome::Written]);
        assert_eq!(fs::read_to_string(dir.path().join("subj/subj.tsv")).unwrap(), FINISHED);
    }
}

#[test]
fn from_a_folder_without_the_right_file_is_an_error() {
    let (dir, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let from = folder.path().to_str().unwrap();
    let error = run(PaperDataset::Subj, dir.path(), Some(from), &[]).unwrap_err();
    let expected = format!(
        "from = {from}: neither subj.tsv nor subj.all found in it or in its subj, orig or \
         subj/orig"
    );
    assert_eq!(error, expected);
    let error = run(PaperDataset::Mnist, dir.path(), Some(from), &[]).unwrap_err();
    assert!(error.contains(": no images.gz found in it or in its mnist,"), "{error}");
    fs::write(folder.path().join("subj.all"), "0 other\n").unwrap();
    let error = run(PaperDataset::Subj, dir.path(), Some(from), &[]).unwrap_err();
    let (found, wanted) = (bytes_sha256(b"0 other\n"), bytes_sha256(SOURCE));
    assert!(error.contains(&format!("subj.all has SHA-256 {found}, expected {wanted}")), "{error}");
    let error = run(PaperDataset::Subj, dir.path(), Some("no/such/folder"), &[]).unwrap_err();
    assert!(error.starts_with("from = no/such/folder: neither a folder that exists"), "{error}");
    assert_eq!(names(dir.path(), PaperDataset::Subj), [""; 0]);
}

#[test]
fn a_conversion_with_another_result_writes_nothing() {
    let (dir, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::write(folder.path().join("subj.all"), SOURCE).unwrap();
    let mut catalogue = catalogue(&[], &images());
    catalogue.entries[0].sha256 = bytes_sha256(b"something else");
    let got =
        fetch(PaperDataset::Subj, dir.path(), folder.path().to_str(), &catalogue, &mut |_| {});
    let error = got.unwrap_err().to_string();
    assert!(error.contains("subj.tsv: the conversion gave SHA-256"), "{error}");
    assert_eq!(names(dir.path(), PaperDataset::Subj), [""; 0]);
}
