//! Every bound, and every request that is not one.

use super::super::guard::MAX_IN_FLIGHT;
use super::super::limits::Limits;
use super::super::queue::MAX_UNREAD_BYTES;
use super::{app, get, post, send, server, state};
use axum::body::Body;
use axum::http::Request;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use serde_json::json;
use std::io::Write;
use std::time::Duration;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A good request of this many bytes, most of them blanks.
fn padded(length: usize) -> Vec<u8> {
    let request = br#"{"text": "a"}"#;
    request.iter().copied().chain(std::iter::repeat(b' ')).take(length).collect()
}

#[tokio::test]
async fn invalid_requests_are_refused_with_the_expected_form() {
    let app = server();
    for (body, parts) in [
        ("", &["not valid JSON", "{\"text\": \"…\"}"][..]),
        ("{", &["not valid JSON", "line 1, column 1"]),
        ("[]", &["cannot be read: found a list, expected an object"]),
        ("{}", &["this model reads text, expected {\"text\": \"…\"}"]),
        (r#"{"txt": "a"}"#, &["unknown key \"txt\""]),
        (r#"{"text": 3}"#, &["one sample or a list of samples"]),
        (r#"{"text": ["a", 3]}"#, &["cannot be read: found the number 3, expected a text"]),
        (r#"{"text": []}"#, &["0 samples in a request, expected 1 to 1024"]),
        (r#"{"row": {"a": 1}}"#, &["this model reads text"]),
        (r#"{"text": "a", "image": "b"}"#, &["this model reads text"]),
        (r#"{"text": "a", "outputs": []}"#, &["need \"inputs\""]),
        (r#"{"text": "a", "inputs": []}"#, &["cannot be combined with"]),
        (r#"{"inputs": [], "k": 1}"#, &["belong in its \"parameters\""]),
    ] {
        post(&app, "reviews/explain", body).await.refused(400, parts);
    }
    let body = vec![b'"', 0xff, b'"'];
    post(&app, "reviews/explain", body).await.refused(400, &["not valid JSON"]);
}

#[tokio::test]
async fn quotes_of_a_request_are_truncated() {
    let app = server();
    let body = json!({ "text": "a", "x".repeat(1 << 20): 1 }).to_string();
    let answer = post(&app, "reviews/explain", body).await;
    answer.refused(400, &["unknown key \"xxx", " …"]);
    assert!(answer.bytes.len() < 2000, "{} bytes", answer.bytes.len());
}

#[tokio::test]
async fn a_body_has_at_most_two_mebibytes() {
    let app = server();
    post(&app, "reviews/infer", padded(2 << 20)).await.ok();
    let too_large = ["expected at most 2 MiB"];
    post(&app, "reviews/infer", padded((2 << 20) + 1)).await.refused(413, &too_large);
    let huge = Request::post("/v2/models/reviews/infer").header("content-length", "99999999999");
    send(&app, huge.body(Body::empty()).unwrap()).await.refused(413, &too_large);
}

#[tokio::test]
async fn a_compressed_body_has_at_most_two_mebibytes_when_it_is_unpacked() {
    let app = server();
    let zipped = |bytes: Vec<u8>| {
        let request = Request::post("/v2/models/reviews/infer").header("content-encoding", "gzip");
        request.body(Body::from(bytes)).unwrap()
    };
    send(&app, zipped(gzip(&padded(2 << 20)))).await.ok();
    let bomb = gzip(&padded(64 << 20));
    assert!(bomb.len() < 100_000);
    send(&app, zipped(bomb)).await.refused(413, &["after decompression"]);
    send(&app, zipped(padded(20))).await.refused(400, &["not valid gzip"]);
    let request = Request::post("/v2/models/reviews/infer").header("content-encoding", "br");
    let answer = send(&app, request.body(Body::from("{}")).unwrap()).await;
    answer.refused(415, &["\"br\", expected gzip"]);
}

#[tokio::test]
async fn a_body_is_json_by_its_type() {
    let app = server();
    for (kind, good) in [
        ("application/json", true),
        ("Application/JSON; charset=utf-8", true),
        ("application/x-www-form-urlencoded", false),
        ("application/octet-stream", false),
        ("", false),
    ] {
        let request = Request::post("/v2/models/reviews/infer").header("content-type", kind);
        let answer = send(&app, request.body(Body::from(r#"{"text": "a"}"#)).unwrap()).await;
        match good {
            true => drop(answer.ok()),
            false => answer.refused(415, &["expected application/json"]),
        }
    }
}

#[tokio::test]
async fn a_request_has_at_most_1024_samples_and_a_text_64_kibibytes() {
    let app = server();
    let texts = |n: usize| json!({ "text": vec!["a"; n] }).to_string();
    let answer = post(&app, "reviews/infer", texts(1024)).await.ok();
    assert_eq!(answer["predictions"].as_array().unwrap().len(), 1024);
    post(&app, "reviews/infer", texts(1025)).await.refused(400, &["more than 1024 samples"]);
    let tensor =
        json!({ "name": "text", "shape": [1025], "datatype": "BYTES", "data": vec!["a"; 1025] });
    let body = json!({ "inputs": [tensor] }).to_string();
    post(&app, "reviews/infer", body).await.refused(400, &["1025 samples", "1 to 1024"]);

    let text = |n: usize| json!({ "text": ["a", "b".repeat(n)] }).to_string();
    post(&app, "reviews/infer", text(65536)).await.ok();
    let parts = ["text 1", "65537 bytes", "at most 65536"];
    post(&app, "reviews/infer", text(65537)).await.refused(400, &parts);
}

#[tokio::test]
async fn a_text_of_which_not_all_is_read_has_a_note() {
    let app = server();
    let text = |n: usize| json!({ "text": "film ".repeat(n) }).to_string();
    assert!(post(&app, "reviews/infer", text(512)).await.ok().get("notes").is_none());
    let answer = post(&app, "reviews/infer", text(513)).await.ok();
    let note = answer["notes"][0].as_str().unwrap();
    assert_eq!(note, "the text is longer than 512 tokens; only the first 512 are read");
}

#[tokio::test]
async fn json_has_a_depth() {
    let app = server();
    let nested =
        |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for n in [100, 100_000] {
            // Also in parts that are skipped: these parameters are unknown.
            for body in [
                format!("{{\"parameters\": {{\"x\": {}}}}}", nested(open, close, n)),
                format!("{{\"text\": {}}}", nested(open, close, n)),
                format!(
                    "{{\"inputs\": [{{\"name\": \"text\", \"data\": {}}}]}}",
                    nested(open, close, n)
                ),
            ] {
                post(&app, "reviews/infer", body).await.refused(400, &["nested deeper than 32"]);
            }
        }
    }
    // Brackets in a text are text.
    let text = json!({ "text": format!("a {} \\\" film", "[{".repeat(100)) }).to_string();
    post(&app, "reviews/infer", text).await.ok();
    let tensor = |data: String| {
        let about = r#""name": "text", "shape": [1], "datatype": "BYTES""#;
        format!("{{\"inputs\": [{{{about}, \"data\": {data}}}]}}")
    };
    post(&app, "reviews/infer", tensor("[\"a\"]".into())).await.ok();
}

#[tokio::test]
async fn images_are_files_within_bounds() {
    let app = server();
    let png = |width: u32, height: u32| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Grayscale);
        let pixels = vec![0; (width * height) as usize];
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        file
    };
    // Claims to be far larger than it is: only the size is checked.
    let mut vast = png(8, 8);
    vast[16..24].copy_from_slice(&[0, 0, 0x13, 0xff, 0, 0, 0x0f, 0xff]);
    let mut crc = flate2::Crc::new();
    crc.update(&vast[12..29]);
    vast[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    let cut = png(8, 8)[..50].to_vec();
    for (bytes, parts) in [
        (vast, &["image 0", "5119×4095", "expected 8×8, or another size of at most 16777216"][..]),
        (cut, &["not a readable PNG, JPEG or WebP image"]),
        (b"GIF89a and so on".to_vec(), &["not a readable PNG, JPEG or WebP image"]),
        (Vec::new(), &["not a readable PNG, JPEG or WebP image"]),
    ] {
        let body = json!({ "image": BASE64_STANDARD.encode(bytes) }).to_string();
        post(&app, "digits/infer", body).await.refused(400, parts);
    }
    for text in ["%%%", "data:image/png;base64,AAAA", "AAA"] {
        let body = json!({ "image": text }).to_string();
        post(&app, "digits/infer", body).await.refused(400, &["image 0", "not base64"]);
    }
    // Images of other sizes share one bound.
    let large = BASE64_STANDARD.encode(png(4096, 2049));
    let body = json!({ "image": [large, large] }).to_string();
    post(&app, "digits/infer", body).await.refused(400, &["image 1", "at most 8384512 pixels"]);
}

#[tokio::test]
async fn images_of_another_size_are_scaled_with_a_note() {
    let app = server();
    let image = |side: u32| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, side, side);
        encoder.set_color(png::ColorType::Grayscale);
        let pixel = |at: u32| if at % side < side / 2 { 200 } else { 0 };
        let pixels: Vec<u8> = (0..side * side).map(pixel).collect();
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        BASE64_STANDARD.encode(file)
    };
    let ask =
        |images: Vec<String>| post(&app, "digits/infer", json!({ "image": images }).to_string());
    let own = ask(vec![image(8)]).await.ok();
    assert_eq!(own.get("notes"), None);
    let both = ask(vec![image(8), image(64)]).await.ok();
    assert_eq!(both["predictions"][0], both["predictions"][1]);
    assert_eq!(both["predictions"][0], own["predictions"][0]);
    let note = "1 of 2 images has another size than 8×8 and was scaled, shown whole with a margin";
    assert!(both["notes"][0].as_str().unwrap().starts_with(note), "{both}");
}

#[tokio::test]
async fn addresses_and_methods_that_are_not_there_are_refused_as_json() {
    let app = server();
    get(&app, "/v3").await.refused(404, &["/v3", "/docs"]);
    let answer = get(&app, "/v2/models/reviews/infer").await;
    answer.refused(405, &["GET", "/docs"]);
    assert_eq!(answer.headers["allow"], "POST");
    let request = Request::delete("/healthz").body(Body::empty()).unwrap();
    let answer = send(&app, request).await;
    answer.refused(405, &["DELETE"]);
    assert_eq!(answer.headers["allow"], "GET,HEAD");
}

/// Without threads to work on it the queue stays full.
fn stuck() -> Limits {
    Limits { threads: 0, ..Limits::default() }
}

#[tokio::test]
async fn a_full_queue_asks_to_come_back_later() {
    let app = app(state(stuck()));
    let large = padded(2 << 20);
    let most = MAX_UNREAD_BYTES / large.len();
    let waiting: Vec<_> = (0..most)
        .map(|_| {
            let (app, large) = (app.clone(), large.clone());
            tokio::spawn(async move { post(&app, "reviews/infer", large).await })
        })
        .collect();
    while !text(&app).await.contains(&format!("ngsll_queue_requests {most}")) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let answer = post(&app, "reviews/infer", r#"{"text": "a"}"#).await;
    answer.refused(503, &["requests of 32 MiB are waiting"]);
    assert_eq!(answer.headers["retry-after"], "1");
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
}

async fn text(app: &axum::Router) -> String {
    String::from_utf8(get(app, "/metrics").await.bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn too_many_requests_in_flight_are_refused_with_retry_after() {
    let app = app(state(stuck()));
    let body = r#"{"text": "a"}"#;
    let waiting: Vec<_> = (0..MAX_IN_FLIGHT)
        .map(|_| {
            let app = app.clone();
            tokio::spawn(async move { post(&app, "reviews/infer", body).await })
        })
        .collect();
    while !text(&app).await.contains(&format!("ngsll_queue_requests {MAX_IN_FLIGHT}")) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let answer = post(&app, "reviews/infer", body).await;
    answer.refused(503, &["256 requests are in flight"]);
    assert_eq!(answer.headers["retry-after"], "1");
    get(&app, "/healthz").await.ok();
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn a_request_has_an_end_in_time() {
    let limits = Limits { request: Duration::from_millis(50), ..stuck() };
    let app = app(state(limits));
    let answer = post(&app, "reviews/infer", r#"{"text": "a"}"#).await;
    answer.refused(503, &["no answer within 50ms"]);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let limits = Limits { arrival: Duration::from_millis(50), ..Limits::default() };
    let app = app(state(limits));
    let never = stream::pending::<Result<Vec<u8>, std::io::Error>>();
    let answer = post(&app, "reviews/infer", Body::from_stream(never)).await;
    answer.refused(408, &["did not arrive within 50ms"]);
}
