//! Superpixels: an image is cut into regions of neighbouring pixels that are alike, by SLIC (Achanta et al., *SLIC
//! Superpixels Compared to State-of-the-Art Superpixel Methods*, 2012).
//!
//! A region starts in each cell of a grid and is numbered by it, so that feature j is about the same place of every
//! image; crates that have the algorithm number regions anew once they are connected, and the place is lost. Each
//! pixel is compared with the regions of the nine cells around it, as in gSLIC (Ren and Reid, 2011), so that no
//! region ends up far from its cell.

use super::grid::part;
use crate::dataset::ImageSize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

/// How often regions are drawn and their centres moved.
const ITERATIONS: usize = 10;
/// The difference in colour (in CIELAB, where white is 100 from black) that counts as much as one side of a cell.
const COMPACTNESS: f32 = 10.0;
/// The same as a multiple of what neighbouring pixels commonly differ by, if that is more: regions that follow noise
/// fall apart.
const OF_NOISE: f32 = 3.0;
/// Connected pixels fewer than this share of a cell are no region of their own.
const SMALLEST: f64 = 0.25;
/// The most regions of an image, whose numbers are kept in 16 bits.
pub(super) const MOST_REGIONS: usize = 1 << 16;

/// The region of each pixel, row by row, where one starts in each cell of a grid of `rows` × `columns`. Every region
/// is connected; some cells may have none.
pub(super) fn superpixels(
    pixels: &[u8],
    size: ImageSize,
    (rows, columns): (usize, usize),
) -> Vec<u16> {
    let ImageSize { width, height, channels } = size;
    let image = Image { colours: colours(pixels, channels), width, height, channels };
    let cells = Cells::new(&image, rows, columns);
    let compactness = COMPACTNESS.max(OF_NOISE * image.noise());
    let mut centres = cells.first_centres(&image);
    let mut regions = Vec::new();
    for _ in 0..ITERATIONS {
        regions = cells.nearest(&image, &centres, compactness);
        centres.move_into(&regions, &image);
    }
    let smallest = SMALLEST * (width * height) as f64 / (rows * columns) as f64;
    let far = |at: usize, region: u16| {
        let own = usize::from(region) * channels..(usize::from(region) + 1) * channels;
        distance(image.colour(at % width, at / width), &centres.colours[own])
    };
    connected(&regions, width, smallest, far)
}

/// The share of full light for each byte of an image (sRGB).
static LIGHT: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let value = byte as f32 / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
});

/// Colours between which distances are as people see them: CIELAB for red, green and blue, otherwise the lightness of
/// each channel.
fn colours(pixels: &[u8], channels: usize) -> Vec<f32> {
    let light = |byte: &u8| LIGHT[usize::from(*byte)];
    if channels != 3 {
        // Differences in all channels at once count as in one.
        let scale = 1.0 / (channels as f32).sqrt();
        return pixels.iter().map(|byte| scale * (116.0 * cube_root(light(byte)) - 16.0)).collect();
    }
    let lab = |pixel: &[u8]| {
        let [r, g, b] = [light(&pixel[0]), light(&pixel[1]), light(&pixel[2])];
        // White is that of daylight, D65.
        let x = cube_root((0.412_456 * r + 0.357_576 * g + 0.180_437 * b) / 0.950_47);
        let y = cube_root(0.212_673 * r + 0.715_152 * g + 0.072_175 * b);
        let z = cube_root((0.019_334 * r + 0.119_192 * g + 0.950_304 * b) / 1.088_83);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    };
    pixels.chunks_exact(3).flat_map(lab).collect()
}

/// The cube root, straight near zero: CIELAB's f.
fn cube_root(t: f32) -> f32 {
    if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 }
}

struct Image {
    /// `channels` numbers for each pixel.
    colours: Vec<f32>,
    width: usize,
    height: usize,
    channels: usize,
}

impl Image {
    fn colour(&self, x: usize, y: usize) -> &[f32] {
        let at = (y * self.width + x) * self.channels;
        &self.colours[at..at + self.channels]
    }

