//! Options that `ngsll serve` refuses before it listens.

use crate::common::Desk;
use std::net::TcpListener;

#[test]
fn models_that_cannot_be_served() {
    let desk = Desk::new();
    desk.text_model();
    desk.refused("serve nowhere", &["nowhere"]);
    desk.refused("serve other=nowhere", &["nowhere"]);
    let twice = ["two models are named \"model\"", "NAME=FOLDER"];
    desk.refused("serve model model", &twice);
    desk.refused("serve a=model a=model", &["two models are named \"a\""]);
    desk.refused("serve =model", &["cannot be part of an address"]);
    desk.refused("serve a/b=model", &["\"a/b\" cannot be part of an address"]);
    desk.refused("serve", &["<MODEL>"]);
    desk.write("model/manifest.json", "{}");
    desk.refused("serve model", &["model"]);
}

#[test]
fn addresses_that_cannot_be_taken() {
    let desk = Desk::new();
    desk.text_model();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let parts = [address.as_str(), "cannot listen there", "in use"];
    desk.refused(&format!("serve model --addr {address}"), &parts);
    // An address of documentation, which no machine has.
    let foreign = ["192.0.2.1:8080", "cannot listen there"];
    desk.refused("serve model --insecure --addr 192.0.2.1:8080", &foreign);
    let open = ["0.0.0.0:0: anyone who can reach", "--token-file", "--insecure"];
    desk.refused("serve model --addr 0.0.0.0:0", &open);
    desk.write("token", "short");
    desk.refused("serve model --token-file token", &["token: expected a token of at least 16"]);
    desk.refused("serve model --token-file none", &["none: cannot read"]);
    desk.refused("serve model --tls-cert token --tls-key token", &["token: expected", "as PEM"]);
    desk.refused("serve model --tls-cert token", &["--tls-key"]);
    desk.refused("serve model --client-rate 0", &["--client-rate"]);
    for bad in ["0", "1.5", "-1", "NaN", "half"] {
        let parts = ["--client-share", "expected a number above 0 and up to 1"];
        desk.refused(&format!("serve model --client-share={bad}"), &parts);
    }
    for bad in ["nonsense", "127.0.0.1", "127.0.0.1:99999", ":8080"] {
        desk.refused(&format!("serve model --addr {bad}"), &["--addr", bad]);
    }
}
