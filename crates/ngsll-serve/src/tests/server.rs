//! The server's own state, and its survival of errors.

use super::super::guard::guard;
use super::super::limits::Limits;
use super::{get, post, send, server, state};
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::middleware::from_fn_with_state;
use serde_json::{Value, json};

#[tokio::test]
async fn requests_are_counted_by_route_and_status() {
    let app = server();
    post(&app, "reviews/explain", r#"{"text": ["a", "b"]}"#).await.ok();
    post(&app, "reviews/explain", "{}").await.refused(400, &[]);
    get(&app, "/nowhere").await.refused(404, &[]);
    assert_eq!(get(&app, "/healthz").await.ok(), json!({ "status": "ok" }));
    let answer = get(&app, "/metrics").await;
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
    let route = "route=\"/v2/models/{name}/explain\"";
    for line in [
        format!("ngsll_requests_total{{method=\"POST\",{route},status=\"200\"}} 1"),
        format!("ngsll_requests_total{{method=\"POST\",{route},status=\"400\"}} 1"),
        "ngsll_requests_total{method=\"GET\",route=\"other\",status=\"404\"} 1".into(),
        format!("ngsll_request_duration_seconds_count{{method=\"POST\",{route}}} 2"),
        "ngsll_batch_samples_bucket{le=\"1\"} 0".into(),
        "ngsll_batch_samples_bucket{le=\"2\"} 1".into(),
        "ngsll_queue_requests 0".into(),
        "ngsll_models_loaded 5".into(),
    ] {
        assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn a_panic_in_a_handler_is_an_answer() {
    let state = state(Limits::default());
    let boom = axum::routing::get(|| async {
        if true {
            panic!("on purpose")
        }
    });
    let app = Router::new().route("/boom", boom);
    let app = app.layer(from_fn_with_state(state, guard));
    let request = Request::get("/boom").body(Body::empty()).unwrap();
    send(&app, request).await.refused(500, &["this is a bug in the server"]);
}

#[tokio::test]
async fn the_document_lists_every_address_and_its_examples_are_good_requests() {
    let app = server();
    let document = get(&app, "/openapi.json").await.ok();
    let names = json!(["digits", "houses", "kinds", "prices", "reviews"]);
    assert_eq!(document["components"]["parameters"]["name"]["schema"]["enum"], names);
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let request = Request::builder().method(method.to_uppercase().as_str());
            let request = request.uri(path.replace("{name}", "reviews"));
            let answer = send(&app, request.body(Body::empty()).unwrap()).await;
            assert!([200, 400].contains(&answer.status.as_u16()), "{method} {path}");
        }
    }
    for action in ["explain", "infer"] {
        let content = &document["paths"][format!("/v2/models/{{name}}/{action}")]["post"]["requestBody"]
            ["content"];
        let examples = content["application/json"]["examples"].as_object().unwrap();
        assert_eq!(json!(examples.keys().collect::<Vec<_>>()), names);
        for (model, example) in examples {
            let body = example["value"].to_string();
            let answer = post(&app, &format!("{model}/{action}"), body).await.ok();
            assert!(answer.get("notes").is_none(), "{answer}");
        }
    }
}

#[tokio::test]
async fn the_document_s_page_is_whole_and_needs_nothing_else() {
    let app = server();
    let request =
        Request::get("/docs").header("host", "localhost:1234").body(Body::empty()).unwrap();
    let answer = send(&app, request).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["content-type"]),
        (200, &"text/html; charset=utf-8".parse().unwrap())
    );
    let page = String::from_utf8(answer.bytes.to_vec()).unwrap();
    assert!(page.ends_with("</html>\n") && !page.contains("src="));
    // All but the icon is in it.
    assert_eq!(page.matches("<link").count(), 1);
    assert!(page.contains("<link rel=\"icon\" href=\"/page/assets/icon.svg\""));
    let document: Value = get(&app, "/openapi.json").await.ok();
    for path in document["paths"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("<code>{path}</code>")), "{path}");
    }
    assert!(page.contains("curl 'http://localhost:1234/v2/models/reviews/explain'"), "{page}");
    // The client's host header is escaped.
    let request = Request::get("/docs").header("host", "a'<b>").body(Body::empty()).unwrap();
    let page = send(&app, request).await;
    let page = String::from_utf8(page.bytes.to_vec()).unwrap();
    assert!(page.contains("http://127.0.0.1:8080/v2") && !page.contains("a'<b>"));
}
