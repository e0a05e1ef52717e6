//! Neural generators of sparse local linear models (NGSLL).
//!
//! A network reads a sample and writes a linear model for that one sample; a gate keeps K weights;
//! the prediction is their inner product with features a person understands.
pub mod config;
pub mod data;
pub mod error;
pub mod explanation;
pub mod files;
pub mod fit;
pub mod gate;
pub mod generator;
pub mod metrics;
pub mod model;
pub mod model_folder;
pub mod objective;
pub mod predictor;
pub mod random;
pub mod reading;
pub mod representation;
pub mod train;

pub use config::Config;
pub use error::{Error, Result};
pub use explanation::Explanation;
pub use predictor::Predictor;
