//! What the server counts, in the text format of Prometheus.

use axum::http::{Method, StatusCode};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper ends of the times that are told apart, in seconds.
const SECONDS: [f64; 15] = [
    0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 10.0, 30.0,
];
/// The same for batches, in samples.
const SAMPLES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Counters since the start.
pub struct Metrics {
    models: usize,
    waiting: AtomicUsize,
    /// Connections beyond the allowed ones.
    surplus: AtomicUsize,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// By method, route and status.
    requests: BTreeMap<(&'static str, String, u16), u64>,
    /// By method and route.
    seconds: BTreeMap<(&'static str, String), Histogram<15>>,
    batches: Histogram<7>,
}

/// How many values fell below each bound, not counting those below the bound before.
#[derive(Clone, Copy)]
struct Histogram<const N: usize> {
    counts: [u64; N],
    /// All values, also those above the last bound.
    count: u64,
    sum: f64,
}

impl<const N: usize> Default for Histogram<N> {
    fn default() -> Self {
        Self { counts: [0; N], count: 0, sum: 0.0 }
    }
}

impl<const N: usize> Histogram<N> {
    fn add(&mut self, bounds: &[f64; N], value: f64) {
        if let Some(i) = bounds.iter().position(|&bound| value <= bound) {
            self.counts[i] += 1;
        }
        self.count += 1;
        self.sum += value;
    }

    fn write(&self, text: &mut String, name: &str, labels: &str, bounds: &[f64; N]) {
        let comma = if labels.is_empty() { "" } else { "," };
        let mut below = 0;
        for (bound, count) in bounds.iter().zip(self.counts) {
            below += count;
            line(text, format_args!("{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {below}"));
        }
        let (count, sum) = (self.count, self.sum);
        line(text, format_args!("{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {count}"));
        let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        line(text, format_args!("{name}_sum{labels} {sum}"));
        line(text, format_args!("{name}_count{labels} {count}"));
    }
}

impl Metrics {
    /// All at zero.
    pub fn new(models: usize) -> Self {
        Self {
            models,
            waiting: AtomicUsize::new(0),
            surplus: AtomicUsize::new(0),
            counts: Mutex::default(),
        }
    }

    /// A request was answered.
    pub fn request(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        let method = known(method);
        let mut counts = self.lock();
        let requests = counts.requests.entry((method, route.to_string(), status.as_u16()));
        *requests.or_default() += 1;
        let seconds = counts.seconds.entry((method, route.to_string())).or_default();
        seconds.add(&SECONDS, took.as_secs_f64());
    }

    /// So many samples were explained together.
    pub fn batch(&self, samples: usize) {
        self.lock().batches.add(&SAMPLES, samples as f64);
    }

    /// So many requests wait for a thread.
    pub fn waiting(&self, requests: usize) {
        self.waiting.store(requests, Ordering::Relaxed);
    }

    /// A connection was one too many.
    pub fn connection_refused(&self) {
        self.surplus.fetch_add(1, Ordering::Relaxed);
    }

    /// All of it as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let counts = self.lock();
        let name = head(&mut text, "ngsll_requests_total", "counter", "Requests answered");
        for ((method, route, status), count) in &counts.requests {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            line(&mut text, format_args!("{name}{{{labels}}} {count}"));
        }
        let name = head(
            &mut text,
            "ngsll_request_duration_seconds",
            "histogram",
            "Time from a request's headers to its answer",
        );
        for ((method, route), histogram) in &counts.seconds {
            let labels = format!("method=\"{method}\",route=\"{route}\"");
            histogram.write(&mut text, name, &labels, &SECONDS);
        }
        let help = "Samples that were explained together";
        let name = head(&mut text, "ngsll_batch_samples", "histogram", help);
        counts.batches.write(&mut text, name, "", &SAMPLES);
        let help = "Requests that wait for a thread";
        let name = head(&mut text, "ngsll_queue_requests", "gauge", help);
        line(&mut text, format_args!("{name} {}", self.waiting.load(Ordering::Relaxed)));
        let help = "Connections that were refused because too many were open";
        let name = head(&mut text, "ngsll_connections_refused_total", "counter", help);
        line(&mut text, format_args!("{name} {}", self.surplus.load(Ordering::Relaxed)));
        let name = head(&mut text, "ngsll_models_loaded", "gauge", "Models that can be asked");
        line(&mut text, format_args!("{name} {}", self.models));
        text
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what a metric is, and gives its name.
fn head<'a>(text: &mut String, name: &'a str, kind: &str, help: &str) -> &'a str {
    line(text, format_args!("# HELP {name} {help}."));
    line(text, format_args!("# TYPE {name} {kind}"));
    name
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // A string takes everything.
    let _ = writeln!(text, "{line}");
}

/// Clients can invent methods, so that their number needs a bound.
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
        let metrics = Metrics::new(2);
        for samples in [1, 1, 3, 16, 2000] {
            metrics.batch(samples);
        }
        metrics.waiting(7);
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
