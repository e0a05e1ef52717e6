//! Columns whose use has to be told.

use crate::config::Config;
use crate::dataset::Samples;
use crate::error::{Error, Result};

/// Refuses the name of a protected column that the data does not have: a slip of the pen would go unnoticed.
pub(super) fn check(samples: &Samples, config: &Config) -> Result<()> {
    let Some(first) = config.data.protected.first() else { return Ok(()) };
    let Samples::Table(table) = samples else {
        return Err(Error::setting("data.protected", first, "only tables have columns"));
    };
    let known = |name: &&String| table.column(name).is_some() || config.data.drop.contains(name);
    match config.data.protected.iter().find(|name| !known(name)) {
        Some(name) => {
            let expected = "the data has no column of this name";
            Err(Error::setting("data.protected", name, expected))
        }
        None => Ok(()),
    }
}
