//! The regions of images: every pixel belongs to one. A user draws them for all images of a task, or each image has its
//! own.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most regions of a mask; an image with more values is not a mask.
const MOST: usize = 256;
/// The most pixels of an image.
pub(super) const MOST_PIXELS: usize = 1 << 24;

/// What cuts images into regions.
///
/// ```
/// use ngsll::representation::RegionSource;
/// assert_eq!(RegionSource::from("slic"), RegionSource::Slic);
/// assert_eq!(RegionSource::from("mask.png"), RegionSource::Mask("mask.png".into()));
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PathBuf", into = "PathBuf")]
#[non_exhaustive]
pub enum RegionSource {
    /// Each image's own edges: superpixels by SLIC (Achanta et al., 2012).
    Slic,
    /// An image whose values are the regions of all images.
    Mask(PathBuf),
}

/// What stands for [`RegionSource::Slic`] in the place of a path.
const SLIC: &str = "slic";

impl RegionSource {
    fn path(&self) -> &Path {
        match self {
            Self::Slic => Path::new(SLIC),
            Self::Mask(path) => path,
        }
    }
}

/// As the path that stands for it: records of experiments are identified by this text.
impl fmt::Debug for RegionSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().fmt(f)
    }
}

impl From<PathBuf> for RegionSource {
    fn from(path: PathBuf) -> Self {
        if path == Path::new(SLIC) { Self::Slic } else { Self::Mask(path) }
    }
}

impl From<&str> for RegionSource {
    fn from(path: &str) -> Self {
        PathBuf::from(path).into()
    }
}

impl From<RegionSource> for PathBuf {
    fn from(source: RegionSource) -> Self {
        source.path().to_path_buf()
    }
}

/// The region of each pixel.
///
/// ```
/// use ngsll::representation::Regions;
/// let regions = Regions::new((2, 2), &[0, 0, 255, 80], &[])?;
/// assert_eq!((regions.len(), regions.owners()), (3, &[0, 0, 2, 1][..]));
/// assert_eq!(regions.name(1), "region 2");
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredRegions", into = "StoredRegions")]
pub struct Regions {
    width: usize,
    height: usize,
    owners: Arc<[u32]>,
    /// One for each region, or empty.
    names: Arc<[String]>,
    len: usize,
}

/// Runs of pixels of one region are one entry.
#[derive(Clone, Serialize, Deserialize)]
struct StoredRegions {
    width: usize,
    height: usize,
    /// The region and the number of pixels.
    runs: Vec<(u32, usize)>,
    names: Arc<[String]>,
}

impl Regions {
    /// The regions of a mask of this width and height: pixels of one value are a region, and the regions
    /// are numbered by their values. `names` names each, or none.
    pub fn new((width, height): (usize, usize), values: &[u32], names: &[String]) -> Result<Self> {
        let mut known = values.to_vec();
        known.sort_unstable();
        known.dedup();
        let len = known.len();
        if width.checked_mul(height) != Some(values.len()) || !(2..=MOST).contains(&len) {
            let expected = format!(
                "expected a mask with 2 to {MOST} regions, each with a distinct grey value; a photo or a JPEG is not a mask"
            );
            return Err(Error::setting(
                "representation.regions",
                format!("{len} values"),
                expected,
            ));
        }
        if !names.is_empty() && names.len() != len {
            let expected = format!("expected {len} names, one for each region of the mask");
            return Err(Error::setting("representation.region_names", names.len(), expected));
        }
        let owner = |value: &u32| known.binary_search(value).unwrap_or(0) as u32;
        let owners = values.iter().map(owner).collect();
        Ok(Self { width, height, owners, names: names.into(), len })
    }

    /// The regions of one image, of which some may have no pixel, with a name for each.
    pub(super) fn of_image(
        (width, height): (usize, usize),
        owners: &[u16],
        names: Arc<[String]>,
    ) -> Self {
        let len = names.len();
        let owners = owners.iter().map(|&region| u32::from(region)).collect();
        Self { width, height, owners, names, len }
    }

    /// The number of regions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: a mask has at least one region.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The region of each pixel, row by row.
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// Whether they are for images of this size.
    pub(super) fn fits(&self, width: usize, height: usize) -> bool {
        (width, height) == (self.width, self.height)
    }

