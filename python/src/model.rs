//! A trained model.

use crate::arrow_out::{ArrowStream, predictions};
use crate::error::to_python;
use crate::explanations::Explanations;
use crate::fit::{Answers, labelled};
use crate::samples::Samples;
use crate::threads;
use ngsll::findings::Remedy;
use ngsll::representation::{ColumnDomain, ColumnSchema};
use ngsll::{Dataset, Finding, ModelFolder, Schema, Trust};
use ngsll_view::{Collector, Measured, UnseenValues};
use numpy::{PyArray1, PyArray2, ndarray::Array2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A model folder in memory.
#[pyclass(module = "ngsll._native", frozen)]
pub struct Model {
    pub inner: Arc<ngsll::Model>,
}

impl From<ngsll::Model> for Model {
    fn from(model: ngsll::Model) -> Self {
        Self { inner: Arc::new(model) }
    }
}

/// (scores [n, outputs], class numbers or values [n], probabilities [n, classes], warnings)
type Predicted<'py> =
    (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Vec<String>);

#[pymethods]
impl Model {
    /// Reads a model folder, checking sizes and checksums.
    #[staticmethod]
    fn load(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        py.detach(|| Ok(ngsll::Model::load(folder).map_err(to_python)?.into()))
    }

    /// Writes a model folder; an existing one is replaced only with `overwrite`.
    fn save(&self, py: Python<'_>, folder: PathBuf, overwrite: bool) -> PyResult<()> {
        py.detach(|| {
            // Nothing but a model folder is replaced.
            let replaces = overwrite && ModelFolder::open(&folder).is_ok();
            let saved = match replaces {
                true => self.inner.save_over(&folder),
                false => self.inner.save(&folder),
            };
            saved.map_err(to_python)
        })
    }

    /// `text`, `image` or `tabular`.
    #[getter]
    fn task(&self) -> String {
        serde_json::to_value(self.inner.config().task)
            .ok()
            .and_then(|task| task.as_str().map(String::from))
            .unwrap_or_default()
    }

    /// The default K.
    #[getter]
    fn k(&self) -> usize {
        self.inner.k()
    }

    /// Validates K; `None` means the default.
    #[pyo3(signature = (k=None))]
    fn check_k(&self, k: Option<usize>) -> PyResult<usize> {
        self.inner.check_k(k).map_err(to_python)
    }

    /// The largest valid K.
    #[getter]
    fn largest_k(&self) -> usize {
        self.inner.largest_k()
    }

    /// The names of the classes in the model's order; none in regression.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.inner.objective().classes().to_vec()
    }

    /// The class or target that each score supports.
    #[getter]
    fn outputs(&self) -> Vec<String> {
        let objective = self.inner.objective();
        (0..objective.outputs()).map(|c| objective.output_name(c).to_string()).collect()
    }

    /// The names of the features, by their numbers.
    #[getter]
    fn features(&self) -> Vec<String> {
        let representation = self.inner.representation();
        (0..representation.features()).map(|j| representation.name(j)).collect()
    }

    /// The columns of a table that the model reads, with their kinds; none for other samples.
    #[getter]
    fn columns(&self) -> Vec<(String, &'static str)> {
        let Schema::Table(columns) = self.inner.schema() else { return Vec::new() };
        let column = |column: ColumnSchema| {
            let kind = match column.domain {
                ColumnDomain::Numeric(_) => "numeric",
                ColumnDomain::Categorical { .. } => "categorical",
                _ => "date",
            };
            (column.name, kind)
        };
        columns.into_iter().map(column).collect()
    }

    /// Height, width and channels of the images that the model reads; `None` for other samples.
    #[getter]
    fn image_size(&self) -> Option<(usize, usize, usize)> {
        match self.inner.schema() {
            Schema::Image(size) => Some((size.height, size.width, size.channels)),
            _ => None,
        }
    }

    /// `chosen` or `whole`: what predictions are based on.
    #[getter]
    fn evidence(&self) -> &'static str {
        match self.inner.evidence() {
            ngsll::Evidence::Chosen => "chosen",
            _ => "whole",
        }
    }

    /// The options of its training as TOML.
    #[getter]
    fn options(&self) -> PyResult<String> {
        match self.inner.notes().command.as_str() {
            "" => self.inner.config().to_toml().map_err(to_python),
            command => Ok(command.to_string()),
        }
    }

    /// The columns without which it cannot predict.
    #[getter]
    fn required(&self) -> Vec<String> {
        let Schema::Table(columns) = self.inner.schema() else { return Vec::new() };
        let specs = columns.iter().map(ColumnSchema::spec);
        specs.filter(|spec| !spec.optional).map(|spec| spec.name).collect()
    }

    /// Findings about the training data and about what was learned from them, a sentence each. `way_out(option, value,
    /// effect)` words the option that changes it, or gives `None` to leave it out.
    fn findings(&self, way_out: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let found = self.inner.notes().findings.iter().cloned();
        let found = found.chain(Finding::useless_columns(&self.inner));
        found.map(|finding| sentence(&finding, way_out)).collect()
    }

    /// Every epoch: stage, epoch, training loss, validation loss, validation accuracy or R².
    #[getter]
    fn history(&self) -> Vec<(usize, usize, f64, f64, f64)> {
        let history = self.inner.notes().history.iter();
        history.map(|r| (r.stage, r.epoch, r.train_loss, r.valid_loss, r.valid_metric)).collect()
    }

    /// Whether it has a judge.
    #[getter]
    fn has_judge(&self) -> bool {
        self.inner.judge().is_some()
    }

    /// The trust figures of its terms, as JSON.
    #[getter]
    fn trust(&self) -> String {
        serde_json::to_string(self.inner.trust()).unwrap_or_default()
    }

    /// Predicts every sample; without terms.
    #[pyo3(signature = (samples, k=None, threads=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        samples: &mut Samples,
        k: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Predicted<'py>> {
        let samples = samples.take_as(&self.inner.schema())?;
        let (scores, warnings) = threads::run(py, threads, || {
            let scores = self.inner.scores_with(&samples, k).map_err(to_python)?;
            Ok((scores, UnseenValues::sentences_about(&self.inner, &samples)))
        })?;
        let objective = self.inner.objective();
        let (n, classes) = (scores.len(), objective.classes().len());
        let mut answers = Vec::with_capacity(n);
        let mut probabilities = Vec::with_capacity(n * classes);
        for scores in &scores {
            let prediction = objective.prediction(scores);
            match (prediction.class(), prediction.value()) {
                (Some(class), _) => {
                    answers.push(class.index() as f64);
                    probabilities.extend_from_slice(class.probabilities());
                }
                (None, value) => answers.push(value.unwrap_or(f64::NAN)),
            }
        }
        let outputs = objective.outputs();
        Ok((
            matrix(py, n, outputs, scores.into_iter().flatten().collect())?,
            PyArray1::from_vec(py, answers),
            matrix(py, n, classes, probabilities)?,
            warnings,
        ))
    }

    /// Predicts and explains every sample; also returns warnings.
    #[pyo3(signature = (samples, k=None, threads=None, labels=None))]
    fn explain(
        &self,
        py: Python<'_>,
        samples: &mut Samples,
        k: Option<usize>,
        threads: Option<usize>,
        labels: Option<Answers>,
    ) -> PyResult<(Explanations, Vec<String>)> {
        let samples = samples.take_as(&self.inner.schema())?;
        let data = match labels {
            Some(labels) => labelled(samples, labels, None)?,
            None => Dataset::new(samples),
        };
        threads::run(py, threads, || {
            let explanations = self.inner.explain_with(&data, k).map_err(to_python)?;
            let warnings = UnseenValues::sentences_about(&self.inner, data.samples());
            Ok((Explanations::new(self.inner.clone(), data, explanations), warnings))
        })
    }

    /// Predictions, probabilities and terms of every sample as one Arrow table.
    #[pyo3(signature = (samples, k=None, threads=None))]
    fn explain_arrow(
        &self,
        py: Python<'_>,
        samples: &mut Samples,
        k: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<(ArrowStream, Vec<String>)> {
        let samples = samples.take_as(&self.inner.schema())?;
        threads::run(py, threads, || {
            let explanations = self.inner.explain_with(&samples, k).map_err(to_python)?;
            let explanations: Vec<_> = explanations.iter().collect();
            let stream = ArrowStream::new(predictions(&self.inner, &explanations))?;
            Ok((stream, UnseenValues::sentences_about(&self.inner, &samples)))
        })
    }

    /// Evaluates it on labelled samples. Returns the metrics as JSON, a report page, a model that keeps the trust
    /// figures (measured if it has a judge), and warnings.
    #[pyo3(signature = (samples, labels, k=None, threads=None, name="the model", data="the data"))]
    #[allow(clippy::too_many_arguments, reason = "they are those of the function in Python")]
    fn evaluate(
        &self,
        py: Python<'_>,
        samples: &mut Samples,
        labels: Answers,
        k: Option<usize>,
        threads: Option<usize>,
        name: &str,
        data: &str,
    ) -> PyResult<(String, String, Self, Vec<String>)> {
        let samples = samples.take_as(&self.inner.schema())?;
        let labelled = labelled(samples, labels, None)?;
        if labelled.is_empty() {
            return Err(PyValueError::new_err(
                "there are no samples to evaluate, expected at least one",
            ));
        }
        threads::run(py, threads, || {
            let model = &*self.inner;
            let k = model.check_k(k).map_err(to_python)?;
            let mut collector = Collector::new(model, k).map_err(to_python)?;
            collector.add(&labelled, |row| row).map_err(to_python)?;
            let collected = collector.finish().map_err(to_python)?;
            let trust = model.judge().map(|judge| Trust::measure(model, judge, &labelled, Some(k)));
            let trust = trust.transpose().map_err(to_python)?.map(|trust| trust.with_data(data));
            let unmeasured = || {
                Measured::of(model, k, "MODEL")
                    .measured_by("model.fit_judge(X, y)", "model.report(X, y)")
            };
            let measured = trust.as_ref().map_or_else(unmeasured, Measured::from);
            let summary = collected.overview.summary(name, data, trust.as_ref(), measured);
            let page = ngsll_view::report(
                &summary,
                &collected.overview,
                &collected.chosen,
                &collected.samples,
            );
            let mut figures = serde_json::to_value(&collected.overview.metrics)
                .map_err(|error| PyValueError::new_err(error.to_string()))?;
            figures["k"] = k.into();
            if let Some(trust) = &trust {
                figures["trust"] = serde_json::to_value(trust)
                    .map_err(|error| PyValueError::new_err(error.to_string()))?;
            }
            let model =
                trust.map_or_else(|| model.clone(), |trust| model.clone().with_trust(trust));
            let mut warnings = UnseenValues::sentences_about(&model, labelled.samples());
            let useless = Finding::no_better_than_a_guess(&collected.overview.metrics, None);
            warnings.extend(useless.map(|finding| finding.to_string()));
            Ok((figures.to_string(), page, model.into(), warnings))
        })
    }
}

/// A finding as a sentence, with the remedy phrased by `worded`.
fn sentence(finding: &Finding, worded: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut raised = None;
    let word = |remedy: &Remedy| {
        let Remedy { option, value, effect, .. } = remedy;
        let words = worded.call1((option.as_str(), value.as_deref(), *effect));
        let words = words.and_then(|words| words.extract::<Option<String>>());
        words.unwrap_or_else(|error| {
            raised = Some(error);
            None
        })
    };
    let sentence = finding.sentence(word);
    raised.map_or(Ok(sentence), Err)
}

/// An array of `rows` times `columns` values.
pub fn matrix<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    values: Vec<f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let array = Array2::from_shape_vec((rows, columns), values)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyArray2::from_owned_array(py, array))
}
