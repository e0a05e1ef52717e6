//! Features that are parts of a sample: sentences and phrases of texts, regions of images; and what is said about
//! samples that a user may want to look at.

use crate::common::data::{digit, png, reviews};
use crate::common::{Desk, QUICK_IMAGE, QUICK_TEXT};
use serde_json::Value;

fn explained(desk: &Desk, data: &str) -> Value {
    let json = desk.ok(&format!("explain model --data {data} --format json"));
    serde_json::from_str(&json).unwrap()
}

/// Sixty texts of three sentences, of which one speaks.
fn long_reviews() -> String {
    let text = |i: usize| {
        let (label, sentence) =
            [("neg", "It is bad and dull."), ("pos", "It is good, and fine!")][i % 2];
        let mut sentences = ["We saw a film.", "The seats are red?"].map(String::from).to_vec();
        sentences.insert(i % 3, sentence.to_string());
        format!("{label}\t{}\n", sentences.join(" "))
    };
    (0..60).map(text).collect()
}

#[test]
fn a_text_is_explained_by_its_sentences_or_phrases() {
    let desk = Desk::new();
    desk.write("long.tsv", long_reviews());
    for (unit, most, text) in [("sentence", 3, "We saw a film."), ("phrase", 6, "It is bad")] {
        let set = format!("--set representation.unit={unit} --k 1");
        desk.ok(&format!("train --task text --data long.tsv {set} {QUICK_TEXT} --out model"));
        let about = desk.ok("describe model");
        assert!(about.contains(&format!("texts of up to {most} {unit}s, with ")), "{about}");
        let all = desk.ok(&format!("explain model --data long.tsv --format json --k {most}"));
        let json: Value = serde_json::from_str(&all).unwrap();
        let terms = json[0]["outputs"][0]["terms"].as_array().unwrap();
        assert_eq!(terms.len(), most);
        assert!(terms.iter().all(|term| term["name"].as_str().unwrap().starts_with(unit)));
        let first = json.as_array().unwrap().iter().flat_map(|row| {
            row["outputs"][0]["terms"].as_array().unwrap().iter().filter(|t| t["feature"] == 0)
        });
        let mut observed = first.map(|term| term["observed"].as_str().unwrap());
        assert!(observed.any(|words| words == text), "{unit}");
        let shown = desk.ok("explain model --data long.tsv --rows 0");
        assert!(shown.contains("[+") || shown.contains("[−"), "{shown}");
        let page = desk.ok("explain model --data long.tsv --format html");
        assert!(page.contains("<mark"), "no sentence is marked");
        std::fs::remove_dir_all(desk.path("model")).unwrap();
    }
    let wrong = "--set representation.unit=phrase --set representation.phrase=0";
    let parts = ["representation.phrase=0: expected a whole number from 1"];
    desk.refused(&format!("train --task text --data long.tsv {wrong} --out model"), &parts);
}

#[test]
fn japanese_is_read_by_its_words() {
    let desk = Desk::new();
    let row = |i: usize| ["neg\tこの映画は退屈です。\n", "pos\tこの映画は面白いです。👍🏽\n"][i % 2];
    desk.write("ja.tsv", (0..60).map(row).collect::<String>());
    desk.ok(&format!("train --task text --data ja.tsv --k 1 {QUICK_TEXT} --out model"));
    let about = desk.ok("describe model");
    assert!(about.contains("a bag of 8 words"), "{about}");
    for word in ["映画", "退屈", "面白い", "👍🏽"] {
        assert!(about.contains(word), "{word}: {about}");
    }
}

/// Full stops, commas and quotation marks are not reasons that a person would give; exclamation marks may be.
#[test]
fn punctuation_can_be_left_out() {
    let desk = Desk::new();
    let row = |i: usize| ["neg\tdull; long.\n", "pos\t\"good\", fine!\n"][i % 2];
    desk.write("signs.tsv", (0..60).map(row).collect::<String>());
    let train = format!("train --task text --data signs.tsv --k 3 {QUICK_TEXT} --out");
    let without = "--set representation.punctuation=false";
    desk.ok(&format!("{train} model {without}"));
    assert!(desk.ok("describe model").contains("a bag of 5 words: ! dull fine good long"));
    desk.ok(&format!("{train} all"));
    assert!(desk.ok("describe all").contains("a bag of 9 words"));
    // A sentence is read with all its signs.
    desk.ok(&format!("{train} sentences {without} --set representation.unit=sentence"));
    assert!(desk.ok("describe sentences").contains("with 9 words"));
}

