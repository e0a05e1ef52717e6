//! One file from the web into a temporary file, with its SHA-256 computed on the way.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use ureq::Agent;
use ureq::http::Uri;

use super::fetch::DownloadProgress;
use ngsll::error::{Error, Result};

const CONNECT: Duration = Duration::from_secs(20);
/// The longest silence of a server; a slow connection that still delivers is not an error.
/// Shorter in tests, one of which waits for it.
const STALL: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 30 });
/// Far above the largest source, so that a wrong address cannot fill the disk.
const LARGEST: u64 = 256 << 20;

/// Why a download failed.
pub(super) enum Failure {
    /// The server or the connection: another mirror may do better.
    Remote(String),
    /// This machine: another mirror would fail too.
    Local(Error),
}

/// Downloads `url` into `temporary` and checks its SHA-256.
pub(super) fn download(
    url: &str,
    file: &str,
    sha256: &str,
    temporary: &mut NamedTempFile,
    progress: &mut dyn FnMut(DownloadProgress<'_>),
) -> Result<(), Failure> {
    let response = agent(url).get(url).call().map_err(|error| remote(url, &error))?;
    let body = response.into_body();
    let total = body.content_length();
    let mut reader = body.into_with_config().limit(LARGEST).reader();
    let path = temporary.path().to_path_buf();
    let mut hash = Sha256::new();
    let mut bytes = 0;
    let mut buffer = vec![0; 64 << 10];
    loop {
        progress(DownloadProgress { file, bytes, total });
        let read = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(remote(url, &ureq::Error::from(error))),
        };
        hash.update(&buffer[..read]);
        temporary
            .write_all(&buffer[..read])
            .map_err(|error| Failure::Local(Error::io(&path, "write", error)))?;
        bytes += read as u64;
    }
    let found = hex(hash);
    if found == sha256 {
        return Ok(());
    }
    Err(Failure::Remote(format!("{url}: {bytes} bytes with SHA-256 {found}, expected {sha256}")))
}

fn agent(url: &str) -> Agent {
    let mut config = Agent::config_builder()
        .timeout_connect(Some(CONNECT))
        .timeout_resolve(Some(CONNECT))
        .timeout_per_read(Some(STALL))
        .timeout_per_write(Some(STALL))
        .user_agent(concat!("ngsll/", env!("CARGO_PKG_VERSION")));
    // A proxy from the environment could not reach a server on this machine.
    if is_this_machine(url) {
        config = config.proxy(None);
    }
    config.build().into()
}

fn is_this_machine(url: &str) -> bool {
    let uri = url.parse::<Uri>().ok();
    matches!(uri.as_ref().and_then(Uri::host), Some("127.0.0.1" | "localhost" | "[::1]"))
}

fn remote(url: &str, error: &ureq::Error) -> Failure {
    Failure::Remote(match error {
        ureq::Error::StatusCode(status) => format!("{url}: HTTP status {status}"),
        error => format!("{url}: {error}"),
    })
}

/// The SHA-256 of a file.
pub(super) fn file_sha256(path: &Path) -> Result<String> {
    let refused = |error| Error::io(path, "read", error);
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path).map_err(refused)?, &mut hash).map_err(refused)?;
    Ok(hex(hash))
}

/// The SHA-256 of some bytes.
pub(super) fn bytes_sha256(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

fn hex(hash: Sha256) -> String {
    format!("{:x}", hash.finalize())
}
