//! The methods NGSLL is compared with.
//!
//! | method | here | reads | explains |
//! |---|---|---|---|
//! | ridge regression | [`LinearModel::ridge`] | [`SparseRows`] | by its largest weights ([`Terms::Top`]) |
//! | lasso | [`LinearModel::lasso`] | [`SparseRows`] | by its largest weights |
//! | random forest | [`Forest`] | dense rows | through LIME or KernelSHAP |
//! | attentive mixture of experts (AME) | [`Ame`] | images | by its attention over patches |
//! | learning to explain (L2X) | [`L2x`] | texts, images or tables | by the K features its selector keeps |
//! | base rate, logistic or ridge regression, boosted trees | [`yardstick_methods`] | tables | not at all: used by `ngsll train --compare` |
//! | LIME | [`lime`] | any model's outputs | one sample of a table, text or image |
//! | KernelSHAP | [`KernelShap`] | any model's outputs | one sample of a table |
//!
//! Every method takes its seed from its options; the same seed gives the same result on any number of
//! threads. Options are built from their defaults:
//!
//! ```
//! use ngsll_baselines::{LinearModel, RidgeOptions, SparseRows, Terms};
//!
//! // The first feature decides the class, the second is noise.
//! let z = [0.0, 1.0, 0.1, 0.0, 0.9, 1.0, 1.0, 0.0];
//! let rows = SparseRows::from_dense(&z, 2)?;
//! let classes = [0, 0, 1, 1];
//! let options = RidgeOptions::default().folds(2).seed(7);
//! let model = LinearModel::ridge(&rows, &classes, 2, &options)?;
//! assert_eq!(model.accuracy(&rows, &classes, Terms::All), 1.0);
//!
//! // Refitted on its largest weight alone, it predicts the same classes.
//! let sparse = model.refitted(&rows, &classes, 1)?;
//! assert_eq!(sparse.weights()[0][1], 0.0);
//! assert_eq!(sparse.accuracy(&rows, &classes, Terms::All), 1.0);
//! # Ok::<(), ngsll::Error>(())
//! ```

mod ame;
mod cholesky;
mod classes;
mod cross_validation;
mod explainer;
mod forest;
mod kernel_shap;
mod l2x;
mod lasso;
mod least_squares;
pub mod lime;
mod linear;
mod options;
mod regression_data;
mod ridge;
mod sparse_rows;
mod weighted_least_squares;
mod yardstick;

pub use ame::{Ame, AmeConfig, AmeEpoch, AmeEvent, AmeProgress, LabelledImages};
pub use explainer::{Attribution, Contribution, Predict};
pub use forest::{Forest, ForestOptions};
pub use kernel_shap::{KernelShap, KernelShapOptions};
pub use l2x::{L2x, L2xChoice, L2xOptions, L2xProgress};
pub use lasso::LassoOptions;
pub use lime::LimeOptions;
pub use linear::{LinearModel, Terms};
pub use ridge::RidgeOptions;
pub use sparse_rows::{SparseRowView, SparseRows};
pub use yardstick::yardstick_methods;
