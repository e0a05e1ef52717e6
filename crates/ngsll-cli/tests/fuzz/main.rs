//! Every parser that meets foreign bytes: good files and requests, changed at random, by bytes and by their structure.
//! Inputs that once failed are in `corpus/TARGET/` and are read on every run.
//!
//! | variable | |
//! |---|---|
//! | `NGSLL_FUZZ` | changes of each target; the default is what CI has time for |
//! | `NGSLL_FUZZ_SECONDS` | no target takes longer |
//! | `NGSLL_FUZZ_JOBS` | threads of each target, 1 unless it is given |
//! | `NGSLL_FUZZ_FROM` | the number of the first change, to repeat one |
//! | `NGSLL_FUZZ_OUT` | a folder for what is found; with it a target goes on after a failure |
//!
//! `fuzz/campaign` runs the program for a long time, on other machines as well: it needs neither cargo nor the sources
//! (`fuzz/README.md`).

mod campaign;
mod checkpoints;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod folders;
mod models;
mod mutate;
mod readers;
mod requests;
