//! A running `ngsll serve`.

use super::Desk;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// A server on a free port; it ends with the test.
pub struct Server {
    process: Child,
    /// Such as `127.0.0.1:40123`.
    pub address: String,
    /// Its first output.
    pub line: String,
}

impl Server {
    /// Starts `ngsll serve` with these models and waits until it listens.
    #[track_caller]
    pub fn start(desk: &Desk, models: &str) -> Self {
        let mut command = desk.command(&format!("serve {models} --addr 127.0.0.1:0"));
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the command starts");
        let mut line = String::new();
        let out = process.stdout.as_mut().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("it says that it listens");
        let address = line.strip_prefix("http://").and_then(|rest| rest.split(' ').next());
        let Some(address) = address.map(String::from) else {
            let mut printed = String::new();
            let _ = process.stderr.as_mut().expect("it is piped").read_to_string(&mut printed);
            panic!("{line:?} names no address; {printed}");
        };
        Self { process, address, line: line.trim_end().to_string() }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The memory that it has, in MiB.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> usize {
        self.status("VmRSS:")
    }

    /// The most memory that it has had, in MiB.
    #[cfg(target_os = "linux")]
    pub fn peak_memory(&self) -> usize {
        self.status("VmHWM:")
    }

    #[cfg(target_os = "linux")]
    fn status(&self, name: &str) -> usize {
        let status = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(status).unwrap();
        let size = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        size.trim().trim_end_matches(" kB").parse::<usize>().unwrap() >> 10
    }

    /// Asks it to stop, as a supervisor does.
    pub fn terminate(&self) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    /// Waits for its end: its exit code and what it said besides the first line.
    pub fn wait(mut self) -> (Option<i32>, String) {
        let code = self.process.wait().unwrap().code();
        let mut printed = String::new();
        let (out, err) = (self.process.stdout.take(), self.process.stderr.take());
        out.unwrap().read_to_string(&mut printed).unwrap();
        err.unwrap().read_to_string(&mut printed).unwrap();
        (code, printed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
