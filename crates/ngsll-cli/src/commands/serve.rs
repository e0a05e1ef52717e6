//! `ngsll serve`

use crate::args::ServeArgs;
use crate::output::eprint_line;
use anyhow::{Context, Result};
use ngsll_serve::{Server, State, StopHandle};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

pub fn run(args: &ServeArgs) -> Result<()> {
    let server = Server::bind(State::load(&args.models)?, args.addr)?;
    stop_on_signal(server.stop_handle())?;
    let address = server.address();
    if !address.ip().is_loopback() {
        eprint_line(format_args!(
            "warning: {address} can be reached from other machines, and there is no password"
        ));
    }
    let names: Vec<&str> = server.model_names().collect();
    // A closed standard output does not end the server.
    let mut out = std::io::stdout();
    let line = writeln!(out, "http://{address} serves {}", names.join(", "));
    let _ = line.and_then(|()| out.flush());
    server.run();
    Ok(())
}

/// From now on SIGTERM or Ctrl-C asks to stop, and a second one ends the program at once.
fn stop_on_signal(server: StopHandle) -> Result<()> {
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(crate::INTERRUPTED));
        }
        eprint_line(
            "stopping once the requests in flight are answered (Ctrl-C again to stop at once)",
        );
        server.stop();
    })
    .context("cannot listen for signals")
}
