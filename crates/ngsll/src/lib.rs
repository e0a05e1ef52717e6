//! Neural generators of sparse local linear models (NGSLL).
//!
//! A network reads a sample and writes a linear model for that one sample; a gate keeps K weights;
//! the prediction is their inner product with features a person understands. So the K terms of an
//! explanation are not an approximation of the reason for a prediction: they add up to it.
//!
//! ```
//! use ngsll::config::{Config, Task};
//! use ngsll::data::{Chunk, Origin, Samples};
//! use ngsll::fit::{Holdout, Prepared};
//! use std::ops::ControlFlow;
//!
//! // The same words in two orders: no linear model of the words can tell the labels apart.
//! let texts = ["good not bad", "bad not good"];
//! let labels = ["praise", "blame"];
//! let n = 200;
//! let chunk = Chunk {
//!     samples: Samples::Texts((0..n).map(|i| texts[i % 2]).collect()),
//!     labels: Some((0..n).map(|i| labels[i % 2].to_string()).collect()),
//!     origin: Origin::Lines { file: "memory".into(), lines: (1..=n as u64).collect() },
//! };
//! let config = Config { k: 1, ..Config::new(Task::Text) }.with("training.epochs", "10")?;
//! let prepared = Prepared::new(config, "label", &chunk, Holdout::default())?;
//! let fitted = prepared.fit(None, &mut |_progress| ControlFlow::Continue(()))?;
//!
//! let explanations = fitted.predictor.explain(&chunk.samples, None)?;
//! let output = &explanations[0].outputs[0];
//! println!("{} speaks for {}: {:+.2}", output.terms[0].name, output.name, output.terms[0].contribution);
//! assert_eq!(output.terms.len(), 1);
//! assert!(output.additivity_error() < 1e-6);
//! # Ok::<(), ngsll::Error>(())
//! ```
//!
//! The modules stand in the order of the data's way:
//!
//! | module | from → to |
//! |---|---|
//! | [`data`] | bytes → samples with a label |
//! | [`representation`] | sample → (x, z, mask), feature names |
//! | [`generator`] | x → weights of the active features |
//! | [`gate`] | weights, mask → gate |
//! | [`model`] | w' = g ⊙ w, ŷ = zᵀw' |
//! | [`train`] | schedule, stages, loss, checkpoints |
//! | [`explanation`] | named features and their contributions |
//!
//! [`fit`] joins them into one call, [`predictor`] puts a trained model into service,
//! [`model_folder`] saves and loads it, [`config`] holds every option.

pub mod config;
pub mod data;
pub mod error;
pub mod examples;
pub mod explanation;
pub mod files;
pub mod fit;
pub mod gate;
pub mod generator;
pub mod metrics;
pub mod model;
pub mod model_folder;
mod moments;
pub mod objective;
mod ops;
pub mod predictor;
pub mod random;
pub mod reading;
pub mod representation;
#[cfg(test)]
mod test_support;
pub mod train;

pub use config::Config;
pub use error::{Error, Result};
pub use explanation::Explanation;
pub use predictor::Predictor;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
