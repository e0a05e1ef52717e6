//! Columns of a table that the model leaves out: ids, and columns without any value.

use crate::config::Config;
use crate::dataset::{Column, Dataset, Samples, Table, Values};
use crate::error::Result;
use crate::evidence::Evidence;
use crate::findings::{Finding, IdColumn, id_columns, names_an_id};

/// Columns that look like ids, and columns without any value.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LeftOut {
    ids: Vec<IdColumn>,
    /// Whether the ids are left out.
    drops_ids: bool,
    empty: Vec<String>,
}

impl LeftOut {
    /// The columns to leave out of training samples.
    pub fn of(samples: &Samples, config: &Config) -> Self {
        let Some(table) = samples.as_table() else { return Self::default() };
        let data = &config.data;
        let among = |names: &[String], name: &str| names.iter().any(|n| n == name);
        let is_configured = |name: &str| data.columns.contains_key(name) || among(&data.keep, name);
        // What is named stays: the same names are looked for in what is left.
        let named = |name: &str| among(&data.keep, name) || among(&data.protected, name);
        let empty = table.columns().iter().filter(|column| column.missing() == column.len());
        let empty = empty.filter(|column| !named(column.name()));
        let empty: Vec<String> = empty.map(|column| column.name().to_string()).collect();
        let ids = id_columns(table, is_configured);
        let rows: Vec<usize> = (0..table.len()).collect();
        let varying = table.columns().iter().filter(|column| !column.is_constant(&rows)).count();
        // The paper's method reads all columns; and at least one column must remain.
        let drops_ids = config.training.evidence() == Evidence::Chosen && ids.len() < varying;
        let all_empty = empty.len() == table.columns().len();
        Self { ids, drops_ids, empty: if all_empty { Vec::new() } else { empty } }
    }

    /// The names of the columns that are left out.
    fn names(&self) -> Vec<&str> {
        let ids = self.ids.iter().filter(|_| self.drops_ids).map(|id| id.name.as_str());
        self.empty.iter().map(String::as_str).chain(ids).collect()
    }

    /// The samples without these columns; `None` if nothing changes.
    pub fn without(&self, samples: &Samples) -> Result<Option<Samples>> {
        let (names, Some(table)) = (self.names(), samples.as_table()) else { return Ok(None) };
        if names.is_empty() {
            return Ok(None);
        }
        let left = table.columns().iter().filter(|column| !names.contains(&column.name()));
        Ok(Some(Table::new(left.cloned())?.into()))
    }

    /// The data without these columns.
    pub fn without_in(&self, data: Dataset) -> Result<Dataset> {
        Ok(match self.without(data.samples())? {
            Some(samples) => data.with_samples(samples),
            None => data,
        })
    }

    /// Columns without any value.
    pub fn empty(&self) -> &[String] {
        &self.empty
    }

    /// Findings about ids.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        self.ids.iter().map(|IdColumn { name, distinct, values }| Finding::IdColumn {
            column: name.clone(),
            distinct: *distinct,
            values: *values,
            left_out: self.drops_ids,
        })
    }

    /// Whether a column looks like ids by its name, or holds numbers that do.
    pub fn is_assigned_id(&self, column: &Column) -> bool {
        let is_number = matches!(column.values(), Values::Numeric(_));
        self.is_id(column.name()) && (is_number || names_an_id(column.name()))
    }

    /// Whether a column looks like ids.
    pub fn is_id(&self, name: &str) -> bool {
        self.ids.iter().any(|id| id.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Task;

    fn number(name: &str, value: impl Fn(usize) -> f64) -> Column {
        Column::numeric(name, (0..60).map(value)).unwrap()
    }

    fn left(columns: &[Column], config: &Config) -> Vec<String> {
        let samples: Samples = Table::new(columns.to_vec()).unwrap().into();
        let left_out = LeftOut::of(&samples, config);
        let without = left_out.without(&samples).unwrap().unwrap_or(samples);
        let table = without.as_table().expect("it is a table");
        table.columns().iter().map(|column| column.name().to_string()).collect()
    }

    #[test]
    fn ids_and_empty_columns_go_where_something_else_is_left() {
        let id = number("id", |i| 1000.0 + i as f64);
        let size = number("size", |i| (i * 37 % 23) as f64 / 3.0);
        let empty = number("comment", |_| f64::NAN);
        let same = number("same", |_| 1.0);
        let config = Config::new(Task::Tabular);
        let all = [id.clone(), size, empty.clone()];
        assert_eq!(left(&all, &config), ["size"]);
        let whole = Config::with_evidence(Task::Tabular, Evidence::Whole);
        assert_eq!(left(&all, &whole), ["id", "size"]);
        let keeps = config.with("data.keep", "[\"id\"]").unwrap();
        assert_eq!(left(&all, &keeps), ["id", "size"]);
        let keeps = config.with("data.protected", "[\"comment\"]").unwrap();
        assert_eq!(left(&all, &keeps), ["size", "comment"]);
        let is_known = config.with("data.columns.id", "categorical").unwrap();
        assert_eq!(left(&all, &is_known), ["id", "size"]);
        assert_eq!(left(&[id.clone(), same], &config), ["id", "same"], "nothing else varies");
        assert_eq!(left(&[id], &config), ["id"]);
        assert_eq!(left(&[empty], &config), ["comment"]);
    }
}
