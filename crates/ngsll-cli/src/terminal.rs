//! The terminal that standard output goes to.

use ngsll::Model;
use ngsll::config::Task;
use std::io::IsTerminal;

/// Whether standard output shows colours.
pub fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// What the explanations of a model promise, to stand under them.
pub fn promise(model: &Model, colour: bool) -> String {
    let texts = model.config().task == Task::Text;
    ngsll_view::terminal_promise(model.evidence(), texts, colour, width())
}

/// Columns of the terminal, or a plain 80.
pub fn width() -> usize {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((24, 80));
    usize::from(columns).clamp(24, 120)
}
