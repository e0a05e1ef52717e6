//! Encrypted connections, by rustls.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate and its key.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Reads a chain of certificates, that of this server first, and its key, both as PEM. The error is a message.
    pub fn read(certificates: &Path, key: &Path) -> Result<Self, String> {
        let wrong = |path: &Path, expected: &str, error: &dyn fmt::Display| {
            format!("{}: expected {expected} as PEM: {error}", path.display())
        };
        let chain: Result<Vec<_>, _> =
            CertificateDer::pem_file_iter(certificates).and_then(Iterator::collect);
        let chain = chain.map_err(|e| wrong(certificates, "certificates", &e))?;
        let private = PrivateKeyDer::from_pem_file(key);
        let private = private.map_err(|e| wrong(key, "a private key", &e))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, private))
            .map_err(|e| wrong(certificates, "a certificate that matches the key", &e))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    pub(crate) fn acceptor(&self) -> &TlsAcceptor {
        &self.0
    }
}
