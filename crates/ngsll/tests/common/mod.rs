//! Helpers shared by the tests.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod small;
