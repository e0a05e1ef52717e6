//! A server whose clients go on asking while something happens to it.

use crate::common::Desk;
use crate::common::server::Server;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const BODY: &str = r#"{"text": "a good film"}"#;

/// How a client asks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Manner {
    /// Over one connection, as long as the server keeps it.
    KeepsAsking,
    /// Over a new connection each time.
    Reconnects,
    /// The same, and it sends the body once the server says that it has read the headers (`100 Continue`).
    WaitsToSend,
}

/// The status line and the headers of a response, in lower case; `None` where nothing comes any more.
fn head(from: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        match from.read_line(&mut line) {
            Ok(1..) => head += &line.to_lowercase(),
            ended if head.is_empty() && line.is_empty() => {
                drop(ended);
                return None;
            }
            ended => panic!("a torn response: {head}{line} {ended:?}"),
        }
        if line == "\r\n" {
            return Some(head);
        }
    }
}

/// Asks once: whether the whole answer came, and whether the connection may be used again. A torn answer, or none
/// after the server has said that it reads the request, is a failure.
fn ask(from: &mut BufReader<TcpStream>, id: &str, manner: Manner) -> Option<bool> {
    let waits = manner == Manner::WaitsToSend;
    let expects = if waits { "Expect: 100-continue\r\n" } else { "" };
    let length = BODY.len();
    let headers = format!(
        "POST /v2/models/model/explain HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: {id}\r\n\
         Content-Length: {length}\r\n{expects}\r\n"
    );
    // In one piece, so that the server has all of it or nothing.
    let first = if waits { headers } else { headers + BODY };
    from.get_mut().write_all(first.as_bytes()).ok()?;
    if waits {
        let go_on = head(from)?;
        assert!(go_on.starts_with("http/1.1 100"), "{go_on}");
        from.get_mut().write_all(BODY.as_bytes()).expect("the server reads it");
    }
    let Some(head) = head(from) else {
        assert!(!waits, "the request {id} was read, and nothing came");
        return None;
    };
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert!(head.contains(&format!("x-request-id: {id}\r\n")), "{head}");
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    let mut body = vec![0; length.expect("a length").parse().unwrap()];
    from.read_exact(&mut body).expect("the whole response");
    let body = String::from_utf8(body).unwrap();
    assert!(body.starts_with("{\"model_name\"") && body.ends_with('}'), "{body}");
    Some(!head.contains("connection: close"))
}

/// Sends requests until the server is gone; returns the names of those that were answered.
fn asked(address: &str, client: usize, manner: Manner) -> Vec<String> {
    let mut answered = Vec::new();
    let mut open: Option<BufReader<TcpStream>> = None;
    for number in 0.. {
        let mut from = match open.take() {
            Some(from) => from,
            None => {
                let Ok(stream) = TcpStream::connect(address) else { break };
                stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
                BufReader::new(stream)
            }
        };
        let id = format!("{client}-{number}");
        if let Some(may_go_on) = ask(&mut from, &id, manner) {
            answered.push(id);
            open = Some(from).filter(|_| may_go_on && manner == Manner::KeepsAsking);
        }
    }
    answered
}

#[test]
fn requests_already_read_are_answered_during_a_stop() {
    let desk = Desk::new();
    desk.text_model();
    let server = Server::start(&desk, "model --access-log log.jsonl");
    let manners = [Manner::KeepsAsking, Manner::Reconnects, Manner::WaitsToSend];
    let clients: Vec<_> = (0..9)
        .map(|client| {
            let address = server.address.clone();
            std::thread::spawn(move || asked(&address, client, manners[client % manners.len()]))
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    server.terminate();
    let answered: Vec<Vec<String>> =
        clients.into_iter().map(|client| client.join().unwrap()).collect();
    for (client, answered) in answered.iter().enumerate() {
        assert!(answered.len() > 5, "client {client} was answered {} times", answered.len());
    }
    let (code, printed) = server.wait();
    assert_eq!(code, Some(0), "{printed}");
    let answered: BTreeSet<String> = answered.into_iter().flatten().collect();
    let id = |line: &str| line.split("\"id\":\"").nth(1)?.split('"').next().map(String::from);
    let log = desk.read_text("log.jsonl");
    let read: BTreeSet<String> = log.lines().map(|line| id(line).expect("it has one")).collect();
    let lost: Vec<&String> = read.difference(&answered).collect();
    assert!(lost.is_empty(), "read and not answered: {lost:?}");
    assert_eq!(read, answered, "the log has all of them");
}

#[test]
fn a_log_into_an_unread_pipe_does_not_block_requests() {
    let desk = Desk::new();
    desk.text_model();
    // Standard error is a pipe, and it is read when the server has ended.
    let server = Server::start(&desk, "model --access-log -");
    let get = |path: &str| {
        let request = ureq::get(server.url(path)).config();
        let request = request.timeout_global(Some(Duration::from_secs(10))).build();
        request.call().unwrap().body_mut().read_to_string().unwrap()
    };
    (0..1500).for_each(|_| drop(get("/healthz")));
    let start = Instant::now();
    while get("/metrics").contains("ngsll_access_log_dropped_total 0") {
        // The pipe is full, and then what waits is.
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was dropped");
        (0..500).for_each(|_| drop(get("/healthz")));
    }
    server.terminate();
    let start = Instant::now();
    while TcpStream::connect(&server.address).is_ok() {
        assert!(start.elapsed() < Duration::from_secs(10), "it does not stop");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.wait().0, Some(0));
}
