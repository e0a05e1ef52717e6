//! The memory that large responses may take until their clients have them.
//!
//! tower's limits count requests until the handler has returned; this one counts bytes until they are sent.

use super::client::{Client, Held, Share};
use super::error::ApiError;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes up to which a response is not counted: a connection has other memory of that size.
const UNCOUNTED_BYTES: usize = 64 << 10;
/// The unit in which responses are counted.
const UNIT: usize = 1 << 10;
/// The most bytes of large responses at a time.
const MAX_RESPONSE_BYTES: usize = 256 << 20;

/// Room for all large responses.
pub struct ResponseBudget {
    all: Arc<Semaphore>,
    by_client: Held,
}

/// A response's bytes and its share of the budget.
struct Charged {
    bytes: Bytes,
    _room: (OwnedSemaphorePermit, Share),
}

impl AsRef<[u8]> for Charged {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Default for ResponseBudget {
    fn default() -> Self {
        Self::new(MAX_RESPONSE_BYTES / UNIT)
    }
}

impl ResponseBudget {
    fn new(units: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(units)), by_client: Held::default() }
    }

    /// Charges a response until its last byte is sent. However many clients request much and read nothing, memory
    /// has a bound; what goes beyond it is refused with 503.
    pub async fn charge(&self, response: Response, client: &Client) -> Response {
        let (parts, body) = response.into_parts();
        if body.size_hint().upper().is_some_and(|bytes| bytes <= UNCOUNTED_BYTES as u64) {
            return Response::from_parts(parts, body);
        }
        // Responses are complete before they are sent, so this does not wait.
        let Ok(bytes) = to_bytes(body, usize::MAX).await else {
            return ApiError::internal().into_response();
        };
        // One that is larger than the whole budget goes alone.
        let units = bytes.len().div_ceil(UNIT).min(MAX_RESPONSE_BYTES / UNIT) as u32;
        let Ok(permit) = Arc::clone(&self.all).try_acquire_many_owned(units) else {
            let (own, most) = (bytes.len() >> 20, MAX_RESPONSE_BYTES >> 20);
            let message = format!(
                "the response would take {own} MiB, and the {most} MiB for responses that wait for their clients are used up; try again in a second or ask for fewer samples"
            );
            return ApiError::busy(message).into_response();
        };
        let all = MAX_RESPONSE_BYTES / UNIT;
        let Some(share) = self.by_client.take(client, units as usize, all) else {
            let most = client.most(MAX_RESPONSE_BYTES) >> 20;
            let what = format_args!("responses of {most} MiB wait until they are read");
            return client.refused(what).into_response();
        };
        // The connection keeps these bytes as they are until they are written.
        let bytes = Bytes::from_owner(Charged { bytes, _room: (permit, share) });
        Response::from_parts(parts, Body::from(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::Limits;
    use super::*;

    #[tokio::test]
    async fn a_large_response_counts_until_its_bytes_are_gone() {
        let budget = ResponseBudget::new(100);
        let left = || budget.all.available_permits();
        let client = Client::new([127, 0, 0, 1].into(), &Limits::default());
        let small = budget.charge(Response::new(Body::from("small")), &client).await;
        assert_eq!(left(), 100);
        assert_eq!(to_bytes(small.into_body(), usize::MAX).await.unwrap(), "small");

        let content = vec![b'a'; UNCOUNTED_BYTES + 1];
        let response = || budget.charge(Response::new(Body::from(content.clone())), &client);
        let first = response().await;
        assert_eq!(first.body().size_hint().exact(), Some(content.len() as u64));
        assert_eq!(left(), 100 - 65);
        let second = response().await;
        assert_eq!(
            (second.status().as_u16(), &second.headers()["retry-after"]),
            (503, &"1".parse().unwrap())
        );
        // The body is gone before its bytes are.
        let bytes = to_bytes(first.into_body(), usize::MAX).await.unwrap();
        assert_eq!(bytes, content);
        assert_eq!(left(), 100 - 65);
        drop(bytes);
        assert_eq!(left(), 100);
        assert_eq!(response().await.status(), 200);
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_leaves_room_for_others() {
        let budget = ResponseBudget::default();
        let client = |last| Client::new([10, 0, 0, last].into(), &Limits::default());
        let mut kept = Vec::new();
        let mut ask = async |last| {
            let response = Response::new(Body::from(vec![b'a'; 16 << 20]));
            let response = budget.charge(response, &client(last)).await;
            let status = response.status().as_u16();
            kept.push(response);
            status
        };
        for expected in [200, 200, 200, 200, 429] {
            assert_eq!(ask(1).await, expected);
        }
        assert_eq!(ask(2).await, 200);
    }
}
