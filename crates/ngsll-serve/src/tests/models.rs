//! Plain requests: the response is the model's own answer.

use super::{get, images, measured, models, post, server, whole_reviews};
use crate::app::app;
use crate::limits::Limits;
use crate::state::State;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ngsll::explanation::ScoreExplanation;
use ngsll::{Explanation, Samples};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn explanations(answer: &Value) -> Vec<Explanation> {
    serde_json::from_value(answer["explanations"].clone()).unwrap()
}

#[tokio::test]
async fn a_text_or_a_list_of_texts_is_explained_as_by_the_model_itself() {
    let app = server();
    let texts = ["a good film", "bad bad film", "", "nothing known here"];
    let model = &models()["reviews"];
    let samples = Samples::Texts(texts.iter().collect());
    let expected = model.explain_with(&samples, Some(1)).unwrap();

    let one = post(&app, "reviews/explain", r#"{"text": "a good film", "k": 1}"#).await.ok();
    assert_eq!(explanations(&one), expected[..1]);
    assert_eq!((&one["model_name"], &one["k"]), (&json!("reviews"), &json!(1)));
    assert!(one.get("notes").is_none() && one.get("id").is_none(), "{one}");

    let body = json!({ "text": texts, "k": 1, "id": "7" }).to_string();
    let many = post(&app, "reviews/explain", body.clone()).await.ok();
    assert_eq!((explanations(&many), &many["id"]), (expected.clone(), &json!("7")));

    let predicted = post(&app, "reviews/infer", body).await.ok();
    let predictions = predicted["predictions"].as_array().unwrap();
    for (prediction, explanation) in predictions.iter().zip(&expected) {
        assert_eq!(*prediction, json!(explanation.prediction));
    }
    assert_eq!(predictions.len(), 4);
}

#[tokio::test]
async fn images_come_as_files_in_base64() {
    let app = server();
    let drawn = images(2);
    let file = |i: usize, colour: bool| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 8, 8);
        let kind = if colour { png::ColorType::Rgb } else { png::ColorType::Grayscale };
        encoder.set_color(kind);
        let repeat = if colour { 3 } else { 1 };
        let bytes = drawn.get(i).iter().flat_map(|&p| std::iter::repeat_n(p, repeat));
        let bytes: Vec<u8> = bytes.collect();
        encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
        BASE64_STANDARD.encode(file)
    };
    let expected = models()["digits"].explain(Samples::from(drawn.clone())).unwrap();
    for colour in [false, true] {
        let body = json!({ "image": [file(0, colour), file(1, colour)] }).to_string();
        let answer = post(&app, "digits/explain", body).await.ok();
        assert_eq!(explanations(&answer), expected);
    }
}

