//! The option that changes what was found.

/// An option that changes what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remedy {
    /// Its path in [`Config`](crate::Config), or `folds`.
    pub option: String,
    /// What to set it to, as TOML; `None` where the user has to say.
    pub value: Option<String>,
    /// What that does: "keeps it".
    pub effect: &'static str,
}

impl Remedy {
    /// An option, a value for it as TOML, and what that does.
    pub fn new(option: impl Into<String>, value: impl Into<String>, effect: &'static str) -> Self {
        Self { option: option.into(), value: Some(value.into()), effect }
    }

    /// That a column of a table is left out.
    pub fn leaving_out(column: &str) -> Self {
        Self::of_column("data.drop", column, "leaves it out")
    }

    pub(crate) fn of_column(option: &str, column: &str, effect: &'static str) -> Self {
        Self::new(option, format!("[{column:?}]"), effect)
    }
}

impl std::fmt::Display for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { option, value, effect } = self;
        match value {
            Some(value) => write!(f, "{option} = {value} {effect}"),
            None => write!(f, "{option} {effect}"),
        }
    }
}
