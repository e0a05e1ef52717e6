//! Whole numbers in arrays of f32: an f32 holds 24 bits exactly, so 32 take two of them.

/// The upper and the lower 16 bits.
pub(crate) fn split(number: u32) -> [f32; 2] {
    [(number >> 16) as f32, (number & 0xffff) as f32]
}

/// The number that [`split`] took apart.
pub(crate) fn join([high, low]: [f32; 2]) -> u32 {
    (high as u32) << 16 | low as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_comes_back() {
        for number in [0, 1, 0xffff, 0x1_0000, (1 << 24) + 1, u32::MAX] {
            assert_eq!(join(split(number)), number);
        }
    }
}
