//! Options by their command-line names: the library names fields of its
//! configuration and knows no flags.

use crate::args::Cli;
use crate::shell::quoted;
use clap::{Arg, Command, CommandFactory};
use ngsll::Error;

/// Configuration fields (and the fields of other requests) that have their own flag.
const FLAGS: [(&str, &str); 26] = [
    ("by", "by"),
    ("cost_false_negative", "cost-false-negative"),
    ("cost_false_positive", "cost-false-positive"),
    ("data.group", "group"),
    ("data.id", "id"),
    ("data.labels", "labels"),
    ("data.path", "data"),
    ("data.target", "target"),
    ("data.test_fraction", "test-fraction"),
    ("data.valid", "valid"),
    ("data.valid_fraction", "valid-fraction"),
    ("epochs", "epochs"),
    ("folds", "folds"),
    ("from", "from"),
    ("groups", "group"),
    ("jobs", "jobs"),
    ("k", "k"),
    ("methods", "methods"),
    ("sets", "sets"),
    ("rows", "rows"),
    ("seed", "seed"),
    ("seeds", "seeds"),
    ("task", "task"),
    ("threshold", "threshold"),
    ("training.evidence", "evidence"),
    ("training.preset", "preset"),
];

/// The separator of the names, and of the values, in an error about several options.
const AND: &str = " + ";

/// The flags of the subcommand that runs.
pub struct Flags<'a> {
    subcommand: &'a Command,
    /// The command in which the options of a model are given, if not this one.
    train: &'a Command,
}

impl<'a> Flags<'a> {
    /// The flags of `subcommand`; models come from `train`.
    pub fn new(subcommand: &'a Command, train: &'a Command) -> Self {
        Self { subcommand, train }
    }

    /// The library's error with its options named as flags. A name that is not an option, or not one of this
    /// subcommand's, is kept.
    pub fn sentence(&self, error: &Error) -> String {
        match error {
            Error::Setting { name, value, expected } => match self.given(name, value) {
                Some(flags) => format!("{flags}: {expected}"),
                None => error.to_string(),
            },
            Error::Unset { location, name, message } => {
                let expected = match (missing(self.subcommand, name), missing(self.train, name)) {
                    (Some(flag), _) => flag,
                    (None, Some(flag)) => format!("a model trained with {flag}"),
                    (None, None) => return error.to_string(),
                };
                format!("{location}: {message}: expected {expected}")
            }
            Error::Undecided { location, message, remedy } => {
                let value = remedy.value.as_deref().unwrap_or_default();
                match given(self.subcommand, &remedy.option, value) {
                    Some(flag) => format!("{location}: {message}, or {flag} {}", remedy.effect),
                    None => error.to_string(),
                }
            }
            error => error.to_string(),
        }
    }

    /// One or several options with their values, as they are typed.
    fn given(&self, names: &str, values: &str) -> Option<String> {
        if !names.contains(AND) {
            return given(self.subcommand, names, values);
        }
        let pairs = names.split(AND).zip(values.split(AND));
        let flags = pairs.map(|(name, value)| given(self.subcommand, name, value));
        Some(flags.collect::<Option<Vec<_>>>()?.join(" "))
    }
}

/// An option of `train`, as it is typed, with a placeholder if there is no value.
pub fn of_train(name: &str, value: Option<&str>) -> Option<String> {
    let cli = Cli::command();
    let train = cli.find_subcommand("train")?;
    match value {
        Some(value) => given(train, name, value),
        None => missing(train, name),
    }
}

/// The flag of `train`, without its dashes, for an option.
pub fn own_flag_of_train(name: &str) -> Option<String> {
    let cli = Cli::command();
    own_flag(cli.find_subcommand("train")?, name)?.get_long().map(String::from)
}

