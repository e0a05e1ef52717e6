//! Columns that options name one by one.

use crate::config::Config;
use crate::dataset::{Column, Samples, Table};
use crate::error::{Error, Result};

/// Refuses names of columns that are not in the data: a typing error would go unnoticed.
pub(super) fn check(samples: &Samples, config: &Config) -> Result<()> {
    let data = &config.data;
    let dropped = |name: &str| data.drop.iter().any(|drop| drop == name);
    for (option, names) in [("data.keep", &data.keep), ("data.protected", &data.protected)] {
        let Some(first) = names.first() else { continue };
        let Some(table) = samples.as_table() else {
            return Err(Error::setting(option, first, "only tables have columns"));
        };
        if let Some(name) = names.iter().find(|name| !has(table, name) && !dropped(name)) {
            let expected = "the data have no column of this name";
            return Err(Error::setting(option, name, expected));
        }
    }
    Ok(())
}

/// Whether a table was read from data with this column; of dates it has the parts.
fn has(table: &Table, name: &str) -> bool {
    let of_dates =
        |column: &Column| column.form().date.as_ref().is_some_and(|date| date.column == name);
    table.column(name).is_some() || table.columns().iter().any(of_dates)
}
