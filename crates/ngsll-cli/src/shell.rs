//! Commands as a shell takes them.

use std::borrow::Cow;

/// An argument, quoted if necessary.
pub fn quoted(argument: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=,:".contains(c);
    match !argument.is_empty() && argument.chars().all(plain) {
        true => argument.into(),
        false => format!("'{}'", argument.replace('\'', "'\\''")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn only_what_a_shell_would_change_is_quoted() {
        assert_eq!(quoted("data/trec/train.tsv"), "data/trec/train.tsv");
        assert_eq!(quoted("my films.csv"), "'my films.csv'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
