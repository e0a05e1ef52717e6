//! Images: PNG, JPEG or WebP files in base64, or tensors of pixels.

use super::{JsonSamples, PageInput, ReadSamples, SampleForm};
use crate::error::ApiError;
use crate::oip::TensorSpec;
use crate::oip::inputs::{InputTensor, single};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ngsll::config::{DataConfig, ImageConfig};
use ngsll::dataset::{ImageSize, Images};
use ngsll::{Model, Samples};
use ngsll_readers::{decode_into, resized_note};
use ngsll_view::data_uri;
use serde_json::{Value, json};

/// The one input tensor.
const TENSOR: &str = "image";

/// Pixels of all images of a request that have another size than the model reads: a photo, or a few.
const MAX_PIXELS: u64 = 16 << 20;

/// Images of one size, or brought to it.
pub struct ImageForm {
    size: ImageSize,
    config: ImageConfig,
}

impl SampleForm for ImageForm {
    fn reads(&self) -> &'static str {
        "images"
    }

    fn json_form(&self) -> &'static str {
        "{\"image\": \"<base64 of a PNG, JPEG or WebP file>\"}"
    }

    fn read_json(&self, samples: JsonSamples) -> Option<Result<ReadSamples, ApiError>> {
        match samples {
            JsonSamples { image: Some(files), text: None, row: None } => {
                Some(self.decode(&files.0))
            }
            _ => None,
        }
    }

    fn read_tensors(&self, tensors: &[InputTensor<'_>]) -> Result<Samples, ApiError> {
        let ImageSize { width, height, channels } = self.size;
        let planes = single(tensors, TENSOR)?.pixels(&[channels, height, width])?;
        Ok(Images::new(self.size, interleaved(&planes, self.size))?.into())
    }

    /// Planes of one channel each, as networks of other frameworks take them.
    fn tensors(&self) -> Vec<TensorSpec> {
        let ImageSize { width, height, channels } = self.size;
        let sides = [channels, height, width];
        let sides = if channels == 1 { &sides[1..] } else { &sides };
        vec![TensorSpec::new(TENSOR, "UINT8", sides)]
    }

    fn page_input(&self) -> PageInput<'_> {
        let (image, image_reading) = (Some(self.size), Some(&self.config));
        PageInput { image, image_reading, ..PageInput::default() }
    }

    /// A bright cross.
    fn example(&self, _model: &Model) -> Value {
        let ImageSize { width, height, .. } = self.size;
        let near = |at: usize, side: usize| at.abs_diff(side / 2) <= side / 8;
        let positions = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let ink = |(x, y)| [255 * u8::from(near(x, width) || near(y, height)); 3];
        let pixels: Vec<u8> = positions.flat_map(ink).collect();
        let uri = data_uri(width, height, &pixels).unwrap_or_default();
        json!({ "image": uri.rsplit(',').next() })
    }

    fn bytes(&self, samples: &Samples) -> usize {
        match samples {
            Samples::Images(images) => images.pixels().len(),
            _ => 0,
        }
    }
}

impl ImageForm {
    /// Images of a model that was trained with these options.
    pub fn new(size: ImageSize, data: &DataConfig) -> Self {
        let config = data.image.clone().unwrap_or_else(ImageConfig::of_older_models);
        Self { size, config }
    }

    fn decode(&self, files: &[String]) -> Result<ReadSamples, ApiError> {
        let mut images = Images::empty(self.size)?;
        let (mut pixels, mut resized) = (MAX_PIXELS, 0);
        for (i, file) in files.iter().enumerate() {
            let failed = |message: String| ApiError::bad(message).at(format!("image {i}"));
            let bytes = BASE64_STANDARD.decode(file).map_err(|error| {
                failed(format!("not base64 ({error}), expected a PNG, JPEG or WebP file in base64"))
            })?;
            let (width, height) =
                decode_into(&mut images, &bytes, &self.config, pixels).map_err(failed)?;
            if (width, height) != (self.size.width, self.size.height) {
                pixels = pixels.saturating_sub((width * height) as u64);
                resized += 1;
            }
        }
        let mut read = ReadSamples::from(images);
        if resized > 0 {
            read.notes.push(resized_note(self.size, self.config.fit, resized, files.len()));
        }
        Ok(read)
    }
}

/// Images of [channels, height, width] as [height, width, channels].
fn interleaved(planes: &[u8], size: ImageSize) -> Vec<u8> {
    let area = size.width * size.height;
    let image = |planes: &[u8]| -> Vec<u8> {
        (0..planes.len()).map(|i| planes[i % size.channels * area + i / size.channels]).collect()
    };
    planes.chunks_exact(size.bytes()).flat_map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_become_pixels() {
        let size = ImageSize { width: 2, height: 1, channels: 3 };
        let planes = [1, 2, 10, 20, 100, 200, 3, 4, 30, 40, 5, 6];
        let pixels = [1, 10, 100, 2, 20, 200, 3, 30, 5, 4, 40, 6];
        assert_eq!(interleaved(&planes, size), pixels);
        let grey = ImageSize { channels: 1, ..size };
        assert_eq!(interleaved(&planes, grey), planes);
    }
}
