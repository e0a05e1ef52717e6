//! Masks: images whose values are regions.

use super::decode::{self, DECODER_BYTES, Undecoded};
use ngsll::Config;
use ngsll::config::ImageConfig;
use ngsll::dataset::ImageSize;
use ngsll::error::{Location, Result};
use ngsll::representation::{RegionSource, Regions, RepresentationConfig};
use std::path::Path;

/// Reads the regions that an image draws: pixels of one grey or colour are a region, numbered by red, then green, then
/// blue. `names` has a name for each, or is empty.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let mask = folder.path().join("mask.png");
/// image::GrayImage::from_fn(4, 4, |x, _| [if x < 2 { 0 } else { 255 }].into()).save(&mask)?;
/// let regions = ngsll_readers::read_regions(&mask, &["left".into(), "right".into()])?;
/// assert_eq!((regions.len(), regions.name(1)), (2, "right".to_string()));
/// # Ok(())
/// # }
/// ```
pub fn read_regions(path: &Path, names: &[String]) -> Result<Regions> {
    let bytes = decode::read(path)?;
    let failed = |message| Location::file(path).error(message);
    let config = ImageConfig::of_older_models();
    let mask = Undecoded::new(&bytes, &config, DECODER_BYTES).map_err(failed)?;
    let size = ImageSize { channels: 3, ..mask.size() };
    let pixels = mask.pixels(size, &config).map_err(failed)?;
    let value = |rgb: &[u8]| u32::from_be_bytes([0, rgb[0], rgb[1], rgb[2]]);
    let values: Vec<u32> = pixels.chunks_exact(3).map(value).collect();
    Regions::new((size.width, size.height), &values, names)
}

/// The options with the regions of the mask that they name.
pub fn with_regions(mut config: Config) -> Result<Config> {
    if let RepresentationConfig::Grid(grid) = &mut config.representation
        && let Some(RegionSource::Mask(path)) = &grid.regions
    {
        grid.region_map = Some(read_regions(path, &grid.region_names)?);
    }
    Ok(config)
}
