//! Messages about wrong options, in the words of the table of options: the parser's messages name Rust types.

use super::{OptionInfo, option_groups};
use crate::train::Stage;
use std::collections::BTreeSet;
use strsim::levenshtein;

/// The starts of the parser's own messages; others are ours.
const PARSER: [&str; 7] = [
    "invalid type",
    "invalid value",
    "invalid length",
    "unknown field",
    "unknown variant",
    "missing field",
    "duplicate field",
];

/// The message about a wrong value, from the parser's message.
pub(super) fn sentence(name: &str, value: &toml::Value, message: String) -> String {
    if !PARSER.iter().any(|start| message.starts_with(start))
        && !message.contains("did not match")
        && !name.starts_with("training.class_weights")
    {
        return message;
    }
    if name == "training.stages" {
        return wrong_stage(value);
    }
    if name.starts_with("data.columns.") && name.ends_with(".monotone") {
        return "expected up or down".to_string();
    }
    let groups = option_groups();
    let known = groups
        .iter()
        .flat_map(|group| group.options.iter().map(|option| (group.key(option), option.values)));
    let known: Vec<(String, &str)> = known.collect();
    // Below the option, columns and classes are named by the user.
    let below = |key: &str| name.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
    if message.starts_with("missing field") && name.starts_with("choice.") {
        return "choice.rule and choice.side must be given together".to_string();
    }
    if let Some(field) = unknown_sibling(name, &message) {
        return format!("{field} is not an option here; {}", others(name, &message));
    }
    let is_unknown = message.starts_with("unknown field") && message.contains(&quoted_last(name));
    match known.iter().find(|(key, _)| key == name || below(key)) {
        Some((_, values)) if !is_unknown => format!("expected {values}"),
        // An option of another network or of another kind of samples.
        Some(_) => format!("there is no such option here; {}", others(name, &message)),
        None => no_such_option(name, known.iter().map(|(key, _)| key.as_str())),
    }
}

/// Another option of the same table that the parser rejected: each kind of network lacks some options
/// of the others.
fn unknown_sibling(name: &str, message: &str) -> Option<String> {
    let field = message.strip_prefix("unknown field `")?.split('`').next()?;
    let (table, last) = name.rsplit_once('.')?;
    (field != last).then(|| format!("{table}.{field}"))
}

fn quoted_last(name: &str) -> String {
    format!("`{}`", name.rsplit('.').next().unwrap_or(name))
}

/// The options beside one that does not exist, as the parser lists them.
fn others(name: &str, message: &str) -> String {
    let table = name.rsplit_once('.').map_or("a model", |(table, _)| table);
    let listed = message.split('`').skip(3).step_by(2).collect::<Vec<_>>().join(", ");
    format!("the options of {table} are {listed}")
}

/// The message about a name that is not an option.
fn no_such_option<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: BTreeSet<&str> = known.collect();
    let inside: Vec<&str> = known
        .iter()
        .filter_map(|key| key.strip_prefix(name)?.strip_prefix('.'))
        .filter(|rest| !rest.contains('.'))
        .collect();
    if !inside.is_empty() {
        return format!("expected one of its options by name: {}", inside.join(", "));
    }
    let last = |key: &str| key.rsplit('.').next().unwrap_or(key).to_string();
    let close = |key: &&&str| levenshtein(key, name) <= 2 || last(key) == last(name);
    match known.iter().filter(close).min_by_key(|key| levenshtein(key, name)) {
        Some(key) => format!("there is no such option; did you mean {key}?"),
        None => {
            let table = name.rsplit_once('.').map_or("", |(table, _)| table);
            let beside = |key: &&&str| key.rsplit_once('.').map_or("", |(table, _)| table) == table;
            let mut beside: Vec<&str> = known.iter().filter(beside).copied().collect();
            let tables: BTreeSet<&str> =
                known.iter().filter_map(|key| Some(key.rsplit_once('.')?.0)).collect();
            if beside.is_empty() || table.is_empty() {
                beside.extend(tables.into_iter().filter(|inner| !inner.contains('.')));
            }
            format!("there is no such option; the options are {}", beside.join(", "))
        }
    }
}

