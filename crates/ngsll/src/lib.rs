//! Neural generators of sparse local linear models (NGSLL).
//!
//! K features that a person understands are chosen from a sample; a network that sees only those
//! writes a linear model for that one sample: the K terms of an explanation add up to the score.
//! In the paper's method ([`Evidence::Whole`]) the network reads the whole sample, and a gate keeps K of
//! its weights.
//!
//! ```
//! use ngsll::{Dataset, Ngsll};
//!
//! // The same words in two orders: no linear model of the words can separate the labels.
//! let texts = (0..200).map(|i| ["good not bad", "bad not good"][i % 2]);
//! let labels = (0..200).map(|i| ["praise", "blame"][i % 2]);
//! let data = Dataset::texts(texts, labels)?;
//! let model = Ngsll::text().terms(1).seed(7).epochs(10).fit(&data)?;
//!
//! let predictions = model.predict(&data)?;
//! assert_eq!(predictions[0].class().map(|class| class.label()), Some("praise"));
//! let explanations = model.explain(&data)?;
//! let score = &explanations[0].outputs[0];
//! println!("{} supports {}: {:+.2}", score.terms[0].name, score.name, score.terms[0].contribution);
//! assert_eq!(score.terms.len(), 1);
//! # let folder = std::env::temp_dir().join(format!("ngsll-front-door-{}", std::process::id()));
//! # let folder = folder.as_path();
//!
//! model.save(folder)?;
//! let model = ngsll::Model::load(folder)?;
//! # assert_eq!(model.predict(&data)?, predictions);
//! # std::fs::remove_dir_all(folder).unwrap();
//! # Ok::<(), ngsll::Error>(())
//! ```
//!
//! Files are read by the crate `ngsll-readers`, explanations drawn by `ngsll-view` and served by
//! `ngsll-serve`.
//!
//! The modules, in the order data flows through them:
//!
//! | module | from → to |
//! |---|---|
//! | [`dataset`] | samples in memory with labels, checked once |
//! | [`representation`] | sample → (x, z, mask), feature names; everything specific to a kind of sample |
//! | [`evidence`] | which features the network may see: random subsets in training, the chosen K in explanations |
//! | [`generator`] | x → weights of the active features |
//! | [`gate`] | weights, mask → gate |
//! | [`network`] | w' = g ⊙ w, ŷ = zᵀw' |
//! | [`objective`] | labels → targets; scores → prediction |
//! | [`train`] | schedule, stages, loss, checkpoints |
//! | [`findings`] | common problems in training data, most with a suggested fix |
//! | [`repeats`] | repeated training: cross-validation, spread over seeds |
//! | [`tune`] | candidates for a search of options |
//! | [`explanation`] | named features and their contributions |
//! | [`metrics`] | the quality of predictions |
//! | [`drift`] | whether new samples look like those of training |
//! | [`examples`] | validation samples kept with a model, and the typical row |
//! | [`error`] | every error, and the option that avoids it |
//! | [`random`] | the random stream of each purpose |
//!
//! [`Ngsll`] joins them into one call, [`TrainingSetup`] connects data and training,
//! [`Model`] predicts and explains, [`ModelFolder`] stores it, [`config`] holds every option.
//!
//! To change the program: `ARCHITECTURE.md` in the repository.

/// Returns memory kept for reuse to the system, as after a burst of work.
pub fn release_memory() {
    ops::buffer_pool::release();
}

// Hidden modules and functions are for the other crates of the workspace.

mod calibration;
#[doc(hidden)]
pub mod checksum;
pub mod config;
pub mod dataset;
pub mod drift;
pub mod error;
mod estimator;
pub mod evidence;
pub mod examples;
pub mod explanation;
mod figures;
#[doc(hidden)]
pub mod files;
pub mod findings;
pub mod gate;
pub mod generator;
pub mod judge;
mod linear_model;
mod mean_std;
pub mod metrics;
mod model;
pub mod model_folder;
pub mod network;
pub mod objective;
mod ops;
mod plain_network;
mod prediction;
pub mod random;
#[doc(hidden)]
pub mod readable;
pub mod repeats;
pub mod representation;
mod setup;
#[cfg(test)]
mod test_support;
pub mod train;
pub mod trust;
pub mod tune;

/// Modules and tensors of networks. Its `#[derive(Module)]` also needs `use ngsll::burn;`.
pub use burn;
pub use burn::tensor::Device;
pub use config::{Config, Options};
pub use dataset::{Dataset, Samples};
pub use error::{Error, Result};
pub use estimator::Ngsll;
pub use evidence::Evidence;
pub use explanation::Explanation;
pub use findings::Finding;
pub use judge::Judge;
pub use model::Model;
pub use model_folder::{DataDigest, ModelFolder, Notes, TestRows};
pub use plain_network::PlainNetwork;
pub use prediction::{ClassPrediction, Prediction};
/// The traits of [`random::ChaCha8Rng`], such as `RngExt`.
pub use rand;
pub use representation::{SampleView, Schema};
pub use setup::{Fitted, PartRows, TrainingSetup};
pub use trust::Trust;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
