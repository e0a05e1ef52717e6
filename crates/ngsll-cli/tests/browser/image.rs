//! Drawing.

use crate::chromium::Browser;
use crate::common::server::Server;
use crate::common::{Desk, data};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// White lines of 14×14 pixels on black, across (0) and down (1), at changing places.
fn lines(n: usize) -> (Vec<u8>, Vec<u8>) {
    let labels: Vec<u8> = (0..n).map(|i| (i % 2) as u8).collect();
    let pixel = |i: usize, at: usize| {
        let (along, beside) =
            if i.is_multiple_of(2) { (at % 14, at / 14) } else { (at / 14, at % 14) };
        let ink = (2..12).contains(&along) && (6..8).contains(&beside);
        if ink { 150 + ((at * 7 + i * 13) % 100) as u8 } else { 0 }
    };
    let pixels: Vec<u8> = (0..n).flat_map(|i| (0..196).map(move |at| pixel(i, at))).collect();
    (data::idx(&[n as u32, 14, 14], &pixels), data::idx(&[n as u32], &labels))
}

#[test]
fn a_drawing_is_predicted_and_its_cells_are_coloured() {
    let Some(mut browser) = Browser::start() else { return };
    let desk = Desk::new();
    let (images, labels) = lines(240);
    desk.write("images-idx3-ubyte", images);
    desk.write("labels-idx1-ubyte", labels);
    let size = "--set generator.units=16 --set generator.channels=[8,8] --set training.epochs=12";
    desk.ok(&format!("train --task image --data images-idx3-ubyte --group 0=across,1=down --k 3 {size} --out model"));
    let server = Server::start(&desk, "model");
    browser.open(&server.url("/"));
    // It starts with an example, whose answer is known.
    browser.wait("document.querySelector('.truth') !== null");
    assert_eq!(browser.get("document.querySelector('.invitation').hidden"), true);
    // So is that of any other; the address follows a moment later.
    browser.wait("location.hash.includes('base=')");
    let first = browser.get("location.hash");
    let other = browser.get("document.querySelectorAll('.thumb')[1].title");
    browser.click(".thumb:nth-child(2)");
    browser.wait(&format!(
        "document.querySelector('#verdict h2').innerText.startsWith({other}) && document.querySelector('.truth') !== null"
    ));
    // A link knows it, too.
    browser.wait(&format!("location.hash.includes('base=') && location.hash !== {first}"));
    let (link, verdict) = (browser.get("location.href"), browser.text("#verdict"));
    browser.open(link.as_str().unwrap());
    browser.wait("document.querySelector('.truth') !== null");
    assert_eq!(browser.text("#verdict"), verdict);
    browser.click("#clear");
    browser.wait("document.querySelector('#answer').hidden");
    assert_eq!(browser.get("document.querySelector('.invitation').hidden"), false);
    assert_eq!(browser.count("#overlay .cell"), 0);

    browser.drag("#canvas", &[(0.3, 0.2), (0.32, 0.8)]);
    browser.wait("document.querySelector('#verdict h2')?.innerText.startsWith('down')");
    browser.wait_count("#overlay .cell", 3);
    assert_eq!(browser.count("#subject .cell"), 3);
    assert_eq!(browser.count("#bars tbody tr"), 3);
    // A sign stands in every cell, besides its colour.
    let signs = browser.get("[...document.querySelectorAll('#overlay .cell text')].every((t) => '+−'.includes(t.textContent[0]))");
    assert_eq!(signs, true);

    browser.get("(() => { const k = document.querySelector('#k'); k.value = 1; k.dispatchEvent(new Event('input')) })()");
    browser.wait_count("#overlay .cell", 1);
    let (verdict, sum) = (browser.text("#verdict"), browser.text("#sum"));
    browser.wait("location.hash.includes('strokes=') && location.hash.includes('k=1')");
    let link = browser.get("location.href").as_str().unwrap().to_string();

    browser.click("#clear");
    browser.drag("#canvas", &[(0.2, 0.6), (0.8, 0.62)]);
    browser.wait("document.querySelector('#verdict h2')?.innerText.startsWith('across')");

    browser.open(&link);
    browser.wait("document.querySelector('#verdict h2')?.innerText.startsWith('down')");
    browser.wait_count("#overlay .cell", 1);
    assert_eq!((browser.text("#verdict"), browser.text("#sum")), (verdict, sum));

    // A file: dark ink on light paper, wider than high. What is no image is said to be none.
    let ink = |at: usize| (10..50).contains(&(at % 60)) && (16..24).contains(&(at / 60));
    let paper = (0..60 * 40).map(|at| if ink(at) { 20 } else { 250 });
    desk.write("line.png", data::png(60, 40, &paper.collect::<Vec<u8>>()));
    browser.get("(() => { const k = document.querySelector('#k'); k.value = 3; k.dispatchEvent(new Event('input')) })()");
    browser.click("#clear");
    // A drawing cleared by mistake comes back.
    browser.click("#undo");
    browser.wait("document.querySelector('#verdict h2')?.innerText.startsWith('down')");
    browser.click("#clear");
    browser.choose_file("#file", &desk.path("line.png"));
    browser.wait("document.querySelector('#verdict h2')?.innerText.startsWith('across')");
    browser.wait("document.querySelector('#opened').innerText !== ''");
    let opened = browser.text("#opened");
    assert!(opened.starts_with("line.png, 60×40: scaled to 14×14"), "{opened}");
    assert!(opened.contains("with a margin") && opened.contains("inverted"), "{opened}");
    browser.wait_count("#overlay .cell", 3);
    // Dropped, it is the same; and back again there is the first one with its note.
    let file = BASE64_STANDARD.encode(desk.read("line.png"));
    browser.get(&format!(
        "(() => {{
            const bytes = Uint8Array.from(atob('{file}'), (c) => c.charCodeAt(0));
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([bytes], 'dropped.png', {{ type: 'image/png' }}));
            const drop = new DragEvent('drop', {{ bubbles: true, cancelable: true, dataTransfer }});
            document.querySelector('#canvas').dispatchEvent(drop);
        }})()"
    ));
    browser.wait("document.querySelector('#opened').innerText.startsWith('dropped.png, 60×40')");
    browser.click("#undo");
    assert_eq!(browser.text("#opened"), opened);
    browser.wait_count("#overlay .cell", 3);
    desk.write("text.png", "no image");
    browser.choose_file("#file", &desk.path("text.png"));
    browser.wait(
        "document.querySelector('#editor .error').innerText.includes('text.png is not an image')",
    );
    browser.check_phone();
    browser.check_console();
}

