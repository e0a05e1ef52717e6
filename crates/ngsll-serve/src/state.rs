//! The loaded models.

use super::answers;
use super::error::ApiError;
use super::guard::IN_FLIGHT;
use super::metrics::Metrics;
use super::queue::Queue;
use anyhow::{Context, Result, bail};
use axum::http::StatusCode;
use ngsll::Predictor;
use ngsll::examples::Example;
use ngsll::model_folder::examples;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// What every handler sees; clones share it.
#[derive(Clone)]
pub struct State(Arc<Shared>);

struct Shared {
    models: BTreeMap<String, Arc<Model>>,
    metrics: Arc<Metrics>,
    queue: Arc<Queue>,
    /// One for each request that may be under way.
    places: Semaphore,
    /// Room for large answers.
    answers: Arc<Semaphore>,
    limits: Limits,
}

/// How much and how long.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time for a request from its headers to its answer.
    pub request: Duration,
    /// Time for a body to arrive.
    pub arrival: Duration,
    /// Threads that read, explain and answer.
    pub threads: usize,
    /// Open connections.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            arrival: Duration::from_secs(20),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            // Well below the 1024 open files that a process usually may have.
            connections: 512,
        }
    }
}

/// A model as it comes from its folder.
pub struct LoadedModel {
    predictor: Predictor,
    examples: Vec<Example>,
}

impl From<Predictor> for LoadedModel {
    fn from(predictor: Predictor) -> Self {
        Self { predictor, examples: Vec::new() }
    }
}

/// A loaded model.
pub(crate) struct Model {
    name: String,
    predictor: Predictor,
    examples: Vec<Example>,
}

impl State {
    /// Loads models: folders, or `NAME=FOLDER` to give one a name of its own.
    pub fn load(models: &[String]) -> Result<Self> {
        let mut loaded = BTreeMap::new();
        for given in models {
            let (name, folder) = name_and_folder(given)?;
            if loaded.contains_key(&name) {
                bail!("two models are named {name:?}; NAME=FOLDER gives one of them another name");
            }
            let (predictor, examples) = (Predictor::load(&folder)?, examples(&folder)?);
            loaded.insert(name, LoadedModel { predictor, examples });
        }
        Self::new(loaded, Limits::default())
    }

    /// Serves these models by their names.
    pub fn new<M: Into<LoadedModel>>(models: BTreeMap<String, M>, limits: Limits) -> Result<Self> {
        let metrics = Arc::new(Metrics::new(models.len()));
        let queue = Queue::start(limits.threads, Arc::clone(&metrics));
        let queue = queue.context("cannot start a thread")?;
        let model = |(name, model): (String, M)| {
            let LoadedModel { predictor, examples } = model.into();
            (name.clone(), Arc::new(Model { name, predictor, examples }))
        };
        let models = models.into_iter().map(model).collect();
        Ok(Self(Arc::new(Shared {
            models,
            metrics,
            queue,
            places: Semaphore::new(IN_FLIGHT),
            answers: answers::room(),
            limits,
        })))
    }

    /// All models, by name.
    pub(crate) fn models(&self) -> impl ExactSizeIterator<Item = &Arc<Model>> {
        self.0.models.values()
    }

    /// The model of this name; 404 where there is none.
    pub(crate) fn model(&self, name: &str) -> Result<&Arc<Model>, ApiError> {
        self.0.models.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.0.models.keys().map(String::as_str).collect();
            let message = format!("no model is named {name:?}; there is {}", names.join(", "));
            ApiError::new(StatusCode::NOT_FOUND, message)
        })
    }

    /// Requests with a body each hold one of these.
    pub(crate) fn places(&self) -> &Semaphore {
        &self.0.places
    }

    /// Large answers take room here until they are gone.
    pub(crate) fn answers(&self) -> &Arc<Semaphore> {
        &self.0.answers
    }

    /// Where requests wait for their answers.
    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// How much and how long.
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// What has been counted so far.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl Model {
    /// Its name in addresses.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model itself; who asks it for explanations does so by the [`Queue`].
    pub fn predictor(&self) -> &Predictor {
        &self.predictor
    }

    /// Held-out samples to start from.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }
}

/// `NAME=FOLDER`, or a folder that gives its own name.
fn name_and_folder(given: &str) -> Result<(String, PathBuf)> {
    let (name, folder) = match given.split_once('=') {
        // A folder may have the sign in its own name.
        Some((name, folder)) if !Path::new(given).exists() => (name.to_string(), folder.into()),
        _ => {
            let folder = PathBuf::from(given);
            // "." has a name only in full.
            let full = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, folder)
        }
    };
    if name.is_empty() || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        bail!("{given}: {name:?} cannot be a model's name in an address; NAME=FOLDER gives it one");
    }
    Ok((name, folder))
}
