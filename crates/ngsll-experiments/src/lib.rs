//! The paper's experiments: every table and figure, computed, stored and drawn.
//!
//! [`reproduce`] takes a [`Request`] and fills a folder. The modules, in the order data flows
//! through them from the request to the page:
//!
//! | module | contents |
//! |---|---|
//! | `request` | the request, validated |
//! | `budget` | the amount of computation, and what the quick form omits |
//! | `dataset`, `split` | the four data sets and their splits by seed |
//! | `methods` | the compared methods, one file each |
//! | `run_matrix` | which results are needed, and the jobs of [`ngsll_jobs`] that compute them |
//! | `store` | finished results on disk |
//! | `timing` | milliseconds per explanation |
//! | `table`, `csv_files`, `weight_figures`, `page` | tables, figures and the page |
//! | `paper` | the numbers stated in the paper |
//! | `honesty` | the comparison of methods that name features, with separate results and page |

mod budget;
mod csv_files;
mod dataset;
mod honesty;
mod k;
mod machine;
mod methods;
mod page;
mod paper;
mod png_copies;
mod reproduce;
mod request;
mod run_matrix;
mod split;
mod store;
mod table;
mod timing;
mod weight_figures;

pub use dataset::PaperDataset;
pub use honesty::{method_names as honesty_method_names, set_names as honesty_set_names};
pub use k::K;
pub use methods::names as method_names;
// Of the signature of `reproduce`.
pub use ngsll_jobs::{Failure, Observer, ProgressUpdate};
pub use reproduce::reproduce;
pub use request::{Experiment, Request};

// The page is about several crates, which this one uses.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryPage;
