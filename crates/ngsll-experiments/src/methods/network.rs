//! The network that writes the weights and its course of training: the library's own, or the paper's.

use crate::Dataset;
use crate::problem::Problem;
use ngsll::Config;
use ngsll::generator::{GeneratorConfig, SentenceCnnConfig};
use ngsll::train::Preset;

/// A row of the tables: a network with a course of training.
pub(super) struct Variant {
    /// As the user writes it.
    pub(super) name: &'static str,
    /// As tables name it.
    pub(super) title: &'static str,
    pub(super) network: Network,
    pub(super) preset: Preset,
}

impl Variant {
    /// The library's defaults with this network and this course.
    pub(super) fn config(&self, problem: &Problem<'_>) -> Config {
        let mut config = problem.config();
        if self.network == Network::Sentence {
            config.generator = GeneratorConfig::SentenceCnn(SentenceCnnConfig::default());
        }
        config.training.preset = self.preset;
        config
    }

    /// Whether it is for this data set: for images the default network is the paper's, and only they have
    /// the paper's course.
    pub(super) fn runs_on(&self, dataset: Dataset) -> bool {
        let image = dataset == Dataset::Mnist;
        match (self.preset, self.network) {
            (Preset::Paper, _) => image,
            (Preset::Annealed, Network::Sentence) => !image,
            (Preset::Annealed, Network::Default) => true,
        }
    }
}

/// Which network.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    /// The library's default for the kind of data.
    Default,
    /// The paper's for text, which reads a sentence as a whole.
    Sentence,
}
