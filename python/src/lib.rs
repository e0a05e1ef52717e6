//! The native half of the Python package `ngsll`: what its pure-Python half cannot do quickly, or must not do
//! twice. Everything here takes and gives plain arrays, lists and texts; manners (scikit-learn, pandas, plots)
//! are Python's.

mod arrow_in;
mod arrow_out;
mod error;
mod explanations;
mod fit;
mod model;
mod samples;
mod threads;

/// The extension module `ngsll._native`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::arrow_out::ArrowStream;
    #[pymodule_export]
    use crate::explanations::Explanations;
    #[pymodule_export]
    use crate::fit::{defaults, fit, fit_judge, option_table};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::samples::Samples;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
