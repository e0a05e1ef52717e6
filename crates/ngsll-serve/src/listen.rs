//! Connections: how long they may take, how many there may be, and how they end.
//!
//! hyper's connections are driven here and not by `axum::serve`, which has no timeout for headers, no bound on the
//! number of connections and no limit on the time of a graceful shutdown.

use super::app::app;
use super::body::{DRAIN_TIMEOUT, drain};
use super::error::ApiError;
use super::host;
use super::state::State;
use super::write_timeout::WriteTimeout;
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::from_fn;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};

/// Time for a request's headers, and for the next request of an open connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of a connection that are held at a time, and so the most that headers may have.
const CONNECTION_BUFFER: usize = 64 << 10;
/// Time in which a client must take its response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections beyond the allowed ones that are answered with 503 at a time; more are closed.
const MAX_REFUSALS: usize = 64;
/// Time in which a refused client must ask and be answered: that for draining its body and a second besides.
const REFUSAL_TIMEOUT: Duration = DRAIN_TIMEOUT.saturating_add(Duration::from_secs(1));
/// Pause before the next attempt after the system refused a connection, such as for want of file handles.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Answers requests until it is asked to stop, then finishes those it has.
pub async fn serve(listener: TcpListener, state: State, stop: Arc<Notify>) {
    let longest = state.limits().request + WRITE_TIMEOUT;
    let connections = state.limits().connections;
    let counted = state.clone();
    let full = full(state.clone());
    let mut app = app(state);
    if listener.local_addr().is_ok_and(|address| address.ip().is_loopback()) {
        app = app.layer(from_fn(host::local));
    }
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(connections));
    let refusals = Arc::new(Semaphore::new(MAX_REFUSALS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(CONNECTION_BUFFER);
    let mut refusing = http1::Builder::new();
    refusing.max_buf_size(CONNECTION_BUFFER).keep_alive(false);
    let accept = async {
        loop {
            let stream = accept(&listener).await;
            let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
                counted.metrics().connection_refused();
                // Beyond that many the connection is closed without a response.
                if let Ok(permit) = Arc::clone(&refusals).try_acquire_owned() {
                    let service = TowerToHyperService::new(full.clone());
                    let refusal = refusing.serve_connection(TokioIo::new(stream), service);
                    tokio::spawn(async move {
                        let _ = tokio::time::timeout(REFUSAL_TIMEOUT, refusal).await;
                        drop(permit);
                    });
                }
                continue;
            };
            let service = TowerToHyperService::new(app.clone());
            let io = TokioIo::new(WriteTimeout::new(stream, WRITE_TIMEOUT));
            let connection = graceful.watch(http.serve_connection(io, service));
            tokio::spawn(async move {
                // How a connection ends is the client's business.
                let _ = connection.await;
                drop(permit);
            });
        }
    };
    tokio::select! {
        () = accept => {}
        () = stop.notified() => {}
    }
    // From now on the system refuses connections.
    drop(listener);
    // No request takes longer than this; a client that does not take its response may.
    let _ = tokio::time::timeout(longest, graceful.shutdown()).await;
}

/// Answers whatever a surplus connection asks with 503.
fn full(state: State) -> Router {
    let connections = state.limits().connections;
    let refuse = move |request: Request| async move {
        let (start, method) = (Instant::now(), request.method().clone());
        drain(request).await;
        let status = StatusCode::SERVICE_UNAVAILABLE;
        state.metrics().request(&method, "other", status, start.elapsed());
        ApiError::busy(format!(
            "{connections} connections are open, which is the limit; try again in a second"
        ))
    };
    Router::new().fallback(refuse)
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Otherwise a small response may wait for the next packet; where it cannot be set it does.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(_) => tokio::time::sleep(ACCEPT_RETRY).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::Limits;
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
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Arc::new(Notify::new());
        let limits = Limits { connections: 2, ..Limits::default() };
        let state = state(limits);
        let metrics = state.clone();
        let server = tokio::spawn(serve(listener, state, Arc::clone(&stop)));
        let connect = || TcpStream::connect(address).unwrap();
        let (first, second) = (connect(), connect());
        // So is a client that sends much before it reads.
        for (method, body) in [("GET", 0), ("POST", 3 << 20)] {
            let refused = ask(connect(), method, body).await.to_lowercase();
            assert!(refused.starts_with("http/1.1 503"), "{refused}");
            assert!(refused.contains("retry-after: 1"), "{refused}");
            assert!(refused.contains("2 connections are open"), "{refused}");
        }
        let counted = metrics.metrics().text();
        assert!(counted.contains("route=\"other\",status=\"503\"} 1"), "{counted}");
        assert!(counted.contains("ngsll_connections_refused_total 2"), "{counted}");
        // A connection that ends makes room for the next.
        for stream in [first, second] {
            let answer = ask(stream, "GET", 0).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
        assert!(ask(connect(), "GET", 0).await.starts_with("HTTP/1.1 200"));
        // A large body is drained also where none is taken.
        assert!(ask(connect(), "POST", 3 << 20).await.starts_with("HTTP/1.1 405"));
        stop.notify_one();
        server.await.unwrap();
    }
}
