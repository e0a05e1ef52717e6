//! Filling in a form.

use crate::chromium::Browser;
use crate::common::server::Server;
use crate::common::{Desk, QUICK, data};
use serde_json::Value;

/// The lengths and sides of all bars, as the page has them.
const BARS: &str = "[...document.querySelectorAll('#bars .track')].map((t) => t.className + t.getAttribute('style')).join()";

#[test]
fn a_changed_field_moves_the_bars_beside_the_original() {
    let Some(mut browser) = Browser::start() else { return };
    let desk = Desk::new();
    desk.write("houses.csv", data::houses());
    desk.ok(&format!(
        "train --task tabular --data houses.csv --target price --k 3 {QUICK} --out houses"
    ));
    desk.text_model();
    let server = Server::start(&desk, "model houses");
    // Several models: a link says which, and so does the selector.
    browser.open(&server.url("/#model=houses"));
    // All columns, so that the one that changes is among them.
    browser.wait_count("#bars tbody tr", 3);
    assert_eq!(browser.text("#result-title"), "Predicted price");
    // A typical row of the training data, as training kept it.
    let examples: Value = serde_json::from_slice(&desk.read("houses/examples.json")).unwrap();
    let columns: Value = serde_json::from_slice(&desk.read("houses/columns.json")).unwrap();
    let mut rows = examples.as_array().unwrap().iter();
    let typical = &rows.find(|example| example["typical"] == true).unwrap()["row"];
    let cell = |i: usize| &typical[columns["columns"][i]["name"].as_str().unwrap()];
    let shown = cell(0).as_f64().unwrap().to_string();
    assert_eq!(browser.get("document.querySelector('#field-0').value"), shown.as_str());
    assert_eq!(browser.get("document.querySelector('#field-1').selectedOptions[0].text"), *cell(1));
    let (bars, verdict) = (browser.get(BARS), browser.text("#verdict"));
    assert_eq!(browser.count("#bars .two, .bars.two"), 0);

    browser.type_into("#field-0", "9.5");
    browser.wait_count(".bars.two", 1);
    assert_ne!(browser.get(BARS), bars);
    let changed = browser.text("#verdict");
    // Numbers beside each other have the same decimals, which the one alone need not have.
    let value =
        |text: &str| -> f64 { text.lines().next().unwrap().replace(',', "").parse().unwrap() };
    let original = changed.split("Original\n").nth(1).map(value);
    assert!(original.is_some_and(|own| (own - value(&verdict)).abs() < 0.1), "{verdict} {changed}");
    assert!(changed.contains("Change"), "{changed}");
    assert!(browser.text("#bars").contains(&format!("{shown} → 9.5")));
    browser.wait("location.hash.includes('original=')");
    let link = browser.get("location.href").as_str().unwrap().to_string();

    // Missing is a value, too.
    browser.get("(() => { const s = document.querySelector('#field-1'); s.value = ''; s.dispatchEvent(new Event('change')) })()");
    browser.wait("document.querySelectorAll('.field.changed').length === 2");
    browser.click(".field.changed .reset");
    browser.wait_count(".field.changed", 1);
    browser.click(".field.changed .reset");
    browser.wait_count(".bars.two", 0);
    assert_eq!((browser.get(BARS), browser.text("#verdict")), (bars, verdict));

    browser.open(&link);
    browser.wait_count(".bars.two", 1);
    assert_eq!(browser.text("#verdict"), changed);
    assert_eq!(browser.get("document.querySelector('#field-0').value"), "9.5");
    browser.check_phone();

    browser.choose_model("model");
    browser.wait_count("#marked mark", 2);

    // There is one score, and so nothing to set it against.
    assert_eq!(browser.get("document.querySelector('#contrast').hidden"), true);

    // Of two classes, support for the one counts against the other.
    assert_eq!(browser.count("[role=tab]"), 2);
    let (bars, sum) = (browser.get(BARS), browser.text("#sum"));
    browser.click("#tab-1");
    browser.wait("document.querySelector('#terms-title').innerText.endsWith('not predicted')");
    let turned = |text: &str| text.replace("pos", "x").replace("neg", "pos").replace('x', "neg");
    assert_eq!(browser.get(BARS).as_str().unwrap(), turned(bars.as_str().unwrap()));
    assert_ne!(browser.text("#sum"), sum);
    // An example is seen as the model sees it.
    browser.click("#example-list button");
    browser.wait("!document.querySelector('#terms-title').innerText.endsWith('not predicted')");
    browser.check_console();
}
