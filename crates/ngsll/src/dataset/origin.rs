//! The origin of samples.

use crate::error::Location;
use std::path::PathBuf;

/// The place in a file that each sample came from, for messages only.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Lines of one file (records, where the file has no lines), counted from 1.
    Lines {
        /// The file.
        file: PathBuf,
        /// The line of each sample.
        lines: Vec<u64>,
    },
    /// One file per sample.
    Files(Vec<PathBuf>),
}

impl Origin {
    /// The origin of sample `row` (counted from 0).
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn location(&self, row: usize) -> Location {
        match self {
            Origin::Lines { file, lines } => Location::line(file, lines[row]),
            Origin::Files(files) => Location::file(&files[row]),
        }
    }

    /// The file of sample `row`, if every sample has its own.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn own_file(&self, row: usize) -> Option<&PathBuf> {
        match self {
            Origin::Lines { .. } => None,
            Origin::Files(files) => Some(&files[row]),
        }
    }

    /// The file of all samples, or that of the first.
    pub(super) fn source(&self) -> Location {
        match self {
            Origin::Lines { file, .. } => Location::file(file),
            Origin::Files(files) => files.first().map(Location::file).unwrap_or_default(),
        }
    }

    pub(super) fn select(&self, rows: &[usize]) -> Self {
        match self {
            Origin::Lines { file, lines } => Origin::Lines {
                file: file.clone(),
                lines: rows.iter().map(|&r| lines[r]).collect(),
            },
            Origin::Files(files) => Origin::Files(rows.iter().map(|&r| files[r].clone()).collect()),
        }
    }

    /// The number of samples.
    pub(super) fn len(&self) -> usize {
        match self {
            Origin::Lines { lines, .. } => lines.len(),
            Origin::Files(files) => files.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_knows_where_it_came_from() {
        let origin = Origin::Lines { file: "a.csv".into(), lines: vec![2, 5] };
        assert_eq!(origin.location(1), Location::line("a.csv", 5));
        assert_eq!(origin.select(&[1]).location(0), Location::line("a.csv", 5));
        assert_eq!(origin.source(), Location::file("a.csv"));
        assert_eq!(Origin::Files(vec!["b.png".into()]).location(0), Location::file("b.png"));
    }
}
