//! Connections: how long they may take, how many there may be, and how they end.
//!
//! hyper's connections are driven here and not by `axum::serve`, which has no timeout for headers, no bound on the
//! number of connections and no limit on the time of a graceful shutdown.

use super::access::{Door, Peer, enter};
use super::app::app;
use super::body::{DRAIN_TIMEOUT, drain};
use super::error::ApiError;
use super::state::State;
use super::write_timeout::WriteTimeout;
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

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
/// Time in which connections are still taken after a server was asked to stop.
const LINGER: Duration = Duration::from_millis(300);
/// Pause before the next attempt after the system refused a connection, such as for want of file handles.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Answers requests until it is asked to stop, then finishes those it has and those that are on their way.
pub async fn serve(listener: TcpListener, state: State, door: Arc<Door>, stop: Arc<Notify>) {
    let longest = state.limits().request + WRITE_TIMEOUT;
    let graceful = GracefulShutdown::new();
    let connections = Connections::new(state, Arc::clone(&door));
    tokio::select! {
        () = connections.accept(&listener, &graceful) => {}
        () = stop.notified() => {}
    }
    // Clients that are about to ask do not know yet: for a moment they are answered, and told that it was the last
    // time on this connection.
    door.stop();
    let _ = timeout(LINGER, connections.accept(&listener, &graceful)).await;
    // From now on the system refuses connections.
    drop(listener);
    // No request takes longer than this; a client that does not take its response may.
    let _ = timeout(longest, graceful.shutdown()).await;
}

/// What new connections are given.
struct Connections {
    app: Router,
    full: Router,
    state: State,
    door: Arc<Door>,
    permits: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    http: http1::Builder,
    refusing: http1::Builder,
}

impl Connections {
    fn new(state: State, door: Arc<Door>) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .max_buf_size(CONNECTION_BUFFER)
            // A client that has asked may close its side of the connection, and still waits.
            .half_close(true);
        let mut refusing = http1::Builder::new();
        refusing.max_buf_size(CONNECTION_BUFFER).keep_alive(false);
        Self {
            app: app(state.clone()).layer(from_fn_with_state(Arc::clone(&door), enter)),
            full: full(state.clone()),
            permits: Arc::new(Semaphore::new(state.limits().connections)),
            refusals: Arc::new(Semaphore::new(MAX_REFUSALS)),
            state,
            door,
            http,
            refusing,
        }
    }

    /// Takes connections for ever.
    async fn accept(&self, listener: &TcpListener, graceful: &GracefulShutdown) {
        loop {
            let (stream, client) = accept(listener).await;
            match Arc::clone(&self.permits).try_acquire_owned() {
                Ok(permit) => self.start(stream, client, permit, graceful.watcher()),
                Err(_) => self.refuse(stream),
            }
        }
    }

    /// Serves a connection, for as long as it lasts.
    fn start(
        &self,
        stream: TcpStream,
        client: IpAddr,
        permit: OwnedSemaphorePermit,
        watcher: Watcher,
    ) {
        let app = TowerToHyperService::new(self.app.clone());
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Peer(client));
            app.call(request)
        });
        let http = self.http.clone();
        let tls = self.door.tls().cloned();
        tokio::spawn(async move {
            // How a connection ends is the client's business.
            match tls {
                None => {
                    let io = TokioIo::new(WriteTimeout::new(stream, WRITE_TIMEOUT));
                    let _ = watcher.watch(http.serve_connection(io, service)).await;
                }
                Some(tls) => {
                    let greeting = tls.acceptor().accept(stream);
                    if let Ok(Ok(stream)) = timeout(HEADER_TIMEOUT, greeting).await {
                        let io = TokioIo::new(WriteTimeout::new(stream, WRITE_TIMEOUT));
                        let _ = watcher.watch(http.serve_connection(io, service)).await;
                    }
                }
            }
            drop(permit);
        });
    }

    /// Answers a surplus connection with 503; beyond so many, and where connections are encrypted, it is closed
    /// without a response.
    fn refuse(&self, stream: TcpStream) {
        self.state.metrics().connection_refused();
        let permit = Arc::clone(&self.refusals).try_acquire_owned();
        if let (Ok(permit), None) = (permit, self.door.tls()) {
            let service = TowerToHyperService::new(self.full.clone());
            let refusal = self.refusing.serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move {
                let _ = timeout(REFUSAL_TIMEOUT, refusal).await;
                drop(permit);
            });
        }
    }
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

async fn accept(listener: &TcpListener) -> (TcpStream, IpAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, client)) => {
                // Otherwise a small response may wait for the next packet; where it cannot be set it does.
                let _ = stream.set_nodelay(true);
                return (stream, client.ip());
            }
            Err(_) => tokio::time::sleep(ACCEPT_RETRY).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::access::Access;
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
        let door = Arc::new(Door::new(Access::default(), true));
        let server = tokio::spawn(serve(listener, state, door, Arc::clone(&stop)));
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