    /// The name of a region: `region 3`, counted from 1, if none was given.
    pub fn name(&self, j: usize) -> String {
        self.names.get(j).cloned().unwrap_or_else(|| format!("region {}", j + 1))
    }

    /// For images of another size; fails if a region would have no pixel left.
    pub(super) fn scaled(&self, width: usize, height: usize) -> Result<Self> {
        if (width, height) == (self.width, self.height) {
            return Ok(self.clone());
        }
        let from = |x: usize, y: usize| {
            let (x, y) =
                ((2 * x + 1) * self.width / (2 * width), (2 * y + 1) * self.height / (2 * height));
            self.owners[y * self.width + x]
        };
        let owners: Arc<[u32]> =
            (0..height).flat_map(|y| (0..width).map(move |x| from(x, y))).collect();
        if let Some(lost) = (0..self.len as u32).find(|region| !owners.contains(region)) {
            let name = self.name(lost as usize);
            let size = format!("{}×{}", self.width, self.height);
            let expected = format!("{name} has no pixel left in images of {width}×{height}");
            return Err(Error::setting("representation.regions", size, expected));
        }
        Ok(Self { width, height, owners, ..self.clone() })
    }
}

impl TryFrom<StoredRegions> for Regions {
    type Error = String;

    fn try_from(stored: StoredRegions) -> Result<Self, String> {
        let StoredRegions { width, height, runs, names } = stored;
        let mut seen: Vec<u32> = runs.iter().map(|(region, _)| *region).collect();
        seen.sort_unstable();
        seen.dedup();
        // Checked before anything is allocated: a damaged file may name more pixels than fit into memory.
        let pixels = width.checked_mul(height).filter(|&pixels| pixels <= MOST_PIXELS);
        let mut counts = runs.iter().map(|(_, count)| *count);
        let sum = counts.try_fold(0_usize, |sum, count| sum.checked_add(count));
        let is_numbered = seen.iter().enumerate().all(|(at, &region)| at == region as usize);
        let is_named = names.is_empty() || names.len() == seen.len();
        if sum.is_none() || sum != pixels || seen.len() > MOST || !is_numbered || !is_named {
            return Err(format!("the regions do not fit an image of {width}×{height}"));
        }
        let runs = runs.into_iter();
        let owners = runs.flat_map(|(region, count)| std::iter::repeat_n(region, count)).collect();
        Ok(Self { width, height, owners, names, len: seen.len() })
    }
}

impl From<Regions> for StoredRegions {
    fn from(regions: Regions) -> Self {
        let Regions { width, height, owners, names, .. } = regions;
        let runs = owners.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
        Self { width, height, runs, names }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_scaled_and_comes_back_from_json() {
        let values: Vec<u32> =
            (0..64).map(|at| if at % 8 < 4 { 9 } else { 200 + at / 32 }).collect();
        let names = ["left", "top", "bottom"].map(String::from);
        let regions = Regions::new((8, 8), &values, &names).unwrap();
        let small = regions.scaled(4, 2).unwrap();
        assert_eq!(small.owners(), [0, 0, 1, 1, 0, 0, 2, 2]);
        assert_eq!(small.name(2), "bottom");
        let json = serde_json::to_string(&regions).unwrap();
        assert!(json.contains("[0,4],[1,4],[0,4]"), "{json}");
        assert_eq!(serde_json::from_str::<Regions>(&json).unwrap(), regions);
        let lost = regions.scaled(1, 1).unwrap_err().to_string();
        assert_eq!(lost, "representation.regions = 8×8: left has no pixel left in images of 1×1");
    }

    #[test]
    fn invalid_masks_are_refused() {
        let photo: Vec<u32> = (0..400).collect();
        for (values, names, expected) in [
            (
                &photo[..],
                0,
                "representation.regions = 400 values: expected a mask with 2 to 256 regions",
            ),
            (
                &[7; 400][..],
                0,
                "representation.regions = 1 values: expected a mask with 2 to 256 regions",
            ),
            (
                &[&[1; 399][..], &[2]].concat(),
                3,
                "representation.region_names = 3: expected 2 names",
            ),
        ] {
            let names = vec!["a".to_string(); names];
            let found = Regions::new((20, 20), values, &names).unwrap_err().to_string();
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
