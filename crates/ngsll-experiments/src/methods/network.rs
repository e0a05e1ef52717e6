//! The network that writes the weights: the library's own, or the paper's for text.

use crate::Dataset;
use crate::problem::Problem;
use ngsll::Config;
use ngsll::generator::{GeneratorConfig, SentenceCnnConfig};

/// Which network.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    /// The library's default for the kind of data.
    Default,
    /// The paper's for text, which reads a sentence as a whole.
    Sentence,
}

impl Network {
    /// The library's defaults with this network.
    pub(super) fn config(self, problem: &Problem<'_>) -> Config {
        let mut config = problem.config();
        if self == Self::Sentence {
            config.generator = GeneratorConfig::SentenceCnn(SentenceCnnConfig::default());
        }
        config
    }

    /// Whether there is one for this data set; for images the default is the paper's.
    pub(super) fn runs_on(self, dataset: Dataset) -> bool {
        self == Self::Default || dataset != Dataset::Mnist
    }
}
