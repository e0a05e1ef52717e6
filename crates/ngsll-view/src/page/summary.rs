//! The head of a page: title, facts and tables.

use crate::{Measured, escape};

/// The model as a whole, for the head of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The page's title.
    pub title: String,
    /// Short facts: name and value.
    pub facts: Vec<(String, String)>,
    /// Tables under the facts.
    pub tables: Vec<SummaryTable>,
    /// The classes in the model's order; empty in regression.
    pub classes: Vec<String>,
    /// Figures measured of the model's terms.
    pub measured: Measured,
}

/// A small table of the summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SummaryTable {
    /// The table's caption.
    pub caption: String,
    /// The columns' names.
    pub header: Vec<String>,
    /// One string per column.
    pub rows: Vec<Vec<String>>,
}

impl Summary {
    /// Title and classes, in the model's order; in regression there are none.
    pub fn new(title: impl Into<String>, classes: &[String]) -> Self {
        Self { title: title.into(), classes: classes.to_vec(), ..Self::default() }
    }

    /// Replaces its facts.
    pub fn with_facts(self, facts: Vec<(String, String)>) -> Self {
        Self { facts, ..self }
    }

    /// Adds a table.
    pub fn with_table(mut self, table: SummaryTable) -> Self {
        self.tables.push(table);
        self
    }

    /// Adds the trust figures of the model's terms.
    pub fn with_measured(self, measured: Measured) -> Self {
        Self { measured, ..self }
    }

    /// Title and facts, with or without the tables.
    pub(super) fn html(&self, with_tables: bool) -> String {
        let fact = |(name, value): &(String, String)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value))
        };
        let facts: String = self.facts.iter().map(fact).collect();
        let facts =
            if facts.is_empty() { facts } else { format!("<dl class=\"facts\">{facts}</dl>\n") };
        let tables = if with_tables { self.tables() } else { String::new() };
        let title = escape(&self.title);
        format!("<header>\n<h1>{title}</h1>\n{facts}{tables}</header>\n")
    }

    /// The tables.
    pub(super) fn tables(&self) -> String {
        let tables: String = self.tables.iter().map(SummaryTable::html).collect();
        match tables.is_empty() {
            true => tables,
            false => format!("<div class=\"tables\">{tables}</div>\n"),
        }
    }
}

impl SummaryTable {
    /// A table of rows, each with a text for every column.
    pub fn new(
        caption: impl Into<String>,
        header: impl IntoIterator<Item: Into<String>>,
        rows: Vec<Vec<String>>,
    ) -> Self {
        let header = header.into_iter().map(Into::into).collect();
        Self { caption: caption.into(), header, rows }
    }

    fn html(&self) -> String {
        let cells = |cells: &[String], open: &str, close: &str| -> String {
            cells.iter().map(|c| format!("{open}{}{close}", escape(c))).collect()
        };
        let row = |row: &Vec<String>| format!("<tr>{}</tr>", cells(row, "<td>", "</td>"));
        format!(
            "<table><caption>{caption}</caption><thead><tr>{header}</tr></thead>\
             <tbody>{rows}</tbody></table>",
            caption = escape(&self.caption),
            header = cells(&self.header, "<th scope=\"col\">", "</th>"),
            rows = self.rows.iter().map(row).collect::<String>(),
        )
    }
}
