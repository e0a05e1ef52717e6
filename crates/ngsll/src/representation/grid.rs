//! Images as a grid of cells, as user-drawn regions, or as regions of their own: z_j is the mean ink of cell j.

mod config;

pub use config::GridConfig;

use super::encoded::EncodedX;
use super::kind::{Augmentation, Change, Kind};
use super::regions::MOST_PIXELS;
use super::superpixels::{MOST_REGIONS, superpixels};
use super::{
    Encoded, ImageRegions, PixelScale, RegionSource, Regions, SampleView, Schema, SparseRow,
    TokenSlots, X, XShape,
};
use crate::dataset::{ImageSize, Images, Samples};
use crate::error::{Error, Result};
use crate::evidence::Choice;
use crate::evidence::choice::{Rule, Side};
use crate::evidence::subsets::SubsetSizes;
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most numbers of a pixel.
const MOST_CHANNELS: usize = 1024;

/// A grid over images of one size. Cell borders fall on whole pixels, as evenly as they can.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Grid {
    /// 1 for grey, 3 for colour.
    channels: usize,
    /// The images' height in pixels.
    height: usize,
    /// The images' width in pixels.
    width: usize,
    /// Cells from top to bottom.
    rows: usize,
    /// Cells from left to right.
    columns: usize,
    /// Regions that are the features instead of cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    regions: Option<Regions>,
    /// Whether each image has regions of its own, which grow from the cells.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    superpixels: bool,
    /// The scaling of pixel values for the network; shares of white if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pixels: Option<PixelScale>,
}

/// A [`Grid`] as a file has it, before anything is known of its sizes.
#[derive(Deserialize)]
struct Stored {
    channels: usize,
    height: usize,
    width: usize,
    rows: usize,
    columns: usize,
    #[serde(default)]
    regions: Option<Regions>,
    #[serde(default)]
    superpixels: bool,
    #[serde(default)]
    pixels: Option<PixelScale>,
}

impl TryFrom<Stored> for Grid {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let Stored { channels, height, width, rows, columns, regions, superpixels, pixels } =
            stored;
        let area = width.checked_mul(height).filter(|area| (1..=MOST_PIXELS).contains(area));
        if area.is_none() || !(1..=MOST_CHANNELS).contains(&channels) {
            return Err(format!(
                "images of {width}×{height} pixels in {channels} channels, expected 1 to \
                 {MOST_PIXELS} pixels in 1 to {MOST_CHANNELS} channels"
            ));
        }
        if pixels.as_ref().is_some_and(|scale| !scale.fits(channels)) {
            return Err(format!(
                "pixels: expected a finite mean and a positive deviation for each of {channels} \
                 channels"
            ));
        }
        let is_cut = (1..=height).contains(&rows) && (1..=width).contains(&columns);
        if !is_cut || regions.as_ref().is_some_and(|regions| !regions.fits(width, height)) {
            return Err(format!(
                "{columns}×{rows} cells or its regions do not fit images of {width}×{height} pixels"
            ));
        }
        if superpixels && (regions.is_some() || rows * columns > MOST_REGIONS) {
            return Err(format!(
                "images with regions of their own have no others, and at most {MOST_REGIONS}"
            ));
        }
        Ok(Self { channels, height, width, rows, columns, regions, superpixels, pixels })
    }
}

impl Grid {
    /// Takes the image size from the data.
    pub fn fit(config: &GridConfig, images: &Images) -> Result<Self> {
        let [rows, columns] = config.cells;
        let ImageSize { width, height, channels } = images.size();
        let superpixels = config.regions == Some(RegionSource::Slic);
        let grid = Self {
            channels,
            height,
            width,
            rows,
            columns,
            regions: None,
            superpixels,
            pixels: None,
        };
        if let (Some(RegionSource::Mask(path)), None) = (&config.regions, &config.region_map) {
            let expected = "the mask has not been read, expected its regions in region_map";
            return Err(Error::setting("representation.regions", path.display(), expected));
        }
        if let (Some(regions), false) = (&config.region_map, superpixels) {
            let regions = Some(regions.scaled(width, height)?);
            return Ok(Self { rows: 1, columns: 1, regions, ..grid });
        }
        if rows == 0 || columns == 0 || rows > height || columns > width {
            config.refuse(&format!(
                "expected rows from 1 to {height} and columns from 1 to {width}, the image's size"
            ))?;
        }
        config.check()?;
        Ok(grid)
    }

