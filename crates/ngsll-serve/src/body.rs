//! A request's body: its type, its size, its compression.
//!
//! tower-http's body limit answers in plain text and closes the connection while the client is still sending, so that
//! many clients never see why; its decompression runs on the threads of the connections. Here a body that is a little
//! too large is drained first, the error is JSON, and the queue's threads unpack.

use super::client::Client;
use super::error::ApiError;
use super::state::State;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use flate2::read::MultiGzDecoder;
use futures_util::StreamExt;
use std::io::Read;
use std::time::Duration;

/// The largest body, also after decompression.
pub const MAX_BODY_BYTES: usize = 2 << 20;
/// Bytes of a refused body that are read before the refusal: a client that is still sending would not see it.
const MAX_DRAINED_BYTES: usize = 8 << 20;
/// Time for draining a body that is not needed.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
/// The header with the length of the JSON before the binary tensors, in the binary tensor data extension.
pub const JSON_LENGTH: &str = "inference-header-content-length";

/// A whole body as it was sent.
pub struct Body {
    client: Client,
    bytes: Bytes,
    gzip: bool,
    json_length: Option<usize>,
}

impl FromRequest<State> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &State) -> Result<Self, ApiError> {
        let client = Client::of(&request, state.limits());
        let (json_length, gzip) = match check(request.headers()) {
            Ok(found) => found,
            Err(error) => {
                drain(request).await;
                return Err(error);
            }
        };
        let limit = state.limits().arrival;
        let bytes = tokio::time::timeout(limit, read(request)).await.map_err(|_| {
            let message = format!("the body did not arrive within {limit:?}");
            ApiError::new(StatusCode::REQUEST_TIMEOUT, message)
        })??;
        Ok(Self { client, bytes, gzip, json_length })
    }
}

/// Checks the headers about a body: the length of its JSON, and whether it is compressed.
fn check(headers: &HeaderMap) -> Result<(Option<usize>, bool), ApiError> {
    let json_length = json_length(headers)?;
    check_type(headers, json_length.is_some())?;
    let gzip = is_gzip(headers)?;
    let declared = text(headers, header::CONTENT_LENGTH.as_str()).parse().unwrap_or(0_usize);
    // A client that waits for permission to send gets its answer before the body.
    let asks = headers.contains_key(header::EXPECT);
    if declared > MAX_DRAINED_BYTES || asks && declared > MAX_BODY_BYTES {
        return Err(too_large());
    }
    Ok((json_length, gzip))
}

impl Body {
    /// The sender.
    pub fn client(&self) -> Client {
        self.client
    }

    /// Its length as it was sent.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The JSON, and the binary tensors behind it.
    pub fn unpack(self) -> Result<(Bytes, Bytes), ApiError> {
        let mut bytes = if self.gzip { unzip(&self.bytes)?.into() } else { self.bytes };
        let (end, found) = (self.json_length.unwrap_or(bytes.len()), bytes.len());
        if end > found {
            let message = format!("{JSON_LENGTH} is {end}, but the body has {found} bytes");
            return Err(ApiError::bad(message));
        }
        let binary = bytes.split_off(end);
        Ok((bytes, binary))
    }
}

/// Reads the rest of a refused request, since the client would not see the refusal before: up to
/// [`MAX_DRAINED_BYTES`] and [`DRAIN_TIMEOUT`].
pub async fn drain(request: Request) {
    // A client that waits for permission to send gets its answer before the body.
    if request.headers().contains_key(header::EXPECT) {
        return;
    }
    let mut chunks = request.into_body().into_data_stream();
    let read = async {
        let mut length = 0;
        while let Some(Ok(chunk)) = chunks.next().await
            && length <= MAX_DRAINED_BYTES
        {
            length += chunk.len();
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, read).await;
}

async fn read(request: Request) -> Result<Bytes, ApiError> {
    let mut chunks = request.into_body().into_data_stream();
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| ApiError::bad("the body is incomplete"))?;
        length += chunk.len();
        if length > MAX_DRAINED_BYTES {
            break;
        }
        if length <= MAX_BODY_BYTES {
            bytes.extend_from_slice(&chunk);
        }
    }
    if length > MAX_BODY_BYTES { Err(too_large()) } else { Ok(bytes.into()) }
}

fn unzip(bytes: &[u8]) -> Result<Vec<u8>, ApiError> {
    let mut all = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(MAX_BODY_BYTES as u64 + 1).read_to_end(&mut all);
    read.map_err(|error| ApiError::bad(format!("the body is not valid gzip: {error}")))?;
    if all.len() > MAX_BODY_BYTES { Err(too_large()) } else { Ok(all) }
}

fn too_large() -> ApiError {
    let most = MAX_BODY_BYTES >> 20;
    let message =
        format!("the body is too large, expected at most {most} MiB, also after decompression");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

fn json_length(headers: &HeaderMap) -> Result<Option<usize>, ApiError> {
    let Some(value) = headers.get(JSON_LENGTH) else { return Ok(None) };
    let length = value.to_str().ok().and_then(|text| text.parse().ok());
    let message = || format!("{JSON_LENGTH} is {value:?}, expected a number of bytes");
    length.map(Some).ok_or_else(|| ApiError::bad(message()))
}

fn check_type(headers: &HeaderMap, binary: bool) -> Result<(), ApiError> {
    let given = text(headers, header::CONTENT_TYPE.as_str());
    let given = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match given.as_str() {
        "application/json" => Ok(()),
        // Clients of the protocol do not send the header.
        "" if !headers.contains_key(header::CONTENT_TYPE) => Ok(()),
        "application/octet-stream" if binary => Ok(()),
        _ => Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("the content type is {given:?}, expected application/json"),
        )),
    }
}

fn is_gzip(headers: &HeaderMap) -> Result<bool, ApiError> {
    match text(headers, header::CONTENT_ENCODING.as_str()).to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(false),
        "gzip" | "x-gzip" => Ok(true),
        other => Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("the content encoding is {other:?}, expected gzip or none"),
        )),
    }
}

/// A header as text; empty if it is absent or not text.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
