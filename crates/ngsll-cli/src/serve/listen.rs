//! Connections: how long they may take, how many there may be, and how they end.

use super::app::app;
use super::host;
use super::state::State;
use super::timed::Timed;
use crate::output::tell;
use anyhow::{Context, Result};
use axum::middleware::from_fn;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};

/// Time for a request's headers, and for the next request of an open connection.
const HEADERS: Duration = Duration::from_secs(10);
/// Bytes of a connection that are held at a time, and so the most that headers may have.
const BUFFER: usize = 64 << 10;
/// Time in which a client must take its answer.
const TAKING: Duration = Duration::from_secs(30);
/// Open connections; others wait for one of them to end.
const CONNECTIONS: usize = 1024;
/// Before the next attempt after the system refused a connection, such as for want of file handles.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes the address.
pub async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("{address}: cannot listen there"))
}

/// Answers requests until it is asked to stop, then finishes those it has.
pub async fn serve(listener: TcpListener, state: State, stop: Arc<Notify>) {
    let longest = state.limits().request + TAKING;
    let mut app = app(state);
    if listener.local_addr().is_ok_and(|address| address.ip().is_loopback()) {
        app = app.layer(from_fn(host::local));
    }
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADERS).max_buf_size(BUFFER);
    let accept = async {
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
            let stream = accept(&listener).await;
            let service = TowerToHyperService::new(app.clone());
            let io = TokioIo::new(Timed::new(stream, TAKING));
            let connection = graceful.watch(http.serve_connection(io, service));
            tokio::spawn(async move {
                // How a connection ends is the client's business.
                let _ = connection.await;
                drop(place);
            });
        }
    };
    tokio::select! {
        () = accept => {}
        () = stop.notified() => {}
    }
    // Who comes now is refused by the system.
    drop(listener);
    // No request takes longer than this; a client that does not take its answer may.
    let _ = tokio::time::timeout(longest, graceful.shutdown()).await;
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Without it small answers may wait for others; where it cannot be set they do.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// From now on SIGTERM or Ctrl-C asks to stop, and a second one ends the program at once.
pub fn stop_on_signal() -> Result<Arc<Notify>> {
    let stop = Arc::new(Notify::new());
    let (asked, notify) = (AtomicBool::new(false), Arc::clone(&stop));
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(crate::INTERRUPTED));
        }
        tell("stopping when the requests in flight are answered (Ctrl-C again to stop at once)");
        notify.notify_one();
    })
    .context("cannot listen for signals")?;
    Ok(stop)
}
