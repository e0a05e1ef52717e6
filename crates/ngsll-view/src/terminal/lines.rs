//! Lines of a terminal: colour, width, wrapping.

use unicode_width::UnicodeWidthStr;

use crate::colour;

/// The colour of text, if any.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// Whether escape sequences may be written.
    pub(crate) colour: bool,
}

impl Style {
    /// `text` in the colour that `escape` switches on.
    pub(crate) fn paint(self, escape: &str, text: &str) -> String {
        if self.colour { format!("{escape}{text}{}", colour::RESET) } else { text.to_string() }
    }
}

/// A piece of a line that is not broken.
pub(crate) struct Piece {
    space_before: bool,
    columns: usize,
    text: String,
}

impl Piece {
    /// `text` as written, `shown` as displayed: without escape sequences.
    pub(crate) fn new(space_before: bool, shown: &str, text: String) -> Self {
        Self { space_before, columns: columns(shown), text }
    }

    /// A word without colour.
    pub(crate) fn plain(text: String) -> Self {
        Self::new(true, &text.clone(), text)
    }
}

/// The pieces in lines of at most `width` columns (a longer piece has its own line).
pub(crate) fn wrap(pieces: impl Iterator<Item = Piece>, width: usize) -> Vec<String> {
    let (mut lines, mut used) = (vec![String::new()], 0);
    for piece in pieces {
        let space = usize::from(piece.space_before && used > 0);
        // Two columns are kept for a piece that follows without a space, so that no line starts with a comma.
        let limit = if piece.space_before { width.saturating_sub(2) } else { width };
        if used > 0 && used + space + piece.columns > limit {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            let space = if used > 0 { space } else { 0 };
            *line += &" ".repeat(space);
            *line += &piece.text;
            used += space + piece.columns;
        }
    }
    lines
}

/// The number of columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text padded with spaces to `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// The text, cut to `width` columns with an ellipsis.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_string();
    }
    let mut cut = text.to_string();
    while columns(&cut) + 1 > width && cut.pop().is_some() {}
    cut + "…"
}

/// The text without control characters: data must not steer the terminal.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_the_width_and_not_before_a_comma() {
        let word = |w: &&str| Piece::new(!w.starts_with(','), w, w.to_string());
        let lines = wrap(["one", "two", ",", "three", "unbreakable"].iter().map(word), 9);
        assert_eq!(lines, ["one two,", "three", "unbreakable"]);
        assert_eq!(wrap(std::iter::empty(), 9), [""]);
    }

    #[test]
    fn long_names_are_cut_by_columns_not_bytes() {
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(pad(&fit("日本語", 4), 4), "日… ");
        assert_eq!(fit("abc", 0), "…");
    }

    #[test]
    fn data_cannot_steer_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb\nc"), "a [2Jb c");
    }
}
