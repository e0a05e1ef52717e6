//! What one address may take, so that others are answered.

use super::super::client::Client;
use super::super::guard::MAX_IN_FLIGHT;
use super::super::limits::Limits;
use super::super::queue::MAX_UNREAD_BYTES;
use super::{Answer, app, get, send, state};
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use futures_util::stream;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Without worker threads every request waits.
fn stuck() -> Router {
    app(state(Limits { threads: 0, ..Limits::default() }))
}

/// Posts a body from the address 10.0.0.`last`.
async fn post_from(app: &Router, last: u8, body: impl Into<Body>) -> Answer {
    let mut request = Request::post("/v2/models/reviews/infer").body(body.into()).unwrap();
    let client = Client::new([10, 0, 0, last].into(), &Limits::default());
    request.extensions_mut().insert(client);
    send(app, request).await
}

/// Posts that are not answered.
async fn waiting(app: &Router, last: u8, bodies: Vec<Body>) -> Vec<JoinHandle<Answer>> {
    let spawn = |body| {
        let app = app.clone();
        tokio::spawn(async move { post_from(&app, last, body).await })
    };
    let tasks = bodies.into_iter().map(spawn).collect();
    // They run when this waits, on the one thread of the test.
    tokio::time::sleep(Duration::from_millis(100)).await;
    tasks
}

async fn queued(app: &Router) -> String {
    let text = String::from_utf8(get(app, "/metrics").await.bytes.to_vec()).unwrap();
    text.lines().find(|line| line.starts_with("ngsll_queue_requests ")).unwrap().to_string()
}

#[tokio::test]
async fn headers_without_bodies_leave_requests_for_others() {
    let app = stuck();
    let never = || Body::from_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let bodies = (0..MAX_IN_FLIGHT).map(|_| never()).collect();
    let tasks = waiting(&app, 1, bodies).await;
    let answer = post_from(&app, 1, "{}").await;
    let parts = ["64 requests are in flight", "the most for one address (10.0.0.1)"];
    answer.refused(429, &parts);
    assert_eq!(answer.headers["retry-after"], "1");
    // Another address has its answer as soon as there is a thread: it waits in the queue.
    let other = waiting(&app, 2, vec![Body::from("{}")]).await;
    assert_eq!(queued(&app).await, "ngsll_queue_requests 1");
    tasks.iter().chain(&other).for_each(JoinHandle::abort);
}

#[tokio::test]
async fn large_bodies_leave_room_for_those_of_others() {
    let app = stuck();
    let large = || Body::from(vec![b' '; 2 << 20]);
    let own = MAX_UNREAD_BYTES / (2 << 20) / 4;
    let tasks = waiting(&app, 1, (0..own).map(|_| large()).collect()).await;
    assert_eq!(queued(&app).await, format!("ngsll_queue_requests {own}"));
    post_from(&app, 1, large()).await.refused(429, &["requests of 8 MiB are waiting", "10.0.0.1"]);
    let other = waiting(&app, 2, vec![large()]).await;
    assert_eq!(queued(&app).await, format!("ngsll_queue_requests {}", own + 1));
    tasks.iter().chain(&other).for_each(JoinHandle::abort);
}
