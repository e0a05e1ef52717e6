//! Downloads that are killed, or refused by the system, at any call that changes the disk: a file is not there or is
//! whole, and the next call ends with all of them and nothing else.

use super::test_server::{Reply, Server};
use super::tests::{FINISHED, SOURCE, images, names, run};
use ngsll_experiments::PaperDataset::{Mnist, Subj};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const CALLS: &str = "write,fsync,fdatasync,linkat,rename,renameat2,mkdir,unlink,unlinkat";
const THIS: &str =
    "commands::get::killed::downloads_that_are_disturbed_at_any_call_are_completed_by_the_next";
/// The address of the server for the disturbed process, and its folder.
const URL: &str = "NGSLL_TEST_URL";
const FOLDER: &str = "NGSLL_TEST_FOLDER";

fn traced(server: &Server, folder: &Path, options: &[&str]) -> std::io::Result<Output> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(options).arg(std::env::current_exe()?);
    command.args(["--exact", THIS, "--test-threads=1"]);
    command.env(URL, server.url("/d/")).env(FOLDER, folder).output()
}

#[test]
fn downloads_that_are_disturbed_at_any_call_are_completed_by_the_next() {
    // The disturbed process is this test again, in a separate process: only tests know a catalogue with a server on
    // this machine.
    if let [Ok(url), Ok(folder)] = [URL, FOLDER].map(std::env::var) {
        for dataset in [Subj, Mnist] {
            run(dataset, Path::new(&folder), None, std::slice::from_ref(&url)).unwrap();
        }
        return;
    }
    let server = Server::start([
        ("/d/subj.all", Reply::Body(SOURCE.to_vec())),
        ("/d/images.gz", Reply::Body(images())),
    ]);
    let (folder, record) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let record = record.path().join("record");
    let trace = [&format!("-etrace={CALLS}"), "-o", record.to_str().unwrap()];
    let Some(done) =
        traced(&server, folder.path(), &trace).ok().filter(|done| done.status.success())
    else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "strace is needed");
        return;
    };
    assert!(String::from_utf8_lossy(&done.stdout).contains("1 passed"), "{done:?}");
    let calls = calls(&fs::read_to_string(&record).unwrap());
    assert!(calls.len() > 10, "{calls:?}");
    let finished = [("subj/subj.tsv", FINISHED.as_bytes().to_vec()), ("mnist/images.gz", images())];
    for fault in ["signal=KILL", "error=ENOSPC", "error=EROFS"] {
        let mut reached = 0;
        for (call, number) in &calls {
            let folder = TempDir::new().unwrap();
            let inject = format!("-einject={call}:{fault}:when={number}");
            let options = [&format!("-etrace={call}"), &inject, "-o", record.to_str().unwrap()];
            let done = traced(&server, folder.path(), &options).unwrap();
            let killed = done.status.signal() == Some(9) || done.status.code() == Some(128 + 9);
            let injected = fs::read_to_string(&record).unwrap().contains("(INJECTED)");
            reached += usize::from(killed || injected);
            let call = format!("{call} {number}");
            for (file, bytes) in &finished {
                let found = fs::read(folder.path().join(file)).ok();
                assert!(found.is_none_or(|found| found == *bytes), "{fault} at {call}: {file}");
            }
            for dataset in [Subj, Mnist] {
                run(dataset, folder.path(), None, &[server.url("/d/")]).unwrap();
            }
            assert_eq!(names(folder.path(), Subj), ["labels.txt", "subj.tsv"], "{fault} at {call}");
            assert_eq!(names(folder.path(), Mnist), ["images.gz"], "{fault} at {call}");
            for (file, bytes) in &finished {
                assert!(fs::read(folder.path().join(file)).unwrap() == *bytes, "{fault} at {call}");
            }
        }
        // Not by eprintln!, which the test harness would swallow.
        let _ = writeln!(std::io::stderr(), "downloads with {fault}: {reached} tried");
        assert!(2 * reached > calls.len(), "{fault}: {reached} of {} reached", calls.len());
    }
}

/// Each call of a record by its name and its number: strace counts those of each name and of each thread by themselves.
fn calls(record: &str) -> BTreeSet<(String, usize)> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut calls = BTreeSet::new();
    for line in record.lines() {
        let (thread, rest) = line.split_once(' ').unwrap_or(("", line));
        let Some((call, _)) = rest.trim_start().split_once('(') else { continue };
        if call.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            let number = counts.entry((thread, call)).or_default();
            *number += 1;
            calls.insert((call.to_string(), *number));
        }
    }
    calls
}