/// An option with its value, as it is typed; `None` if the subcommand has no such option.
fn given(subcommand: &Command, name: &str, value: &str) -> Option<String> {
    // A TOML string; other values are shown unchanged.
    let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value);
    match own_flag(subcommand, name) {
        Some(flag) => Some(format!("--{} {}", flag.get_long()?, quoted(value))),
        None => set_flag(subcommand, name)
            .map(|()| format!("--set {}", quoted(&format!("{name}={value}")))),
    }
}

/// A required option, with a placeholder for its value (those without a flag name a column);
/// `None` as above.
fn missing(subcommand: &Command, name: &str) -> Option<String> {
    match own_flag(subcommand, name) {
        Some(flag) => {
            let value = flag.get_value_names().and_then(|names| names.first());
            Some(format!("--{} {}", flag.get_long()?, value.map_or("VALUE", |v| v.as_str())))
        }
        None => set_flag(subcommand, name).map(|()| format!("--set {name}=COLUMN")),
    }
}

fn own_flag<'a>(subcommand: &'a Command, name: &str) -> Option<&'a Arg> {
    let (_, long) = FLAGS.iter().find(|(field, _)| *field == name)?;
    find(subcommand, long)
}

/// Whether `--set` sets this field: those in a table of the configuration file have a dot, and all but one of the others
/// a flag.
fn set_flag(subcommand: &Command, name: &str) -> Option<()> {
    find(subcommand, "set").filter(|_| name.contains('.') || name == "objective").map(drop)
}

fn find<'a>(subcommand: &'a Command, long: &str) -> Option<&'a Arg> {
    subcommand.get_arguments().find(|arg| arg.get_long() == Some(long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::error::Location;

    fn sentence(subcommand: &str, error: &Error) -> String {
        let cli = Cli::command();
        let find = |name| cli.find_subcommand(name).unwrap();
        Flags::new(find(subcommand), find("train")).sentence(error)
    }

    #[test]
    fn options_are_named_as_they_are_typed() {
        for (name, value, expected) in [
            ("k", "0", "--k 0: no"),
            ("data.path", "my file", "--data 'my file': no"),
            ("groups", "\"a=b\"", "--group a=b: no"),
            ("training.epochs", "\"many\"", "--set training.epochs=many: no"),
            ("representation.cells", "[9, 9]", "--set 'representation.cells=[9, 9]': no"),
            (
                "data.valid_fraction + data.test_fraction",
                "0.6 + 0.4",
                "--valid-fraction 0.6 --test-fraction 0.4: no",
            ),
            ("image size", "9×9", "image size = 9×9: no"),
            ("data", "texts", "data = texts: no"),
        ] {
            assert_eq!(sentence("train", &Error::setting(name, value, "no")), expected);
        }
        // `predict` has --k, and no other option of a model.
        assert_eq!(sentence("predict", &Error::setting("k", 9, "no")), "--k 9: no");
        let epochs = Error::setting("training.epochs", 0, "no");
        assert_eq!(sentence("predict", &epochs), "training.epochs = 0: no");
    }

    #[test]
    fn a_missing_option_is_named() {
        let unset = |name| {
            let location = Location::file("a.csv");
            Error::Unset { location, name, message: "unclear".into() }
        };
        for (subcommand, name, expected) in [
            ("train", "data.target", "--target COLUMN"),
            ("evaluate", "data.labels", "--labels PATH"),
            ("train", "data.text", "--set data.text=COLUMN"),
            ("predict", "data.text", "a model trained with --set data.text=COLUMN"),
        ] {
            let expected = format!("a.csv: unclear: expected {expected}");
            assert_eq!(sentence(subcommand, &unset(name)), expected);
        }
    }

    #[test]
    fn every_flag_is_one_that_a_subcommand_has() {
        let mut cli = Cli::command();
        cli.build();
        let data = cli.find_subcommand("data").unwrap().get_subcommands();
        let all: Vec<&Command> = cli.get_subcommands().chain(data).collect();
        for (field, long) in FLAGS {
            assert!(all.iter().any(|c| find(c, long).is_some()), "{field}: no --{long}");
        }
    }
}
