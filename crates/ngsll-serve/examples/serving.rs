//! A model behind an address: one request over HTTP, and the server stops.
//!
//! ```text
//! cargo run --release -p ngsll-serve --example serving
//! ```
//!
//! `ngsll serve FOLDER` does the same for models that were saved, until Ctrl-C.

use ngsll::{Dataset, Ngsll};
use ngsll_serve::{Limits, Server, State};
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

fn main() -> Result<(), Box<dyn Error>> {
    let texts = (0..200).map(|i| ["a good film", "a bad film"][i % 2]);
    let labels = (0..200).map(|i| ["praise", "blame"][i % 2]);
    let model = Ngsll::text().terms(1).seed(7).epochs(10).fit(&Dataset::texts(texts, labels)?)?;

    let state = State::new(BTreeMap::from([("reviews".to_string(), model)]), Limits::default())?;
    // Port 0 takes one that is free.
    let server = Server::bind(state, SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let (address, stop) = (server.address(), server.stop_handle());
    println!("http://{address}/ is the page, http://{address}/docs the interface");
    let serving = std::thread::spawn(|| server.run());

    let response = post(address, "/v2/models/reviews/explain", r#"{"text": "a good film"}"#)?;
    println!("{response}");
    stop.stop();
    serving.join().map_err(|_| "the server failed")?;
    if response.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(response.into()) }
}

/// Posts JSON, as `curl --json` does.
fn post(address: SocketAddr, path: &str, json: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    let length = json.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{json}"
    )?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

#[test]
fn it_runs() {
    main().unwrap();
}
