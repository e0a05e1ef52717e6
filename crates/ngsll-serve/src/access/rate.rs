//! The rate limit of each client.
//!
//! Hand-written: `governor` also limits by key, but keeps an unbounded number of keys until told to evict idle ones,
//! which is no bound on the memory of a client with many addresses.

use super::super::client::Client;
use super::super::error::ApiError;
use axum::http::StatusCode;
use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The most clients that are remembered.
const MOST_CLIENTS: usize = 10_000;
/// Entries evicted at once when the map is full, so that eviction is rare.
const FORGOTTEN: usize = MOST_CLIENTS / 10;

/// The allowed requests per second from one address; twice as many at once after a pause (a token bucket).
#[derive(Debug)]
pub struct Rate {
    per_second: f64,
    clients: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    /// A limit for each address.
    pub fn new(per_second: NonZeroU32) -> Self {
        Self { per_second: per_second.get().into(), clients: Mutex::default() }
    }

    pub(super) fn check(&self, client: &Client) -> Result<(), ApiError> {
        if self.admits(client.key(), Instant::now()) {
            return Ok(());
        }
        let message = format!(
            "more than {} requests in a second came from {client}; try again in a second",
            self.per_second
        );
        Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, message))
    }

    fn admits(&self, client: IpAddr, now: Instant) -> bool {
        let most = 2.0 * self.per_second;
        let filled = |bucket: &Bucket| {
            let seconds = now.saturating_duration_since(bucket.at).as_secs_f64();
            (bucket.left + seconds * self.per_second).min(most)
        };
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MOST_CLIENTS && !clients.contains_key(&client) {
            // Clients with a full bucket need no entry; otherwise the least recently seen are evicted, which spares
            // those that send too many requests.
            clients.retain(|_, bucket| filled(bucket) < most);
            if clients.len() >= MOST_CLIENTS {
                let mut times: Vec<Instant> = clients.values().map(|bucket| bucket.at).collect();
                let (_, oldest, _) = times.select_nth_unstable(FORGOTTEN);
                clients.retain(|_, bucket| bucket.at > *oldest);
            }
        }
        let bucket = clients.entry(client).or_insert(Bucket { left: most, at: now });
        let left = filled(bucket);
        *bucket = Bucket { left: if left >= 1.0 { left - 1.0 } else { left }, at: now };
        left >= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_client_may_ask_so_often_and_others_still_may() {
        let rate = Rate::new(NonZeroU32::new(10).unwrap());
        let (one, other, now) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), Instant::now());
        let asked = |client, at| (0..100).filter(|_| rate.admits(client, at)).count();
        assert_eq!(asked(one, now), 20);
        assert_eq!(asked(other, now), 20);
        assert_eq!(asked(one, now + Duration::from_millis(500)), 5);
        assert_eq!(asked(one, now + Duration::from_secs(60)), 20);
        // However many others come, a client beyond its rate is not forgotten.
        let mut now = now + Duration::from_secs(120);
        assert_eq!(asked(one, now), 20);
        for client in 0..3 * MOST_CLIENTS as u32 {
            now += Duration::from_micros(1);
            assert!(rate.admits(IpAddr::V4(client.into()), now));
            assert!(!rate.admits(one, now), "after {client} others");
        }
        assert!(rate.clients.lock().unwrap().len() <= MOST_CLIENTS);
    }
}
