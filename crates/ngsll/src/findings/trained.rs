//! Findings that need a trained model.

use super::Finding;
use crate::generator::Generator;
use crate::metrics::Metrics;
use crate::model::Model;

impl Finding {
    /// The columns that a trained model never chooses.
    pub fn useless_columns<G: Generator>(model: &Model<G>) -> Option<Self> {
        let columns = model.representation().uninformative();
        (!columns.is_empty()).then_some(Self::UselessColumns { columns })
    }

    /// The finding that a model is no better than a constant prediction on the evaluated samples; `part` names them if
    /// they are part of a larger set.
    ///
    /// ```
    /// use ngsll::findings::Finding;
    /// use ngsll::metrics::Metrics;
    /// use ngsll::objective::{Objective, Targets};
    /// let objective = Objective::for_classes(["no", "yes"])?;
    /// let scores = [-0.5, -0.6, -0.6].map(|score| vec![score]);
    /// let metrics = Metrics::of(&objective, &scores, &Targets::Classes(vec![0, 0, 1]));
    /// let sentence = Finding::no_better_than_a_guess(&metrics, Some("test")).unwrap().to_string();
    /// assert_eq!(sentence, "on the test samples the model is no better than always predicting \"no\"");
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn no_better_than_a_guess(metrics: &Metrics, part: Option<&str>) -> Option<Self> {
        let guess = metrics.constant_baseline()?.to_string();
        Some(Self::NoBetterThanAGuess { part: part.map(String::from), guess })
    }
}
