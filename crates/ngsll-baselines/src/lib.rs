//! The methods NGSLL is compared with.
//!
//! Data come as [`SparseRows`]: bags of words are sparse, and what is dense is made so. The linear
//! methods, [`LinearModel::ridge`] and [`LinearModel::lasso`], share the model, the
//! cross-validation and the data they solve on; they differ in the penalty. [`Forest`] reads dense
//! rows, [`Ame`] images. [`lime`] and [`KernelShap`] explain any model after the fact.

pub mod ame;
mod checks;
mod cholesky;
mod cross_validation;
mod design;
pub mod explainer;
pub mod forest;
pub mod kernel_shap;
pub mod lasso;
pub mod lime;
pub mod linear;
mod problem;
pub mod ridge;
pub mod rows;
mod solve;

pub use ame::{Ame, AmeConfig};
pub use explainer::{Attribution, Contribution, Model};
pub use forest::{Forest, ForestOptions};
pub use kernel_shap::{KernelShap, KernelShapOptions};
pub use lasso::LassoOptions;
pub use lime::LimeOptions;
pub use linear::{LinearModel, Terms};
pub use ridge::RidgeOptions;
pub use rows::{Row, SparseRows};
