//! User errors: each ends with one clear sentence and exit code 2, without a panic
//! and with nothing written.

#[path = "../common/mod.rs"]
mod common;
mod evaluate;
mod export;
mod image;
mod model;
mod options;
mod output;
mod reproduce;
mod serve;
mod table;
mod text;
