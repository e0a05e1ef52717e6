//! Explanations of many samples, kept in Rust until they are accessed.

use crate::arrow_out::{ArrowStream, predictions};
use crate::model::matrix;
use ngsll::explanation::Explanation;
use ngsll::{Dataset, Model, SampleView};
use ngsll_view::{ExplainedSample, Measured, Summary};
use numpy::{PyArray1, PyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::collections::HashMap;
use std::sync::Arc;

/// Explanations of some samples, in order.
#[pyclass(module = "ngsll._native", frozen)]
pub struct Explanations {
    model: Arc<Model>,
    data: Arc<Dataset>,
    all: Arc<Vec<Explanation>>,
    /// Which of all.
    rows: Vec<usize>,
}

impl Explanations {
    pub fn new(model: Arc<Model>, data: Dataset, all: Vec<Explanation>) -> Self {
        let rows = (0..all.len()).collect();
        Self { model, data: Arc::new(data), all: Arc::new(all), rows }
    }

    fn get(&self, place: usize) -> PyResult<&Explanation> {
        let row = self.row(place)?;
        Ok(&self.all[row])
    }

    fn row(&self, place: usize) -> PyResult<usize> {
        let missing = || PyIndexError::new_err(format!("there is no explanation {place}"));
        self.rows.get(place).copied().ok_or_else(missing)
    }

    fn iter(&self) -> impl Iterator<Item = &Explanation> {
        self.rows.iter().map(|&row| &self.all[row])
    }

    fn sample(&self, place: usize) -> PyResult<ExplainedSample> {
        let row = self.row(place)?;
        Ok(ExplainedSample::new(&self.model, &self.data, row, row, self.all[row].clone()))
    }

    fn samples(&self) -> PyResult<Vec<ExplainedSample>> {
        (0..self.rows.len()).map(|place| self.sample(place)).collect()
    }

    fn summary(&self, title: &str, k: usize) -> Summary {
        let measured = Measured::of(&self.model, k, "MODEL")
            .measured_by("model.fit_judge(X, y)", "model.report(X, y)");
        Summary::new(title, self.model.objective().classes()).with_measured(measured)
    }
}

#[pymethods]
impl Explanations {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// Those at the given places.
    fn select(&self, places: Vec<usize>) -> PyResult<Self> {
        let rows = places.into_iter().map(|place| self.row(place)).collect::<PyResult<_>>()?;
        let (model, data, all) = (self.model.clone(), self.data.clone(), self.all.clone());
        Ok(Self { model, data, all, rows })
    }

    /// The numbers of the samples.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.rows.iter().map(|&row| row as i64))
    }

    /// The class or target that each score supports.
    #[getter]
    fn outputs(&self) -> Vec<String> {
        let objective = self.model.objective();
        (0..objective.outputs()).map(|c| objective.output_name(c).to_string()).collect()
    }

    /// The number of the output that each prediction is read from.
    #[getter]
    fn predicted<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let output = |e: &Explanation| {
            let class = e.prediction.class().filter(|_| e.outputs.len() > 1);
            class.map_or(0, |class| class.index() as i64)
        };
        PyArray1::from_iter(py, self.iter().map(output).collect::<Vec<_>>())
    }

    /// The number of each predicted class, or the predicted values.
    #[getter]
    fn predictions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let answer = |e: &Explanation| match e.prediction.class() {
            Some(class) => class.index() as f64,
            None => e.prediction.value().unwrap_or(f64::NAN),
        };
        PyArray1::from_iter(py, self.iter().map(answer).collect::<Vec<_>>())
    }

    /// The probability of every class: [n, classes]
    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let classes = self.model.objective().classes().len();
        let all = self.iter().filter_map(|e| e.prediction.class());
        let all = all.flat_map(|class| class.probabilities().to_vec()).collect();
        matrix(py, self.rows.len(), classes, all)
    }

    /// Scores: [n, outputs]
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = self.iter().flat_map(|e| e.outputs.iter().map(|output| output.score));
        matrix(py, self.rows.len(), self.model.objective().outputs(), scores.collect())
    }

    /// The intercepts, which are added to the terms: [n, outputs]
    #[getter]
    fn intercepts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let all = self.iter().flat_map(|e| e.outputs.iter().map(|output| output.intercept));
        matrix(py, self.rows.len(), self.model.objective().outputs(), all.collect())
    }

    /// Every term, a list or array for each of its parts: place, output, feature, name, value, observed, weight,
    /// level, contribution.
    fn terms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut names: HashMap<usize, Bound<'py, PyString>> = HashMap::new();
        let (mut name_list, mut observed) = (Vec::new(), Vec::new());
        let [mut places, mut outputs, mut features] = [const { Vec::<i64>::new() }; 3];
        let [mut values, mut weights, mut levels, mut contributions] =
            [const { Vec::<f64>::new() }; 4];
        for (place, explanation) in self.iter().enumerate() {
            for (output, score) in explanation.outputs.iter().enumerate() {
                for term in &score.terms {
                    places.push(place as i64);
                    outputs.push(output as i64);
                    features.push(term.feature as i64);
                    let name = names.entry(term.feature);
                    name_list.push(name.or_insert_with(|| PyString::new(py, &term.name)).clone());
                    observed.push(term.observed.as_deref());
                    values.push(term.value);
                    weights.push(term.weight);
                    levels.push(term.level);
                    contributions.push(term.contribution);
                }
            }
        }
        let terms = PyDict::new(py);
        terms.set_item("place", PyArray1::from_vec(py, places))?;
        terms.set_item("output", PyArray1::from_vec(py, outputs))?;
        terms.set_item("feature", PyArray1::from_vec(py, features))?;
        terms.set_item("name", name_list)?;
        terms.set_item("value", PyArray1::from_vec(py, values))?;
        terms.set_item("observed", observed)?;
        terms.set_item("weight", PyArray1::from_vec(py, weights))?;
        terms.set_item("level", PyArray1::from_vec(py, levels))?;
        terms.set_item("contribution", PyArray1::from_vec(py, contributions))?;
        Ok(terms)
    }

    /// One explanation as the command writes it in JSON.
    fn json(&self, place: usize) -> PyResult<String> {
        let explanation = self.get(place)?;
        serde_json::to_string(explanation).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// One sample as a person sees it: `("text", [(token, space before, feature or None)])`, `("image", ((height,
    /// width, channels), bytes, the feature of each pixel))` or `("row", [(column, value)])`.
    fn view<'py>(
        &self,
        py: Python<'py>,
        place: usize,
    ) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
        let view = self.sample(place)?.view;
        let owners = ngsll_view::pixel_features(&view);
        Ok(match view {
            SampleView::Text { tokens } => {
                let token = |token: ngsll::representation::TokenView| {
                    (token.text, token.space_before, token.feature)
                };
                let tokens = tokens.into_iter().map(token).collect::<Vec<_>>();
                ("text", tokens.into_bound_py_any(py)?)
            }
            SampleView::Row { cells } => ("row", cells.into_bound_py_any(py)?),
            SampleView::Image { size, pixels, .. } => {
                let size = (size.height, size.width, size.channels);
                ("image", (size, PyBytes::new(py, &pixels), owners).into_bound_py_any(py)?)
            }
            _ => ("other", py.None().into_bound(py)),
        })
    }

    /// Cards for a notebook, which need nothing else; `id` keeps them apart from others of the same page.
    fn cards(&self, py: Python<'_>, id: &str, k: usize) -> PyResult<String> {
        let samples = self.samples()?;
        Ok(py.detach(|| ngsll_view::cards(&self.summary("", k), &samples, id)))
    }

    /// A page of cards.
    fn page(&self, py: Python<'_>, title: &str, k: usize) -> PyResult<String> {
        let samples = self.samples()?;
        Ok(py.detach(|| ngsll_view::html(&self.summary(title, k), &samples)))
    }

    /// One explanation as lines of a terminal.
    fn terminal(&self, place: usize, colour: bool, width: usize) -> PyResult<String> {
        let classes = self.model.objective().classes();
        Ok(ngsll_view::terminal(&self.sample(place)?, classes, colour, width))
    }

    /// Predictions, probabilities and terms as one Arrow table.
    fn arrow(&self, py: Python<'_>) -> PyResult<ArrowStream> {
        py.detach(|| {
            let explanations: Vec<&Explanation> = self.iter().collect();
            ArrowStream::new(predictions(&self.model, &explanations))
        })
    }
}
