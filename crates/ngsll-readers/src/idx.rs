//! Images in the IDX format, as used for MNIST: a small header, then bytes.

use crate::source::{self, Source};
use crate::{LONGEST_SIDE, Reader, dataset};
use ngsll::dataset::{Dataset, ImageSize, Images, Origin};
use ngsll::error::{Location, Result};
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

/// The most channels of an image.
const MOST_CHANNELS: usize = 16;
/// The format's code for unsigned bytes.
const BYTES: u8 = 8;

/// Reads images from an IDX file of bytes with the dimensions images × rows × columns, optionally × channels, and their
/// labels from a second one; either may be gzip-compressed, whatever its name.
pub struct IdxReader {
    images: Items,
    labels: Option<Items>,
    size: ImageSize,
}

impl IdxReader {
    /// Opens the files and checks their headers. `expect` is the size that a model takes.
    pub fn open(
        images: impl AsRef<Path>,
        labels: Option<&Path>,
        expect: Option<ImageSize>,
    ) -> Result<Self> {
        let images = Items::open(images.as_ref(), "image", 3..=4)?;
        let location = Location::file(&images.path);
        let size = ImageSize {
            width: images.sides[1],
            height: images.sides[0],
            channels: images.sides.get(2).copied().unwrap_or(1),
        };
        let side = 1..=LONGEST_SIDE as usize;
        if !side.contains(&size.width)
            || !side.contains(&size.height)
            || !(1..=MOST_CHANNELS).contains(&size.channels)
        {
            return Err(location.error(format!(
                "the header announces images of {size}, expected sides of 1 to {LONGEST_SIDE} and 1 to {MOST_CHANNELS} channels"
            )));
        }
        if let Some(expect) = expect.filter(|expect| *expect != size) {
            let message = format!("the images are {size}, but the model reads {expect}");
            return Err(location.error(message));
        }
        let labels = labels.map(|labels| Items::open(labels, "label", 1..=1)).transpose()?;
        if let Some(labels) = labels.as_ref().filter(|labels| labels.count != images.count) {
            return Err(Location::file(&labels.path).error(format!(
                "found {} labels, expected {}, one for each image in {}",
                labels.count,
                images.count,
                images.path.display()
            )));
        }
        Ok(Self { images, labels, size })
    }
}

impl Reader for IdxReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        let (mut pixels, mut labels, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        while lines.len() < max_rows.max(1) && self.images.left() {
            self.images.read(&mut pixels)?;
            if let Some(file) = &mut self.labels {
                file.read(&mut labels)?;
            }
            lines.push(self.images.done);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let labels = self.labels.is_some().then(|| labels.iter().map(u8::to_string).collect());
        let origin = Origin::Lines { file: self.images.path.clone(), lines };
        dataset(Images::new(self.size, pixels)?, labels, origin).map(Some)
    }

    fn path(&self) -> &Path {
        &self.images.path
    }
}

/// The items (images or labels) of an IDX file.
struct Items {
    path: PathBuf,
    source: Source,
    what: &'static str,
    /// The number of items that the header promises.
    count: u64,
    /// The dimensions of one item.
    sides: Vec<usize>,
    /// The number of items that have been read.
    done: u64,
}

impl Items {
    fn open(
        path: &Path,
        what: &'static str,
        dimensions: std::ops::RangeInclusive<u8>,
    ) -> Result<Self> {
        let mut source = source::open(path)?;
        let location = Location::file(path);
        let mut header = || {
            let mut bytes = Vec::with_capacity(4);
            let read = source.by_ref().take(4).read_to_end(&mut bytes);
            read.map_err(|error| source::read_error(path, error))?;
            <[u8; 4]>::try_from(bytes)
                .map_err(|_| Location::file(path).error("the file ends within its IDX header"))
        };
        let [zero, also_zero, kind, rank] = header()?;
        if (zero, also_zero) != (0, 0) {
            return Err(location.error(format!(
                "not an IDX file: it starts with the bytes {zero} and {also_zero}, expected 0 and 0"
            )));
        }
        if kind != BYTES {
            return Err(location.error(format!(
                "the IDX values are of type 0x{kind:02x}, expected 0x08 (unsigned bytes)"
            )));
        }
        if !dimensions.contains(&rank) {
            let expected = match dimensions.into_inner() {
                (low, high) if low == high => low.to_string(),
                (low, high) => format!("{low} or {high}"),
            };
            return Err(location.error(format!(
                "the IDX file has {rank} dimensions, expected {expected} for {what}s"
            )));
        }
        let count = u32::from_be_bytes(header()?).into();
        let sides = (1..rank)
            .map(|_| Ok(u32::from_be_bytes(header()?) as usize))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self { path: path.to_path_buf(), source, what, count, sides, done: 0 })
    }

    /// Whether items are left to read.
    fn left(&self) -> bool {
        self.done < self.count
    }

    /// Appends the next item's bytes to `out`, which grows with the file's actual content, not with the header's promise.
    /// After the last item it checks that nothing follows.
    fn read(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let size: usize = self.sides.iter().product();
        let read = self.source.by_ref().take(size as u64).read_to_end(out);
        let Self { path, what, count, done, .. } = self;
        if read.map_err(|error| source::read_error(path, error))? < size {
            return Err(Location::file(path).error(format!(
                "the file ends after {done} complete {what}s, but its header announces {count}"
            )));
        }
        *done += 1;
        if done == count {
            let rest = self.source.fill_buf().map_err(|error| source::read_error(path, error))?;
            if !rest.is_empty() {
                return Err(Location::file(path).error(format!(
                    "there are more bytes after the {count} {what}s that the header announces"
                )));
            }
        }
        Ok(())
    }
}

/// The label file beside an image file by the usual names: `train-labels-idx1-ubyte` beside
/// `train-images-idx3-ubyte`, either with `.gz` or without.
pub fn labels_beside(images: &Path) -> Option<PathBuf> {
    let name = images.file_name()?.to_str()?;
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let labels = plain.replace("images", "labels").replace("idx3", "idx1").replace("idx4", "idx1");
    if labels == plain {
        return None;
    }
    let zipped = format!("{labels}.gz");
    let order = if name == plain { [labels, zipped] } else { [zipped, labels] };
    order.into_iter().map(|name| images.with_file_name(name)).find(|path| path.is_file())
}