#[test]
fn a_drawn_digit_is_predicted_by_k_coloured_cells() {
    let Some(mut browser) = Browser::start() else { return };
    let desk = Desk::new();
    desk.ok("demo");
    let server = Server::start(&desk, "ngsll-demo/model");
    browser.open(&server.url("/"));
    browser.wait("document.querySelector('.truth') !== null");
    // Digits from 0 to 4 are low, the others high.
    let five = [(0.69, 0.19), (0.4, 0.2), (0.36, 0.46), (0.5, 0.43), (0.65, 0.52), (0.67, 0.65)];
    let five = [&five[..], &[(0.6, 0.78), (0.48, 0.8), (0.33, 0.71)]].concat();
    let two = [(0.32, 0.32), (0.4, 0.21), (0.55, 0.19), (0.67, 0.3), (0.64, 0.45)];
    let two = [&two[..], &[(0.48, 0.64), (0.3, 0.82), (0.5, 0.79), (0.73, 0.81)]].concat();
    for (digit, class) in [(five, "high"), (two, "low")] {
        browser.click("#clear");
        browser.drag("#canvas", &digit);
        browser.wait(&format!(
            "document.querySelector('#verdict h2')?.innerText.startsWith('{class}')"
        ));
        let k = browser.get("document.querySelector('#k').valueAsNumber").as_u64().unwrap();
        browser.wait_count("#overlay .cell", k);
        assert_eq!(browser.count("#overlay .cell.pos, #overlay .cell.neg"), k);
    }
    browser.check_console();
}

#[test]
fn a_palm_draws_nothing_and_a_failed_upload_is_reported() {
    let Some(mut browser) = Browser::start() else { return };
    let desk = Desk::new();
    desk.image_model();
    let server = Server::start(&desk, "model");
    browser.open(&server.url("/"));
    browser.wait_count("#overlay .cell", 2);
    // The example was there to be seen only: a finger begins anew, and a palm beside it adds nothing.
    let board = "#canvas";
    browser.touch("touchStart", board, &[(1, 0.3, 0.2)]);
    browser.touch("touchStart", board, &[(1, 0.3, 0.2), (2, 0.8, 0.8)]);
    browser.touch("touchMove", board, &[(1, 0.3, 0.5), (2, 0.8, 0.9)]);
    browser.touch("touchMove", board, &[(1, 0.3, 0.8)]);
    browser.touch("touchEnd", board, &[]);
    let strokes = "import('/page/assets/drawing.js').then(({ decode }) => decode(new URLSearchParams(location.hash.slice(1)).get('strokes') ?? '').map((s) => s.points))";
    // It goes down as far as the finger, and across it stays where that was.
    browser.wait(&format!("{strokes}.then((all) => all.at(-1)?.at(-1) > 195)"));
    let strokes = browser.get(strokes);
    let strokes = strokes.as_array().unwrap();
    assert_eq!(strokes.len(), 1, "{strokes:?}");
    let mut across = strokes[0].as_array().unwrap().iter().step_by(2);
    assert!(across.all(|x| (70..84).contains(&x.as_u64().unwrap())), "{strokes:?}");

    // A picture that is too large, or that the browser fails to make, is said; then all goes on.
    let png = "HTMLCanvasElement.prototype.toDataURL";
    browser.get(&format!("window.kept = {png}"));
    for (made, expected) in [
        ("() => ',' + 'A'.repeat(3 << 20)", "too large to send: 3.0 MiB"),
        ("() => { throw new Error('no memory') }", "went wrong on this page (no memory)"),
    ] {
        browser.get(&format!("(() => {{ {png} = {made} }})()"));
        browser.drag("#canvas", &[(0.6, 0.2), (0.6, 0.8)]);
        browser.wait(&format!("document.querySelector('#error').innerText.includes('{expected}')"));
        browser.get(&format!("(() => {{ {png} = kept }})()"));
        browser.drag("#canvas", &[(0.7, 0.2), (0.7, 0.8)]);
        browser.wait("document.querySelector('#error').hidden");
    }

    // A large model's examples are looked at whole.
    let large = "import('/page/assets/image.js').then(async ({ create }) => {
        const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 600;
        const context = canvas.getContext('2d');
        context.fillStyle = '#fff';
        context.fillRect(1, 1, 598, 598);
        const example = { image: canvas.toDataURL().split(',')[1], label: 'white' };
        const image = { width: 600, height: 600, channels: 1 };
        const model = { image, image_reading: {}, examples: [example] };
        return (await create(model, () => {})).parts.length;
    })";
    assert_eq!(browser.get(large), 1);
    browser.check_console();
}
