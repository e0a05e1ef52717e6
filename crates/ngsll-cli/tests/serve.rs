//! `ngsll serve` over its socket.

mod common;

use common::Desk;
use common::server::Server;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn read_all(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_says_where_it_listens_and_ends_when_it_is_asked_to() {
    let desk = Desk::new();
    desk.text_model();
    let server = Server::start(&desk, "model films=model");
    assert_eq!(server.line, format!("http://{} serves films, model", server.address));
    let answer = ureq::post(server.url("/v2/models/films/explain"))
        .content_type("application/json")
        .send("{\"text\": \"a good film\"}");
    let answer = answer.unwrap().body_mut().read_to_string().unwrap();
    assert!(answer.starts_with("{\"model_name\":\"films\""), "{answer}");
    server.terminate();
    let (code, said) = server.wait();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("stopping once"), "{said}");
}

#[test]
fn it_answers_under_no_name_of_another_machine() {
    let desk = Desk::new();
    desk.text_model();
    let server = Server::start(&desk, "model");
    for (host, status) in [("evil.example", "403 Forbidden"), ("127.0.0.1", "200 OK")] {
        let mut stream = connect(&server);
        write!(stream, "GET /page/models HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
            .unwrap();
        let answer = read_all(stream);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {answer}");
    }
}

#[test]
fn it_finishes_the_requests_it_has() {
    let desk = Desk::new();
    desk.text_model();
    let server = Server::start(&desk, "model");
    let body = "{\"text\": \"a good film\"}";
    let (first, rest) = body.split_at(8);
    let mut begun = connect(&server);
    let length = body.len();
    write!(
        begun,
        "POST /v2/models/model/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{first}"
    )
    .unwrap();
    let idle = connect(&server);
    // Until the server has read the headers, it has no request.
    std::thread::sleep(Duration::from_millis(300));
    server.terminate();
    // Nobody else is let in; a connection may still wait in the system's queue at first.
    let start = Instant::now();
    while TcpStream::connect(&server.address).is_ok() {
        assert!(start.elapsed() < Duration::from_secs(5), "it still listens");
        std::thread::sleep(Duration::from_millis(20));
    }
    begun.write_all(rest.as_bytes()).unwrap();
    let answer = read_all(begun);
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains("\"predictions\""), "{answer}");
    assert_eq!(read_all(idle), "");
    let start = Instant::now();
    let (code, _) = server.wait();
    assert_eq!(code, Some(0));
    assert!(start.elapsed() < Duration::from_secs(5), "it waits for nobody");
}

#[test]
fn headers_have_ten_seconds() {
    let desk = Desk::new();
    desk.text_model();
    let server = Server::start(&desk, "model");
    let mut slow = connect(&server);
    let silent = connect(&server);
    write!(slow, "GET /healthz HTTP/1.1\r\nHost: ").unwrap();
    let start = Instant::now();
    for stream in [slow, silent] {
        let mut stream = stream;
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
        let took = start.elapsed();
        assert!((8..14).contains(&took.as_secs()), "closed after {took:?}");
    }
    // Others were not held up.
    assert!(ureq::get(server.url("/healthz")).call().unwrap().status().is_success());
}

#[test]
fn an_address_that_others_can_reach_is_warned_about() {
    let desk = Desk::new();
    desk.text_model();
    let mut command = desk.command("serve model --insecure --addr 0.0.0.0:0");
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(server.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(said.starts_with("warning: 0.0.0.0:"), "{said}");
}
