//! The number of predictions that name columns whose use must be reported: `data.protected`.

use ngsll::Model;
use ngsll::explanation::Explanation;
use serde::Serialize;

/// Counts explanations that name a protected column.
pub struct Protected {
    columns: Vec<String>,
    /// Explanations that name each, that name any, and all.
    named: Vec<usize>,
    any: usize,
    all: usize,
}

/// The counts.
#[derive(Serialize)]
pub struct ProtectedUse {
    /// Share of the predictions that any was named in.
    share: f64,
    columns: Vec<ColumnUse>,
}

#[derive(Serialize)]
struct ColumnUse {
    column: String,
    share: f64,
}

impl Protected {
    /// `None` if the model has no protected columns.
    pub fn of(model: &Model) -> Option<Self> {
        let columns = model.config().data.protected.clone();
        let named = vec![0; columns.len()];
        (!columns.is_empty()).then_some(Self { columns, named, any: 0, all: 0 })
    }

    pub fn add(&mut self, model: &Model, explanations: &[Explanation]) {
        for explanation in explanations {
            let terms = explanation.outputs.iter().flat_map(|output| &output.terms);
            let owners: Vec<String> =
                terms.map(|term| model.representation().owner_name(term.feature)).collect();
            let named = |column: &String| owners.contains(column);
            self.all += 1;
            self.any += usize::from(self.columns.iter().any(named));
            for (column, count) in self.columns.iter().zip(&mut self.named) {
                *count += usize::from(named(column));
            }
        }
    }

    pub fn finish(self) -> ProtectedUse {
        let share = |count: usize| count as f64 / self.all.max(1) as f64;
        let columns = self.columns.iter().zip(&self.named);
        let columns = columns
            .map(|(column, &count)| ColumnUse { column: column.clone(), share: share(count) })
            .collect();
        ProtectedUse { share: share(self.any), columns }
    }
}

impl ProtectedUse {
    /// For people: which columns, and in how many predictions.
    pub fn fact(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let column = |used: &ColumnUse| format!("{} ({})", used.column, percent(used.share));
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        format!("{}; in {} of predictions", columns.join(", "), percent(self.share))
    }
}
