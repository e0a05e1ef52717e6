//! A web server on this machine with scripted answers.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The answer to a path.
#[derive(Clone)]
pub(super) enum Reply {
    /// This body, with its length.
    Body(Vec<u8>),
    /// This body, whose end is that of the connection.
    UnknownLength(Vec<u8>),
    /// An HTTP status without a body.
    Status(u16),
    /// Status 302 to this address.
    Redirect(String),
    /// A body that ends before the length it promised.
    Cut(Vec<u8>),
    /// A body that stops to come before the length it promised, over an open connection.
    Stall(Vec<u8>),
}

/// A running server; its thread ends with the tests.
pub(super) struct Server {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers each path with its reply, and any other with 404.
    pub(super) fn start<const N: usize>(replies: [(&str, Reply); N]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let replies = replies.map(|(path, reply)| (path.to_string(), reply));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let path = request_path(&stream);
                let reply = replies.iter().find(|(known, _)| *known == path);
                log.lock().unwrap().push(path);
                // The client may hang up at any time.
                let _ = answer(stream, reply.map_or(&Reply::Status(404), |(_, reply)| reply));
            }
        });
        Self { url, asked }
    }

    /// The address of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// The paths that were requested so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn request_path(stream: &TcpStream) -> String {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_string()
}

fn answer(mut stream: TcpStream, reply: &Reply) -> std::io::Result<()> {
    let (status, header, body) = match reply {
        Reply::Body(body) => (200, format!("Content-Length: {}", body.len()), body.as_slice()),
        Reply::UnknownLength(body) => (200, "X-Length: unknown".into(), body.as_slice()),
        Reply::Status(status) => (*status, "Content-Length: 0".into(), &[][..]),
        Reply::Redirect(to) => (302, format!("Location: {to}\r\nContent-Length: 0"), &[][..]),
        Reply::Cut(body) | Reply::Stall(body) => {
            (200, format!("Content-Length: {}", body.len() + 1000), body.as_slice())
        }
    };
    write!(stream, "HTTP/1.1 {status} Said\r\nConnection: close\r\n{header}\r\n\r\n")?;
    stream.write_all(body)?;
    if let Reply::Stall(_) = reply {
        thread::sleep(Duration::from_secs(10));
    }
    Ok(())
}
