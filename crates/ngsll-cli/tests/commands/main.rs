//! The commands as a user runs them, on small data.

mod answers;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod judge;
mod output;
mod repeat;
mod report;
mod tasks;
mod units;
