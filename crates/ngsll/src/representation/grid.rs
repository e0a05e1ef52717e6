//! Images as a grid of cells, or as user-drawn regions: z_j is the mean ink of cell j.

use super::encoded::EncodedX;
use super::kind::{Augmentation, Change, Kind};
use super::regions::MOST_PIXELS;
use super::{Encoded, PixelScale, Regions, SampleView, Schema, SparseRow, TokenSlots, X, XShape};
use crate::config::option_table;
use crate::dataset::{ImageSize, Images, Samples};
use crate::error::{Error, Result};
use crate::evidence::Choice;
use crate::evidence::choice::{Rule, Side};
use crate::evidence::subsets::SubsetSizes;
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// How features are made from images. Table of options: [`GridConfig::OPTIONS`].
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct GridConfig {
    /// Rows and columns of the grid.
    pub cells: [usize; 2],
    /// The image whose values are regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<PathBuf>,
    /// The names of the regions, by ascending value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub region_names: Vec<String>,
    /// The regions themselves: this crate reads no image files, so the reader of the file puts them here. A model
    /// keeps them with its representation.
    #[serde(skip)]
    pub region_map: Option<Regions>,
}

option_table! {
    GridConfig:
    (
        "cells",
        "[7, 7]",
        "rows and columns of the grid",
        "two whole numbers, up to the height and width of the images, such as [7, 7]",
    ),
    (
        "regions",
        "none",
        "an image whose grey values, 2 to 256 of them, mark regions; they are the features instead of cells",
        "a path",
    ),
    (
        "region_names",
        "region 1, region 2, …",
        "the names of the regions, by ascending grey value",
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
    pixels: Option<PixelScale>,
}

impl TryFrom<Stored> for Grid {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let Stored { channels, height, width, rows, columns, regions, pixels } = stored;
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
        Ok(Self { channels, height, width, rows, columns, regions, pixels })
    }
}

impl GridConfig {
    /// A grid without cells explains nothing; whether it fits the images is seen when they are there.
    pub(super) fn check(&self) -> Result<()> {
        match self.cells {
            [0, _] | [_, 0] => self.refuse("expected at least one row and one column"),
            _ => Ok(()),
        }
    }

    fn refuse(&self, expected: &str) -> Result<()> {
        let [rows, columns] = self.cells;
        Err(Error::setting("representation.cells", format!("[{rows}, {columns}]"), expected))
    }
}

impl Grid {
    /// Takes the image size from the data.
    pub fn fit(config: &GridConfig, images: &Images) -> Result<Self> {
        let [rows, columns] = config.cells;
        let ImageSize { width, height, channels } = images.size();
        if let (Some(path), None) = (&config.regions, &config.region_map) {
            let expected = "the mask has not been read, expected its regions in region_map";
            return Err(Error::setting("representation.regions", path.display(), expected));
        }
        if let Some(regions) = &config.region_map {
            let regions = Some(regions.scaled(width, height)?);
            let (rows, columns, pixels) = (1, 1, None);
            return Ok(Self { channels, height, width, rows, columns, regions, pixels });
        }
        if rows == 0 || columns == 0 || rows > height || columns > width {
            config.refuse(&format!(
                "expected rows from 1 to {height} and columns from 1 to {width}, the image's size"
            ))?;
        }
        Ok(Self { channels, height, width, rows, columns, regions: None, pixels: None })
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

    /// The regions that are the features instead of cells.
    pub fn regions(&self) -> Option<&Regions> {
        self.regions.as_ref()
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

    /// The cell, or region, of each pixel, pixels row by row.
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
    /// order. What comes in over the border repeats the border's pixels: on an even ground nothing
    /// is seen of it.
    fn moved(
        &self,
        images: &Encoded,
        rows: &[usize],
        most: usize,
        rng: &mut ChaCha8Rng,
    ) -> Encoded {
        let mut pixels = Vec::with_capacity(rows.len() * self.size().bytes());
        let (most, line) = (most as i64, self.width * self.channels);
        for &row in rows {
            let [down, right] = [(); 2].map(|()| rng.random_range(-most..=most));
            let from = |to: usize, by: i64, length: usize| {
                (to as i64 - by).clamp(0, length as i64 - 1) as usize
            };
            let image = images.pixels(row, self.size().bytes());
            for y in 0..self.height {
                let line = &image[from(y, down, self.height) * line..][..line];
                for x in 0..self.width {
                    let pixel = from(x, right, self.width) * self.channels;
                    pixels.extend_from_slice(&line[pixel..pixel + self.channels]);
                }
            }
        }
        Encoded { len: rows.len(), x: EncodedX::Images(pixels) }
    }

    /// Mean ink per cell in [0, 1], all cells listed in order.
    fn ink(&self, pixels: &[u8]) -> SparseRow {
        if let Some(regions) = &self.regions {
            return region_ink(regions, pixels, self.channels);
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

    /// "row 2, column 5", counted from 1 at the top left; or that of the region.
    fn name(&self, j: usize) -> String {
        if let Some(regions) = &self.regions {
            return regions.name(j);
        }
        format!("row {}, column {}", j / self.columns + 1, j % self.columns + 1)
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
        Ok(Some(Encoded { len: images.len(), x: EncodedX::Images(images.pixels().to_vec()) }))
    }

    fn z(&self, encoded: &Encoded, row: usize) -> SparseRow {
        self.ink(encoded.pixels(row, self.size().bytes()))
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
        let owned = pixels.chunks_exact_mut(self.channels).zip(self.cells());
        owned.filter(|(_, cell)| *cell == feature).for_each(|(pixel, _)| pixel.fill(0));
        Some(Encoded { len: 1, x: EncodedX::Images(pixels) })
    }

    fn schema(&self) -> Schema {
        Schema::Image(self.size())
    }

    fn view(&self, samples: &Samples, row: usize) -> Option<SampleView> {
        let Samples::Images(images) = samples else { return None };
        let (rows, columns) = (self.rows, self.columns);
        let pixels = images.get(row).to_vec();
        let regions = self.regions.clone();
        Some(SampleView::Image { size: images.size(), pixels, rows, columns, regions })
    }

    fn describe(&self) -> String {
        let Self { width, height, columns, rows, .. } = self;
        match &self.regions {
            Some(regions) => {
                format!("images of {width}×{height} pixels in {} regions", regions.len())
            }
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

/// Mean ink per region in [0, 1].
fn region_ink(regions: &Regions, pixels: &[u8], channels: usize) -> SparseRow {
    let mut ink = vec![(0_u64, 0_u64); regions.len()];
    for (pixel, &region) in pixels.chunks_exact(channels).zip(regions.owners()) {
        let (sum, count) = &mut ink[region as usize];
        *sum += pixel.iter().map(|&p| u64::from(p)).sum::<u64>();
        *count += channels as u64;
    }
    let mut row = SparseRow::default();
    for (j, (sum, count)) in ink.into_iter().enumerate() {
        row.push(j, sum as f32 / (255 * count) as f32);
    }
    row
}

/// The pixels of part `r` when `length` pixels are cut into `parts` parts.
fn part(r: usize, parts: usize, length: usize) -> Range<usize> {
    r * length / parts..(r + 1) * length / parts
}

#[cfg(test)]
mod tests;
