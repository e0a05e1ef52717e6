//! What the tests share.

pub mod small;