#[test]
fn a_text_without_a_known_word_is_not_answered_as_others_are() {
    let desk = Desk::new();
    desk.text_model();
    desk.write("new.txt", "a good film\nnothing known here\n");
    let done = desk.run("predict model --data new.txt --format json");
    let json: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        (json[0].get("nothing_known"), &json[1]["nothing_known"]),
        (None, &Value::Bool(true))
    );
    let note = "note: 1 of 2 texts have no word that the model knows: they get the model's answer when nothing is known";
    assert!(done.err.contains(note), "{}", done.err);
    assert_eq!(explained(&desk, "new.txt")[1]["nothing_known"], true);
    let lines = desk.ok("explain model --data new.txt --rows 1");
    assert!(lines.contains("row 1: the model knows no word of this text"), "{lines}");
    let page = desk.ok("explain model --data new.txt --format html");
    assert_eq!(page.matches("<h2>No known word</h2>").count(), 1);
}

#[test]
fn texts_that_are_cut_are_counted() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews() + "pos\ta good film with many fine words in it\n");
    let train = format!("train --task text --data reviews.tsv --k 2 {QUICK_TEXT} --out");
    let done = desk.run(&format!("{train} model --set representation.max_tokens=8"));
    let note = "note: 1 of 61 texts is longer than 8 tokens, of which only the first 8 are read; the longest has 9; \
                --set representation.max_tokens=9 reads them all";
    assert!(done.err.contains(note), "{}", done.err);
    let done = desk.run(&format!("{train} other"));
    assert!(done.code == Some(0) && !done.err.contains("tokens"), "{}", done.err);

    // And whenever the model reads others.
    let note = "note: 1 of 61 texts is longer than 8 tokens; only the first 8 are read\n";
    for command in ["predict", "explain", "evaluate"] {
        let cut = desk.run(&format!("{command} model --data reviews.tsv"));
        assert!(cut.code == Some(0) && cut.err.contains(note), "{command}: {}", cut.err);
        let whole = desk.run(&format!("{command} other --data reviews.tsv"));
        assert!(whole.code == Some(0) && !whole.err.contains("tokens"), "{command}: {}", whole.err);
    }
}

#[test]
fn images_that_are_in_two_parts_are_counted_before_training() {
    let desk = Desk::new();
    for i in 0..40 {
        let class = ["left", "right"][i % 2];
        desk.write(&format!("images/{class}/{i}.png"), png(8, 8, &digit(i % 2)));
    }
    let more = "--k 2 --test-fraction 0.2 --out model";
    let done = desk.run(&format!("train --task image --data images {more} {QUICK_IMAGE}"));
    let note = "note: 4 validation samples and 8 test samples are also among the training samples";
    assert!(done.err.contains(note), "{}", done.err);
}

#[test]
fn a_mask_gives_the_regions() {
    let desk = Desk::new();
    for i in 0..40 {
        let class = ["left", "right"][i % 2];
        desk.write(&format!("images/{class}/{i}.png"), png(8, 8, &digit(i)));
    }
    // Twice as large as the images: the left half, and two on the right.
    let region = |at: usize| if at % 16 < 8 { 10 } else { 100 + 100 * u8::from(at < 128) };
    desk.write("mask.png", png(16, 16, &(0..256).map(region).collect::<Vec<u8>>()));
    let train = format!("train --task image --data images --k 1 {QUICK_IMAGE} --out model");
    let mask = "--set representation.regions=mask.png";
    let names = "--set representation.region_names=[\"left\",\"below\",\"above\"]";
    desk.ok(&format!("{train} {mask} {names} --judge"));
    // The mask is a part of the model.
    std::fs::remove_file(desk.path("mask.png")).unwrap();
    desk.ok("judge model --data images");
    assert!(desk.ok("describe model").contains("images of 8×8 pixels in 3 regions"));
    let json = explained(&desk, "images");
    let name = json[0]["outputs"][0]["terms"][0]["name"].as_str().unwrap();
    assert!(["left", "below", "above"].contains(&name), "{name}");
    let page = desk.ok("explain model --data images --format html");
    assert!(page.contains("class=\"cell region") && page.contains("chosen regions"));
    assert!(desk.ok("explain model --data images --rows 0").contains(name));
    desk.ok("evaluate model --data images --report report.html");
    let other = format!("train --task image --data images --out other {QUICK_IMAGE}");
    desk.refused(&format!("{other} {mask}"), &["mask.png: cannot read"]);
    desk.write("mask.png", png(8, 8, &(0..64).map(|at| at / 32).collect::<Vec<u8>>()));
    desk.refused(&format!("{other} {mask} {names}"), &["expected 2 names, one for each region"]);
    desk.write("mask.png", png(8, 8, &[7; 64]));
    desk.refused(&format!("{other} {mask}"), &["a mask with 2 to 256 regions"]);
}

