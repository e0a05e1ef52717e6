//! The terminal that standard output goes to.

use crate::shell::quoted;
use ngsll::Model;
use ngsll_view::{Beside, Measured};
use std::io::IsTerminal;
use std::path::Path;

/// Whether standard output shows colours.
pub fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// The promise of the explanations of a model with K = `k` and the figures measured of it, to be printed under them.
pub fn promise(model: &Model, k: usize, folder: &Path, colour: bool) -> String {
    let beside = Beside::features_of(model.representation());
    let measured = measured(model, k, folder);
    ngsll_view::terminal_promise(model.evidence(), beside, &measured, colour, width())
}

/// Figures measured of a model's terms, or the commands for this folder that measure them.
pub fn measured(model: &Model, k: usize, folder: &Path) -> Measured {
    Measured::of(model, k, &quoted(&folder.display().to_string()))
}

/// The width of the terminal, or 80.
pub fn width() -> usize {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((24, 80));
    usize::from(columns).clamp(24, 120)
}
