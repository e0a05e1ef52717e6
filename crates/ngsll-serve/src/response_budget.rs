//! The memory that large responses may take until their clients have them.
//!
//! tower's limits count requests until the handler has returned; what counts here are bytes until they are sent.

use super::error::ApiError;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes up to which a response is not counted: a connection has other memory of that size.
const UNCOUNTED_BYTES: usize = 64 << 10;
/// The unit in which responses are counted.
const UNIT: usize = 1 << 10;
/// Bytes of large responses that there may be at a time.
const MAX_RESPONSE_BYTES: usize = 256 << 20;

/// Room for all large responses.
pub struct ResponseBudget(Arc<Semaphore>);

/// A response's bytes and its share of the budget.
struct Charged {
    bytes: Bytes,
    _share: OwnedSemaphorePermit,
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
        Self(Arc::new(Semaphore::new(units)))
    }

    /// Charges a response until its last byte is sent. However many clients ask for much and read nothing, memory
    /// has a bound; what goes beyond it is refused with 503.
    pub async fn charge(&self, response: Response) -> Response {
        let (parts, body) = response.into_parts();
        if body.size_hint().upper().is_some_and(|bytes| bytes <= UNCOUNTED_BYTES as u64) {
            return Response::from_parts(parts, body);
        }
        // Responses are whole before they are sent, so that this waits for nothing.
        let Ok(bytes) = to_bytes(body, usize::MAX).await else {
            return ApiError::internal().into_response();
        };
        // One that is larger than the whole budget goes alone.
        let units = bytes.len().div_ceil(UNIT).min(MAX_RESPONSE_BYTES / UNIT) as u32;
        match Arc::clone(&self.0).try_acquire_many_owned(units) {
            Ok(share) => {
                // The connection keeps these bytes as they are until they are written.
                let bytes = Bytes::from_owner(Charged { bytes, _share: share });
                Response::from_parts(parts, Body::from(bytes))
            }
            Err(_) => {
                let (own, most) = (bytes.len() >> 20, MAX_RESPONSE_BYTES >> 20);
                let message = format!(
                    "the answer has {own} MiB, and the limit of {most} MiB for answers that wait for their clients is reached; try again in a second or ask for fewer samples"
                );
                ApiError::busy(message).into_response()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_large_response_counts_until_its_bytes_are_gone() {
        let budget = ResponseBudget::new(100);
        let left = || budget.0.available_permits();
        let small = budget.charge(Response::new(Body::from("small"))).await;
        assert_eq!(left(), 100);
        assert_eq!(to_bytes(small.into_body(), usize::MAX).await.unwrap(), "small");

        let content = vec![b'a'; UNCOUNTED_BYTES + 1];
        let response = || budget.charge(Response::new(Body::from(content.clone())));
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
}
