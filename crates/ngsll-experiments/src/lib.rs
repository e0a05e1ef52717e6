//! The paper's experiments: every table and figure, computed, kept and drawn.
//!
//! [`reproduce`] takes a [`Request`] and fills a folder. The modules stand in the order of the way
//! from the question to the page:
//!
//! | module | what it holds |
//! |---|---|
//! | [`request`] | what was asked for, checked |
//! | [`budget`] | how much is computed, and what `--quick` leaves out |
//! | [`dataset`], [`problem`] | the four data sets and their splits by seed |
//! | [`methods`] | the methods that are compared, one file each |
//! | [`grid`], [`pool`] | which cells are wanted, and the jobs that compute them side by side |
//! | [`store`] | finished cells on disk |
//! | [`time`] | milliseconds per explanation |
//! | [`table`], [`results`], [`page`] | what people look at; `ngsll-view` draws the figures |
//! | [`paper`] | the numbers that the paper states |

pub mod budget;
pub mod dataset;
pub mod grid;
mod k;
mod machine;
pub mod methods;
pub mod page;
pub mod paper;
pub mod pool;
pub mod problem;
mod reproduce;
pub mod request;
pub mod results;
pub mod store;
pub mod table;
pub mod time;
mod weights;

pub use dataset::Dataset;
pub use k::K;
pub use pool::{Failure, News, Observer};
pub use reproduce::reproduce;
pub use request::{Experiment, Request};
