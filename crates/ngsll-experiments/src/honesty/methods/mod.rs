//! The compared methods: how each names K features of a sample.

mod dnn;
mod l2x;
mod ngsll;
mod numbering;
mod perturbed;
mod simple;
mod work;

pub(super) use work::{OnPicks, Picks, Work};

use ::ngsll::config::Task;
use ::ngsll::error::{Error, Result};
use ngsll_jobs::JobProgress;

/// A method that names features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JudgedMethod {
    Chosen,
    Whole,
    L2x,
    GradientInput,
    GradCam,
    Lime,
    KernelShap,
    MostInk,
    RarestWord,
    Random,
}

/// Methods that share a training, and so a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Chosen,
    Whole,
    L2x,
    Dnn,
    Simple,
}

impl JudgedMethod {
    /// All, in the order of the tables.
    pub(super) const ALL: [Self; 10] = [
        Self::Chosen,
        Self::Whole,
        Self::L2x,
        Self::GradientInput,
        Self::GradCam,
        Self::Lime,
        Self::KernelShap,
        Self::MostInk,
        Self::RarestWord,
        Self::Random,
    ];

    /// The name in options and results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Whole => "whole",
            Self::L2x => "l2x",
            Self::GradientInput => "gradient-input",
            Self::GradCam => "grad-cam",
            Self::Lime => "lime",
            Self::KernelShap => "kernel-shap",
            Self::MostInk => "most-ink",
            Self::RarestWord => "rarest-word",
            Self::Random => "random",
        }
    }

    /// The name in tables and figures.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Chosen => "NGSLL chosen",
            Self::Whole => "NGSLL whole",
            Self::L2x => "L2X",
            Self::GradientInput => "gradient × input",
            Self::GradCam => "Grad-CAM",
            Self::Lime => "LIME",
            Self::KernelShap => "KernelSHAP",
            Self::MostInk => "most ink",
            Self::RarestWord => "rarest word",
            Self::Random => "random",
        }
    }

    /// Whether it is applicable to samples of this kind.
    pub(super) fn runs_on(self, task: Task) -> bool {
        match self {
            Self::GradCam | Self::MostInk => task == Task::Image,
            Self::RarestWord => task == Task::Text,
            _ => true,
        }
    }

    /// Whether its own predictions are made from the named features, so that they may exceed what
    /// those are worth.
    pub(super) fn predicts_from_features(self) -> bool {
        matches!(self, Self::Chosen | Self::Whole | Self::L2x)
    }

    /// Its family.
    pub(super) fn family(self) -> Family {
        match self {
            Self::Chosen => Family::Chosen,
            Self::Whole => Family::Whole,
            Self::L2x => Family::L2x,
            Self::GradientInput | Self::GradCam | Self::Lime | Self::KernelShap => Family::Dnn,
            Self::MostInk | Self::RarestWord | Self::Random => Family::Simple,
        }
    }
}

impl Family {
    /// Its name in titles of jobs.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Chosen => "NGSLL chosen",
            Self::Whole => "NGSLL whole",
            Self::L2x => "L2X",
            Self::Dnn => "DNN and its explanations",
            Self::Simple => "ink, words and chance",
        }
    }

    /// Roughly how many trainings of the plain network the explanations with this many K take; only used
    /// to estimate the time left.
    pub(super) fn trainings(self, ks: usize) -> f64 {
        match self {
            Self::Chosen => 1.5,
            Self::Whole => 0.5 + 0.5 * ks as f64,
            Self::L2x => 2.0 * ks as f64,
            Self::Dnn => 2.0,
            Self::Simple => 0.01,
        }
    }

    /// Trains the networks of the family and names the features of every judged sample; calls `done` with each
    /// result as soon as it exists.
    pub(super) fn run(
        self,
        work: &Work<'_>,
        progress: &mut JobProgress<'_>,
        done: &mut OnPicks<'_>,
    ) -> Result<()> {
        match self {
            Self::Chosen => ngsll::chosen(work, progress, done),
            Self::Whole => ngsll::whole(work, progress, done),
            Self::L2x => l2x::run(work, progress, done),
            Self::Dnn => dnn::run(work, progress, done),
            Self::Simple => simple::run(work, done),
        }
    }
}

/// The names of the compared methods, as [`Request::methods`](crate::Request::methods) takes them for
/// [`Experiment::Honesty`](crate::Experiment::Honesty).
pub fn names() -> Vec<&'static str> {
    JudgedMethod::ALL.map(JudgedMethod::name).to_vec()
}

/// The methods with these names; all if none are named.
pub(super) fn by_names(requested: Option<&[String]>) -> Result<Vec<JudgedMethod>> {
    let Some(requested) = requested else { return Ok(JudgedMethod::ALL.to_vec()) };
    if let Some(unknown) = requested.iter().find(|name| !names().contains(&name.as_str())) {
        let expected = format!("expected some of {}", names().join(","));
        return Err(Error::setting("methods", unknown, expected));
    }
    let is_requested = |method: &JudgedMethod| requested.iter().any(|name| name == method.name());
    Ok(JudgedMethod::ALL.into_iter().filter(is_requested).collect())
}
