//! Large answers, which count until their clients have taken them.

use super::error::ApiError;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes up to which an answer is not counted: a connection has other memory of that size.
const SMALL: usize = 64 << 10;
/// The unit in which answers are counted.
const UNIT: usize = 1 << 10;
/// Bytes of large answers that there may be at a time.
const LARGEST: usize = 256 << 20;

/// Room for all large answers.
pub fn room() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(LARGEST / UNIT))
}

/// An answer and the room that it takes.
struct Counted {
    bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Counts an answer until its last byte is gone. However many clients ask for much and take nothing, memory has a
/// bound; what goes beyond it is refused.
pub async fn counted(response: Response, room: &Arc<Semaphore>) -> Response {
    let (parts, body) = response.into_parts();
    if body.size_hint().upper().is_some_and(|bytes| bytes <= SMALL as u64) {
        return Response::from_parts(parts, body);
    }
    // Answers are whole before they are sent, so that this waits for nothing.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return ApiError::internal().into_response();
    };
    // One that is larger than all of the room goes alone.
    let units = bytes.len().div_ceil(UNIT).min(LARGEST / UNIT) as u32;
    match Arc::clone(room).try_acquire_many_owned(units) {
        Ok(room) => {
            // The connection keeps these bytes as they are until they are written.
            let bytes = Bytes::from_owner(Counted { bytes, _room: room });
            Response::from_parts(parts, Body::from(bytes))
        }
        Err(_) => {
            let (own, most) = (bytes.len() >> 20, LARGEST >> 20);
            let message = format!(
                "the answer has {own} MiB, and answers of up to {most} MiB may wait for their clients, which is \
                 reached; try again in a second or ask for fewer samples"
            );
            ApiError::busy(message).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_large_answer_counts_until_its_bytes_are_gone() {
        let room = Arc::new(Semaphore::new(100));
        let small = counted(Response::new(Body::from("small")), &room).await;
        assert_eq!(room.available_permits(), 100);
        assert_eq!(to_bytes(small.into_body(), usize::MAX).await.unwrap(), "small");

        let content = vec![b'a'; SMALL + 1];
        let answer = || counted(Response::new(Body::from(content.clone())), &room);
        let first = answer().await;
        assert_eq!(first.body().size_hint().exact(), Some(content.len() as u64));
        assert_eq!(room.available_permits(), 100 - 65);
        let second = answer().await;
        assert_eq!(
            (second.status().as_u16(), &second.headers()["retry-after"]),
            (503, &"1".parse().unwrap())
        );
        // The body is gone before its bytes are.
        let bytes = to_bytes(first.into_body(), usize::MAX).await.unwrap();
        assert_eq!(bytes, content);
        assert_eq!(room.available_permits(), 100 - 65);
        drop(bytes);
        assert_eq!(room.available_permits(), 100);
        assert_eq!(answer().await.status(), 200);
    }
}