/// A bright square of 6×6 pixels on a grey ground of 18×18, on the left or on the right and anywhere from top to bottom.
fn square(i: usize) -> Vec<u8> {
    let (left, top) = (2 + 9 * (i % 2) + i % 3, i * 5 % 12);
    let inside = |x: usize, y: usize| (left..left + 6).contains(&x) && (top..top + 6).contains(&y);
    let ground = |at: usize| 60 + (at * 7 % 5) as u8;
    (0..18 * 18).map(|at| if inside(at % 18, at / 18) { 230 } else { ground(at) }).collect()
}

#[test]
fn every_image_is_cut_into_regions_of_its_own() {
    let desk = Desk::new();
    for i in 0..40 {
        let class = ["left", "right"][i % 2];
        desk.write(&format!("images/{class}/{i:02}.png"), png(18, 18, &square(i)));
    }
    let slic = "--set representation.regions=slic";
    let train = format!("train --task image --data images --k 2 {QUICK_IMAGE} {slic}");
    desk.ok(&format!("{train} --judge --test-fraction 0.2 --out model"));
    // Lines of a terminal end anywhere in a sentence.
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = words(desk.ok("describe model"));
    for part in ["each in up to 16 regions of its own", "The outlines of the chosen regions remain"]
    {
        assert!(about.contains(part), "{about}");
    }
    desk.ok("judge model --data images");
    let json = explained(&desk, "images");
    assert_eq!(json.as_array().unwrap().len(), 40);
    for (row, explanation) in json.as_array().unwrap().iter().enumerate() {
        // First all that are on the left.
        let i = 2 * (row % 20) + row / 20;
        let terms = explanation["outputs"][0]["terms"].as_array().unwrap();
        let regions = explanation["regions"].as_array().unwrap();
        assert_eq!((terms.len(), regions.len()), (2, 2));
        for term in terms {
            assert!(term["name"].as_str().unwrap().starts_with("region around row "), "{term}");
            // The value of a region is the mean of its pixels, which do not mix the square and its ground.
            let region =
                regions.iter().find(|region| region["feature"] == term["feature"]).unwrap();
            let runs: Vec<[usize; 3]> = serde_json::from_value(region["runs"].clone()).unwrap();
            let pixel = |[y, x, length]: [usize; 3]| (x..x + length).map(move |x| 18 * y + x);
            let pixels = runs.into_iter().flat_map(pixel).map(|at| square(i)[at]);
            let pixels: Vec<f64> = pixels.map(f64::from).collect();
            let mean = pixels.iter().sum::<f64>() / pixels.len() as f64 / 255.0;
            assert!((term["value"].as_f64().unwrap() - mean).abs() < 1e-6, "{term} and {mean}");
            assert!(pixels.iter().all(|&p| (p > 200.0) == (pixels[0] > 200.0)), "{pixels:?}");
        }
    }
    let page = desk.ok("explain model --data images --format html");
    assert!(page.contains("class=\"cell region") && page.contains("chosen regions"));
    assert!(page.contains("The outlines of the chosen regions remain visible"));
    assert!(words(desk.ok("explain model --data images --rows 0")).contains("region around row "));
    desk.ok("evaluate model --data images --report report.html");
    let report = std::fs::read_to_string(desk.path("report.html")).unwrap();
    assert!(report.contains("How often the region of each place is chosen"));
    desk.ok("compare model model --data images");
    desk.ok("drift model --data images");
    let refused = "each image has regions of its own, and finding them cannot be written as ONNX";
    desk.refused("export model --onnx model.onnx", &["representation.regions", refused]);
    // As in the paper, from the whole image.
    desk.ok(&format!("{train} --set training.evidence=whole --out whole"));
    let whole = desk.ok("explain whole --data images --format json");
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert!(!whole[0]["regions"].as_array().unwrap().is_empty());
    let names = "--set representation.region_names=[\"sky\"]";
    desk.refused(
        &format!("{train} {names} --out other"),
        &["representation.region_names", "only the regions of a mask have names"],
    );
}
