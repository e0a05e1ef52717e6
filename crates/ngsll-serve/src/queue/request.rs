//! A query, and the progress of its answer.

use super::{Answer, PIECE_SAMPLES};
use crate::client::Client;
use crate::error::ApiError;
use crate::state::ServedModel;
use axum::response::Response;
use ngsll::{Explanation, Samples};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The input of a query.
pub struct Query {
    pub model: Arc<ServedModel>,
    /// Terms of each score; at most the model's K.
    pub k: usize,
    /// Samples of the kind that the model reads.
    pub samples: Samples,
}

/// A query, and how its response is made.
pub struct QueuedRequest {
    pub(super) query: Query,
    pub(super) respond: Respond,
}

/// Makes the response from a result for each sample.
type Writer<T> = Box<dyn FnOnce(&Query, Vec<T>) -> Response + Send>;

/// The kind of results, and how the response is made from them.
pub(super) enum Respond {
    Scores(Writer<Vec<f64>>),
    Explanations(Writer<Explanation>),
}

/// Results of the first samples of a query.
pub(super) enum Results {
    Scores(Vec<Vec<f64>>),
    Explanations(Vec<Explanation>),
}

impl QueuedRequest {
    /// Requests the scores alone, from which predictions are read: no terms are built.
    pub fn predict(
        query: Query,
        respond: impl FnOnce(&Query, Vec<Vec<f64>>) -> Response + Send + 'static,
    ) -> Self {
        Self { query, respond: Respond::Scores(Box::new(respond)) }
    }

    /// Requests explanations.
    pub fn explain(
        query: Query,
        respond: impl FnOnce(&Query, Vec<Explanation>) -> Response + Send + 'static,
    ) -> Self {
        Self { query, respond: Respond::Explanations(Box::new(respond)) }
    }

    /// Computes the results for these samples.
    pub(super) fn run(&self, samples: &Samples) -> ngsll::Result<Results> {
        let (model, k) = (self.query.model.model(), Some(self.query.k));
        Ok(match self.respond {
            Respond::Scores(_) => Results::Scores(model.scores_with(samples, k)?),
            Respond::Explanations(_) => Results::Explanations(model.explain_with(samples, k)?),
        })
    }

    /// The response, from the results of all samples.
    pub(super) fn respond(self, results: Results) -> Response {
        let query = &self.query;
        match (self.respond, results) {
            (Respond::Scores(respond), Results::Scores(scores)) => respond(query, scores),
            (Respond::Explanations(respond), Results::Explanations(all)) => respond(query, all),
            _ => unreachable!("results are of the requested kind"),
        }
    }
}

impl Results {
    pub fn len(&self) -> usize {
        match self {
            Self::Scores(scores) => scores.len(),
            Self::Explanations(explanations) => explanations.len(),
        }
    }

    /// Takes the first `n` results out.
    pub fn take_first(&mut self, n: usize) -> Self {
        match self {
            Self::Scores(scores) => Self::Scores(scores.drain(..n).collect()),
            Self::Explanations(explanations) => {
                Self::Explanations(explanations.drain(..n).collect())
            }
        }
    }

    /// Appends results of the same kind.
    fn extend(&mut self, more: Self) {
        match (self, more) {
            (Self::Scores(scores), Self::Scores(more)) => scores.extend(more),
            (Self::Explanations(all), Self::Explanations(more)) => all.extend(more),
            _ => unreachable!("results of one query are of one kind"),
        }
    }
}

/// A request that was read.
pub(super) struct Job {
    pub number: u64,
    pub client: Client,
    pub request: QueuedRequest,
    /// Results of the first samples.
    results: Option<Results>,
    reply: oneshot::Sender<Answer>,
}

impl Job {
    pub fn new(
        number: u64,
        client: Client,
        request: QueuedRequest,
        reply: oneshot::Sender<Answer>,
    ) -> Self {
        Self { number, client, request, results: None, reply }
    }

    /// All its samples.
    pub fn samples(&self) -> &Samples {
        &self.request.query.samples
    }

    /// Samples with results.
    pub fn done(&self) -> usize {
        self.results.as_ref().map_or(0, Results::len)
    }

    /// Samples without results.
    pub fn left(&self) -> usize {
        self.samples().len() - self.done()
    }

    /// Whether it is computed piece by piece.
    pub fn is_large(&self) -> bool {
        self.samples().len() > PIECE_SAMPLES
    }

    /// Whether both may go through the network together.
    pub fn goes_with(&self, other: &Self) -> bool {
        let (a, b) = (&self.request, &other.request);
        Arc::ptr_eq(&a.query.model, &b.query.model)
            && a.query.k == b.query.k
            && std::mem::discriminant(&a.respond) == std::mem::discriminant(&b.respond)
    }

    /// The approximate memory of its samples.
    pub fn bytes(&self) -> usize {
        self.request.query.model.form().bytes(self.samples())
    }

    /// Whether the client no longer waits for the answer.
    pub fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    /// Adds the results of its next samples.
    pub fn add(&mut self, more: Results) {
        match &mut self.results {
            Some(results) => results.extend(more),
            None => self.results = Some(more),
        }
    }

    /// Writes the response once all samples have results.
    pub fn finish(self) {
        let Self { request, results, reply, .. } = self;
        let response = results
            .ok_or_else(ApiError::internal)
            .and_then(|results| super::caught(|| request.respond(results)));
        // The client may have gone away by now.
        let _ = reply.send(response);
    }

    /// Answers with an error.
    pub fn refuse(self, error: ApiError) {
        let _ = self.reply.send(Err(error));
    }
}
