//! Errors when a server starts.

use std::io;
use std::net::SocketAddr;

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A model folder cannot be loaded.
    #[error(transparent)]
    Model(#[from] ngsll::Error),
    /// A name that cannot be a part of an address.
    #[error(
        "{given}: {name:?} cannot be part of an address; NAME=FOLDER gives the model another name"
    )]
    InvalidName {
        /// The argument as given.
        given: String,
        /// The resulting name.
        name: String,
    },
    /// Two models of one name.
    #[error("two models are named {0:?}; NAME=FOLDER gives one of them another name")]
    DuplicateName(String),
    /// A model that reads samples of a kind without a form in requests.
    #[error("the model {0:?} reads samples that a request cannot hold")]
    UnknownSamples(String),
    /// The system could not start a thread.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// The system refused the address.
    #[error("{address}: cannot listen there")]
    Listen {
        /// The requested address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
}
