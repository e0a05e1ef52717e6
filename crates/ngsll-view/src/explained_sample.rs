//! Samples as a person sees them, with their explanations.

use ngsll::explanation::Explanation;
use ngsll::generator::Generator;
use ngsll::{Dataset, Evidence, Model, SampleView};

/// One explained sample.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedSample {
    /// Its number in the data, as the user counts.
    pub row: usize,
    /// What the user calls it, or the name of its file, where every sample has one of its own.
    pub name: Option<String>,
    /// What was explained.
    pub view: SampleView,
    /// The true label or value, where it is known.
    pub truth: Option<String>,
    /// What the network that weighed the terms has seen.
    pub evidence: Evidence,
    /// The prediction and its terms.
    pub explanation: Explanation,
}

impl ExplainedSample {
    /// Sample `i` of `data`, which the user counts as row `row`.
    ///
    /// # Panics
    /// If there is no such sample, or the data is not of the kind that the model reads.
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
