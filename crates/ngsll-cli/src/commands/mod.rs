//! One module for each command; none uses another.

pub mod compare;
pub mod completions;
pub mod demo;
pub mod describe;
pub mod drift;
pub mod evaluate;
pub mod examples;
pub mod explain;
pub mod export;
pub mod get;
pub mod help;
pub mod judge;
pub mod predict;
pub mod reproduce;
pub mod serve;
pub mod train;
pub mod tune;