    /// What a pixel and its right neighbour commonly differ by: the median.
    fn noise(&self) -> f32 {
        let lines = self.colours.chunks_exact(self.width * self.channels);
        let differences = lines.flat_map(|line| {
            let pixels = line.chunks_exact(self.channels);
            pixels.clone().zip(pixels.skip(1)).map(|(a, b)| distance(a, b))
        });
        let mut differences: Vec<f32> = differences.collect();
        if differences.is_empty() {
            return 0.0;
        }
        let middle = differences.len() / 2;
        differences.select_nth_unstable_by(middle, f32::total_cmp).1.sqrt()
    }

    /// How much the colour changes at a pixel.
    fn gradient(&self, x: usize, y: usize) -> f32 {
        let (right, below) = ((x + 1).min(self.width - 1), (y + 1).min(self.height - 1));
        let across = distance(self.colour(x.saturating_sub(1), y), self.colour(right, y));
        across + distance(self.colour(x, y.saturating_sub(1)), self.colour(x, below))
    }
}

/// The square of the distance of two colours.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The grid in whose cells regions start.
struct Cells {
    rows: usize,
    columns: usize,
    /// The row of cells of each line of pixels.
    row_of: Vec<usize>,
    /// The column of cells of each column of pixels.
    column_of: Vec<usize>,
}

/// The mean position and colour of each region.
struct Centres {
    positions: Vec<[f32; 2]>,
    /// `channels` numbers for each.
    colours: Vec<f32>,
}

impl Cells {
    fn new(image: &Image, rows: usize, columns: usize) -> Self {
        let of = |parts: usize, length: usize| {
            (0..parts).flat_map(|at| part(at, parts, length).map(move |_| at)).collect()
        };
        Self { rows, columns, row_of: of(rows, image.height), column_of: of(columns, image.width) }
    }

    /// Of the pixels around the middle of each cell, the one where the colour changes least: no region starts on an
    /// edge. Of several, the one in the middle.
    fn first_centres(&self, image: &Image) -> Centres {
        let (mut positions, mut colours) = (Vec::new(), Vec::new());
        for row in 0..self.rows {
            for column in 0..self.columns {
                let [(x, xs), (y, ys)] =
                    [part(column, self.columns, image.width), part(row, self.rows, image.height)]
                        .map(|span| {
                            let middle = (span.start + span.end - 1) / 2;
                            let around = middle.max(span.start + 1) - 1..(middle + 2).min(span.end);
                            (middle, around)
                        });
                let around = ys.flat_map(|y| xs.clone().map(move |x| (x, y)));
                let (x, y) = around.fold((x, y), |best, at| {
                    let is_flatter = image.gradient(at.0, at.1) < image.gradient(best.0, best.1);
                    if is_flatter { at } else { best }
                });
                positions.push([x as f32, y as f32]);
                colours.extend_from_slice(image.colour(x, y));
            }
        }
        Centres { positions, colours }
    }

    /// For each pixel the nearest region, in place and colour, of those that started around its cell; of equally
    /// near ones the first.
    fn nearest(&self, image: &Image, centres: &Centres, compactness: f32) -> Vec<u16> {
        let around = |at: usize, parts: usize| at.saturating_sub(1)..(at + 2).min(parts);
        // Distances are those in colour: a side of a cell counts as much as `compactness`.
        let across = compactness * self.columns as f32 / image.width as f32;
        let down = compactness * self.rows as f32 / image.height as f32;
        let mut regions = Vec::with_capacity(image.width * image.height);
        for (y, &row) in self.row_of.iter().enumerate() {
            for (x, &column) in self.column_of.iter().enumerate() {
                let colour = image.colour(x, y);
                let mut best = (f32::INFINITY, 0);
                for row in around(row, self.rows) {
                    for column in around(column, self.columns) {
                        let region = row * self.columns + column;
                        let [cx, cy] = centres.positions[region];
                        let (dx, dy) = (across * (cx - x as f32), down * (cy - y as f32));
                        let own = &centres.colours[region * image.channels..][..image.channels];
                        let far = dx * dx + dy * dy + distance(colour, own);
                        if far < best.0 {
                            best = (far, region);
                        }
                    }
                }
                regions.push(best.1 as u16);
            }
        }
        regions
    }
}

