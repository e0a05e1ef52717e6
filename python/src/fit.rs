//! Training.

use crate::error::to_python;
use crate::model::Model;
use crate::samples::Samples;
use crate::threads;
use ngsll::config::{Overrides, Task, option_groups};
use ngsll::representation::{Regions, RepresentationConfig, VectorFilter, WordVectors};
use ngsll::train::Event;
use ngsll::{Config, Dataset, Device, Judge, Ngsll};
use ngsll_readers::{with_regions, with_word_vectors};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Minimum interval between step callbacks, which take the GIL.
const STEP_INTERVAL: Duration = Duration::from_millis(100);

/// A label for each sample.
#[derive(FromPyObject)]
pub enum Answers<'py> {
    /// Numbers, in regression.
    Numbers(PyReadonlyArray1<'py, f64>),
    /// Names of the classes, and the class number of each sample.
    Classes(Vec<String>, PyReadonlyArray1<'py, i64>),
}

/// Samples with labels and, if given, weights.
pub fn labelled(
    samples: ngsll::Samples,
    labels: Answers<'_>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Dataset> {
    let data = Dataset::new(samples);
    let data = match labels {
        Answers::Numbers(numbers) => data.with_labels(numbers.as_array().iter()),
        Answers::Classes(names, numbers) => {
            let numbers = numbers.as_array();
            let label = |number: &i64| names.get(usize::try_from(*number).unwrap_or(usize::MAX));
            let labels: Option<Vec<&String>> = numbers.iter().map(label).collect();
            let unknown = || PyValueError::new_err("a class number is out of range");
            data.with_labels(labels.ok_or_else(unknown)?)
        }
    };
    let data = data.map_err(to_python)?;
    match weights {
        Some(weights) => {
            data.with_weights(weights.as_array().iter().copied().collect()).map_err(to_python)
        }
        None => Ok(data),
    }
}

/// Drops samples of weight zero, which must not affect validation either.
fn counted(data: Dataset) -> Dataset {
    match data.weights() {
        Some(weights) if weights.contains(&0.0) => {
            let counts = |row: &usize| weights[*row] > 0.0;
            data.select(&(0..data.len()).filter(counts).collect::<Vec<_>>())
        }
        _ => data,
    }
}

/// The defaults of a task overridden by the user's options, each a name and TOML.
fn config(task: &str, options: &[(String, String)]) -> PyResult<Config> {
    let mut overrides = Overrides::new();
    overrides.set_text("task", task);
    options.iter().for_each(|(name, value)| overrides.set(name, value));
    overrides.config().map_err(to_python)
}

/// The defaults of a task with these options applied, as TOML.
#[pyfunction]
#[pyo3(signature = (task, options=Vec::new()))]
pub fn defaults(task: &str, options: Vec<(String, String)>) -> PyResult<String> {
    config(task, &options)?.to_toml().map_err(to_python)
}

/// Every option: its key, the `kind` that its table must have, and its default in words.
#[pyfunction]
pub fn option_table() -> Vec<(String, Option<&'static str>, &'static str)> {
    let groups = option_groups();
    let rows = groups.iter().flat_map(|group| {
        group.options.iter().map(move |option| (group.key(option), group.kind, option.default))
    });
    rows.collect()
}

/// Trains a model. `progress(phase, epoch, epochs, step, steps, loss, metric)` is called after every epoch and some
/// steps. After Ctrl-C it returns the best model so far, and `true`.
#[pyfunction]
#[pyo3(signature = (
    task, options, samples, labels, weights=None, valid=None, progress=None, threads=None, vectors=None,
    regions=None
))]
#[allow(clippy::too_many_arguments, reason = "they are those of the function in Python")]
pub fn fit(
    py: Python<'_>,
    task: &str,
    options: Vec<(String, String)>,
    samples: &mut Samples,
    labels: Answers<'_>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    valid: Option<(Bound<'_, Samples>, Answers<'_>)>,
    progress: Option<Py<PyAny>>,
    threads: Option<usize>,
    vectors: Option<GivenVectors<'_>>,
    regions: Option<PyReadonlyArray2<'_, u32>>,
) -> PyResult<(Model, bool)> {
    let config = in_regions(config(task, &options)?, regions)?;
    let data = counted(labelled(samples.take_to_fit(&config)?, labels, weights)?);
    let valid = match valid {
        Some((samples, labels)) => {
            Some(labelled(samples.borrow_mut().take_as(&read_as(&config, &data)?)?, labels, None)?)
        }
        None => None,
    };
    let config = with_vectors(config, vectors, std::iter::once(&data).chain(&valid))?;
    let stop = AtomicBool::new(false);
    let (model, raised) = threads::run_watching(py, threads, &stop, || {
        let mut observer = Observer::new(progress, &stop);
        let fitted = {
            let mut ngsll = Ngsll::from_config(config).keep_when_stopped();
            if let Some(valid) = &valid {
                ngsll = ngsll.validation(valid);
            }
            ngsll.progress(|event| observer.observe(&event)).fit(&data).map_err(to_python)
        };
        observer.finish()?;
        Ok(Model::from(fitted?))
    })?;
    match raised {
        Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error),
        raised => Ok((model, raised.is_some())),
    }
}

