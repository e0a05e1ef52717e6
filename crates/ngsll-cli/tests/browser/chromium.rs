//! Chromium, spoken to in its DevTools protocol over a pipe: JSON messages, each ended by a zero.

use crate::common::left_out;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Names under which it is installed.
const PROGRAMS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// How long anything may take to be seen.
const PATIENCE: Duration = Duration::from_secs(30);

/// One page of a headless browser with a separate profile.
pub struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: String,
    sent: u64,
    /// Errors that the console would show in red.
    errors: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// A browser; `None`, with a word on it, where none is installed. In CI that is a failure.
    pub fn start() -> Option<Self> {
        let Some(program) = PROGRAMS.iter().find(|program| is_there(program)) else {
            left_out("the page", "Chromium");
            return None;
        };
        let profile = TempDir::new().expect("a temporary folder");
        // It reads from descriptor 3 and writes to 4, which here are our ends of its pipes.
        let pipes = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut process = Command::new("sh")
            .args(["-c", pipes, program, "--remote-debugging-pipe", "--headless=new"])
            .args(["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--window-size=1200,900"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let to = process.stdin.take().expect("it was piped");
        let mut pipe = BufReader::new(process.stdout.take().expect("it was piped"));
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while pipe.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let sent = serde_json::from_slice(&message).map(|json| sender.send(json));
                if !matches!(sent, Ok(Ok(()))) {
                    break;
                }
                message.clear();
            }
        });
        let (session, errors) = (String::new(), Vec::new());
        let mut browser = Self { process, to, from, session, sent: 0, errors, _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let asked = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", asked);
        browser.session = attached["sessionId"].as_str().expect("a session").to_string();
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Loads an address anew.
    pub fn open(&mut self, address: &str) {
        // From elsewhere: a new fragment alone would not load the page again.
        for address in ["about:blank", address] {
            self.call("Page.navigate", json!({ "url": address }));
            let here = format!(
                "location.href === {} && document.readyState === 'complete'",
                json!(address)
            );
            self.wait(&here);
        }
    }

    /// The value of a JavaScript expression.
    pub fn get(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The text of the first element that a selector finds.
    pub fn text(&mut self, selector: &str) -> String {
        let text = self.get(&format!("document.querySelector({})?.innerText", json!(selector)));
        text.as_str().unwrap_or_else(|| panic!("there is no {selector}")).to_string()
    }

    /// How many elements a selector finds.
    pub fn count(&mut self, selector: &str) -> u64 {
        let count = self.get(&format!("document.querySelectorAll({}).length", json!(selector)));
        count.as_u64().expect("a length")
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn wait(&mut self, expression: &str) {
        let started = Instant::now();
        while self.get(expression) != json!(true) {
            if started.elapsed() > PATIENCE {
                let shown = self.get("document.body.innerText");
                panic!("never true: {expression}\n{shown}\n{:?}", self.errors);
            }
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    /// Waits until a selector finds this many elements.
    #[track_caller]
    pub fn wait_count(&mut self, selector: &str, count: u64) {
        self.wait(&format!("document.querySelectorAll({}).length === {count}", json!(selector)));
    }

    /// Presses, moves along the points, and lets go; places are shares of the element's sides.
    pub fn drag(&mut self, selector: &str, points: &[(f64, f64)]) {
        let area = self.area(selector);
        let places = points.iter().map(|(x, y)| (area[0] + x * area[2], area[1] + y * area[3]));
        let places: Vec<(f64, f64)> = places.collect();
        let mut mouse = |kind: &str, (x, y): (f64, f64), buttons: u8| {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        };
        mouse("mousePressed", places[0], 1);
        for pair in places.windows(2) {
            for step in 1..=8 {
                let between = |a: f64, b: f64| a + (b - a) * f64::from(step) / 8.0;
                mouse(
                    "mouseMoved",
                    (between(pair[0].0, pair[1].0), between(pair[0].1, pair[1].1)),
                    1,
                );
            }
        }
        mouse("mouseReleased", places[places.len() - 1], 0);
    }

    /// Puts fingers on an element, moves them or lifts them: all that touch it from then on, each
    /// with its number and its place in shares of the sides.
    pub fn touch(&mut self, kind: &str, selector: &str, fingers: &[(u8, f64, f64)]) {
        let area = self.area(selector);
        let finger = |&(id, x, y): &(u8, f64, f64)| json!({ "id": id, "x": area[0] + x * area[2], "y": area[1] + y * area[3] });
        let fingers: Vec<Value> = fingers.iter().map(finger).collect();
        self.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": fingers }));
    }

    /// Clicks the middle of an element.
    pub fn click(&mut self, selector: &str) {
        self.drag(selector, &[(0.5, 0.5)]);
    }

    /// Types a text into a field in place of what is there.
    pub fn type_into(&mut self, selector: &str, text: &str) {
        self.get(&format!(
            "(() => {{ const f = document.querySelector({}); f.focus(); f.select() }})()",
            json!(selector)
        ));
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Gives a file to a field that takes files.
    pub fn choose_file(&mut self, selector: &str, file: &Path) {
        let document = self.call("DOM.getDocument", json!({}));
        let root = &document["root"]["nodeId"];
        let found = self.call("DOM.querySelector", json!({ "nodeId": root, "selector": selector }));
        let asked = json!({ "nodeId": found["nodeId"], "files": [file] });
        self.call("DOM.setFileInputFiles", asked);
    }

    /// Chooses a model by its name.
    pub fn choose_model(&mut self, name: &str) {
        self.get(&format!("(() => {{ const s = document.querySelector('#model'); s.value = {}; s.dispatchEvent(new Event('change')) }})()", json!(name)));
    }

    /// Presses a key that has a name, such as `ArrowRight`.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "Tab" => 9,
            _ => panic!("which key is {key}?"),
        };
        for kind in ["keyDown", "keyUp"] {
            let event =
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// The width of a phone: nothing may stick out.
    #[track_caller]
    pub fn check_phone(&mut self) {
        let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.wait("innerWidth === 390 && document.documentElement.scrollWidth <= 390");
        self.wait("(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('#bars'))");
        self.call("Emulation.clearDeviceMetricsOverride", json!({}));
    }

    /// Nothing went wrong on the page.
    #[track_caller]
    pub fn check_console(&mut self) {
        // Requests on their way have been answered once this one is.
        self.get("new Promise((done) => setTimeout(done, 100))");
        assert!(self.errors.is_empty(), "the console shows {:#?}", self.errors);
    }

    /// Left, top, width and height of an element, which is brought into sight.
    fn area(&mut self, selector: &str) -> [f64; 4] {
        let find = format!("document.querySelector({})", json!(selector));
        self.get(&format!("{find}.scrollIntoView({{ block: 'nearest' }})"));
        let area = self.get(&format!("(() => {{ const r = {find}.getBoundingClientRect(); return [r.left, r.top, r.width, r.height] }})()"));
        std::array::from_fn(|i| area[i].as_f64().expect("a number"))
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        write!(self.to, "{message}\0").expect("Chromium listens");
        loop {
            let message = self.from.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|_| panic!("{method}: Chromium does not answer"));
            if message["id"] == json!(self.sent) {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    /// Keeps what the console would show in red.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let bad = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => params["type"] == "error",
            Some("Log.entryAdded") => params["entry"]["level"] == "error",
            _ => false,
        };
        if bad {
            self.errors.push(params.to_string());
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn is_there(program: &str) -> bool {
    let run =
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}
