//! The server as others' clients see it: tritonclient, openapi-spec-validator, schemathesis; and exported models
//! as ONNX Runtime reads them.
//!
//! `NGSLL_PYTHON` names a Python interpreter that has the packages of `requirements.txt`.

#[path = "../common/mod.rs"]
mod common;
mod onnx;

use common::server::Server;
use common::{Desk, left_out};
use std::process::Command;

/// The interpreter, where there is one.
fn python(test: &str) -> Option<String> {
    let python = std::env::var("NGSLL_PYTHON").ok();
    if python.is_none() {
        left_out(test, "NGSLL_PYTHON, a Python with tests/contract/requirements.txt");
    }
    python
}

/// Runs a command that must succeed.
#[track_caller]
fn run(command: &mut Command) {
    let done = command.output().unwrap();
    let [out, err] = [&done.stdout, &done.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(done.status.success(), "{command:?}\n{out}\n{err}");
}

#[test]
fn tritonclient_reads_metadata_and_infers() {
    let Some(python) = python("tritonclient") else { return };
    let desk = Desk::new();
    desk.three_models();
    let server = Server::start(&desk, "reviews houses digits");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract/client.py");
    run(Command::new(python).args(["-B", script, &server.address]));
}

#[test]
fn the_document_is_valid_and_what_it_allows_never_breaks_the_server() {
    let Some(python) = python("schemathesis") else { return };
    let desk = Desk::new();
    desk.three_models();
    let server = Server::start(&desk, "reviews houses digits");
    let url = server.url("/openapi.json");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract/document.py");
    run(Command::new(&python).args(["-B", script, &url]));
    // A request that fits the document may still be none for a model, such as a text for one that reads images,
    // and one that does not fit may be refused for its size first: so not the two checks about acceptance.
    let checks = "positive_data_acceptance,negative_data_rejection";
    let options = ["--exclude-checks", checks, "--max-examples", "15", "--seed", "1"];
    let fuzz = ["-B", "-m", "schemathesis.cli", "run", &url, "--request-timeout", "10"];
    run(Command::new(&python).args(fuzz).args(options).current_dir(desk.path("")));
    // It is still there, and none of that was a mistake of the server's.
    let metrics = ureq::get(server.url("/metrics")).call().unwrap();
    let metrics = metrics.into_body().read_to_string().unwrap();
    assert!(metrics.contains("ngsll_requests_total"), "{metrics}");
    assert!(!metrics.contains("status=\"5"), "{metrics}");
}
