//! How image files become images of one size.

use crate::config::option_table;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How image files are read. Table of options: [`ImageConfig::OPTIONS`].
///
/// ```
/// use ngsll::config::{Config, Fit, Task};
/// let mut config = Config::new(Task::Image);
/// config.data.image.get_or_insert_default().fit = Fit::Crop;
/// assert!(config.to_toml()?.contains("fit = \"crop\""));
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ImageConfig {
    /// The width and height that images are brought to; if absent, the model's own, or the most common one
    /// in training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[usize; 2]>,
    /// How an image of another shape is fitted.
    pub fit: Fit,
    /// The colour behind transparent parts.
    pub background: Background,
    /// Whether photos are rotated as their EXIF data say.
    pub orientation: bool,
    /// The column of a CSV that names the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

option_table! {
    ImageConfig:
    (
        "size",
        "the most common size",
        "width and height that images are brought to",
        "a width and a height of at least 1, such as [64, 64]",
    ),
    (
        "fit",
        "pad",
        "an image of another shape is shown whole with a margin (`pad`), cut to its middle (`crop`) or stretched (`stretch`)",
        "pad, crop or stretch",
    ),
    (
        "background",
        "white",
        "the colour behind transparent parts of an image; `none` drops transparency",
        "white, black, #rrggbb or none",
    ),
    ("orientation", "true", "whether photos are rotated as their EXIF data say", "true or false"),
    (
        "column",
        "a column called path, file, filename or image",
        "the column of a CSV that names the image files",
        "the name of a column",
    ),
}

impl Default for ImageConfig {
    fn default() -> Self {
        let (fit, background) = (Fit::default(), Background::default());
        Self { size: None, fit, background, orientation: true, column: None }
    }
}

impl ImageConfig {
    /// How models trained before these options existed read images: transparency was dropped, and EXIF
    /// data were ignored.
    pub fn of_older_models() -> Self {
        Self { background: Background::Dropped, orientation: false, ..Self::default() }
    }

    /// Refuses a size without pixels.
    pub(crate) fn check(&self) -> Result<()> {
        match self.size {
            Some(size @ ([0, _] | [_, 0])) => {
                let expected = "expected a width and a height of at least 1";
                Err(Error::setting("data.image.size", format!("{size:?}"), expected))
            }
            _ => Ok(()),
        }
    }
}

/// How an image of another shape than the requested one is fitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fit {
    /// Shown whole, with a margin in the mean colour of its edge.
    #[default]
    Pad,
    /// Only its middle is shown.
    Crop,
    /// Shown whole, out of proportion.
    Stretch,
}

impl Fit {
    /// A description of the treatment, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Pad => "shown whole with a margin",
            Self::Crop => "cut to their middle",
            Self::Stretch => "stretched",
        }
    }
}

/// The colour behind transparent parts: `white`, `black`, `#rrggbb`, or `none`, which drops
/// transparency and shows the colours below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Background {
    /// Red, green and blue.
    Colour([u8; 3]),
    /// Transparency is dropped.
    Dropped,
}

impl Default for Background {
    fn default() -> Self {
        Self::Colour([255; 3])
    }
}

impl TryFrom<String> for Background {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let colour = |hex: &str| {
            let digits = hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            let value = u32::from_str_radix(hex, 16).ok().filter(|_| digits)?;
            let [_, red, green, blue] = value.to_be_bytes();
            Some(Self::Colour([red, green, blue]))
        };
        match text.as_str() {
            "white" => Ok(Self::Colour([255; 3])),
            "black" => Ok(Self::Colour([0; 3])),
            "none" => Ok(Self::Dropped),
            other => other
                .strip_prefix('#')
                .and_then(colour)
                .ok_or_else(|| "expected white, black, #rrggbb or none".to_string()),
        }
    }
}

impl From<Background> for String {
    fn from(background: Background) -> Self {
        background.to_string()
    }
}

impl fmt::Display for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Colour([255, 255, 255]) => f.write_str("white"),
            Self::Colour([0, 0, 0]) => f.write_str("black"),
            Self::Colour([red, green, blue]) => write!(f, "#{red:02x}{green:02x}{blue:02x}"),
            Self::Dropped => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Task};

    #[test]
    fn a_background_is_a_colour_or_none() {
        for text in ["white", "black", "#1a2b3c", "none"] {
            let background = Background::try_from(text.to_string()).unwrap();
            assert_eq!(String::from(background), text);
        }
        for text in ["", "red", "#12345", "#12345g", "#+12345", "#1234567"] {
            assert!(Background::try_from(text.to_string()).is_err(), "{text}");
        }
    }

    #[test]
    fn options_are_written_only_where_they_are_given() {
        let config = Config::new(Task::Image);
        assert!(!config.to_toml().unwrap().contains("[data.image]"));
        let config = config.with("data.image.size", "[8, 4]").unwrap();
        let image = config.data.image.clone().unwrap();
        assert_eq!((image.size, image.fit, image.orientation), (Some([8, 4]), Fit::Pad, true));
        assert!(config.to_toml().unwrap().contains("[data.image]\nsize = "));
        let wrong = Config::new(Task::Image).with("data.image.background", "red").unwrap_err();
        assert!(wrong.to_string().contains("expected white, black, #rrggbb or none"), "{wrong}");
        let none = Config::new(Task::Image).with("data.image.size", "[0, 4]").unwrap();
        let message = none.check().unwrap_err().to_string();
        assert_eq!(
            message,
            "data.image.size = [0, 4]: expected a width and a height of at least 1"
        );
    }
}
