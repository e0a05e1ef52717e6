//! Drawing: explanations as pages and in a terminal, evaluations as reports, and figures as SVG and PNG.
//!
//! An [`ExplainedSample`] is what every view of a single explanation draws: [`html`] as a page,
//! [`fragments`] as the pieces of somebody else's page, [`terminal`] as lines of text. A
//! [`Collector`] gathers what [`report`](fn@report) shows of an evaluation. [`figure`] draws the
//! paper's figures.
//!
//! `interpretation` and `sum` decide *what* is said (order of the classes, verdict, rounding); `image`, `text`
//! and `row` draw one kind of sample for both media; `page` and `terminal` put the parts together.
//!
//! | feature | what it adds |
//! |---|---|
//! | `png` | `figure::png`: SVG figures as PNG files, by resvg |

mod bars;
mod card;
mod colour;
mod explained_sample;
pub mod figure;
mod fragments;
mod image;
mod interpretation;
mod lines;
mod model;
mod page;
mod picture;
mod report;
mod row;
mod sum;
mod terminal;
mod text;
mod unseen;

pub use explained_sample::ExplainedSample;
pub use figure::{data_uri, escape};
pub use fragments::{Fragments, ScoreFragments, fragments};
pub use model::{Dot, Whole};
pub use page::{html, parts_css, report};
pub use report::{Collected, Collector};
pub use terminal::terminal;
pub use unseen::UnseenValues;

/// The model as a whole, for the head of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The page's title.
    pub title: String,
    /// Short facts: name and value.
    pub facts: Vec<(String, String)>,
    /// Tables under the facts.
    pub tables: Vec<SummaryTable>,
    /// The classes in the model's order; empty in regression.
    pub classes: Vec<String>,
}

/// A small table of the summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SummaryTable {
    /// What the table shows.
    pub caption: String,
    /// The columns' names.
    pub header: Vec<String>,
    /// One string per column.
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
mod samples;
