//! Going from model to model.

use crate::chromium::Browser;
use crate::common::Desk;
use crate::common::server::Server;

/// Whether the element that a selector finds takes what is dragged over it.
fn takes(browser: &mut Browser, selector: &str) -> bool {
    let over = "new DragEvent('dragover', { bubbles: true, cancelable: true })";
    let taken =
        browser.get(&format!("!document.querySelector('{selector}').dispatchEvent({over})"));
    taken == true
}

#[test]
fn a_model_that_is_passed_by_leaves_nothing_behind() {
    let Some(mut browser) = Browser::start() else { return };
    let desk = Desk::new();
    desk.three_models();
    let server = Server::start(&desk, "reviews houses digits");
    browser.open(&server.url("/#model=reviews"));
    browser.wait_count("#marked mark", 2);

    // Pictures that come late: by then another model is there.
    browser.get("(() => { window.decode = Image.prototype.decode; Image.prototype.decode = function () { return new Promise((done) => (window.release = done)).then(() => decode.call(this)) } })()");
    browser.choose_model("digits");
    browser.choose_model("houses");
    browser.wait_count(".form", 1);
    browser.get("(() => { Image.prototype.decode = decode; release() })()");
    browser.get("new Promise((done) => setTimeout(done, 300))");
    assert_eq!((browser.count(".form"), browser.count("#canvas")), (1, 0));
    assert_eq!(browser.text("#title"), "Fill in a row");
    browser.wait_count("#bars tbody tr", 2);

    // Files are for image models only.
    browser.choose_model("digits");
    browser.wait_count("#overlay .cell", 2);
    assert!(takes(&mut browser, "#canvas"));
    browser.wait_count(".dropping", 1);
    browser.choose_model("reviews");
    browser.wait_count("#marked mark", 2);
    assert!(!takes(&mut browser, "#text"));
    assert_eq!(browser.count(".dropping"), 0);

    // A model that cannot be opened leaves the one before, and is said.
    browser.get(
        "(() => { Image.prototype.decode = () => Promise.reject(new Error('not a picture')) })()",
    );
    browser.choose_model("digits");
    browser.wait("document.querySelector('#error').innerText === 'digits could not be opened: not a picture'");
    assert_eq!(browser.get("document.querySelector('#model').value"), "reviews");
    browser.type_into("#text", "a good film");
    browser.wait("document.querySelector('#error').hidden");
    browser.wait("document.querySelector('#marked').innerText.includes('good')");
    browser.get("(() => { location.hash = 'model=digits' })()");
    browser.wait("!document.querySelector('#error').hidden");
    assert_eq!(browser.get("document.querySelector('#text').value"), "a good film");
    browser.check_console();
}
