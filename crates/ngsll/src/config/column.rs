//! What can be said about one column of a table.

use crate::dataset::ColumnKind;
use crate::representation::Monotone;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// | name | default | purpose |
/// |---|---|---|
/// | `kind` | by content | `numeric`, `categorical` or `date` |
/// | `monotone` | neither | `up`: the score never falls as the value rises, all else equal; `down`: it never rises |
///
/// Where only the kind is said, its name stands for the whole.
///
/// ```
/// use ngsll::config::{Config, Task};
/// let config = Config::new(Task::Tabular).with("data.columns.income.monotone", "up")?;
/// let config = config.with("data.columns.zip", "categorical")?;
/// assert!(config.to_toml()?.contains("monotone = \"up\"") && config.to_toml()?.contains("zip = \"categorical\""));
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnConfig {
    /// What its cells are; by content if absent.
    pub kind: Option<ColumnKind>,
    /// Which way the score may go as its value rises; either way if absent.
    pub monotone: Option<Monotone>,
}

impl From<ColumnKind> for ColumnConfig {
    fn from(kind: ColumnKind) -> Self {
        Self { kind: Some(kind), monotone: None }
    }
}

impl From<Monotone> for ColumnConfig {
    fn from(monotone: Monotone) -> Self {
        Self { kind: None, monotone: Some(monotone) }
    }
}

/// The long form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<ColumnKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    monotone: Option<Monotone>,
}

impl Serialize for ColumnConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self { kind: Some(kind), monotone: None } => kind.serialize(serializer),
            Self { kind, monotone } => Fields { kind, monotone }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ColumnConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ColumnConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("numeric, categorical or date")
            }

            fn visit_str<E: Error>(self, kind: &str) -> Result<ColumnConfig, E> {
                ColumnKind::deserialize(kind.into_deserializer()).map(ColumnConfig::from)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ColumnConfig, A::Error> {
                let Fields { kind, monotone } =
                    Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(ColumnConfig { kind, monotone })
            }
        }
        deserializer.deserialize_any(Either)
    }
}
