//! `ngsll serve`
//!
//! A request's way: `listen` (connections) → `guard` (counted, in time) → `app` (addresses) → `body` (its bytes) →
//! `queue`, whose threads do the rest: `request` (either form, by `input` or `oip`), the networks, `models` (the answer).

mod answers;
mod app;
mod aside;
mod body;
mod classes;
mod docs;
mod error;
mod guard;
mod health;
mod host;
mod input;
mod json;
mod listen;
mod metrics;
mod models;
mod oip;
mod openapi;
mod page;
mod queue;
mod request;
mod state;
#[cfg(test)]
mod tests;
mod timed;

use crate::args::ServeArgs;
use crate::output::tell;
use anyhow::{Context, Result};
use state::State;
use std::io::Write;

pub fn run(args: &ServeArgs) -> Result<()> {
    let state = State::load(&args.models)?;
    let names: Vec<&str> = state.models().map(|model| model.name()).collect();
    let names = names.join(", ");
    // The documents about the server are written on the blocking threads: as many as can be worked on.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(state.limits().threads)
        .enable_all()
        .build()
        .context("cannot start a thread")?;
    let served = runtime.block_on(async {
        let listener = listen::bind(args.addr).await?;
        let address = listener.local_addr()?;
        let stop = listen::stop_on_signal()?;
        if !address.ip().is_loopback() {
            tell(format_args!(
                "warning: {address} can be reached from other machines, and everyone there may ask"
            ));
        }
        // That nobody reads the line does not end the server.
        let mut out = std::io::stdout();
        let _ = writeln!(out, "http://{address} serves {names}").and_then(|()| out.flush());
        listen::serve(listener, state, stop).await;
        Ok(())
    });
    // What still runs after the time for it is left behind.
    runtime.shutdown_background();
    served
}
