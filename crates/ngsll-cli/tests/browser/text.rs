//! Typing.

use crate::chromium::Browser;
use crate::common::server::Server;
use crate::common::{Desk, QUICK_TEXT};
use serde_json::{Value, json};

/// Reviews of three kinds.
fn reviews() -> String {
    let line = |i: usize| {
        let (class, words) =
            [("neg", "bad and poor"), ("pos", "good and fine"), ("mixed", "long but clever")]
                [i % 3];
        format!("{class}\ta {words} film number {}\n", i % 7)
    };
    (0..90).map(line).collect()
}

#[test]
fn words_colour_while_typing_and_the_slider_says_how_many() {
    let Some(mut browser) = Browser::start() else { return };
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.ok(&format!("train --task text --data reviews.tsv --k 4 {QUICK_TEXT} --out model"));
    let server = Server::start(&desk, "model");
    browser.open(&server.url("/"));
    browser.wait_count("#marked mark", 4);

    browser.type_into("#text", "a good and <b>fine</b> film zzyx");
    browser.wait("document.querySelector('#marked').innerText.includes('zzyx')");
    browser.wait_count("#marked mark", 4);
    // Typed text is never markup, and an unknown word is grey.
    assert_eq!(browser.count("#marked .text b"), 0);
    browser
        .wait("[...document.querySelectorAll('#marked .oov')].some((o) => o.innerText === 'zzyx')");

    for k in [3, 1, 2] {
        browser.get("document.querySelector('#k').focus()");
        while browser.get("document.querySelector('#k').valueAsNumber") != k {
            let at = browser.get("document.querySelector('#k').valueAsNumber").as_i64().unwrap();
            browser.press(if at < k { "ArrowRight" } else { "ArrowLeft" });
        }
        browser.wait_count("#marked mark", k as u64);
        browser.wait_count("#bars tbody tr", k as u64);
        assert_eq!(browser.text("#k-value"), k.to_string());
    }

    // More terms than in training may be requested, and the choice is made anew.
    browser.get("(() => { const k = document.querySelector('#k'); k.value = 5; k.dispatchEvent(new Event('input')) })()");
    browser.wait_count("#marked mark", 5);
    browser.wait("location.hash.includes('k=5')");
    browser.get("(() => { const k = document.querySelector('#k'); k.value = 2; k.dispatchEvent(new Event('input')) })()");
    browser.wait_count("#marked mark", 2);

    // Why this class and not the runner-up, or the third.
    browser.wait_count("#differences tbody tr", 2);
    assert_eq!(browser.count("#contrast-not option"), 2);
    let rival = "document.querySelector('#contrast-not').value";
    let differences = browser.text("#differences");
    let third = browser.get("document.querySelectorAll('#contrast-not option')[1].value");
    assert_ne!(browser.get(rival), third);
    browser.get("(() => { const s = document.querySelector('#contrast-not'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')) })()");
    browser.wait(&format!("location.hash.includes('not=' + {third})"));
    assert_ne!(browser.text("#differences"), differences);
    assert!(browser.text("#legend").contains("saw nothing else"));

    // The explanation as JSON; the clipboard of this machine is left alone.
    browser.get("void (navigator.clipboard.writeText = async (text) => { window.written = text })");
    browser.click("#copy-json");
    browser.wait("document.querySelector('#copied').innerText === 'JSON copied'");
    let written = browser.get("window.written");
    let written: Value = serde_json::from_str(written.as_str().unwrap()).unwrap();
    assert_eq!((&written["model"], &written["k"]), (&json!("model"), &json!(2)));
    let outputs = written["outputs"].as_array().unwrap();
    assert_eq!(outputs.len(), 3);
    assert!(outputs.iter().all(|output| output["terms"].as_array().unwrap().len() == 2));
    let label = written["prediction"]["class"]["label"].as_str().unwrap();
    assert!(browser.text("#verdict").contains(label));

    // Tabs: the predicted class first, arrows go on to the runner-up.
    assert_eq!(browser.count("[role=tab]"), 3);
    assert_eq!(browser.count("[role=tab][tabindex='0']"), 1);
    assert!(browser.text("[role=tab]").contains("predicted"));
    browser.click("[role=tab]");
    browser.press("ArrowRight");
    browser.wait(
        "document.activeElement.id === 'tab-1' && document.activeElement.ariaSelected === 'true'",
    );
    let class = browser.text("#tab-1 .class");
    assert_eq!(
        browser.text("#terms-title"),
        format!("What supports {class}, which is not predicted")
    );
    browser.wait("location.hash.includes('class=')");
    let link = browser.get("location.href").as_str().unwrap().to_string();
    let (verdict, sum) = (browser.text("#verdict"), browser.text("#sum"));

    browser.open(&link);
    browser.wait_count("#marked mark", 2);
    assert_eq!(
        browser.get("document.querySelector('#text').value"),
        "a good and <b>fine</b> film zzyx"
    );
    assert_eq!(
        browser.text("#terms-title"),
        format!("What supports {class}, which is not predicted")
    );
    assert_eq!((browser.text("#verdict"), browser.text("#sum")), (verdict, sum));
    assert_eq!(browser.get(rival), third);
    browser.check_phone();
    browser.check_console();

    // A text without a word left, and a server that has gone, are said kindly.
    browser.type_into("#text", " ");
    browser.wait(
        "!document.querySelector('#empty').hidden && document.querySelector('#answer').hidden",
    );
    drop(server);
    browser.type_into("#text", "a good film");
    browser.wait("document.querySelector('#error').innerText.includes('is not answering')");
}
