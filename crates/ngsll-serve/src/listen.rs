//! Connections: how long they may take, how many there may be, and how they end.

use super::app::app;
use super::body::{DISCARD, discard};
use super::error::ApiError;
use super::host;
use super::state::State;
use super::timed::Timed;
use anyhow::{Context, Result};
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::from_fn;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};

/// Time for a request's headers, and for the next request of an open connection.
const HEADERS: Duration = Duration::from_secs(10);
/// Bytes of a connection that are held at a time, and so the most that headers may have.
const BUFFER: usize = 64 << 10;
/// Time in which a client must take its answer.
const TAKING: Duration = Duration::from_secs(30);
/// Connections beyond the allowed ones that are told so at a time.
const REFUSALS: usize = 64;
/// Time in which a refused client must ask and be told, with a second besides that for its body.
const REFUSAL: Duration = DISCARD.saturating_add(Duration::from_secs(1));
/// Before the next attempt after the system refused a connection, such as for want of file handles.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes the address.
pub async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("{address}: cannot listen there"))
}

/// Answers requests until it is asked to stop, then finishes those it has.
pub async fn serve(listener: TcpListener, state: State, stop: Arc<Notify>) {
    let longest = state.limits().request + TAKING;
    let connections = state.limits().connections;
    let metrics = state.clone();
    let full = full(state.clone());
    let mut app = app(state);
    if listener.local_addr().is_ok_and(|address| address.ip().is_loopback()) {
        app = app.layer(from_fn(host::local));
    }
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(connections));
    let refusals = Arc::new(Semaphore::new(REFUSALS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADERS).max_buf_size(BUFFER);
    let mut refusing = http1::Builder::new();
    refusing.max_buf_size(BUFFER).keep_alive(false);
    let accept = async {
        loop {
            let stream = accept(&listener).await;
            let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
                metrics.metrics().connection_refused();
                // Beyond that many the connection is closed without a word.
                if let Ok(place) = Arc::clone(&refusals).try_acquire_owned() {
                    let service = TowerToHyperService::new(full.clone());
                    let told = refusing.serve_connection(TokioIo::new(stream), service);
                    tokio::spawn(async move {
                        let _ = tokio::time::timeout(REFUSAL, told).await;
                        drop(place);
                    });
                }
                continue;
            };
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

/// What surplus connections are answered, whatever they ask.
fn full(state: State) -> Router {
    let connections = state.limits().connections;
    let refuse = move |request: Request| async move {
        let (start, method) = (Instant::now(), request.method().clone());
        discard(request).await;
        let status = StatusCode::SERVICE_UNAVAILABLE;
        state.metrics().request(&method, "other", status, start.elapsed());
        ApiError::busy(format!(
            "{connections} connections are open and there may not be more; try again in a second"
        ))
    };
    Router::new().fallback(refuse)
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

#[cfg(test)]
mod tests {
    use super::super::state::Limits;
    use super::super::tests::state;
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    /// Sends a body over a connection and waits for the end.
    async fn ask(mut stream: TcpStream, method: &'static str, body: usize) -> String {
        let asked = tokio::task::spawn_blocking(move || {
            let head = "Host: localhost\r\nConnection: close\r\nContent-Length";
            write!(stream, "{method} /healthz HTTP/1.1\r\n{head}: {body}\r\n\r\n").unwrap();
            stream.write_all(&vec![b' '; body]).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        });
        asked.await.unwrap()
    }

    #[tokio::test]
    async fn one_connection_too_many_is_asked_to_come_back_later() {
        let listener = bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Arc::new(Notify::new());
        let limits = Limits { connections: 2, ..Limits::default() };
        let state = state(limits);
        let metrics = state.clone();
        let server = tokio::spawn(serve(listener, state, Arc::clone(&stop)));
        let connect = || TcpStream::connect(address).unwrap();
        let (first, second) = (connect(), connect());
        // Also who sends much before listening is told.
        for (method, body) in [("GET", 0), ("POST", 3 << 20)] {
            let refused = ask(connect(), method, body).await.to_lowercase();
            assert!(refused.starts_with("http/1.1 503"), "{refused}");
            assert!(refused.contains("retry-after: 1"), "{refused}");
            assert!(refused.contains("2 connections are open"), "{refused}");
        }
        let counted = metrics.metrics().text();
        assert!(counted.contains("route=\"other\",status=\"503\"} 1"), "{counted}");
        assert!(counted.contains("ngsll_connections_refused_total 2"), "{counted}");
        // A place that becomes free is given to the next.
        for stream in [first, second] {
            let answer = ask(stream, "GET", 0).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
        assert!(ask(connect(), "GET", 0).await.starts_with("HTTP/1.1 200"));
        // So is who sends much to where nothing is taken.
        assert!(ask(connect(), "POST", 3 << 20).await.starts_with("HTTP/1.1 405"));
        stop.notify_one();
        server.await.unwrap();
    }
}