    /// The same for a network that reads standardised pixel values.
    pub(super) fn with_pixels(self, pixels: Option<PixelScale>) -> Self {
        Self { pixels, ..self }
    }

    /// The images' size.
    pub fn size(&self) -> ImageSize {
        let Self { width, height, channels, .. } = *self;
        ImageSize { width, height, channels }
    }

    /// Cells from top to bottom, where there are no regions.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Cells from left to right, where there are no regions.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The regions of a mask, which are the features instead of cells.
    pub fn regions(&self) -> Option<&Regions> {
        self.regions.as_ref()
    }

    /// Whether each image has regions of its own instead of cells: superpixels, which grow from the cells and have
    /// their numbers.
    pub fn superpixels(&self) -> bool {
        self.superpixels
    }

    /// The scaling of pixel values for the network; shares of white if absent.
    pub fn pixel_scale(&self) -> Option<&PixelScale> {
        self.pixels.as_ref()
    }

    /// The pixels of cell j, where there are no regions: from left to right, from top to bottom.
    pub fn cell(&self, j: usize) -> (Range<usize>, Range<usize>) {
        let (row, column) = (j / self.columns, j % self.columns);
        (part(column, self.columns, self.width), part(row, self.rows, self.height))
    }

    /// The cell, or region, of each pixel of this image, pixels row by row.
    pub fn cells_of(&self, pixels: &[u8]) -> Vec<usize> {
        match self.own_regions(pixels) {
            Some(regions) => regions.into_iter().map(usize::from).collect(),
            None => self.cells(),
        }
    }

    /// The region of each pixel, if each image has its own.
    fn own_regions(&self, pixels: &[u8]) -> Option<Vec<u16>> {
        self.superpixels.then(|| superpixels(pixels, self.size(), (self.rows, self.columns)))
    }

    /// The cell, or region of a mask, of each pixel, pixels row by row. Where each image has regions of its own,
    /// the cells that they grow from: [`cells_of`](Self::cells_of) gives theirs.
    pub fn cells(&self) -> Vec<usize> {
        if let Some(regions) = &self.regions {
            return regions.owners().iter().map(|&region| region as usize).collect();
        }
        let columns = self.column_parts();
        let mut cells = Vec::with_capacity(self.height * self.width);
        for r in 0..self.rows {
            let first = cells.len();
            for (c, run) in columns.iter().enumerate() {
                cells.extend(std::iter::repeat_n(r * self.columns + c, run.len()));
            }
            for _ in part(r, self.rows, self.height).skip(1) {
                cells.extend_from_within(first..first + self.width);
            }
        }
        cells
    }

    /// The pixels of a line that belong to each column of cells.
    fn column_parts(&self) -> Vec<Range<usize>> {
        (0..self.columns).map(|c| part(c, self.columns, self.width)).collect()
    }

    /// The given images, each moved by −`most` to `most` pixels down and to the right, drawn in that
    /// order, and its regions with it. What comes in over the border repeats the border's pixels: on
    /// an even ground nothing is seen of it.
    fn moved(
        &self,
        images: &Encoded,
        rows: &[usize],
        most: usize,
        rng: &mut ChaCha8Rng,
    ) -> Encoded {
        let area = self.width * self.height;
        let mut pixels = Vec::with_capacity(rows.len() * self.size().bytes());
        let mut regions = self.superpixels.then(|| Vec::with_capacity(rows.len() * area));
        for &row in rows {
            let [down, right] = [(); 2].map(|()| rng.random_range(-(most as i64)..=most as i64));
            let from = |to: usize, by: i64, length: usize| {
                (to as i64 - by).clamp(0, length as i64 - 1) as usize
            };
            let origins = (0..self.height).flat_map(|y| {
                let line = from(y, down, self.height) * self.width;
                (0..self.width).map(move |x| line + from(x, right, self.width))
            });
            let image = images.pixels(row, self.size().bytes());
            for at in origins.clone() {
                pixels.extend_from_slice(&image[at * self.channels..(at + 1) * self.channels]);
            }
            if let (Some(regions), Some(own)) = (&mut regions, images.regions(row, area)) {
                regions.extend(origins.map(|at| own[at]));
            }
        }
        Encoded { len: rows.len(), x: EncodedX::Images { pixels, regions } }
    }

