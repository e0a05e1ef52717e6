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
fn it_prints_its_address_and_ends_on_request() {
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
    let (code, printed) = server.wait();
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
    assert!(printed.starts_with("stopping once"), "{printed}");
}

/// Status and body of a POST of JSON.
fn post(server: &Server, path: &str, body: &str) -> (u16, String) {
    let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
    let request = agent.post(server.url(path)).content_type("application/json");
    let mut answer = request.send(body).unwrap();
    (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
}

#[test]
fn it_reads_dates_as_files_are_read() {
    let desk = Desk::new();
    let row = |i: usize| {
        format!(
            "2024-{:02}-{:02},{}\n",
            1 + i % 12,
            1 + i % 28,
            ["a", "b"][usize::from(i % 12 > 5)]
        )
    };
    desk.write("days.csv", format!("day,half\n{}", (0..60).map(row).collect::<String>()));
    desk.ok(&format!(
        "train --task tabular --data days.csv --target half {} --out model",
        common::QUICK
    ));
    let server = Server::start(&desk, "model");
    let ask = |day: &str| {
        post(&server, "/v2/models/model/infer", &format!("{{\"row\": {{\"day\": {day}}}}}"))
    };
    let iso = ask("\"2024-03-05\"");
    assert_eq!(iso.0, 200, "{}", iso.1);
    for day in ["\"05.03.2024\"", "\"5 Mar 2024\"", "\"March 5, 2024\"", "\"2024-03-05T00:00\""] {
        assert_eq!(ask(day), iso, "{day}");
    }
    assert_ne!(ask("\"2024-11-05\"").1, iso.1);
    assert_eq!(ask("null").0, 200);
    let (status, answer) = ask("\"soon\"");
    assert_eq!(status, 400);
    assert!(answer.contains("column \\\"day\\\": \\\"soon\\\" is not a date"), "{answer}");
}

#[test]
fn it_goes_by_the_threshold_of_the_model() {
    let desk = Desk::new();
    desk.text_model();
    let body = "{\"text\": \"a good film\"}";
    let labels: Vec<String> = ["0.001", "0.999"]
        .map(|threshold| {
            let keep = format!("--threshold {threshold} --keep-threshold");
            desk.ok(&format!("evaluate model --data reviews.tsv {keep}"));
            let server = Server::start(&desk, "model");
            let (status, answer) = post(&server, "/v2/models/model/infer", body);
            assert_eq!(status, 200, "{answer}");
            assert!(answer.contains(&format!("\"threshold\":{threshold}")), "{answer}");
            let label = answer.split("\"label\":\"").nth(1).and_then(|rest| rest.split('"').next());
            label.map(String::from).expect("a class is predicted")
        })
        .into();
    assert_eq!(labels, ["pos", "neg"]);
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
    // No other client is admitted; a connection may still wait in the system's queue at first.
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
    let mut printed = String::new();
    BufReader::new(server.stderr.as_mut().unwrap()).read_line(&mut printed).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(printed.starts_with("warning: 0.0.0.0:"), "{printed}");
}

/// Small requests go on meanwhile, so the server is never idle.
#[cfg(target_os = "linux")]
#[test]
fn memory_of_large_requests_comes_back() {
    let desk = Desk::new();
    desk.text_model();
    let server = Server::start(&desk, "model");
    let ask = |texts: usize| {
        let text = "a good film of many words ".repeat(80);
        let body = format!("{{\"text\": [{}]}}", vec![format!("\"{text}\""); texts].join(","));
        let request = ureq::post(server.url("/v2/models/model/explain"));
        let answer = request.content_type("application/json").send(&body).unwrap();
        assert_eq!(answer.status(), 200);
    };
    (0..20).for_each(|_| ask(1));
    let before = server.memory();
    // Requests close to the bounds of 1,024 texts and 2 MiB. How much memory they take at once depends on how they
    // overlap, so there are more of them until it is far above what is allowed to stay.
    for _ in 0..5 {
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(|| ask(900)))));
        if server.peak_memory() > before + 32 {
            break;
        }
    }
    let most = server.peak_memory();
    assert!(most > before + 24, "{before} MiB before, {most} MiB after: too little to be seen");
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(7) {
        ask(1);
        std::thread::sleep(Duration::from_millis(100));
    }
    let after = server.memory();
    assert!(after <= before + 16, "{before} MiB, then {most} MiB, {after} MiB seven seconds later");
}
