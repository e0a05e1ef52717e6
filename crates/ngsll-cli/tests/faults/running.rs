//! A training that runs beside the test.

use crate::common::{Desk, data};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A command that trains `model` for ever; the checkpoint is written after every epoch.
pub const ENDLESS: &str = "train --task text --data reviews.tsv --k 2 --out model \
     --set training.epochs=100000 --set generator.units=8 \
     --set generator.filters=8 --set generator.embedding=8";

/// A training of `model` that takes some seconds, with the same bytes in the end every time.
pub const LONG: &str = "train --task text --data reviews.tsv --k 2 --out model \
     --set training.epochs=300 --set generator.units=8 --set generator.filters=8 \
     --set generator.embedding=8";

/// A running command.
pub struct Running(Child);

impl Running {
    pub fn start(desk: &Desk, args: &str) -> Self {
        desk.write("reviews.tsv", data::reviews());
        let mut command = desk.command(args);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("the command starts"))
    }

    /// Starts it and waits until it has written a checkpoint.
    pub fn with_checkpoint(desk: &Desk, args: &str) -> Self {
        let running = Self::start(desk, args);
        wait_for(&desk.path("model.checkpoint/state.json"));
        running
    }

    pub fn signal(&self, name: &str) {
        self.signals(name, 1);
    }

    /// The signal so many times at once: one command, as starting two can take a second on a busy machine.
    pub fn signals(&self, name: &str, times: usize) {
        let pids = vec![self.0.id().to_string(); times];
        assert!(Command::new("kill").arg(name).args(pids).status().unwrap().success());
    }

    pub fn wait(mut self) -> ExitStatus {
        self.0.wait().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until there is something at `path`.
#[track_caller]
pub fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} never appears", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}
