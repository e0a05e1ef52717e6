//! Samples as a person sees them, with their explanations.

use ngsll::explanation::Explanation;
use ngsll::generator::Generator;
use ngsll::{Dataset, Evidence, Model, SampleView};

/// One explained sample.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExplainedSample {
    /// Its row number, as the user counts.
    pub row: usize,
    /// The user's identifier, or the name of its file if every sample has its own.
    pub name: Option<String>,
    /// The sample.
    pub view: SampleView,
    /// The true label or value, if known.
    pub truth: Option<String>,
    /// The evidence of the prediction.
    pub evidence: Evidence,
    /// The prediction and its terms.
    pub explanation: Explanation,
}

impl ExplainedSample {
    /// A sample that comes from no data: it is row 0 and has neither a name nor a known label.
    pub fn of_view(view: SampleView, evidence: Evidence, explanation: Explanation) -> Self {
        Self { row: 0, name: None, view, truth: None, evidence, explanation }
    }

    /// Sample `i` of `data`, which the user counts as row `row`.
    ///
    /// # Panics
    /// If there is no such sample, or the data are not of the kind that the model reads.
    pub fn new<G: Generator>(
        model: &Model<G>,
        data: &Dataset,
        i: usize,
        row: usize,
        explanation: Explanation,
    ) -> Self {
        let file = data.origin().and_then(|origin| origin.own_file(i));
        let file = file.and_then(|file| file.file_name());
        let name = file.map(|name| name.to_string_lossy().into_owned());
        Self {
            row,
            name: data.id(i).map(String::from).or(name),
            view: model.view(data, i).expect("the model has explained these samples"),
            truth: data.label(i).map(String::from),
            evidence: model.evidence(),
            explanation,
        }
    }
}
