//! A server that others can reach: encrypted, with a token, with a line about every request.

use crate::common::{Desk, left_out};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_server_with_certificate_token_and_log() {
    let desk = Desk::new();
    let made = Command::new("openssl")
        .args("req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2".split(' '))
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .current_dir(desk.path(""))
        .output();
    let has_curl = Command::new("curl").arg("--version").output().is_ok();
    if !has_curl || !made.is_ok_and(|made| made.status.success()) {
        return left_out("a server with certificate, token and log", "curl and openssl");
    }
    desk.text_model();
    desk.write("token", "0123456789abcdef0123\n");
    let options = "--token-file token --tls-cert cert.pem --tls-key key.pem --access-log log.jsonl";
    let mut server = desk.command(&format!("serve model --addr 127.0.0.1:0 {options}"));
    let mut server = server.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let port = line.strip_prefix("https://127.0.0.1:").and_then(|rest| rest.split(' ').next());
    let url = format!("https://localhost:{}/v2/models", port.expect("it listens"));
    let curl = |arguments: &[&str]| {
        let mut command = Command::new("curl");
        command.args(["--silent", "--show-error", "--ipv4", "--noproxy", "*", "--max-time", "20"]);
        let done = command.args(arguments).current_dir(desk.path("")).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    let bearer = "Authorization: Bearer 0123456789abcdef0123";
    let found = curl(&["--cacert", "cert.pem", "-H", bearer, &url]);
    assert!(found.contains("\"model\""), "{found}");
    let found = curl(&["--cacert", "cert.pem", &url]);
    assert!(found.contains("this server requires a token"), "{found}");
    // Without the certificate a client does not speak to it, and it does not speak without encryption.
    assert_eq!(curl(&["-H", bearer, &url]), "");
    assert_eq!(curl(&["-H", bearer, &url.replace("https", "http")]), "");
    let pid = server.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let log = desk.read_text("log.jsonl");
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(!log.contains("0123456789abcdef"), "{log}");
    for (line, status) in log.lines().zip([200, 401]) {
        assert!(line.contains(&format!("\"status\":{status}")), "{line}");
        assert!(line.contains("\"client\":\"127.0.0.1\"") && line.contains("\"id\":"), "{line}");
    }
}
