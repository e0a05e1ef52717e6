//! Standard output or a new file that appears when it is complete.

use crate::stdin;
use anyhow::Result;
use ngsll::Error;
use ngsll::error::Location;
use ngsll::model_folder::refuse_existing;
use ngsll_jobs::temporary_in;
use ngsll_view::SummaryTable;
use std::fmt::Display;
use std::io::{BufWriter, ErrorKind, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The destination of a command's result.
pub enum Output {
    Standard(BufWriter<Stdout>),
    File { path: PathBuf, file: BufWriter<NamedTempFile> },
}

impl Output {
    /// Opens `path`, which must be new, or standard output, which is also `-`.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::Standard(BufWriter::new(std::io::stdout())));
        };
        refuse_existing(path)?;
        refuse_other_formats(path)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            return Err(Location::file(path).error("its folder does not exist").into());
        }
        let file = temporary_in(folder).map_err(|error| not_created(path, folder, &error))?;
        Ok(Self::File { path: path.to_path_buf(), file: BufWriter::new(file) })
    }

    /// Whether the output goes to a terminal.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Standard(_)) && std::io::stdout().is_terminal()
    }

    /// Flushes, and gives a file its name.
    pub fn finish(mut self) -> Result<()> {
        self.flush().map_err(|error| self.write_error(error))?;
        match self {
            Self::Standard(_) => Ok(()),
            Self::File { path, file } => {
                let file =
                    file.into_inner().map_err(|e| Error::io(&path, "write", e.into_error()))?;
                let persisted = file.persist_noclobber(&path);
                persisted.map_err(|e| Error::io(&path, "write", e.error))?;
                Ok(())
            }
        }
    }

    /// Writes a line for people.
    pub fn line(&mut self, line: impl Display) -> std::io::Result<()> {
        writeln!(self, "{}", printable(line.to_string()))
    }

    /// A write error, with the destination.
    pub fn write_error(&self, error: std::io::Error) -> anyhow::Error {
        match self {
            Self::Standard(_) => {
                anyhow::Error::new(error).context("cannot write to standard output")
            }
            Self::File { path, .. } => Error::io(path, "write", error).into(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::File { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::File { file, .. } => file.flush(),
        }
    }
}

/// Extensions of formats that no command writes.
const OTHER_FORMATS: [&str; 12] =
    ["xlsx", "xls", "xlsm", "ods", "docx", "doc", "odt", "pdf", "pptx", "sqlite", "db", "zip"];

/// Refuses a name with the extension of a format that no command writes.
fn refuse_other_formats(path: &Path) -> Result<()> {
    let ending = extension(Some(path)).unwrap_or_default().to_lowercase();
    if !OTHER_FORMATS.contains(&ending.as_str()) {
        return Ok(());
    }
    let message =
        format!("cannot write .{ending} files; choose a name that ends in .csv for spreadsheets");
    Err(Location::file(path).error(message).into())
}

/// Fails now rather than after hours of training if `out` cannot be created.
pub fn check_writable(out: &Path) -> Result<()> {
    let here = Path::new(".");
    let nearest = out.ancestors().skip(1).map(|a| if a.as_os_str().is_empty() { here } else { a });
    let folder = nearest.into_iter().find(|folder| folder.exists()).unwrap_or(here);
    if !folder.is_dir() {
        let message = format!("cannot be created: {} is not a folder", folder.display());
        return Err(Location::file(out).error(message).into());
    }
    // A file without a name, of which nothing is left, also where the program is killed just now.
    tempfile::tempfile_in(folder).map_err(|error| not_created(out, folder, &error))?;
    Ok(())
}

/// The error for a folder that accepts no new files; the system's own names a temporary file.
fn not_created(path: &Path, folder: &Path, error: &std::io::Error) -> Error {
    let why = match error.kind() {
        // Folders of the system such as /proc report this for any new file.
        ErrorKind::NotFound => "this folder does not accept files".to_string(),
        kind => kind.to_string(),
    };
    Location::file(path).error(format!("nothing can be written into {}: {why}", folder.display()))
}

/// Writes a line to standard error. Unlike `eprintln!`, it does not panic when its reader is gone.
pub fn eprint_line(text: impl Display) {
    let text = printable(text.to_string());
    let _ = writeln!(std::io::stderr(), "{}", stdin::named(text));
}

/// A text without control characters but line feeds and tabs: what a stranger's model or file says must not steer the
/// terminal.
fn printable(text: String) -> String {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(steers) { text.replace(steers, " ") } else { text }
}

/// The extension of the output file, which decides its format.
pub fn extension(out: Option<&Path>) -> Option<&str> {
    out?.extension()?.to_str()
}

/// Names and values, a line each, with the values aligned.
pub fn aligned(facts: &[(String, String)]) -> impl Iterator<Item = String> {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    facts.iter().map(move |(name, value)| format!("{name:<width$}  {value}"))
}

/// A table as lines: its caption, its header and its rows, with aligned columns.
pub fn table_lines(table: &SummaryTable) -> impl Iterator<Item = String> {
    let rows: Vec<&Vec<String>> = std::iter::once(&table.header).chain(&table.rows).collect();
    let length = |cell: &String| cell.chars().count();
    let width = |column: usize| rows.iter().map(|row| length(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    let line = move |row: &Vec<String>| {
        let mut line = format!("  {:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        line
    };
    std::iter::once(table.caption.clone()).chain(rows.into_iter().map(line))
}

/// Whether the reader of our output has gone away, as `head` does, which is not an error for the user.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe)
    })
}

/// Writes items as one JSON array, an item a line, as they come.
#[derive(Default)]
pub struct JsonArray {
    begun: bool,
}

impl JsonArray {
    /// Adds an item.
    pub fn push(&mut self, out: &mut impl Write, item: &impl serde::Serialize) -> Result<()> {
        out.write_all(if self.begun { b",\n" } else { b"[\n" })?;
        self.begun = true;
        serde_json::to_writer(out, item).map_err(std::io::Error::from)?;
        Ok(())
    }

    /// Closes the array.
    pub fn finish(self, out: &mut impl Write) -> Result<()> {
        out.write_all(if self.begun { b"\n]\n" } else { b"[]\n" })?;
        Ok(())
    }
}
