//! The page in a real browser: what people do there, and what they see.
//!
//! Needs Chromium. Without one these tests say so and pass, except where `CI=true`.

mod chromium;
#[path = "../common/mod.rs"]
mod common;
mod image;
mod switch;
mod table;
mod text;
