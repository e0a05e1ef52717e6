//! A server with a token, a limit and a log, tested over sockets.

use super::super::limits::Limits;
use super::super::listen::serve;
use super::super::tests::state;
use super::*;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, spawn_blocking};

const TOKEN: &str = "0123456789abcdef";

struct Served {
    address: SocketAddr,
    stop: Arc<Notify>,
    task: JoinHandle<()>,
}

async fn served(access: Access) -> Served {
    served_by(access, state(Limits::default())).await
}

async fn served_by(access: Access, state: State) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), Arc::new(Notify::new()));
    let access_state = Arc::new(AccessState::new(access, true));
    let task = tokio::spawn(serve(listener, state, access_state, Arc::clone(&stop)));
    Served { address, stop, task }
}

impl Served {
    /// The server's answer to these bytes, after which our side of the connection is closed.
    async fn ask(&self, request: &str) -> String {
        let (address, request) = (self.address, request.to_string());
        let asked = spawn_blocking(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        });
        asked.await.unwrap()
    }

    async fn get(&self, path: &str, headers: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")).await
    }

    async fn end(self) {
        self.stop.notify_one();
        self.task.await.unwrap();
    }
}

#[tokio::test]
async fn only_who_has_the_token_is_answered() {
    let token = Some(Token::new(&format!("{TOKEN}\n")).unwrap());
    let server = served(Access { token, ..Access::default() }).await;
    let basic = |pair: &str| {
        use base64::Engine;
        let pair = base64::engine::general_purpose::STANDARD.encode(pair);
        format!("Authorization: Basic {pair}\r\n")
    };
    for headers in [
        format!("Authorization: Bearer {TOKEN}\r\n"),
        format!("authorization: bearer {TOKEN}\r\n"),
        basic(&format!("anyone:{TOKEN}")),
    ] {
        let answer = server.get("/v2/models", &headers).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{headers}: {answer}");
    }
    for headers in [
        String::new(),
        "Authorization: Bearer 0123456789abcdeF\r\n".into(),
        format!("Authorization: Bearer {TOKEN}0\r\n"),
        format!("Authorization: Bearer {}\r\n", &TOKEN[1..]),
        format!("Authorization: {TOKEN}\r\n"),
        basic(TOKEN),
        "Authorization: Basic ????\r\n".into(),
    ] {
        for path in ["/", "/v2/models", "/metrics", "/docs", "/nowhere"] {
            let answer = server.get(path, &headers).await;
            assert!(answer.starts_with("HTTP/1.1 401"), "{path} {headers}: {answer}");
            assert!(answer.contains("www-authenticate: Basic realm=\"ngsll\", Bearer"), "{answer}");
            assert!(answer.contains("this server requires a token"), "{answer}");
        }
    }
    let alive = server.get("/healthz", "").await;
    assert!(alive.starts_with("HTTP/1.1 200"), "{alive}");
    server.end().await;
    assert!(Token::new("short").is_err() && Token::new("two lines of\n0123456789abc").is_err());
}