/// The options with regions from the given mask, or from the file that they name.
fn in_regions(mut config: Config, mask: Option<PyReadonlyArray2<'_, u32>>) -> PyResult<Config> {
    let (Some(mask), RepresentationConfig::Grid(grid)) = (mask, &mut config.representation) else {
        return with_regions(config).map_err(to_python);
    };
    let mask = mask.as_array();
    let (height, width) = mask.dim();
    let values: Vec<u32> = mask.iter().copied().collect();
    let regions = Regions::new((width, height), &values, &grid.region_names);
    grid.region_map = Some(regions.map_err(to_python)?);
    Ok(config)
}

/// Words, and their vectors as the rows of a matrix.
pub type GivenVectors<'py> = (Vec<String>, PyReadonlyArray2<'py, f32>);

/// The options with the given word vectors, or those of the file that they name.
fn with_vectors<'a>(
    mut config: Config,
    given: Option<GivenVectors<'_>>,
    data: impl IntoIterator<Item = &'a Dataset>,
) -> PyResult<Config> {
    let Some((words, matrix)) = given else {
        return with_word_vectors(config, data).map_err(to_python);
    };
    let Some(mut wanted) = VectorFilter::new(&config, data) else { return Ok(config) };
    let (matrix, mut values) = (matrix.as_array(), Vec::new());
    let rows = words.into_iter().zip(matrix.rows());
    let words = rows.filter(|(word, _)| wanted.wants(word)).map(|(word, row)| {
        values.extend(row.iter().copied());
        word
    });
    let words = words.collect();
    let vectors = WordVectors::new(words, values).map_err(to_python)?;
    config.generator.set_vectors(vectors.into()).map_err(to_python)?;
    Ok(config)
}

/// The model with a judge that was trained on the samples that the model learned from.
#[pyfunction]
#[pyo3(signature = (model, samples, labels, weights=None, progress=None, threads=None, vectors=None))]
#[allow(clippy::too_many_arguments, reason = "they are those of the function in Python")]
pub fn fit_judge(
    py: Python<'_>,
    model: &Model,
    samples: &mut Samples,
    labels: Answers<'_>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    progress: Option<Py<PyAny>>,
    threads: Option<usize>,
    vectors: Option<GivenVectors<'_>>,
) -> PyResult<Model> {
    let model = model.inner.clone();
    let mut config = model.config().clone();
    let data = labelled(samples.take_to_fit(&config)?, labels, weights)?;
    config.representation =
        config.representation.with_regions(model.representation().regions().cloned());
    let config = with_vectors(config, vectors, [&data])?;
    let stop = AtomicBool::new(false);
    let (model, raised) = threads::run_watching(py, threads, &stop, || {
        let options = config.check().map_err(to_python)?;
        let mut observer = Observer::new(progress, &stop);
        let mut progress = |event: Event<'_>| observer.observe(&event);
        let judge = Judge::fit(options, &data, None, &Device::default(), &mut progress);
        observer.finish()?;
        let judge = judge.map_err(to_python)?;
        Ok(Model::from((*model).clone().with_judge(judge)))
    })?;
    raised.map_or(Ok(model), Err)
}

/// The schema for reading validation samples: the types of the training samples.
fn read_as(config: &Config, data: &Dataset) -> PyResult<ngsll::Schema> {
    let rows: Vec<usize> = (0..data.len()).collect();
    let evidence = match config.task {
        Task::Tabular => ngsll::Evidence::Whole,
        _ => config.training.evidence(),
    };
    let fitted = config.representation.fit(data.samples(), &rows, evidence).map_err(to_python)?;
    Ok(fitted.schema())
}

/// Reports progress to Python and stops on request.
struct Observer<'a> {
    callback: Option<Py<PyAny>>,
    /// The time of the last call.
    called: Instant,
    stop: &'a AtomicBool,
    /// The exception that the callback raised.
    raised: Option<PyErr>,
}

impl<'a> Observer<'a> {
    fn new(callback: Option<Py<PyAny>>, stop: &'a AtomicBool) -> Self {
        Self { callback, called: Instant::now(), stop, raised: None }
    }

    fn observe(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        let is_epoch = matches!(event, Event::Epoch { .. });
        if self.raised.is_none() && (is_epoch || self.called.elapsed() >= STEP_INTERVAL) {
            self.called = Instant::now();
            self.raised = Python::attach(|py| self.call(py, event).err());
        }
        match self.raised.is_some() || self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn call(&self, py: Python<'_>, event: &Event<'_>) -> PyResult<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        let nothing = (None::<f64>, None::<f64>);
        let (phase, epoch, epochs, step, steps, (loss, metric)) = match event {
            Event::Fold { epoch, epochs } => ("fold", *epoch, *epochs, 0, 0, nothing),
            Event::Terms { step, steps } => ("terms", 0, 0, *step, *steps, nothing),
            Event::Step { stages, stage, epoch, step, steps } => {
                ("step", *epoch, stages[*stage].max_epochs, *step, *steps, nothing)
            }
            Event::Epoch { stages, record } => {
                let figures = (Some(record.valid_loss), Some(record.valid_metric));
                ("epoch", record.epoch + 1, stages[record.stage].max_epochs, 0, 0, figures)
            }
            _ => return Ok(()),
        };
        callback.call1(py, (phase, epoch, epochs, step, steps, loss, metric)).map(drop)
    }

    /// Returns the callback's exception as the error.
    fn finish(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
