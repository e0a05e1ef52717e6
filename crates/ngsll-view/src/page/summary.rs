//! The head of a page: title, facts and tables.

use crate::{Measured, escape};

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
    /// What was measured of the model's terms.
    pub measured: Measured,
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

impl Summary {
    /// Title, facts and tables.
    pub(super) fn html(&self) -> String {
        let fact = |(name, value): &(String, String)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value))
        };
        let facts: String = self.facts.iter().map(fact).collect();
        let facts =
            if facts.is_empty() { facts } else { format!("<dl class=\"facts\">{facts}</dl>\n") };
        let tables: String = self.tables.iter().map(SummaryTable::html).collect();
        let tables = match tables.is_empty() {
            true => tables,
            false => format!("<div class=\"tables\">{tables}</div>\n"),
        };
        let title = escape(&self.title);
        format!("<header>\n<h1>{title}</h1>\n{facts}{tables}</header>\n")
    }
}

impl SummaryTable {
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
