//! A server with a token, a limit and a log, asked over sockets.

use super::super::limits::Limits;
use super::super::listen::serve;
use super::super::tests::state;
use super::*;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::num::NonZeroU32;
use std::sync::Mutex;
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
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), Arc::new(Notify::new()));
    let door = Arc::new(Door::new(access, true));
    let task = tokio::spawn(serve(listener, state(Limits::default()), door, Arc::clone(&stop)));
    Served { address, stop, task }
}

impl Served {
    /// What the server answers to these bytes, which close our side of the connection.
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
            assert!(answer.contains("this server asks for a token"), "{answer}");
        }
    }
    let alive = server.get("/healthz", "").await;
    assert!(alive.starts_with("HTTP/1.1 200"), "{alive}");
    server.end().await;
    assert!(Token::new("short").is_err() && Token::new("two lines of\n0123456789abc").is_err());
}

#[tokio::test]
async fn a_client_that_asks_too_often_is_told() {
    let rate = Some(Rate::new(NonZeroU32::new(1).unwrap()));
    let server = served(Access { rate, ..Access::default() }).await;
    let mut last = String::new();
    for _ in 0..4 {
        last = server.get("/healthz", "").await;
    }
    assert!(last.starts_with("HTTP/1.1 429"), "{last}");
    assert!(last.contains("retry-after: 1") && last.contains("came from 127.0.0.1"), "{last}");
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
    let access = Access { log: Some(AccessLog::new(lines.clone())), ..Access::default() };
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

#[tokio::test]
async fn one_host_a_half_closed_connection_and_the_last_moment() {
    let server = served(Access::default()).await;
    // A client that has asked and closes its side is answered.
    let body = r#"{"text": "a good film"}"#;
    let post = format!(
        "POST /v2/models/reviews/explain HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = server.ask(&post).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("explanations"), "{answer}");
    // Proxies and servers may take different ones of two names.
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
    // Requests that are sent while the server is asked to stop are answered, and are the last.
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
