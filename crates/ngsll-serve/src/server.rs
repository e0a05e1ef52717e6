//! The server with its socket and its threads.

use super::access::{Access, AccessState};
use super::listen;
use super::start_error::StartError;
use super::state::State;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// A server with its models and its address, ready to be [run](Self::run).
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    state: State,
    access: Access,
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
    /// Binds the address; port 0 takes a free port.
    pub fn bind(state: State, address: SocketAddr) -> Result<Self, StartError> {
        // Documents about the server are written on the blocking threads: one for each that can run.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .max_blocking_threads(state.limits().threads)
            .enable_all()
            .build()
            .map_err(StartError::Thread)?;
        let failed = |source| StartError::Listen { address, source };
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (access, stop) = (Access::default(), Arc::new(Notify::new()));
        Ok(Self { runtime, listener, address, state, access, stop })
    }

    /// Adds access control; by default every request is answered.
    pub fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// The address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The names of its models in addresses.
    pub fn model_names(&self) -> impl Iterator<Item = &str> {
        self.state.models().map(|model| model.name())
    }

    /// A handle that stops it.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.stop))
    }

    /// Answers requests until a stop is requested, then finishes those in flight.
    pub fn run(self) {
        let Self { runtime, listener, address, state, access, stop } = self;
        let access_state = Arc::new(AccessState::new(access, address.ip().is_loopback()));
        runtime.block_on(listen::serve(listener, state, access_state, stop));
        // Work that still runs after its time limit is abandoned.
        runtime.shutdown_background();
    }
}
