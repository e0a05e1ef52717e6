//! The options of one column of a table.

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
/// If only the kind is given, its name alone is the value.
///
/// ```
/// use ngsll::config::{Config, Task};
/// use ngsll::dataset::ColumnKind;
/// use ngsll::representation::Monotone;
/// let mut config = Config::new(Task::Tabular);
/// config.data.columns.insert("income".to_string(), Monotone::Up.into());
/// config.data.columns.insert("zip".to_string(), ColumnKind::Categorical.into());
/// assert!(config.to_toml()?.contains("monotone = \"up\"") && config.to_toml()?.contains("zip = \"categorical\""));
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnConfig {
    /// The kind of its cells; inferred from the content if absent.
    pub kind: Option<ColumnKind>,
    /// The direction in which the score may move as its value rises; either if absent.
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

impl From<(ColumnKind, Monotone)> for ColumnConfig {
    fn from((kind, monotone): (ColumnKind, Monotone)) -> Self {
        Self { kind: Some(kind), monotone: Some(monotone) }
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