impl Centres {
    /// Moves every centre to the mean of its region; that of an empty one stays.
    fn move_into(&mut self, regions: &[u16], image: &Image) {
        let mut counts = vec![0.0_f64; self.positions.len()];
        let mut positions = vec![[0.0_f64; 2]; self.positions.len()];
        let mut colours = vec![0.0_f64; self.colours.len()];
        let pixels = image.colours.chunks_exact(image.channels);
        for (at, (&region, colour)) in regions.iter().zip(pixels).enumerate() {
            let region = usize::from(region);
            counts[region] += 1.0;
            positions[region][0] += (at % image.width) as f64;
            positions[region][1] += (at / image.width) as f64;
            let sums = &mut colours[region * image.channels..][..image.channels];
            sums.iter_mut().zip(colour).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        for (region, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
            self.positions[region] = positions[region].map(|sum| (sum / count) as f32);
            let own = region * image.channels..(region + 1) * image.channels;
            let means = self.colours[own.clone()].iter_mut().zip(&colours[own]);
            means.for_each(|(mean, sum)| *mean = (sum / count) as f32);
        }
    }
}

/// The same with connected regions: each keeps its largest part, unless that has fewer than `smallest` pixels. The pixels
/// of other parts go one by one to the regions beside them, first those that are least `far` in colour. The largest
/// part of all stays.
fn connected(
    regions: &[u16],
    width: usize,
    smallest: f64,
    far: impl Fn(usize, u16) -> f32,
) -> Vec<u16> {
    let (part_of, sizes) = parts(regions, width);
    let count = regions.iter().max().map_or(0, |last| usize::from(*last) + 1);
    // The largest part of each region: its size and its number.
    let mut largest = vec![(0, 0); count];
    for (&region, &part) in regions.iter().zip(&part_of) {
        let (size, own) = (sizes[part], &mut largest[usize::from(region)]);
        if size > own.0 {
            *own = (size, part);
        }
    }
    let most = largest.iter().map(|(size, _)| *size).max().unwrap_or(0);
    let is_kept = |at: usize| {
        let (size, part) = largest[usize::from(regions[at])];
        part == part_of[at] && (size as f64 >= smallest || size == most)
    };
    let kept = (0..regions.len()).map(|at| is_kept(at).then_some(regions[at]));
    let mut kept: Vec<Option<u16>> = kept.collect();
    // Distances are not negative, so their bits are in their order; of equal ones the first pixel counts.
    let mut border = BinaryHeap::new();
    let beside = |at: usize, region: u16, kept: &[Option<u16>], border: &mut BinaryHeap<_>| {
        let free = neighbours(at, width, regions.len()).filter(|&next| kept[next].is_none());
        border.extend(free.map(|next| Reverse((far(next, region).to_bits(), next, region))));
    };
    for at in 0..regions.len() {
        if let Some(region) = kept[at] {
            beside(at, region, &kept, &mut border);
        }
    }
    while let Some(Reverse((_, at, region))) = border.pop() {
        if kept[at].is_none() {
            kept[at] = Some(region);
            beside(at, region, &kept, &mut border);
        }
    }
    kept.into_iter().flatten().collect()
}

/// The connected part of one region that each pixel belongs to, and the size of each.
fn parts(regions: &[u16], width: usize) -> (Vec<usize>, Vec<usize>) {
    let (mut part_of, mut sizes) = (vec![usize::MAX; regions.len()], Vec::new());
    for first in 0..regions.len() {
        if part_of[first] != usize::MAX {
            continue;
        }
        let (part, mut size, mut open) = (sizes.len(), 0, vec![first]);
        part_of[first] = part;
        while let Some(at) = open.pop() {
            size += 1;
            for next in neighbours(at, width, regions.len()) {
                if part_of[next] == usize::MAX && regions[next] == regions[at] {
                    part_of[next] = part;
                    open.push(next);
                }
            }
        }
        sizes.push(size);
    }
    (part_of, sizes)
}

/// The pixels above, left, right and below.
fn neighbours(at: usize, width: usize, len: usize) -> impl Iterator<Item = usize> {
    let x = at % width;
    let above = at.checked_sub(width);
    let left = (x > 0).then(|| at - 1);
    let right = (x + 1 < width).then_some(at + 1);
    let below = Some(at + width).filter(|&below| below < len);
    [above, left, right, below].into_iter().flatten()
}

#[cfg(test)]
mod tests;
