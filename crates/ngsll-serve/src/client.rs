//! Clients and their share of the server: one client cannot starve the others.
//!
//! The limits of tower and tokio are global; here each client has a share of them.

use super::error::ApiError;
use super::limits::Limits;
use axum::extract::Request;
use axum::http::StatusCode;
use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The origin of a connection. Requests without a socket come from this machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Client {
    address: IpAddr,
    share: f64,
}

impl Client {
    /// The client that connects from this address.
    pub fn new(address: IpAddr, limits: &Limits) -> Self {
        // A socket for both versions of IP writes 10.0.0.7 as ::ffff:10.0.0.7.
        let address = address.to_canonical();
        let share = if address.is_loopback() { limits.local_share } else { limits.client_share };
        Self { address, share }
    }

    /// The sender of a request.
    pub fn of(request: &Request, limits: &Limits) -> Self {
        let known = request.extensions().get().copied();
        known.unwrap_or_else(|| Self::new([127, 0, 0, 1].into(), limits))
    }

    /// The key of a client: its IPv4 address or /64 IPv6 network. Link-local addresses count individually, as all
    /// hosts of a link share that network.
    pub fn key(&self) -> IpAddr {
        match self.address {
            IpAddr::V6(address) if !address.is_unicast_link_local() => {
                Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into()
            }
            address => address,
        }
    }

    /// Its share of `all`, at least 1.
    pub fn most(&self, all: usize) -> usize {
        ((all as f64 * self.share) as usize).clamp(1, all.max(1))
    }

    /// A 429 response: this client's share is used up.
    pub fn refused(&self, what: impl fmt::Display) -> ApiError {
        let message =
            format!("{what}, which is the most for one address ({self}); try again in a second");
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, message)
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

/// The amount of a resource that each client holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// An amount that a client holds until this is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    held: Held,
    key: IpAddr,
    amount: usize,
}

impl Held {
    /// Reserves `amount` of `all`; `None` beyond the client's share. A client that holds nothing is always admitted.
    pub fn take(&self, client: &Client, amount: usize, all: usize) -> Option<Share> {
        let key = client.key();
        let mut held = self.lock();
        let own = held.get(&key).copied().unwrap_or(0);
        if own > 0 && own + amount > client.most(all) {
            return None;
        }
        held.insert(key, own + amount);
        Some(Share { held: self.clone(), key, amount })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // Nothing that can panic happens under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        if let Some(own) = held.get_mut(&self.key) {
            *own -= self.amount;
            if *own == 0 {
                held.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: &str) -> Client {
        Client::new(address.parse().unwrap(), &Limits::default())
    }

    #[test]
    fn a_network_of_ipv6_is_one_client_and_every_address_of_ipv4() {
        let same = |a: &str, b: &str| client(a).key() == client(b).key();
        assert!(same("2001:db8:0:7::1", "2001:db8:0:7:ffff::9"));
        assert!(!same("2001:db8:0:7::1", "2001:db8:0:8::1"));
        assert!(!same("fe80::1", "fe80::2"), "a cable is not a client");
        assert!(!same("::ffff:10.0.0.1", "::ffff:10.0.0.2"));
        assert!(same("::ffff:10.0.0.1", "10.0.0.1"));
        assert_eq!(client("::ffff:10.0.0.1").to_string(), "10.0.0.1");
    }

    #[test]
    fn a_client_gets_its_share_and_this_machine_all() {
        for (address, most) in [("10.0.0.1", 25), ("2001:db8::1", 25), ("127.0.0.1", 100)] {
            let (held, own) = (Held::default(), client(address));
            let taken: Vec<Share> = (0..200).map_while(|_| held.take(&own, 1, 100)).collect();
            assert_eq!(taken.len(), most, "{address}");
            let other = held.take(&client("10.0.0.2"), 10, 100);
            assert!(other.is_some(), "{address}");
            drop(taken);
            assert!(held.take(&own, 20, 100).is_some(), "{address}");
            drop(other);
            assert!(held.lock().is_empty(), "{address}");
        }
        // An amount larger than the share is admitted alone.
        let (held, own) = (Held::default(), client("10.0.0.1"));
        let large = held.take(&own, 90, 100);
        assert!(large.is_some() && held.take(&own, 1, 100).is_none());
        assert_eq!((own.most(2), own.most(0)), (1, 1));
    }
}
