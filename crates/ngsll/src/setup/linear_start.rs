//! A linear model that the network of a table adds to.
//!
//! The sum of the effects of single columns is most of the information in a table, and a linear model learns it from
//! fewer rows than a network. It is fitted before the network, stays fixed, and its terms hold in every
//! subset of the columns: the network learns a correction.

use super::TrainingSetup;
use crate::error::Result;
use crate::evidence::Evidence;
use crate::generator::Generator;
use crate::linear_model::{Design, LinearData, Strength};
use crate::network::{Intercept, LinearPart, Network};
use crate::objective::ValueScale;
use crate::random::{Purpose, stream};
use rand::seq::SliceRandom;

/// More rows than this add no information to a linear model.
const MOST_ROWS: usize = 20_000;

impl TrainingSetup {
    /// Whether the network learns a correction to a linear model.
    pub(super) fn starts_linear(&self) -> bool {
        let training = &self.config().training;
        training.linear_start.unwrap_or(true)
            && training.evidence() == Evidence::Chosen
            && self.representation.is_screened()
    }

    /// A network on top of a linear model of the training rows.
    pub(super) fn on_linear<G: Generator>(&self, network: Network<G>) -> Result<Network<G>> {
        self.with_linear_data(|data| {
            let all: Vec<usize> = (0..data.targets.len()).collect();
            let strength = data.best_strength(self.config().seed);
            self.on_linear_of(network, data, &all, strength)
        })
    }

    /// The same on a linear model of some of the training rows.
    pub(super) fn on_linear_of<G: Generator>(
        &self,
        network: Network<G>,
        data: &LinearData<'_>,
        rows: &[usize],
        strength: Strength,
    ) -> Result<Network<G>> {
        let dims = self.dims();
        let Some(columns) = dims.x.columns() else { return Ok(network) };
        let base = match self.intercept()? {
            Intercept::Fixed(base) => base,
            _ => vec![0.0; data.outputs],
        };
        let device = self.device.clone().autodiff();
        let model = data.fit(rows, strength);
        Ok(network.with_linear(LinearPart::new(&model, data.design, columns, &base, &device)))
    }

    /// The training rows that a linear model learns from.
    pub(super) fn with_linear_data<T>(
        &self,
        run: impl FnOnce(&LinearData<'_>) -> Result<T>,
    ) -> Result<T> {
        let rows = &self.linear_rows();
        let batch = self.representation.batch(&self.samples, rows, &self.device);
        let table = batch.x.as_columns().expect("a linear start is for tables");
        let targets = self.targets.select(rows);
        let weights = self.part(rows).weights;
        let (design, outputs) = (Design::new(table), self.objective.outputs());
        run(&LinearData {
            design: &design,
            targets: &targets,
            weights: &weights,
            outputs,
            counts: self.objective.value_scale() == Some(ValueScale::Count),
        })
    }

    /// All training rows or, if there are many, a random sample in their order.
    fn linear_rows(&self) -> Vec<usize> {
        let mut rows = self.rows.train.clone();
        if rows.len() > MOST_ROWS {
            rows.shuffle(&mut stream(self.config().seed, Purpose::Split, 2, 0));
            rows.truncate(MOST_ROWS);
            rows.sort_unstable();
        }
        rows
    }
}
