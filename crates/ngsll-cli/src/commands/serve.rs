//! `ngsll serve`

use crate::args::ServeArgs;
use crate::interrupt::Stop;
use crate::output::eprint_line;
use anyhow::{Context, Result, anyhow, bail};
use ngsll::Error;
use ngsll_serve::{Access, AccessLog, Limits, Rate, Server, State, StopHandle, Tls, Token};
use std::fs::File;
use std::io::Write;
use std::path::Path;

pub fn run(args: &ServeArgs) -> Result<()> {
    let is_local = args.addr.ip().is_loopback();
    if !is_local && args.token_file.is_none() && !args.insecure {
        bail!(
            "{}: anyone who can reach this address could use the server; give a file with a token (--token-file), \
             or --insecure if something else restricts access",
            args.addr
        );
    }
    let access = access(args)?;
    let encrypted = access.tls.is_some();
    let mut limits = Limits::default();
    if let Some(share) = args.client_share {
        (limits.client_share, limits.local_share) = (share, share);
    }
    let state = State::load(&args.models, limits)?;
    let server = Server::bind(state, args.addr)?.with_access(access);
    stop_on_signal(server.stop_handle())?;
    let address = server.address();
    match (is_local, args.insecure, encrypted) {
        (false, true, _) => eprint_line(format_args!(
            "warning: {address} can be reached from other machines, and anyone there may use it"
        )),
        (false, false, false) => eprint_line(
            "warning: connections are not encrypted, so the token can be read in transit; see --tls-cert",
        ),
        _ => {}
    }
    let names: Vec<&str> = server.model_names().collect();
    let scheme = if encrypted { "https" } else { "http" };
    // A closed standard output does not end the server.
    let mut out = std::io::stdout();
    let line = writeln!(out, "{scheme}://{address} serves {}", names.join(", "));
    let _ = line.and_then(|()| out.flush());
    server.run();
    Ok(())
}

/// Access control, rate limit and log.
fn access(args: &ServeArgs) -> Result<Access> {
    let mut access = Access::default();
    if let Some(path) = &args.token_file {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read", e))?;
        let token =
            Token::new(&text).map_err(|message| anyhow!("{}: {message}", path.display()))?;
        access.token = Some(token);
    }
    if let (Some(certificates), Some(key)) = (&args.tls_cert, &args.tls_key) {
        access.tls = Some(Tls::read(certificates, key).map_err(|message| anyhow!(message))?);
    }
    access.rate = args.client_rate.map(Rate::new);
    access.log = args.access_log.as_deref().map(log).transpose()?;
    Ok(access)
}

fn log(path: &Path) -> Result<AccessLog> {
    let wrong = |e| Error::io(path, "write", e);
    if path == Path::new("-") {
        return Ok(AccessLog::new(std::io::stderr()).map_err(wrong)?);
    }
    let opened = File::options().create(true).append(true).open(path);
    Ok(opened.and_then(AccessLog::new).map_err(wrong)?)
}

/// Stops the server on SIGTERM or Ctrl-C; another signal at least a second later ends the program at once.
fn stop_on_signal(server: StopHandle) -> Result<()> {
    let asked = Stop::new();
    ctrlc::set_handler(move || {
        // Stop first: printing blocks if standard error is not read.
        server.stop();
        asked.signalled(
            "stopping once the requests in flight are answered (Ctrl-C again to stop at once)",
        );
    })
    .context("cannot listen for signals")
}
