//! Figures with a title, a note on how to read them, and their numbers as a table.

use crate::escape;

/// A figure of the page. Titles, notes and bodies are markup.
pub(super) struct ReportPanel {
    pub(super) title: &'static str,
    /// A note on how to read it.
    pub(super) note: String,
    pub(super) body: String,
    /// The numbers behind a drawing, folded away.
    pub(super) numbers: Option<Numbers>,
    /// Whether it needs the whole width.
    pub(super) wide: bool,
}

/// A table of plain text.
pub(super) struct Numbers {
    pub(super) header: Vec<String>,
    /// The first column names the row.
    pub(super) rows: Vec<Vec<String>>,
}

impl ReportPanel {
    fn html(&self) -> String {
        let numbers = self.numbers.as_ref().map_or(String::new(), |numbers| {
            format!(
                "<details class=\"data\"><summary>The numbers</summary><div class=\"scroll\" tabindex=\"0\">\
                 {}</div></details>",
                numbers.html(self.title)
            )
        });
        format!(
            "<figure class=\"panel{wide}\"><figcaption><h3>{title}</h3><p>{note}</p></figcaption>\
             {body}{numbers}</figure>\n",
            wide = if self.wide { " wide" } else { "" },
            title = self.title,
            note = self.note,
            body = self.body,
        )
    }
}

impl Numbers {
    fn html(&self, caption: &str) -> String {
        let header = self.header.iter();
        let header: String =
            header.map(|h| format!("<th scope=\"col\">{}</th>", escape(h))).collect();
        let row = |row: &Vec<String>| {
            let cell = |(i, cell): (usize, &String)| match i {
                0 => format!("<th scope=\"row\">{}</th>", escape(cell)),
                _ => format!("<td>{}</td>", escape(cell)),
            };
            format!("<tr>{}</tr>", row.iter().enumerate().map(cell).collect::<String>())
        };
        format!(
            "<table class=\"numbers\"><caption class=\"unseen\">{caption}</caption><thead><tr>{header}</tr></thead>\
             <tbody>{}</tbody></table>",
            self.rows.iter().map(row).collect::<String>()
        )
    }
}

/// A part of the page.
pub(super) fn part(id: &str, title: &str, panels: &[ReportPanel]) -> String {
    let panels: String = panels.iter().map(ReportPanel::html).collect();
    format!(
        "<section class=\"part\" id=\"{id}\"><h2>{title}</h2><div class=\"panels\">\n{panels}</div></section>\n"
    )
}
