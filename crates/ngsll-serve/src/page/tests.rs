//! The page without a socket.

use super::assets;
use crate::app::app;
use crate::limits::Limits;
use crate::state::State;
use crate::tests::{Answer, get, measured, send, server};
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

async fn ask(app: &Router, model: &str, state: Value) -> Answer {
    let request = Request::post(format!("/page/models/{model}"));
    let request = request.header("content-type", "application/json");
    send(app, request.body(Body::from(state.to_string())).unwrap()).await
}

#[tokio::test]
async fn every_file_that_the_page_names_is_there_and_runs_nothing_foreign() {
    let app = server();
    let mut waiting = vec!["/".to_string()];
    let mut seen = Vec::new();
    while let Some(path) = waiting.pop() {
        if seen.contains(&path) {
            continue;
        }
        let answer = get(&app, &path).await;
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"));
        let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
        let quoted = text.split('"').skip(1).step_by(2);
        let named = quoted.filter_map(|word| match word.strip_prefix("./") {
            Some(module) => Some(format!("/page/assets/{module}")),
            None => word.starts_with("/page/assets/").then(|| word.to_string()),
        });
        waiting.extend(named);
        seen.push(path);
    }
    // The page itself, its style sheet and its icon, and every script.
    assert_eq!(seen.len(), 3 + assets::SCRIPTS.len(), "{seen:?}");
    let page = String::from_utf8(get(&app, "/").await.bytes.to_vec()).unwrap();
    assert!(!page.contains(" style=") && !page.contains(" onclick=") && !page.contains("<style"));
    assert!(page.matches("<script").count() == 1 && !page.contains("://"));
    get(&app, "/page/assets/other.js").await.refused(404, &["no such file"]);
}

#[tokio::test]
async fn models_say_what_the_page_needs() {
    let models = get(&server(), "/page/models").await.ok();
    let model = |name: &str| {
        let models = models["models"].as_array().unwrap();
        models.iter().find(|model| model["name"] == name).unwrap().clone()
    };
    let houses = model("houses");
    assert_eq!((&houses["task"], &houses["k"]), (&json!("tabular"), &json!(2)));
    assert_eq!((&houses["evidence"], &houses["most_k"]), (&json!("chosen"), &json!(2)));
    assert_eq!((&model("kinds")["most_k"], &model("digits")["most_k"]), (&json!(7), &json!(16)));
    assert_eq!(houses["classes"], json!(["big", "small"]));
    let size = &houses["columns"][0];
    assert_eq!((&size["kind"], &size["whole"]), (&json!("numeric"), &json!(false)));
    assert!(size["min"].as_f64().unwrap() < size["median"].as_f64().unwrap());
    assert_eq!(houses["columns"][1]["levels"].as_array().unwrap().len(), 2);
    assert_eq!(model("prices")["target"], "label");
    assert_eq!(model("digits")["image"], json!({ "width": 8, "height": 8, "channels": 1 }));
    let reading = json!({ "fit": "pad", "background": "white", "orientation": true });
    assert_eq!(model("digits")["image_reading"], reading);
    assert_eq!(model("kinds")["examples"], json!([]));
}

#[tokio::test]
async fn a_text_comes_back_with_its_terms_marked() {
    let state = json!({ "sample": { "text": "good <i>film" }, "k": 1, "label": "pos" });
    let answer = ask(&server(), "reviews", state).await.ok();
    assert_eq!(answer["k"], 1);
    assert_eq!(answer["explanation"]["outputs"][0]["terms"].as_array().unwrap().len(), 1);
    let subject = answer["scores"][0]["subject"].as_str().unwrap();
    assert_eq!(subject.matches("<mark").count(), 1);
    assert!(subject.contains("&lt;") && !subject.contains("<i>"), "{subject}");
    assert!(answer["verdict"].as_str().unwrap().contains("class=\"truth"));
    // Evidence for one of two classes counts against the other.
    let scores = answer["scores"].as_array().unwrap();
    let side = |i: usize| scores[i]["bars"].as_str().unwrap().contains("number pos");
    assert!(scores.len() == 2 && side(0) != side(1), "{scores:?}");
    assert!(scores[0]["probability"].as_f64() > scores[1]["probability"].as_f64());
    assert_eq!(answer["explanation"]["outputs"].as_array().unwrap().len(), 2);
    assert!(answer["legend"].as_str().unwrap().contains("saw nothing else"));
    assert!(scores.iter().all(|score| score["contrast"] == ""), "{scores:?}");
}