#[tokio::test]
async fn a_client_beyond_its_rate_gets_429() {
    let rate = Some(Rate::new(NonZeroU32::new(1).unwrap()));
    let server = served(Access { rate, ..Access::default() }).await;
    let mut last = String::new();
    for _ in 0..4 {
        last = server.get("/v2/models", "").await;
    }
    assert!(last.starts_with("HTTP/1.1 429"), "{last}");
    assert!(last.contains("retry-after: 1") && last.contains("came from 127.0.0.1"), "{last}");
    // A supervisor at this address does not restart the server for it.
    for path in HEALTH {
        let alive = server.get(path, "").await;
        assert!(alive.starts_with("HTTP/1.1 200"), "{path}: {alive}");
    }
    for other in ["GET /v2/health/other", "GET /healthz/", "POST /healthz"] {
        let refused = server.ask(&format!("{other} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
        assert!(refused.starts_with("HTTP/1.1 429"), "{other}: {refused}");
    }
    server.end().await;
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn every_request_has_a_line_and_a_name() {
    let lines = Lines::default();
    let access = Access { log: Some(AccessLog::new(lines.clone()).unwrap()), ..Access::default() };
    let server = served(access).await;
    let answer = server.get("/v2/models?token=secret", "X-Request-Id: of-mine\r\n").await;
    assert!(answer.contains("x-request-id: of-mine"), "{answer}");
    let answer = server.get("/nowhere", &format!("X-Request-Id: {}\r\n", "x".repeat(200))).await;
    assert!(answer.contains("x-request-id: ") && !answer.contains("xxxx"), "{answer}");
    server.end().await;
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(lines[0]["id"], "of-mine");
    assert_eq!((&lines[0]["method"], &lines[0]["status"]), (&"GET".into(), &200.into()));
    assert_eq!(
        (&lines[0]["path"], &lines[0]["client"]),
        (&"/v2/models".into(), &"127.0.0.1".into())
    );
    assert_eq!((&lines[1]["path"], &lines[1]["status"]), (&"/nowhere".into(), &404.into()));
    assert!(lines[0]["time"].as_f64().unwrap() > 1.6e9 && lines[0]["seconds"].is_number());
}

/// A pipe that is not read as long as there is a sender.
struct Stuck(Receiver<()>, Lines);

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _ = self.0.recv();
        self.1.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn an_unread_log_does_not_block_requests() {
    let (unread, pipe) = channel();
    let lines = Lines::default();
    let log = AccessLog::new(Stuck(pipe, lines.clone())).unwrap();
    let state = state(Limits::default());
    let server = served_by(Access { log: Some(log), ..Access::default() }, state.clone()).await;
    let asked = 5000;
    let one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for _ in 0..10 {
        let answers = server.ask(&one.repeat(asked / 10)).await;
        assert_eq!(answers.matches("HTTP/1.1 200").count(), asked / 10);
    }
    let counted = state.metrics().text();
    let name = "ngsll_access_log_dropped_total ";
    let dropped = counted.lines().find_map(|line| line.strip_prefix(name)).expect("it is shown");
    let dropped: usize = dropped.parse().unwrap();
    assert!((1..asked).contains(&dropped), "{dropped}");
    drop(unread);
    server.end().await;
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.lines().count(), asked - dropped + 1, "a line about them, and the others");
    assert!(text.contains(&format!("{{\"dropped\":{dropped},\"time\":")), "{text:.300}");
}

#[tokio::test]
async fn one_host_a_half_closed_connection_and_the_last_moment() {
    let server = served(Access::default()).await;
    // A client that closes its side after the request is answered.
    let body = r#"{"text": "a good film"}"#;
    let post = format!(
        "POST /v2/models/reviews/explain HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = server.ask(&post).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("explanations"), "{answer}");
    // With two names, proxies and servers may use different ones.
    for (hosts, version, status) in [
        ("", "1.1", 400),
        ("Host: localhost\r\nHost: localhost\r\n", "1.1", 400),
        ("Host: localhost\r\nHost: evil.example\r\n", "1.0", 400),
        ("Host: evil.example\r\n", "1.1", 403),
        ("", "1.0", 200),
        ("Host: localhost\r\n", "1.1", 200),
    ] {
        let answer = server.ask(&format!("GET /healthz HTTP/{version}\r\n{hosts}\r\n")).await;
        let expected = format!(" {status} ");
        assert!(answer[..16].contains(&expected), "{version} {hosts}: {answer}");
    }
    // Requests sent during a stop are answered, and are the last.
    let address = server.address;
    let open = TcpStream::connect(address).unwrap();
    server.stop.notify_one();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let asked = spawn_blocking(move || {
        let fresh = TcpStream::connect(address).unwrap();
        [open, fresh].map(|mut stream| {
            stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        })
    });
    for answer in asked.await.unwrap() {
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.contains("connection: close"), "{answer}");
    }
    server.task.await.unwrap();
}