/// The message about a wrong training schedule.
fn wrong_stage(value: &toml::Value) -> String {
    let names: Vec<&str> = Stage::OPTIONS.iter().map(|option| option.name).collect();
    let all = || format!("a list of stages, each a table of {}", names.join(", "));
    let Some(stages) = value.as_array() else { return format!("expected {}", all()) };
    for (number, stage) in (1..).zip(stages) {
        let Some(stage) = stage.as_table() else { return format!("expected {}", all()) };
        if let Some(unknown) = stage.keys().find(|key| !names.contains(&key.as_str())) {
            let names = names.join(", ");
            return format!("stage {number} has {unknown:?}; the options of a stage are {names}");
        }
        for option in Stage::OPTIONS {
            match stage.get(option.name) {
                None if option.default == REQUIRED => {
                    return format!("stage {number} lacks {:?}", option.name);
                }
                Some(value) if !is_stage_value(option, value) => {
                    let (name, values) = (option.name, option.values);
                    return format!("stage {number}: {name} = {value}: expected {values}");
                }
                _ => {}
            }
        }
    }
    format!("expected {}", all())
}

/// The default of an option that every stage must give.
const REQUIRED: &str = "must be given";

fn is_stage_value(option: &OptionInfo, value: &toml::Value) -> bool {
    let good = "k = 1\ntemperature = 0\noptimiser = \"adam\"\nlearning_rate = 1\nmax_epochs = 1\npatience = 1";
    let mut stage: toml::Table = good.parse().expect("it is TOML");
    stage.insert(option.name.to_string(), value.clone());
    stage.try_into::<Stage>().is_ok()
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Task};

    fn wrong(task: Task, name: &str, value: &str) -> String {
        Config::new(task).with(name, value).unwrap_err().to_string()
    }

    #[test]
    fn no_word_of_the_parser_is_shown() {
        for (task, name, value, expected) in [
            (Task::Text, "k", "three", "expected a whole number of at least 1"),
            (Task::Text, "k", "-3", "expected a whole number of at least 1"),
            (Task::Text, "k", "[3]", "expected a whole number of at least 1"),
            (Task::Text, "objective", "both", "expected auto, classes or regression"),
            (Task::Text, "representation.lowercase", "1", "expected true or false"),
            (Task::Text, "representation.stop_words", "the", "expected a list of words"),
            (Task::Text, "data.decimal", "{ a = 1 }", "expected point or comma"),
            (
                Task::Image,
                "representation.cells",
                "7",
                "expected two whole numbers, up to the height",
            ),
            (
                Task::Image,
                "representation.cells",
                "[7]",
                "expected two whole numbers, up to the height",
            ),
            (Task::Image, "data.image.background", "red", "expected white, black, #rrggbb or none"),
            (Task::Tabular, "data.drop", "age", "expected a list of column names"),
            (Task::Tabular, "data.columns", "numeric", "expected numeric, categorical or date"),
            (
                Task::Tabular,
                "training.class_weights",
                "often",
                "expected none, balanced, or a weight",
            ),
            (Task::Tabular, "training.class_weights.rare", "often", "expected none, balanced, or"),
            (Task::Tabular, "training.epochs", "many", "expected a whole number of at least 1"),
            (Task::Tabular, "generator", "3", "expected one of its options by name: cell_units, "),
            (
                Task::Tabular,
                "generator.unit",
                "3",
                "there is no such option; did you mean generator.units?",
            ),
            (Task::Tabular, "units", "3", "there is no such option; did you mean generator.units?"),
            (
                Task::Tabular,
                "training.colour",
                "3",
                "there is no such option; the options are training.batch_size, ",
            ),
            (
                Task::Tabular,
                "generator.filters",
                "3",
                "there is no such option here; the options of generator are members, embedding",
            ),
            (
                Task::Tabular,
                "representation.kind",
                "grid",
                "it does not belong to this task, expected columns",
            ),
            (Task::Tabular, "generator.kind", "forest", "expected cell_context, image_cnn"),
            (
                Task::Tabular,
                "choice.rule",
                "effect",
                "choice.rule and choice.side must be given together",
            ),
            (
                Task::Tabular,
                "training.stages",
                "3",
                "expected a list of stages, each a table of k, ",
            ),
            (Task::Tabular, "training.stages", "[{ k = 3 }]", "stage 1 lacks \"temperature\""),
            (
                Task::Tabular,
                "training.stages",
                "[{ kk = 3 }]",
                "stage 1 has \"kk\"; the options of a stage are k, ",
            ),
            (
                Task::Tabular,
                "training.stages",
                "[{ k = 3, temperature = \"hot\" }]",
                "stage 1: temperature = \"hot\": expected a number of at least 0",
            ),
        ] {
            let message = wrong(task, name, value);
            let (_, detail) = message.split_once(": ").unwrap();
            assert!(detail.starts_with(expected), "{message}");
            for word in ["invalid", "sequence", "variant", "field", "usize", "map", "boolean"] {
                assert!(!message.contains(word), "{message}");
            }
        }
    }
}
