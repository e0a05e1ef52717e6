//! Connections: their time limits, their number, and their end.
//!
//! hyper's connections are driven here and not by `axum::serve`, which has no timeout for headers, no bound on the
//! number of connections and no limit on the time of a graceful shutdown.

use super::access::{AccessState, admit};
use super::app::app;
use super::body::{DRAIN_TIMEOUT, drain};
use super::client::{Client, Held, Share};
use super::error::ApiError;
use super::state::State;
use super::write_timeout::WriteTimeout;
use axum::Router;
use axum::body::Body;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Time for a request's headers, and for the next request of an open connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// The buffer of a connection, and so the most bytes that headers may have.
const CONNECTION_BUFFER: usize = 64 << 10;
/// Time in which a client must read its response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections beyond the allowed ones that are answered with 503 at a time; more are closed.
const MAX_REFUSALS: usize = 64;
/// Time in which a refused client must send its request and get its answer: that for draining its body and a second.
const REFUSAL_TIMEOUT: Duration = DRAIN_TIMEOUT.saturating_add(Duration::from_secs(1));
/// Time in which connections are still accepted after a stop is requested.
const LINGER: Duration = Duration::from_millis(300);
/// Pause before the next attempt after the system refused a connection, for example for lack of file handles.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Answers requests until it is asked to stop, then finishes those that are being answered or on their way.
pub async fn serve(
    listener: TcpListener,
    state: State,
    access_state: Arc<AccessState>,
    stop: Arc<Notify>,
) {
    let longest = state.limits().request + WRITE_TIMEOUT;
    let graceful = GracefulShutdown::new();
    let connections = Connections::new(state, Arc::clone(&access_state));
    tokio::select! {
        () = connections.accept(&listener, &graceful) => {}
        () = stop.notified() => {}
    }
    // Clients about to send a request do not know yet: for a moment they are answered, and told that this was the
    // last response on the connection.
    access_state.stop();
    let _ = timeout(LINGER, connections.accept(&listener, &graceful)).await;
    // From now on the system refuses connections.
    drop(listener);
    // No request takes longer than this, but a slow client may take longer to read its response.
    let _ = timeout(longest, graceful.shutdown()).await;
    // Nothing else is left to do, so this may wait for a disk.
    access_state.finish();
}

/// A connection's place among all, and among those of its client.
type ConnectionPermit = (OwnedSemaphorePermit, Share);

/// The shared parts of new connections.
struct Connections {
    app: Router,
    state: State,
    access_state: Arc<AccessState>,
    permits: Arc<Semaphore>,
    by_client: Held,
    refusals: Arc<Semaphore>,
    http: http1::Builder,
    refusing: http1::Builder,
}

