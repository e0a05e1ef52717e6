//! Sizes of a convolution block.

use super::gemm::padded;

/// Sizes of a convolution block. Images are stored pixel by pixel: [height, width, channels].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Geometry {
    /// Height, width and channels of the input.
    pub input: [usize; 3],
    /// Number of filters.
    pub filters: usize,
    /// Height and width of the kernel.
    pub kernel: [usize; 2],
    /// Zeros around the image.
    pub padding: usize,
    /// Whether 2×2 windows are pooled; an odd last row or column is dropped.
    pub pool: bool,
}

impl Geometry {
    /// Height and width after the convolution.
    pub fn convolved(&self) -> [usize; 2] {
        let [height, width, _] = self.input;
        let [kh, kw] = self.kernel;
        [height + 2 * self.padding + 1 - kh, width + 2 * self.padding + 1 - kw]
    }

    /// Height and width of the output.
    pub fn output(&self) -> [usize; 2] {
        if self.pool { self.convolved().map(|n| n / 2) } else { self.convolved() }
    }

    /// Numbers in an input image.
    pub fn input_len(&self) -> usize {
        self.input.iter().product()
    }

    /// Numbers in an output image.
    pub fn output_len(&self) -> usize {
        self.filters * self.output().iter().product::<usize>()
    }

    /// Numbers in the weight.
    pub fn weight_len(&self) -> usize {
        self.filters * self.input[2] * self.kernel[0] * self.kernel[1]
    }

    /// Filters, rounded up to whole vectors.
    pub fn filters_padded(&self) -> usize {
        padded(self.filters)
    }

    /// The index of filter f, channel c, tap (ky, kx) in the weight [filters, channels, kh, kw].
    pub fn weight_at(&self, f: usize, c: usize, ky: usize, kx: usize) -> usize {
        ((f * self.input[2] + c) * self.kernel[0] + ky) * self.kernel[1] + kx
    }
}
