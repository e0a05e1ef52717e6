//! The access log: a line of JSON for every request.
//!
//! A dedicated thread writes them, since the destination may block (an unread pipe, a slow disk). Lines that arrive
//! faster are dropped and counted. `tracing-appender` has such a thread, but does not put the number of dropped lines
//! into the log.
//!
//! The lines are formatted by hand: the `TraceLayer` of tower-http emits events of `tracing`, which nothing else here
//! uses, and JSON would also need `tracing-subscriber`, for one kind of line with seven fields.

use super::super::client::Client;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use prometheus::IntCounter;
use serde_json::{Value, json};
use std::fmt;
use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most characters of an address that are written.
const LONGEST_PATH: usize = 512;
/// Lines that may wait to be written, of some hundred bytes each.
const WAITING_LINES: usize = 4096;
/// Time for the last lines, when the server ends.
const LAST_LINES: Duration = Duration::from_secs(2);

/// The destination of the lines. A line that cannot be written is lost and counted; requests are answered regardless.
pub struct AccessLog {
    /// None once the server has ended.
    waiting: Mutex<Option<SyncSender<String>>>,
    /// Receives nothing; it closes after the last line.
    written: Mutex<Receiver<()>>,
    dropped: IntCounter,
}

impl fmt::Debug for AccessLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessLog")
    }
}

/// The facts about a request when it arrives. Neither its content nor its token is written.
pub(super) struct Entry {
    id: String,
    client: String,
    method: String,
    path: String,
}

impl Entry {
    pub fn new(request: &Request, client: &Client, id: &HeaderValue) -> Self {
        Self {
            id: id.to_str().unwrap_or_default().to_string(),
            client: client.to_string(),
            method: request.method().as_str().chars().take(32).collect(),
            path: request.uri().path().chars().take(LONGEST_PATH).collect(),
        }
    }
}

impl AccessLog {
    /// Writes lines to `out` on a new thread.
    pub fn new(out: impl Write + Send + 'static) -> std::io::Result<Self> {
        let help = "Lines of the access log that were not written, or not in time.";
        let dropped = IntCounter::new("ngsll_access_log_dropped_total", help);
        let dropped = dropped.expect("the name is valid");
        let (waiting, lines) = sync_channel(WAITING_LINES);
        let (end, written) = sync_channel(0);
        let count = dropped.clone();
        let thread = std::thread::Builder::new().name("access-log".into());
        thread.spawn(move || {
            write(out, &lines, &count);
            drop(end);
        })?;
        Ok(Self { waiting: Mutex::new(Some(waiting)), written: Mutex::new(written), dropped })
    }

    /// The number of dropped lines.
    pub(crate) fn dropped(&self) -> &IntCounter {
        &self.dropped
    }

    /// Writes the waiting lines within a short time limit; later lines are dropped.
    pub(crate) fn finish(&self) {
        drop(lock(&self.waiting).take());
        // The channel closes, which `recv_timeout` reports as an error.
        let _ = lock(&self.written).recv_timeout(LAST_LINES);
    }

    pub(super) fn write(&self, entry: &Entry, status: StatusCode, took: Duration) {
        let line = json!({
            "time": now(),
            "id": entry.id,
            "client": entry.client,
            "method": entry.method,
            "path": entry.path,
            "status": status.as_u16(),
            "seconds": (took.as_secs_f64() * 1e6).round() / 1e6,
        });
        let waits = lock(&self.waiting).as_ref().map(|waiting| waiting.try_send(line.to_string()));
        if !matches!(waits, Some(Ok(()))) {
            self.dropped.inc();
        }
    }
}

/// Writes lines until the channel closes, and before each the number dropped since the last.
fn write(mut out: impl Write, lines: &Receiver<String>, dropped: &IntCounter) {
    let mut reported = 0;
    for line in lines {
        let lost = dropped.get();
        let about = (lost > reported).then(|| json!({ "time": now(), "dropped": lost - reported }));
        reported = lost;
        // In one piece each: others may append to the same file.
        for line in about.as_ref().map(Value::to_string).into_iter().chain([line]) {
            if out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
                dropped.inc();
            }
        }
    }
}

/// Seconds since 1970.
fn now() -> f64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (time.as_secs_f64() * 1e3).round() / 1e3
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