    /// Mean ink per cell in [0, 1], all cells listed in order; `own` are the image's own regions, if it has any.
    fn ink(&self, pixels: &[u8], own: Option<&[u16]>) -> SparseRow {
        if let Some(own) = own {
            return region_ink(own.iter().map(|&region| usize::from(region)), self, pixels);
        }
        if let Some(regions) = &self.regions {
            return region_ink(
                regions.owners().iter().map(|&region| region as usize),
                self,
                pixels,
            );
        }
        let columns = self.column_parts();
        let mut ink = vec![0_u64; columns.len()];
        let mut row = SparseRow::default();
        for r in 0..self.rows {
            ink.fill(0);
            let lines = part(r, self.rows, self.height);
            for y in lines.clone() {
                let line = &pixels[y * self.width * self.channels..][..self.width * self.channels];
                for (ink, run) in ink.iter_mut().zip(&columns) {
                    let run = &line[run.start * self.channels..run.end * self.channels];
                    let sum: u32 = run.iter().map(|&p| u32::from(p)).sum();
                    *ink += u64::from(sum);
                }
            }
            for (c, (ink, run)) in ink.iter().zip(&columns).enumerate() {
                let most = 255 * lines.len() * run.len() * self.channels;
                row.push(r * self.columns + c, *ink as f32 / most as f32);
            }
        }
        row
    }
}

