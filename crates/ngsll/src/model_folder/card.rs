//! The model card: a description of the model, its training, its quality and its promises, as Markdown.

use crate::generator::Generator;
use crate::model::Model;
use crate::objective::Objective;
use crate::readable::count_of;
use crate::representation::monotone_sentence;
use crate::trust::Trust;

impl<G: Generator> Model<G> {
    /// The model card as Markdown; the intended use is left to be filled in.
    pub fn card(&self, title: &str) -> String {
        let mut card = format!(
            "# {title}\n\nEvery score of this model is the sum of at most {} named terms.\n\n{}",
            self.k(),
            table(["", ""], self.about())
        );
        card += "\n## Intended use\n\n\
                 *To be filled in: what the model is for, who uses it, and what it must not be used for.*\n";
        if !self.notes().facts.is_empty() {
            let facts = self.notes().facts.iter().cloned();
            card +=
                &format!("\n## How it was made, and how good it is\n\n{}", table(["", ""], facts));
        }
        if let Some(yardstick) = &self.notes().yardstick {
            card += &captioned(&yardstick.caption(), &yardstick.header(), &yardstick.rows());
        }
        if let Some(spread) = &self.notes().spread {
            card += &captioned(&spread.caption(), &spread.header(), &spread.rows());
        }
        if !self.notes().findings.is_empty() {
            card += "\n## About the data\n\n";
            card.extend(self.notes().findings.iter().map(|finding| format!("- {finding}\n")));
        }
        card += "\n## Can the terms be trusted?\n\n";
        card += &(self.promise().join(" ") + "\n");
        card.extend(self.trust().iter().map(measured));
        card + "\n## Use\n\n```\nngsll describe THIS-FOLDER\nngsll explain THIS-FOLDER --data FILE\n\
                ngsll evaluate THIS-FOLDER --data FILE\n```\n\
                In Rust: `ngsll::Model::load(folder)?.explain(&samples)?`\n"
    }

    /// The promise about monotone columns, in a sentence without its full stop; `None` if there are none.
    pub fn monotone_promise(&self) -> Option<String> {
        let name = self.objective().output_name(0);
        let subject = match self.objective() {
            Objective::Regression { .. } => format!("the predicted {name}"),
            _ => format!("the score of {name}"),
        };
        monotone_sentence(&subject, &self.representation().monotone())
    }

    /// Target, inputs and method.
    fn about(&self) -> Vec<(String, String)> {
        let network =
            format!("{}, {} parameters", self.config().generator.kind(), self.parameters());
        let mut about = vec![
            ("predicts", self.objective().describe()),
            ("from", self.representation().describe()),
            ("network", network),
        ];
        if let Some(threshold) = self.objective().threshold() {
            let positive = self.objective().output_name(0);
            about.push(("threshold", format!("{threshold} for {positive}")));
        }
        about.extend(self.monotone_promise().map(|promise| ("promised", promise)));
        let mut list = |name, columns: Vec<String>| {
            if !columns.is_empty() {
                about.push((name, columns.join(", ")));
            }
        };
        let data = &self.config().data;
        list("columns whose use is reported", data.protected.clone());
        list("columns left out", data.drop.clone());
        let read = self.representation();
        list("columns that never vary, left out", read.constant().to_vec());
        list("columns that do not help, never chosen", read.uninformative());
        about.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }
}

/// The figures measured of the terms.
fn measured(trust: &Trust) -> String {
    let data = trust.data.as_ref().map(|data| format!(" of {data}")).unwrap_or_default();
    let row = |sentence: crate::trust::Sentence| {
        (format!("{}: {}", sentence.name, sentence.figure), sentence.meaning)
    };
    let rows = trust.sentences().into_iter().map(row);
    let table = table(["figure", "what it means"], rows);
    let samples = count_of(trust.samples, "sample");
    format!("\nMeasured with K = {} on {samples}{data}:\n\n{table}", trust.k)
}

fn captioned(caption: &str, header: &[String], rows: &[Vec<String>]) -> String {
    let rule = "|---".repeat(header.len());
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("\n{caption}:\n\n{}{rule}|\n{rows}", line(header))
}

fn table(header: [&str; 2], rows: impl IntoIterator<Item = (String, String)>) -> String {
    let rows = rows.into_iter().map(|(name, value)| line(&[name, value]));
    format!("| {} | {} |\n|---|---|\n", header[0], header[1]) + &rows.collect::<String>()
}

/// A line of a table; characters that would end a cell or the line are escaped.
fn line(cells: &[String]) -> String {
    let cell = |cell: &String| cell.replace('|', "\\|").replace(['\n', '\r'], " ");
    format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "))
}
