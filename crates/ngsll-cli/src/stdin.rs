//! Samples from standard input, which `--data -` names.
//!
//! They are put into a temporary file first: Parquet is read from its end, some formats twice, and a file may be longer
//! than memory. Messages still name standard input.

use crate::args::InputFormat;
use anyhow::{Context, Result, bail};
use ngsll::config::{DataConfig, Task};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempPath;

/// Its name in messages and pages.
const NAME: &str = "standard input";

/// The temporary file, whose name errors would otherwise show.
static FILE: OnceLock<String> = OnceLock::new();

/// A file or folder of samples; a temporary one is removed when it is dropped.
pub struct InputFile {
    path: PathBuf,
    _temporary: Option<TempPath>,
}

impl InputFile {
    /// `path` itself, or standard input if it is `-`. The format of standard input is the given one, else it is
    /// detected from the first bytes.
    pub fn open(
        path: &Path,
        format: Option<InputFormat>,
        task: Task,
        data: &DataConfig,
    ) -> Result<Self> {
        if path != Path::new("-") {
            if format.is_some() {
                bail!(
                    "--input-format: only for --data -; the format of a file follows from its name"
                );
            }
            return Ok(Self { path: path.to_path_buf(), _temporary: None });
        }
        if task == Task::Image {
            bail!("--data -: images cannot be read from standard input; expected a file or folder");
        }
        let mut stdin = BufReader::with_capacity(1 << 16, std::io::stdin());
        let start = stdin.fill_buf().context("cannot read standard input")?;
        let format = format.unwrap_or_else(|| looks_like(start, task, data));
        let mut builder = tempfile::Builder::new();
        builder.prefix("ngsll-").suffix(extension(format));
        let mut file = BufWriter::new(builder.tempfile().context("cannot make a temporary file")?);
        std::io::copy(&mut stdin, &mut file).context("cannot copy standard input to a file")?;
        file.flush().context("cannot copy standard input to a file")?;
        let file = file.into_inner().context("cannot copy standard input to a file")?;
        let temporary = file.into_temp_path();
        let path = temporary.to_path_buf();
        FILE.get_or_init(|| path.display().to_string());
        Ok(Self { path, _temporary: Some(temporary) })
    }

    /// The path of the samples.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A text with the temporary file's name replaced.
pub fn named(text: String) -> String {
    match FILE.get() {
        Some(file) => text.replace(file, NAME),
        None => text,
    }
}

/// A path as the user reads it.
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") { NAME.to_string() } else { path.display().to_string() }
}

fn extension(format: InputFormat) -> &'static str {
    match format {
        InputFormat::Csv => ".csv",
        InputFormat::Tsv => ".tsv",
        InputFormat::Lines => ".txt",
        InputFormat::Jsonl => ".jsonl",
        InputFormat::Parquet => ".parquet",
    }
}

/// The format that data with this start most likely has.
fn looks_like(start: &[u8], task: Task, data: &DataConfig) -> InputFormat {
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line).to_lowercase();
    let line = line.trim_start_matches('\u{feff}');
    let names = data.text.is_some() || data.target.is_some();
    let field = |field: &str| ["text", "label"].contains(&field.trim().trim_matches('"'));
    match task {
        _ if start.starts_with(b"PAR1") => InputFormat::Parquet,
        _ if line.trim_start().starts_with('{') => InputFormat::Jsonl,
        Task::Text if line.contains('\t') => InputFormat::Lines,
        Task::Text if names || line.split([',', ';']).any(field) => InputFormat::Csv,
        Task::Text => InputFormat::Lines,
        _ if line.contains('\t') && !line.contains([',', ';']) => InputFormat::Tsv,
        _ => InputFormat::Csv,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_tells_the_format() {
        let plain = DataConfig::default();
        let mut named = DataConfig::default();
        named.target = Some("sentiment".into());
        for (start, task, data, expected) in [
            ("PAR1...", Task::Tabular, &plain, InputFormat::Parquet),
            ("{\"a\": 1}\n", Task::Tabular, &plain, InputFormat::Jsonl),
            (" {\"text\": \"a\"}", Task::Text, &plain, InputFormat::Jsonl),
            ("size,kind\n1,a\n", Task::Tabular, &plain, InputFormat::Csv),
            ("sep=;\n", Task::Tabular, &plain, InputFormat::Csv),
            ("size\tkind\n1\ta\n", Task::Tabular, &plain, InputFormat::Tsv),
            ("pos\ta fine film, really\n", Task::Text, &plain, InputFormat::Lines),
            ("a fine film, really\n", Task::Text, &plain, InputFormat::Lines),
            ("Label,Text\n", Task::Text, &plain, InputFormat::Csv),
            ("review\n", Task::Text, &named, InputFormat::Csv),
        ] {
            assert_eq!(looks_like(start.as_bytes(), task, data), expected, "{start:?}");
        }
    }
}
