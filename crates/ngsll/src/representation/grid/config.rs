//! The options of images as features.

use crate::config::option_table;
use crate::error::{Error, Result};
use crate::representation::superpixels::MOST_REGIONS;
use crate::representation::{RegionSource, Regions};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How features are made from images. Table of options: [`GridConfig::OPTIONS`].
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct GridConfig {
    /// Rows and columns of the grid.
    pub cells: [usize; 2],
    /// What cuts images into regions instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<RegionSource>,
    /// The names of a mask's regions, by ascending value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub region_names: Vec<String>,
    /// The regions of a mask: this crate reads no image files, so whoever can puts them here. A model
    /// keeps them with its representation.
    #[serde(skip)]
    pub region_map: Option<Regions>,
}

option_table! {
    GridConfig:
    (
        "cells",
        "[7, 7]",
        "rows and columns of the grid; with `regions=slic`, a region grows from each of its cells",
        "two whole numbers, up to the height and width of the images, such as [7, 7]",
    ),
    (
        "regions",
        "none",
        "regions that are the features instead of cells: `slic` cuts every image along its own edges; an image whose grey values, 2 to 256 of them, mark regions is for all images",
        "slic, or a path",
    ),
    (
        "region_names",
        "region 1, region 2, …",
        "the names of a mask's regions, by ascending grey value",
        "a list of names, one for each region",
    ),
}

/// Records of experiments are identified by this text, so options added later appear only when set.
impl fmt::Debug for GridConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("GridConfig");
        shown.field("cells", &self.cells);
        if self.regions.is_some() || self.region_map.is_some() {
            shown.field("regions", &self.regions).field("names", &self.region_names);
            shown.field("map", &self.region_map);
        }
        shown.finish()
    }
}

impl Default for GridConfig {
    fn default() -> Self {
        Self { cells: [7, 7], regions: None, region_names: Vec::new(), region_map: None }
    }
}

impl GridConfig {
    /// A grid without cells explains nothing; whether it fits the images is seen when they are there.
    pub(in crate::representation) fn check(&self) -> Result<()> {
        let own = self.regions == Some(RegionSource::Slic);
        match self.cells {
            [0, _] | [_, 0] => self.refuse("expected at least one row and one column"),
            [rows, columns] if own && rows.saturating_mul(columns) > MOST_REGIONS => {
                self.refuse(&format!("expected at most {MOST_REGIONS} regions"))
            }
            _ if own && !self.region_names.is_empty() => {
                let expected = "only the regions of a mask have names: \
                                those of slic are named by their place in each image";
                let names = self.region_names.join(", ");
                Err(Error::setting("representation.region_names", names, expected))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn refuse(&self, expected: &str) -> Result<()> {
        let [rows, columns] = self.cells;
        Err(Error::setting("representation.cells", format!("[{rows}, {columns}]"), expected))
    }
}