#[tokio::test]
async fn chosen_classes_are_explained_in_their_order() {
    let app = server();
    let all = post(&app, "kinds/explain", r#"{"text": "an odd film"}"#).await.ok();
    let some = r#"{"text": "an odd film", "classes": ["c", "a"]}"#;
    let some = post(&app, "kinds/explain", some).await.ok();
    let outputs = |answer: &Value| answer["explanations"][0]["outputs"].as_array().unwrap().clone();
    assert_eq!(outputs(&some), [outputs(&all)[2].clone(), outputs(&all)[0].clone()]);
    assert_eq!(some["explanations"][0]["prediction"], all["explanations"][0]["prediction"]);

    let body = r#"{"text": "a", "classes": ["d"]}"#;
    let parts = ["no class \"d\"", "a, b, c"];
    post(&app, "kinds/explain", body).await.refused(400, &parts);
    let body = r#"{"text": "a", "classes": []}"#;
    post(&app, "kinds/explain", body).await.refused(400, &["at least one"]);
    let body = r#"{"text": "a", "classes": ["a", "b", "c", "a"]}"#;
    post(&app, "kinds/explain", body).await.refused(400, &["named twice"]);
    let body = r#"{"text": "a", "classes": ["a"]}"#;
    post(&app, "kinds/infer", body).await.refused(400, &["/explain"]);
    let body = r#"{"row": {"size": 1, "colour": "red"}, "classes": ["a"]}"#;
    post(&app, "prices/explain", body).await.refused(400, &["predicts a number"]);
}

#[tokio::test]
async fn the_first_of_two_classes_has_the_score_of_the_second_turned_around() {
    let app = server();
    let body = r#"{"text": "a bad film", "classes": ["neg", "pos"]}"#;
    let answer = post(&app, "reviews/explain", body).await.ok();
    let [explanation] = &explanations(&answer)[..] else { panic!("{answer}") };
    let sum = |score: &ScoreExplanation| {
        score.intercept + score.terms.iter().map(|term| term.contribution).sum::<f64>()
    };
    let [neg, pos] = &explanation.outputs[..] else { panic!("{answer}") };
    assert_eq!((neg.name.as_str(), pos.name.as_str()), ("neg", "pos"));
    assert_eq!((neg.score, neg.intercept), (-pos.score, -pos.intercept));
    assert!(!pos.terms.is_empty() && (sum(neg) - neg.score).abs() < 1e-9);
    for (neg, pos) in neg.terms.iter().zip(&pos.terms) {
        assert_eq!((&neg.name, neg.value), (&pos.name, pos.value));
        assert_eq!((neg.weight, neg.contribution), (-pos.weight, -pos.contribution));
    }
    // A column's level is negated, too.
    let body = r#"{"row": {"size": 3, "colour": "red"}, "classes": ["big", "small"]}"#;
    let answer = post(&app, "houses/explain", body).await.ok();
    let [explanation] = &explanations(&answer)[..] else { panic!("{answer}") };
    let terms = |score: usize| explanation.outputs[score].terms.iter();
    assert!(terms(0).all(|t| t.level != 0.0));
    for (big, small) in terms(0).zip(terms(1)) {
        assert_eq!((big.level, big.contribution), (-small.level, -small.contribution));
        assert!((big.level + big.weight * big.value - big.contribution).abs() < 1e-9);
    }
}

#[tokio::test]
async fn every_number_of_features_can_be_requested() {
    let app = server();
    for k in 1..=6 {
        let body = format!(r#"{{"text": "a good film, bad and very long", "k": {k}}}"#);
        let answer = post(&app, "reviews/explain", body).await.ok();
        let [explanation] = &explanations(&answer)[..] else { panic!("{answer}") };
        assert_eq!(explanation.outputs[0].terms.len(), k);
    }
    let about = get(&app, "/v2/models/reviews").await.ok();
    let expected = json!({ "k": 2, "largest_k": 6, "evidence": "chosen" });
    assert_eq!(about["parameters"], expected);
    for (k, part) in [("0", "from 1 to 6"), ("7", "from 1 to 6"), ("-1", "-1"), ("1.5", "1.5")] {
        let body = format!(r#"{{"text": "a", "k": {k}}}"#);
        post(&app, "reviews/explain", body.clone()).await.refused(400, &[part]);
        post(&app, "reviews/infer", body).await.refused(400, &[part]);
    }
}

#[tokio::test]
async fn of_a_model_that_has_read_the_whole_sample_k_is_at_most_its_own() {
    let models = BTreeMap::from([("reviews".to_string(), whole_reviews())]);
    let app = app(State::new(models, Limits::default()).unwrap());
    let about = get(&app, "/v2/models/reviews").await.ok();
    let expected = json!({ "k": 2, "largest_k": 2, "evidence": "whole" });
    assert_eq!(about["parameters"], expected);
    for k in [0, 3] {
        let body = format!(r#"{{"text": "a", "k": {k}}}"#);
        post(&app, "reviews/explain", body).await.refused(400, &["from 1 to 2, the K that"]);
    }
    let body = r#"{"text": "a good film", "k": 1}"#;
    let answer = post(&app, "reviews/explain", body).await.ok();
    assert_eq!(explanations(&answer)[0].outputs[0].terms.len(), 1);
}

#[tokio::test]
async fn figures_of_the_terms_come_as_numbers_for_each_k() {
    let app = app(State::new(measured(), Limits::default()).unwrap());
    let answer = get(&app, "/v2/models/reviews/trust").await.ok();
    assert_eq!((&answer["model_name"], &answer["judge"]), (&json!("reviews"), &json!(false)));
    let measured = answer["measured"].as_array().unwrap();
    let figures = measured.iter().map(|m| (m["k"].as_u64(), m["contest_rate"].as_f64()));
    assert_eq!(figures.collect::<Vec<_>>(), [(Some(1), Some(0.25)), (Some(2), Some(0.5))]);
    assert_eq!(
        (&measured[0]["encoding_gap"], &measured[0]["samples"]),
        (&json!(0.0625), &json!(60))
    );
    // Nothing was measured.
    let answer = get(&server(), "/v2/models/reviews/trust").await.ok();
    assert_eq!(answer["measured"], json!([]));
}

#[tokio::test]
async fn a_model_that_is_not_there_is_named_with_those_that_are() {
    let app = server();
    for path in ["/v2/models/other", "/v2/models/other/ready", "/v2/models/other/trust"] {
        get(&app, path)
            .await
            .refused(404, &["\"other\"", "digits, houses, kinds, prices, reviews"]);
    }
    post(&app, "other/explain", "{}").await.refused(404, &["\"other\""]);
}
