//! How explanations look: as a page and in a terminal, both from one description.
//!
//! `reading` and `sum` decide *what* is said (order of the classes, verdict, rounding); `image`, `text`
//! and `row` draw one kind of subject for both media; `page` and `terminal` put the parts together.

mod bars;
mod card;
mod colour;
mod fragments;
mod image;
mod lines;
mod model;
mod page;
mod picture;
mod reading;
mod row;
mod sum;
mod terminal;
mod text;

use ngsll::explanation::Explanation;

pub use fragments::{Fragments, fragments};
pub use model::{Dot, Whole};
pub use page::{html, parts_css, report};
pub use terminal::terminal;

/// What was explained, as a person sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A picture whose features are the cells of a grid.
    Image(Picture),
    /// A text, token by token.
    Text {
        /// The tokens in reading order.
        tokens: Vec<Token>,
    },
    /// A row of a table.
    Row {
        /// Column name and value as written; an empty value is missing.
        cells: Vec<(String, String)>,
    },
}

/// A picture and the grid that its features are the cells of.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Pixels per row.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
    /// 1 is grey, 3 is red, green and blue.
    pub channels: usize,
    /// channels × height × width values.
    pub pixels: Vec<u8>,
    /// Rows of the grid.
    pub rows: usize,
    /// Columns of the grid; feature j is the cell (j / columns, j % columns).
    pub columns: usize,
}

/// One token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// As it was written.
    pub text: String,
    /// Its feature; `None` for a word outside the vocabulary.
    pub feature: Option<usize>,
    /// Whether white space stands before it.
    pub space_before: bool,
}

/// One explained sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its number in the data, as the user counts.
    pub row: usize,
    /// The name of its file, where every sample has one of its own.
    pub file: Option<String>,
    /// What was explained.
    pub subject: Subject,
    /// The true label or value, where it is known.
    pub truth: Option<String>,
    /// The prediction and its terms.
    pub explanation: Explanation,
}

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
