//! The server's metrics, in the text format of Prometheus.
//!
//! By the crate `prometheus` rather than `prometheus-client`, which writes OpenMetrics only: other bucket labels
//! (`le="1.0"`), another content type and another name in the `# TYPE` of a counter.

use axum::http::{Method, StatusCode};
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry,
    TextEncoder,
};
use std::time::Duration;

/// Upper bounds of the buckets for times, in seconds.
const SECONDS: [f64; 15] = [
    0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 10.0, 30.0,
];
/// Upper bounds of the buckets for batches, in samples.
const SAMPLES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Counters since the start.
pub struct ServerMetrics {
    registry: Registry,
    /// By method, route and status.
    requests: IntCounterVec,
    /// By method and route.
    seconds: HistogramVec,
    batches: Histogram,
    queued: IntGauge,
    /// Connections beyond the allowed ones.
    refused: IntCounter,
}

impl ServerMetrics {
    /// All counters at zero.
    pub fn new(models: usize) -> Self {
        Self::registered(models).expect("the names are valid, and each is registered once")
    }

    fn registered(models: usize) -> prometheus::Result<Self> {
        let registry = Registry::new();
        let requests = IntCounterVec::new(
            Opts::new("ngsll_requests_total", "Requests answered."),
            &["method", "route", "status"],
        )?;
        let seconds = HistogramVec::new(
            HistogramOpts::new(
                "ngsll_request_duration_seconds",
                "Time from a request's headers to its answer.",
            )
            .buckets(SECONDS.to_vec()),
            &["method", "route"],
        )?;
        let batches = Histogram::with_opts(
            HistogramOpts::new("ngsll_batch_samples", "Samples that were explained together.")
                .buckets(SAMPLES.to_vec()),
        )?;
        let queued = IntGauge::new("ngsll_queue_requests", "Requests that wait for a thread.")?;
        let refused = IntCounter::new(
            "ngsll_connections_refused_total",
            "Connections that were refused because too many were open, of all or of one address.",
        )?;
        let loaded = IntGauge::new("ngsll_models_loaded", "Models that are loaded.")?;
        loaded.set(models as i64);
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(seconds.clone()))?;
        registry.register(Box::new(batches.clone()))?;
        registry.register(Box::new(queued.clone()))?;
        registry.register(Box::new(refused.clone()))?;
        registry.register(Box::new(loaded))?;
        Ok(Self { registry, requests, seconds, batches, queued, refused })
    }

    /// Counts an answered request.
    pub fn request(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        let method = known(method);
        self.requests.with_label_values(&[method, route, status.as_str()]).inc();
        self.seconds.with_label_values(&[method, route]).observe(took.as_secs_f64());
    }

    /// Counts a batch of samples that went through the network together.
    pub fn batch(&self, samples: usize) {
        self.batches.observe(samples as f64);
    }

    /// Sets the number of requests that wait for a thread.
    pub fn queued(&self, requests: usize) {
        self.queued.set(requests as i64);
    }

    /// Counts a connection beyond the allowed ones.
    pub fn connection_refused(&self) {
        self.refused.inc();
    }

    /// Also exposes a counter that belongs to another part of the server.
    pub fn also(&self, counter: &IntCounter) {
        // It may be registered already.
        let _ = self.registry.register(Box::new(counter.clone()));
    }

    /// All counters as text.
    pub fn text(&self) -> String {
        let families = self.registry.gather();
        TextEncoder::new().encode_to_string(&families).expect("a string takes everything")
    }
}

/// Clients can invent methods, so their number needs a bound.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_count_everything_below_their_bound() {
        let metrics = ServerMetrics::new(2);
        for samples in [1, 1, 3, 16, 2000] {
            metrics.batch(samples);
        }
        metrics.queued(7);
        metrics.request(&Method::POST, "/a", StatusCode::OK, Duration::from_millis(2));
        metrics.request(&Method::POST, "/a", StatusCode::BAD_REQUEST, Duration::from_secs(60));
        let text = metrics.text();
        for line in [
            "ngsll_batch_samples_bucket{le=\"1\"} 2",
            "ngsll_batch_samples_bucket{le=\"4\"} 3",
            "ngsll_batch_samples_bucket{le=\"64\"} 4",
            "ngsll_batch_samples_bucket{le=\"+Inf\"} 5",
            "ngsll_batch_samples_sum 2021",
            "ngsll_queue_requests 7",
            "ngsll_connections_refused_total 0",
            "ngsll_models_loaded 2",
            "ngsll_requests_total{method=\"POST\",route=\"/a\",status=\"400\"} 1",
            "ngsll_request_duration_seconds_bucket{method=\"POST\",route=\"/a\",le=\"0.001\"} 0",
            "ngsll_request_duration_seconds_bucket{method=\"POST\",route=\"/a\",le=\"0.0025\"} 1",
            "ngsll_request_duration_seconds_bucket{method=\"POST\",route=\"/a\",le=\"+Inf\"} 2",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        }
    }
}
