//! The commands as a user runs them, on small data.

mod answers;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod comparison;
mod drift;
mod files;
mod findings;
mod folds;
mod groups;
mod judge;
mod leftovers;
mod monotone;
mod output;
mod repeat;
mod report;
mod tasks;
mod threshold;
mod tune;
mod units;
mod vectors;
