//! The methods NGSLL is compared with.
//!
//! Data come as [`SparseRows`]: bags of words are sparse, and what is dense is made so. The linear
//! methods, [`LinearModel::ridge`] and [`LinearModel::lasso`], share the model, the
//! cross-validation and the data they solve on; they differ in the penalty. [`Forest`] reads dense
//! rows.

mod checks;
mod cross_validation;
mod design;
pub mod forest;
pub mod lasso;
pub mod linear;
mod problem;
pub mod ridge;
pub mod rows;

pub use forest::{Forest, ForestOptions};
pub use lasso::LassoOptions;
pub use linear::LinearModel;
pub use ridge::RidgeOptions;
pub use rows::{Row, SparseRows};
