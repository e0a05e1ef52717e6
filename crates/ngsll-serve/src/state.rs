//! The loaded models and the state shared by all requests.

use super::client::Held;
use super::error::ApiError;
use super::guard::MAX_IN_FLIGHT;
use super::limits::Limits;
use super::metrics::ServerMetrics;
use super::queue::Queue;
use super::response_budget::ResponseBudget;
use super::samples::{self, SampleForm};
use super::start_error::StartError;
use axum::http::StatusCode;
use ngsll::ModelFolder;
use ngsll::examples::Example;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The state of all handlers; clones share it.
#[derive(Clone)]
pub struct State(Arc<Shared>);

struct Shared {
    models: BTreeMap<String, Arc<ServedModel>>,
    metrics: Arc<ServerMetrics>,
    queue: Arc<Queue>,
    /// One permit for each request that may be in flight.
    in_flight: Semaphore,
    in_flight_by_client: Held,
    response_budget: ResponseBudget,
    limits: Limits,
}

/// A model under its name in addresses.
pub(crate) struct ServedModel {
    name: String,
    model: ngsll::Model,
    form: Box<dyn SampleForm>,
}

impl State {
    /// Loads models: folders, or `NAME=FOLDER` to name one explicitly.
    pub fn load(models: &[String], limits: Limits) -> Result<Self, StartError> {
        let mut loaded = BTreeMap::new();
        for given in models {
            let (name, folder) = name_and_folder(given)?;
            if loaded.contains_key(&name) {
                return Err(StartError::DuplicateName(name));
            }
            loaded.insert(name, ModelFolder::open(folder)?.model()?);
        }
        Self::new(loaded, limits)
    }

    /// Serves these models by their names.
    pub fn new(models: BTreeMap<String, ngsll::Model>, limits: Limits) -> Result<Self, StartError> {
        let metrics = Arc::new(ServerMetrics::new(models.len()));
        let serve = |(name, model): (String, ngsll::Model)| {
            let form =
                samples::form_of(&model).ok_or_else(|| StartError::UnknownSamples(name.clone()))?;
            Ok((name.clone(), Arc::new(ServedModel { name, model, form })))
        };
        let models = models.into_iter().map(serve).collect::<Result<_, StartError>>()?;
        let queue = Queue::start(limits.threads, Arc::clone(&metrics));
        Ok(Self(Arc::new(Shared {
            models,
            metrics,
            queue: queue.map_err(StartError::Thread)?,
            in_flight: Semaphore::new(MAX_IN_FLIGHT),
            in_flight_by_client: Held::default(),
            response_budget: ResponseBudget::default(),
            limits,
        })))
    }

    /// All models, by name.
    pub(crate) fn models(&self) -> impl ExactSizeIterator<Item = &Arc<ServedModel>> {
        self.0.models.values()
    }

    /// The model of this name; 404 if there is none.
    pub(crate) fn model(&self, name: &str) -> Result<&Arc<ServedModel>, ApiError> {
        self.0.models.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.0.models.keys().map(String::as_str).collect();
            let message =
                format!("there is no model {name:?}; the models are {}", names.join(", "));
            ApiError::new(StatusCode::NOT_FOUND, message)
        })
    }

    /// Requests with a body each hold a permit.
    pub(crate) fn in_flight(&self) -> &Semaphore {
        &self.0.in_flight
    }

    /// The number of these permits that each client holds.
    pub(crate) fn in_flight_by_client(&self) -> &Held {
        &self.0.in_flight_by_client
    }

    /// Large responses hold a share of it until they are sent.
    pub(crate) fn response_budget(&self) -> &ResponseBudget {
        &self.0.response_budget
    }

    /// The queue of requests.
    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// The configurable limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// The metrics so far.
    pub(crate) fn metrics(&self) -> &ServerMetrics {
        &self.0.metrics
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl ServedModel {
    /// Its name in addresses.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model itself; only the threads of the [`Queue`] run it.
    pub fn model(&self) -> &ngsll::Model {
        &self.model
    }

    /// The form of its samples in requests.
    pub fn form(&self) -> &dyn SampleForm {
        &*self.form
    }

    /// Held-out samples to start from.
    pub fn examples(&self) -> &[Example] {
        &self.model.notes().examples
    }
}

/// `NAME=FOLDER`, or a folder that gives its own name.
fn name_and_folder(given: &str) -> Result<(String, PathBuf), StartError> {
    let (name, folder) = match given.split_once('=') {
        // A folder may have the sign in its own name.
        Some((name, folder)) if !Path::new(given).exists() => (name.to_string(), folder.into()),
        _ => {
            let folder = PathBuf::from(given);
            // "." has a name only when resolved.
            let full = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, folder)
        }
    };
    if name.is_empty() || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        return Err(StartError::InvalidName { given: given.to_string(), name });
    }
    Ok((name, folder))
}
