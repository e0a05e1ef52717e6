//! Every colour, defined once for pages, figures and the terminal: the two sides of a contribution, and
//! the lines of a chart.

/// Red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// One side's colour on light and dark backgrounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hue {
    /// Strong enough for white text on it.
    pub(crate) on_light: Rgb,
    /// Bright enough for a dark background.
    pub(crate) on_dark: Rgb,
}

/// For the class, or more: a red that people with colour-blindness can tell from the blue.
pub(crate) const POSITIVE: Hue = Hue { on_light: [178, 24, 43], on_dark: [244, 134, 110] };
/// Against the class, or less.
pub(crate) const NEGATIVE: Hue = Hue { on_light: [33, 102, 172], on_dark: [116, 180, 245] };

/// The hue of a sign.
pub(crate) fn hue(negative: bool) -> &'static Hue {
    if negative { &NEGATIVE } else { &POSITIVE }
}

/// `from` moved towards `to` by `share` in 0..=1.
pub(crate) fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|i| {
        let (a, b) = (f64::from(from[i]), f64::from(to[i]));
        (a + (b - a) * share.clamp(0.0, 1.0)).round() as u8
    })
}

/// A colour as SVG writes it.
pub(crate) fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Colours of lines that people with colour-blindness can tell apart (Okabe and Ito's, without yellow, and two of Tol's):
/// one for each method in the comparison on texts.
pub(crate) const LINES: [&str; 11] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#882255",
    "#999933", "#332288", "#a6761d",
];

/// Ends every colour of the terminal.
pub(crate) const RESET: &str = "\x1b[0m";
/// Grey text in the terminal, on any background.
pub(crate) const FAINT: &str = "\x1b[90m";
/// Bold text in the terminal.
pub(crate) const BOLD: &str = "\x1b[1m";

/// The CSS class of a contribution's sign.
pub(crate) fn class(negative: bool) -> &'static str {
    if negative { "neg" } else { "pos" }
}

/// Between light and dark: for backgrounds that are neither, such as pictures and unknown terminals.
fn middle(hue: &Hue) -> Rgb {
    mix(hue.on_light, hue.on_dark, 0.5)
}

/// The colours as CSS variables, for both colour schemes and for pictures.
pub(crate) fn css_variables() -> String {
    let set = |name: &str, rgb: fn(&Hue) -> Rgb| {
        format!("--pos{name}:{};--neg{name}:{};", css(rgb(&POSITIVE)), css(rgb(&NEGATIVE)))
    };
    let (light, dark) = (set("", |h| h.on_light), set("", |h| h.on_dark));
    let picture = set("-tint", middle) + &set("-outline", |h| h.on_dark);
    format!(
        ":root{{{light}{picture}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )
}

fn css([r, g, b]: Rgb) -> String {
    format!("{r} {g} {b}")
}

/// A pixel under the tint of a chosen cell.
pub(crate) fn tint(pixel: Rgb, negative: bool, strength: f64) -> Rgb {
    mix(pixel, middle(hue(negative)), 0.45 + 0.35 * strength)
}

/// Text in a contribution's colour, readable on light and dark terminals.
pub(crate) fn ink(negative: bool) -> String {
    foreground(middle(hue(negative)))
}

/// White text on a contribution's colour, stronger for larger ones.
pub(crate) fn highlight(negative: bool, strength: f64) -> String {
    format!("{}\x1b[97m", background(ground(hue(negative), strength)))
}

/// The background of a highlight: from near grey to the full colour.
fn ground(hue: &Hue, strength: f64) -> Rgb {
    const SLATE: Rgb = [96, 96, 96];
    mix(SLATE, hue.on_light, 0.4 + 0.6 * strength)
}

/// Sets the terminal's text colour: 24-bit, since the nearest of 256 turns faint reds into greys.
pub(crate) fn foreground([r, g, b]: Rgb) -> String {
    format!("\x1b[38;2;{r};{g};{b}m")
}

/// Sets the terminal's background colour.
pub(crate) fn background([r, g, b]: Rgb) -> String {
    format!("\x1b[48;2;{r};{g};{b}m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_text_is_readable_on_every_highlight_and_the_sides_differ() {
        let luminance = |rgb: Rgb| {
            let linear = rgb.map(|v| (f64::from(v) / 255.0).powf(2.2));
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        for (hue, share) in [(&POSITIVE, 0.0), (&POSITIVE, 1.0), (&NEGATIVE, 0.0), (&NEGATIVE, 1.0)]
        {
            assert!(1.05 / (luminance(ground(hue, share)) + 0.05) > 4.5);
            assert!((luminance(hue.on_dark) + 0.05) / 0.06 > 4.5);
        }
        assert_ne!(highlight(true, 0.0), highlight(false, 0.0));
    }
}
