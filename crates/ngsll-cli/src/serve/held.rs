//! Answers that keep their request's place until they are taken.

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::OwnedSemaphorePermit;

/// Bytes that are handed over at a time, about as many as a connection holds; smaller answers keep no place.
const CHUNK: usize = 64 << 10;

/// A large answer and the place of its request.
struct Held {
    rest: Bytes,
    _place: Option<OwnedSemaphorePermit>,
}

/// Lets a large answer hold a place for as long as its client takes: clients that ask for much and read
/// nothing then stand in their own way, not in the server's memory.
pub async fn held(response: Response, place: Option<OwnedSemaphorePermit>) -> Response {
    let (parts, body) = response.into_parts();
    if body.size_hint().upper().is_some_and(|bytes| bytes <= CHUNK as u64) {
        return Response::from_parts(parts, body);
    }
    match to_bytes(body, usize::MAX).await {
        Ok(rest) => Response::from_parts(parts, Body::new(Held { rest, _place: place })),
        // Bodies of answers are made whole, so that there is nothing to fail.
        Err(_) => Response::from_parts(parts, Body::empty()),
    }
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.rest.len().min(CHUNK);
        let chunk = self.rest.split_to(length);
        Poll::Ready((!chunk.is_empty()).then(|| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::sync::Arc;
    use tokio::sync::Semaphore;

    #[tokio::test]
    async fn a_large_answer_holds_its_place_until_its_last_chunk_is_taken() {
        let places = Arc::new(Semaphore::new(1));
        let place = || Some(Arc::clone(&places).try_acquire_owned().unwrap());
        let small = held(Response::new(Body::from("small")), place()).await;
        assert_eq!(places.available_permits(), 1);
        assert_eq!(to_bytes(small.into_body(), usize::MAX).await.unwrap(), "small");

        let bytes: Vec<u8> = (0..CHUNK + 5).map(|i| i as u8).collect();
        let large = held(Response::new(Body::from(bytes.clone())), place()).await;
        let mut body = large.into_body();
        assert_eq!(body.size_hint().exact(), Some(bytes.len() as u64));
        let mut taken = Vec::new();
        while let Some(frame) = poll_fn(|c| Pin::new(&mut body).poll_frame(c)).await {
            assert_eq!(places.available_permits(), 0);
            taken.extend(frame.unwrap().into_data().unwrap());
        }
        assert_eq!(taken, bytes);
        drop(body);
        assert_eq!(places.available_permits(), 1);
    }
}