impl Kind for Grid {
    fn reads(&self) -> &'static str {
        "images"
    }

    fn features(&self) -> usize {
        self.regions.as_ref().map_or(self.rows * self.columns, Regions::len)
    }

    /// "row 2, column 5", counted from 1 at the top left; that of a mask's region, or the cell that an image's own
    /// grows from.
    fn name(&self, j: usize) -> String {
        if let Some(regions) = &self.regions {
            return regions.name(j);
        }
        let place = format!("row {}, column {}", j / self.columns + 1, j % self.columns + 1);
        if self.superpixels { format!("region around {place}") } else { place }
    }

    fn x_shape(&self) -> XShape {
        let ImageSize { width, height, channels } = self.size();
        XShape::Image { channels, height, width, cells: self.cells().into() }
    }

    fn lists_all(&self) -> bool {
        true
    }

    fn owners(&self) -> Option<Vec<usize>> {
        Some(self.cells())
    }

    fn image_regions(&self, encoded: &Encoded, rows: &[usize]) -> Option<ImageRegions> {
        let area = self.width * self.height;
        let owners = || rows.iter().filter_map(|&row| encoded.regions(row, area)).flatten();
        self.superpixels.then(|| ImageRegions::new(owners().copied().collect(), area))
    }

    fn subset_sizes(&self) -> SubsetSizes {
        SubsetSizes::Few
    }

    fn judge_sizes(&self) -> SubsetSizes {
        SubsetSizes::JudgeOfCells
    }

    fn choice(&self) -> Choice {
        Choice::new(Rule::Search, Side::Answer)
    }

    fn encode(&self, samples: &Samples) -> Result<Option<Encoded>> {
        let Samples::Images(images) = samples else { return Ok(None) };
        if images.size() != self.size() {
            let channels = |size: ImageSize| format!("{} channel(s)", size.channels);
            let (found, own) = (images.size(), self.size());
            let expected = format!(
                "this model reads {}×{} pixels in {}",
                own.width,
                own.height,
                channels(own)
            );
            let found = format!("{}×{}, {}", found.width, found.height, channels(found));
            return Err(Error::setting("image size", found, expected));
        }
        let pixels = images.pixels().to_vec();
        let regions = self.superpixels.then(|| {
            let images = pixels.par_chunks_exact(self.size().bytes());
            let regions: Vec<_> = images.filter_map(|image| self.own_regions(image)).collect();
            regions.concat()
        });
        Ok(Some(Encoded { len: images.len(), x: EncodedX::Images { pixels, regions } }))
    }

    fn z(&self, encoded: &Encoded, row: usize) -> SparseRow {
        let regions = encoded.regions(row, self.width * self.height);
        self.ink(encoded.pixels(row, self.size().bytes()), regions)
    }

    fn x(
        &self,
        encoded: &Encoded,
        rows: &[usize],
        _sparse: &[SparseRow],
        _slots: usize,
        device: &Device,
    ) -> (X, Option<TokenSlots>) {
        let bytes = self.size().bytes();
        let mut pixels = Vec::with_capacity(rows.len() * bytes);
        for &row in rows {
            let image = encoded.pixels(row, bytes);
            match &self.pixels {
                Some(scale) => scale.extend(&mut pixels, image),
                None => pixels.extend(image.iter().map(|&p| f32::from(p) / 255.0)),
            }
        }
        let shape = [rows.len(), self.height, self.width, self.channels];
        (X::Images(Tensor::from_data(TensorData::new(pixels, shape), device)), None)
    }

    fn augmentation(&self, shift: Option<usize>, still: bool) -> Result<Augmentation> {
        let side = self.height.min(self.width);
        match shift {
            None if still => Ok(Augmentation::default()),
            None => Ok(Augmentation { shift: side / 14 }),
            Some(shift) if shift == 0 || shift < side => Ok(Augmentation { shift }),
            Some(shift) => {
                let expected = format!("expected a number below {side}, the image's shorter side");
                Err(Error::setting("training.shift", shift, expected))
            }
        }
    }

    fn augment(
        &self,
        encoded: &Encoded,
        rows: &[usize],
        augmentation: Augmentation,
        rng: &mut ChaCha8Rng,
    ) -> Option<Encoded> {
        let Augmentation { shift } = augmentation;
        (shift > 0).then(|| self.moved(encoded, rows, shift, rng))
    }

    fn changed(&self, encoded: &Encoded, row: usize, change: Change) -> Option<Encoded> {
        let Change::Remove { feature } = change else { return None };
        let mut pixels = encoded.pixels(row, self.size().bytes()).to_vec();
        // An image's own regions stay: it is the same picture with a part blanked out.
        let regions = encoded.regions(row, self.width * self.height).map(<[u16]>::to_vec);
        let owners = match &regions {
            Some(own) => own.iter().map(|&region| usize::from(region)).collect(),
            None => self.cells(),
        };
        let owned = pixels.chunks_exact_mut(self.channels).zip(owners);
        owned.filter(|(_, cell)| *cell == feature).for_each(|(pixel, _)| pixel.fill(0));
        Some(Encoded { len: 1, x: EncodedX::Images { pixels, regions } })
    }

    fn schema(&self) -> Schema {
        Schema::Image(self.size())
    }

    fn view(&self, samples: &Samples, row: usize) -> Option<SampleView> {
        let Samples::Images(images) = samples else { return None };
        let (rows, columns) = (self.rows, self.columns);
        let pixels = images.get(row).to_vec();
        let regions = match self.own_regions(&pixels) {
            Some(own) => {
                let names = (0..self.features()).map(|j| self.name(j)).collect();
                Some(Regions::of_image((self.width, self.height), &own, names))
            }
            None => self.regions.clone(),
        };
        let (size, own_regions) = (images.size(), self.superpixels);
        Some(SampleView::Image { size, pixels, rows, columns, regions, own_regions })
    }

    fn describe(&self) -> String {
        let Self { width, height, columns, rows, .. } = self;
        match &self.regions {
            Some(regions) => {
                format!("images of {width}×{height} pixels in {} regions", regions.len())
            }
            None if self.superpixels => format!(
                "images of {width}×{height} pixels, each in up to {} regions of its own",
                self.features()
            ),
            None => format!("images of {width}×{height} pixels in {columns}×{rows} cells"),
        }
    }

    fn file_name(&self) -> &'static str {
        "grid.json"
    }

    /// A grid is valid by construction.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Mean ink per region in [0, 1]; none where a region has no pixel.
fn region_ink(owners: impl Iterator<Item = usize>, grid: &Grid, pixels: &[u8]) -> SparseRow {
    let mut ink = vec![(0_u64, 0_u64); grid.features()];
    for (pixel, region) in pixels.chunks_exact(grid.channels).zip(owners) {
        let (sum, count) = &mut ink[region];
        *sum += pixel.iter().map(|&p| u64::from(p)).sum::<u64>();
        *count += grid.channels as u64;
    }
    let mut row = SparseRow::default();
    for (j, (sum, count)) in ink.into_iter().enumerate() {
        row.push(j, sum as f32 / (255 * count.max(1)) as f32);
    }
    row
}

/// The pixels of part `r` when `length` pixels are cut into `parts` parts.
pub(super) fn part(r: usize, parts: usize, length: usize) -> Range<usize> {
    r * length / parts..(r + 1) * length / parts
}

#[cfg(test)]
mod tests;
