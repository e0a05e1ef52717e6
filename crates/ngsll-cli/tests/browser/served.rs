//! The server on a port of its own.

use crate::common::Desk;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A running `ngsll serve`.
pub struct Served {
    process: Child,
    /// Where the page is.
    pub address: String,
}

impl Served {
    /// Serves models of the desk.
    pub fn start(desk: &Desk, models: &str) -> Self {
        let mut command = desk.command(&format!("serve {models} --addr 127.0.0.1:0"));
        let mut process = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut said = BufReader::new(process.stdout.take().expect("it was piped")).lines();
        let first = said.by_ref().map_while(Result::ok).find(|line| line.starts_with("http://"));
        std::thread::spawn(move || said.for_each(drop));
        let first = first.expect("the server says where it is");
        let address = first.split_whitespace().next().unwrap_or_default();
        Self { process, address: format!("{address}/") }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
