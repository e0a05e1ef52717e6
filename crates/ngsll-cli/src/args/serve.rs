//! The arguments of `ngsll serve`.

use clap::Args;
use std::num::NonZeroU32;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Model folders, named after the folder; NAME=FOLDER sets another name
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<String>,
    /// Address and port to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    pub addr: std::net::SocketAddr,
    /// File with a token that requests must send: "Authorization: Bearer TOKEN", or as a browser's password
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Listen on an address that other machines can reach without requiring a token
    #[arg(long, conflicts_with = "token_file")]
    pub insecure: bool,
    /// Certificate chain of the server as PEM; enables TLS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Private key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Maximum requests per second from one address; others get status 429
    #[arg(long, value_name = "N")]
    pub client_rate: Option<NonZeroU32>,
    /// Maximum share of connections and requests in flight for one address; use 1 if all clients come through a proxy
    /// [default: 0.25; 1 for this machine's own addresses]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub client_share: Option<f64>,
    /// File to which a line of JSON is appended for every request; - is standard error
    #[arg(long, value_name = "FILE")]
    pub access_log: Option<PathBuf>,
}

/// Parses a share of the server.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "expected a number above 0 and up to 1, such as 0.5".to_string())
}

/// Parses an address to listen on; localhost is 127.0.0.1.
fn address(text: &str) -> Result<std::net::SocketAddr, String> {
    let written = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_string(),
    };
    let expected = "expected an address and a port, such as 127.0.0.1:8080 or localhost:8080";
    written.parse().map_err(|_| expected.to_string())
}
