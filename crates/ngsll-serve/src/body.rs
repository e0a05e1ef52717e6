//! A request's body: its type, its size, its compression.

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
pub const LARGEST: usize = 2 << 20;
/// Of a body that is too large, what is read before the refusal: a client that is still sending would not see it.
const READ_ANYWAY: usize = 8 << 20;
/// Time for that where nothing of it is wanted.
pub const DISCARD: Duration = Duration::from_secs(2);
/// Where the JSON ends and binary tensors begin, in the binary tensor data extension.
pub const JSON_LENGTH: &str = "inference-header-content-length";

/// A whole body as it was sent.
pub struct Body {
    bytes: Bytes,
    gzip: bool,
    json_length: Option<usize>,
}

impl FromRequest<State> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &State) -> Result<Self, ApiError> {
        let (json_length, gzip) = match check(request.headers()) {
            Ok(found) => found,
            Err(error) => {
                discard(request).await;
                return Err(error);
            }
        };
        let limit = state.limits().arrival;
        let bytes = tokio::time::timeout(limit, read(request)).await.map_err(|_| {
            let message = format!("the body did not arrive within {limit:?}");
            ApiError::new(StatusCode::REQUEST_TIMEOUT, message)
        })??;
        Ok(Self { bytes, gzip, json_length })
    }
}

/// What the headers say about a body: where its JSON ends, and whether it is compressed.
fn check(headers: &HeaderMap) -> Result<(Option<usize>, bool), ApiError> {
    let json_length = json_length(headers)?;
    check_type(headers, json_length.is_some())?;
    let gzip = is_gzip(headers)?;
    let declared = text(headers, header::CONTENT_LENGTH.as_str()).parse().unwrap_or(0_usize);
    // Who asks before sending is answered before sending.
    let asks = headers.contains_key(header::EXPECT);
    if declared > READ_ANYWAY || asks && declared > LARGEST {
        return Err(too_large());
    }
    Ok((json_length, gzip))
}

impl Body {
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

/// Takes what a refused client is still sending, since it would not see the refusal before; as far as that is
/// little enough and comes in time.
pub async fn discard(request: Request) {
    // Who asks before sending is answered before sending.
    if request.headers().contains_key(header::EXPECT) {
        return;
    }
    let mut chunks = request.into_body().into_data_stream();
    let take = async {
        let mut length = 0;
        while let Some(Ok(chunk)) = chunks.next().await
            && length <= READ_ANYWAY
        {
            length += chunk.len();
        }
    };
    let _ = tokio::time::timeout(DISCARD, take).await;
}

async fn read(request: Request) -> Result<Bytes, ApiError> {
    let mut chunks = request.into_body().into_data_stream();
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| ApiError::bad("the body ends before its end"))?;
        length += chunk.len();
        if length > READ_ANYWAY {
            break;
        }
        if length <= LARGEST {
            bytes.extend_from_slice(&chunk);
        }
    }
    if length > LARGEST { Err(too_large()) } else { Ok(bytes.into()) }
}

fn unzip(bytes: &[u8]) -> Result<Vec<u8>, ApiError> {
    let mut all = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(LARGEST as u64 + 1).read_to_end(&mut all);
    read.map_err(|error| ApiError::bad(format!("the body is not valid gzip: {error}")))?;
    if all.len() > LARGEST { Err(too_large()) } else { Ok(all) }
}

fn too_large() -> ApiError {
    let message = "the body is too large, expected at most 2 MiB, also after decompression";
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
        // Clients of the protocol send none.
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

/// A header as text; empty where it is absent or no text.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
