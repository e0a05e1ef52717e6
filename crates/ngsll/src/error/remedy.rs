//! Suggested changes of options.

/// A suggested change of an option, for a finding or an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remedy {
    /// Its path in [`Config`](crate::Config), or `folds`.
    pub option: String,
    /// The suggested value as TOML; `None` if only the user can know it.
    pub value: Option<String>,
    /// The effect, such as "keeps it".
    pub effect: &'static str,
}

impl Remedy {
    /// An option, a value for it as TOML, and the effect.
    pub fn new(option: impl Into<String>, value: impl Into<String>, effect: &'static str) -> Self {
        Self { option: option.into(), value: Some(value.into()), effect }
    }

    /// The remedy that leaves out a column of a table.
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