#[tokio::test]
async fn measured_figures_or_the_way_to_measure_stand_beside_the_promise() {
    let app = app(State::new(measured(), Limits::default()).unwrap());
    let legend = async |app, k: usize| {
        let state = json!({ "sample": { "text": "a good film" }, "k": k });
        let answer = ask(app, "reviews", state).await.ok();
        answer["legend"].as_str().unwrap().to_string()
    };
    // For K = 4 nothing was measured; for 2 more than for 1.
    for (asked, measured, contested) in [(1, 1, "0.250"), (2, 2, "0.500"), (4, 2, "0.500")] {
        let legend = legend(&app, asked).await;
        let how = format!("Measured with K = {measured} on 60 samples of &lt;new&gt;.tsv:");
        assert!(legend.contains(&how), "{legend}");
        let (open, folded) = legend.split_once("<details>").unwrap();
        assert!(open.contains("encoding gap <b>0.062</b>"), "{open}");
        assert!(open.contains(&format!("contest rate <b>{contested}</b>")), "{open}");
        assert!(!open.contains("stability") && folded.contains("stability <b>1.000</b>"));
    }
    let legend = legend(&server(), 2).await;
    let how = "has not been measured for this model: <code>ngsll judge MODEL --data TRAINING-FILE</code>, then";
    assert!(legend.contains(how), "{legend}");
}

#[tokio::test]
async fn of_several_classes_the_predicted_is_set_against_each_other() {
    let state = json!({ "sample": { "text": "an odd film" }, "k": 2 });
    let answer = ask(&server(), "kinds", state).await.ok();
    let scores = answer["scores"].as_array().unwrap();
    assert_eq!(scores.len(), 3);
    assert_eq!(scores[0]["contrast"], "");
    for other in &scores[1..] {
        let contrast = other["contrast"].as_str().unwrap();
        assert_eq!(contrast.matches("scope=\"row\"").count(), 2, "{contrast}");
        assert!(contrast.contains(&format!("→ <b>{}</b>", scores[0]["name"].as_str().unwrap())));
    }
    // The base rates of three classes of one size.
    assert!(scores[0]["sum"].as_str().unwrap().contains("with no feature known: 33."));
}

#[tokio::test]
async fn another_k_is_another_choice_with_weights_of_its_own() {
    let app = server();
    let mut sums = Vec::new();
    for k in [1, 2, 3] {
        let state = json!({ "sample": { "text": "a good and very long film" }, "k": k });
        let answer = ask(&app, "reviews", state).await.ok();
        assert_eq!(answer["explanation"]["outputs"][0]["terms"].as_array().unwrap().len(), k);
        sums.push(answer["scores"][0]["sum"].to_string());
    }
    assert!(sums[0] != sums[1] && sums[1] != sums[2], "{sums:?}");
}

#[tokio::test]
async fn a_changed_row_comes_back_beside_its_original() {
    let row = |size: f64| json!({ "row": { "size": size, "colour": "red" } });
    let state = json!({ "sample": row(3.5), "original": row(12.5) });
    let answer = ask(&server(), "prices", state).await.ok();
    let bars = answer["scores"][0]["bars"].as_str().unwrap();
    assert!(bars.contains("12.5 → 3.5"), "{bars}");
    let verdict = answer["verdict"].as_str().unwrap();
    assert!(verdict.contains("Original") && verdict.contains("Change"), "{verdict}");
}

#[tokio::test]
async fn invalid_input_of_the_page_is_refused_with_a_sentence() {
    let app = server();
    for (state, expected) in [
        (json!({ "sample": { "text": ["one", "two"] } }), "the page shows one at a time"),
        (json!({ "sample": { "row": {} } }), "this model reads text"),
        (json!({ "sample": { "text": "good" }, "k": 9 }), "K must be from 1 to 6"),
        (json!({ "sample": { "words": "good" } }), "unknown key \"words\""),
    ] {
        ask(&app, "reviews", state).await.refused(400, &[expected]);
    }
    ask(&app, "other", json!({})).await.refused(404, &["there is no model"]);
}