impl Connections {
    fn new(state: State, access_state: Arc<AccessState>) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .max_buf_size(CONNECTION_BUFFER)
            // A client may close its side of the connection after its request, and still wait for the answer.
            .half_close(true);
        let mut refusing = http1::Builder::new();
        refusing.max_buf_size(CONNECTION_BUFFER).keep_alive(false);
        if let Some(dropped) = access_state.dropped_lines() {
            state.metrics().also(dropped);
        }
        let entrance = from_fn_with_state((Arc::clone(&access_state), state.clone()), admit);
        Self {
            app: app(state.clone()).layer(entrance),
            permits: Arc::new(Semaphore::new(state.limits().connections)),
            by_client: Held::default(),
            refusals: Arc::new(Semaphore::new(MAX_REFUSALS)),
            state,
            access_state,
            http,
            refusing,
        }
    }

    /// Accepts connections for ever.
    async fn accept(&self, listener: &TcpListener, graceful: &GracefulShutdown) {
        loop {
            let (stream, address) = accept(listener).await;
            let client = Client::new(address, self.state.limits());
            match self.admit(&client) {
                Ok(place) => self.start(stream, client, place, graceful.watcher()),
                Err(error) => self.refuse(stream, error),
            }
        }
    }

    /// A place among the connections.
    fn admit(&self, client: &Client) -> Result<ConnectionPermit, ApiError> {
        let all = self.state.limits().connections;
        let permit = Arc::clone(&self.permits).try_acquire_owned().map_err(|_| {
            ApiError::busy(format!(
                "{all} connections are open, which is the limit; try again in a second"
            ))
        })?;
        let share = self.by_client.take(client, 1, all).ok_or_else(|| {
            client.refused(format_args!("{} connections are open", client.most(all)))
        })?;
        Ok((permit, share))
    }

    /// Serves a connection, for as long as it lasts.
    fn start(&self, stream: TcpStream, client: Client, place: ConnectionPermit, watcher: Watcher) {
        let app = TowerToHyperService::new(self.app.clone());
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(client);
            app.call(request)
        });
        let http = self.http.clone();
        let tls = self.access_state.tls().cloned();
        tokio::spawn(async move {
            // Errors of a connection are the client's affair.
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
            drop(place);
        });
    }

    /// Answers a surplus connection with an error; above a limit, and on encrypted connections, it is closed
    /// without a response.
    fn refuse(&self, stream: TcpStream, error: ApiError) {
        self.state.metrics().connection_refused();
        let permit = Arc::clone(&self.refusals).try_acquire_owned();
        if let (Ok(permit), None) = (permit, self.access_state.tls()) {
            let state = self.state.clone();
            let service = service_fn(move |request: hyper::Request<Incoming>| {
                let (state, error) = (state.clone(), error.clone());
                async move {
                    let (start, method) = (Instant::now(), request.method().clone());
                    drain(request.map(Body::new)).await;
                    state.metrics().request(&method, "other", error.status(), start.elapsed());
                    Ok::<_, Infallible>(error.into_response())
                }
            });
            let refusal = self.refusing.serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move {
                let _ = timeout(REFUSAL_TIMEOUT, refusal).await;
                drop(permit);
            });
        }
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, IpAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, client)) => {
                // Otherwise a small response may wait for the next packet; failing to set this only costs that time.
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

    /// A server, and what stops it.
    fn served(listener: TcpListener, state: State) -> (tokio::task::JoinHandle<()>, Arc<Notify>) {
        let (stop, access_state) =
            (Arc::new(Notify::new()), Arc::new(AccessState::new(Access::default(), true)));
        (tokio::spawn(serve(listener, state, access_state, Arc::clone(&stop))), stop)
    }

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
    async fn one_connection_too_many_is_refused_with_retry_after() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits { connections: 2, ..Limits::default() };
        let state = state(limits);
        let metrics = state.clone();
        let (server, stop) = served(listener, state);
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
        // A connection that ends makes way for the next.
        for stream in [first, second] {
            let answer = ask(stream, "GET", 0).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
        assert!(ask(connect(), "GET", 0).await.starts_with("HTTP/1.1 200"));
        // A large body is also drained by routes that take none.
        assert!(ask(connect(), "POST", 3 << 20).await.starts_with("HTTP/1.1 405"));
        stop.notify_one();
        server.await.unwrap();
    }

    /// On Linux all of 127.0.0.0/8 are loopback addresses.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn one_address_leaves_connections_for_others() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits { connections: 8, local_share: 0.25, ..Limits::default() };
        let (server, stop) = served(listener, state(limits));
        let connect = async |last: u8| {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(([127, 0, 0, last], 0).into()).unwrap();
            let stream = socket.connect(address).await.unwrap().into_std().unwrap();
            stream.set_nonblocking(false).unwrap();
            stream
        };
        let idle = [connect(2).await, connect(2).await];
        let refused = ask(connect(2).await, "GET", 0).await.to_lowercase();
        assert!(refused.starts_with("http/1.1 429"), "{refused}");
        assert!(refused.contains("retry-after: 1"), "{refused}");
        assert!(refused.contains("2 connections are open, which is the most for one address"));
        assert!(refused.contains("(127.0.0.2)"), "{refused}");
        assert!(ask(connect(3).await, "GET", 0).await.starts_with("HTTP/1.1 200"));
        drop(idle);
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(ask(connect(2).await, "GET", 0).await.starts_with("HTTP/1.1 200"));
        stop.notify_one();
        server.await.unwrap();
    }
}
