//! The methods NGSLL is compared with.

mod moments;
pub mod ridge;

pub use ridge::{Ridge, RidgeOptions};
