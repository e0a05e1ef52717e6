//! The tables of options hold every option, and no other.

use super::*;
use crate::config::{Evidence, GeneratorConfig, RepresentationConfig, Task};
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// A deserializer that gives nothing and records which fields were requested.
struct Fields<'a>(&'a mut Vec<&'static str>);

type Refused = serde::de::value::Error;

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refused> {
        Err(Refused::custom("not a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Refused> {
        self.0.extend(fields);
        Err(Refused::custom("the fields are known"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn fields<T: for<'de> Deserialize<'de>>() -> Vec<&'static str> {
    let mut found = Vec::new();
    assert!(T::deserialize(Fields(&mut found)).is_err());
    found
}

#[test]
fn every_field_of_a_configuration_is_in_its_table_and_no_other() {
    let tables = |fields: Vec<&'static str>, tables: &[&str]| {
        fields.into_iter().filter(|field| !tables.contains(field)).collect::<Vec<_>>()
    };
    let of_config =
        tables(fields::<Config>(), &["choice", "data", "representation", "generator", "training"]);
    for (expected, options) in [
        (of_config, Config::OPTIONS),
        (fields::<Choice>(), Choice::OPTIONS),
        (tables(fields::<DataConfig>(), &["image"]), DataConfig::OPTIONS),
        (fields::<ImageConfig>(), ImageConfig::OPTIONS),
        (fields::<WordsConfig>(), WordsConfig::OPTIONS),
        (fields::<GridConfig>(), GridConfig::OPTIONS),
        (fields::<ColumnsConfig>(), ColumnsConfig::OPTIONS),
        (fields::<TokenContextConfig>(), TokenContextConfig::OPTIONS),
        (fields::<SentenceCnnConfig>(), SentenceCnnConfig::OPTIONS),
        (fields::<ImageCnnConfig>(), ImageCnnConfig::OPTIONS),
        (fields::<TabularEnsembleConfig>(), TabularEnsembleConfig::OPTIONS),
        (fields::<TabularMlpConfig>(), TabularMlpConfig::OPTIONS),
        (fields::<TrainingConfig>(), TrainingConfig::OPTIONS),
        (fields::<Stage>(), Stage::OPTIONS),
    ] {
        let mut named: Vec<&str> = options.iter().map(|option| option.name).collect();
        let mut expected = expected;
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!(named, expected);
    }
}

/// All keys of a table and of those in it, with their values.
fn leaves(prefix: &str, table: &toml::Table, found: &mut Vec<(String, toml::Value)>) {
    for (key, value) in table {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            toml::Value::Table(inner) => leaves(&name, inner, found),
            value => found.push((name, value.clone())),
        }
    }
}

#[test]
fn every_written_option_is_in_the_tables_with_its_default() {
    let mut configs = Vec::new();
    for task in [Task::Text, Task::Image, Task::Tabular] {
        for evidence in [Evidence::Chosen, Evidence::Whole] {
            configs.push(Config::with_evidence(task, evidence));
        }
    }
    configs.push(Config::new(Task::Text).with("generator.kind", "sentence_cnn").unwrap());
    configs.push(Config::new(Task::Image).with("data.image.fit", "pad").unwrap());
    let groups = option_groups();
    for config in configs {
        let mut written = Vec::new();
        leaves("", &toml::Table::try_from(&config).unwrap(), &mut written);
        for (key, value) in written {
            let applies = |group: &&OptionGroup| {
                let kinds = [config.generator.kind(), kind_of(&config.representation)];
                group.kind.is_none_or(|kind| kinds.contains(&kind))
            };
            let option = groups
                .iter()
                .filter(applies)
                .find_map(|group| group.options.iter().find(|option| group.key(option) == key));
            let option = option.unwrap_or_else(|| panic!("{key} is in no table"));
            let shown = match &value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Float(number) => number.to_string(),
                toml::Value::Array(list) if list.is_empty() => "none".to_string(),
                value => value.to_string(),
            };
            let by_task = ["task", "representation.kind", "generator.kind"].contains(&key.as_str());
            assert!(by_task || option.default.contains(&shown), "{key} = {shown}: {option:?}");
        }
    }
}

fn kind_of(representation: &RepresentationConfig) -> &'static str {
    match representation {
        RepresentationConfig::Words(_) => "words",
        RepresentationConfig::Grid(_) => "grid",
        RepresentationConfig::Columns(_) => "columns",
    }
}

#[test]
fn every_network_has_a_table() {
    for group in option_groups().iter().filter(|group| group.table == "generator") {
        assert!(group.kind.is_none_or(|kind| GeneratorConfig::by_kind(kind).is_ok()), "{group:?}");
    }
}
