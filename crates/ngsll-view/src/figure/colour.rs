//! The colours of weights and of lines.

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// One side's colour on a light and on a dark ground.
#[derive(Debug, Clone, Copy)]
pub struct Hue {
    /// Strong enough for white text on it.
    pub on_light: Rgb,
    /// Bright enough for a dark ground.
    pub on_dark: Rgb,
}

/// For the class, or more: a red that people with colour-blindness tell from the blue.
pub const POSITIVE: Hue = Hue { on_light: [178, 24, 43], on_dark: [244, 134, 110] };
/// Against the class, or less.
pub const NEGATIVE: Hue = Hue { on_light: [33, 102, 172], on_dark: [116, 180, 245] };

/// The hue of a sign.
pub fn hue(negative: bool) -> &'static Hue {
    if negative { &NEGATIVE } else { &POSITIVE }
}

/// `from` moved towards `to` by `share` in 0..=1.
pub fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|i| {
        let (a, b) = (f64::from(from[i]), f64::from(to[i]));
        (a + (b - a) * share.clamp(0.0, 1.0)).round() as u8
    })
}

/// A colour as SVG writes it.
pub(super) fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Colours of lines that people with colour-blindness tell apart (Okabe and Ito's, without yellow, and two of Tol's):
/// one for each method that text is compared with.
pub(super) const LINES: [&str; 9] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#882255",
    "#999933",
];
