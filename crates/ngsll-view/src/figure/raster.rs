//! PNG from SVG.

use ngsll::error::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::Arc;

/// Pixels of the PNG per unit of the SVG.
const SCALE: f32 = 2.0;

/// The system's fonts; none are bundled.
#[derive(Debug, Clone)]
pub struct Fonts(Arc<fontdb::Database>);

impl Fonts {
    /// Looks for the system's fonts.
    pub fn of_system() -> Self {
        let mut fonts = fontdb::Database::new();
        fonts.load_system_fonts();
        // If the usual fonts are missing, any other is better than none.
        let family = |monospaced: bool| {
            let face = fonts.faces().find(|face| face.monospaced == monospaced);
            let face = face.or_else(|| fonts.faces().next());
            face.and_then(|face| face.families.first()).map(|(name, _)| name.clone())
        };
        if let (Some(sans), Some(mono)) = (family(false), family(true)) {
            fonts.set_serif_family(sans.clone());
            fonts.set_sans_serif_family(sans);
            fonts.set_monospace_family(mono);
        }
        Self(Arc::new(fonts))
    }

    /// Whether there are none: a PNG then has no letters.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An SVG file as a PNG file.
pub fn png(svg: &str, fonts: &Fonts) -> Result<Vec<u8>> {
    let failed = |what: String| Error::setting("figure", "PNG", what);
    let options = Options { fontdb: fonts.0.clone(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|e| failed(e.to_string()))?;
    let size = tree.size().to_int_size().scale_by(SCALE);
    let size = size.ok_or_else(|| failed("the figure has no size".into()))?;
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| failed("the figure is too large".into()))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| failed(e.to_string()))
}
