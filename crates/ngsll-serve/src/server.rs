//! The server with its socket and its threads.

use crate::listen;
use crate::state::State;
use anyhow::{Context, Result};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// What is served, and where.
#[derive(Debug, Clone)]
pub struct Options {
    /// Model folders, or `NAME=FOLDER` to give one a name of its own.
    pub models: Vec<String>,
    /// Address and port to listen on; port 0 takes a free one.
    pub address: SocketAddr,
}

/// A server that has its models and its address, and waits to be [run](Self::run).
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    state: State,
    stop: Arc<Notify>,
}

/// Asks a running [`Server`] to stop, from any thread.
#[derive(Debug, Clone)]
pub struct StopHandle(Arc<Notify>);

impl StopHandle {
    /// Asks the server to stop once the requests in flight are answered.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

impl Server {
    /// Loads the models and takes the address.
    pub fn bind(options: &Options) -> Result<Self> {
        let state = State::load(&options.models)?;
        // The documents about the server are written on the blocking threads: as many as can be worked on.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .max_blocking_threads(state.limits().threads)
            .enable_all()
            .build()
            .context("cannot start a thread")?;
        let listener = runtime.block_on(listen::bind(options.address))?;
        let address = listener.local_addr()?;
        Ok(Self { runtime, listener, address, state, stop: Arc::new(Notify::new()) })
    }

    /// The address that it has, with the port that was free.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The names of its models in addresses.
    pub fn model_names(&self) -> impl Iterator<Item = &str> {
        self.state.models().map(|model| model.name())
    }

    /// What stops it.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.stop))
    }

    /// Answers requests until it is asked to stop, then finishes those it has.
    pub fn run(self) {
        let Self { runtime, listener, state, stop, .. } = self;
        runtime.block_on(listen::serve(listener, state, stop));
        // What still runs after the time for it is left behind.
        runtime.shutdown_background();
    }
}
