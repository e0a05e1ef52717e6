//! The commands that the documents show.

use std::fmt;
use std::path::{Path, PathBuf};

/// A command as a document shows it.
pub struct Shown {
    /// Such as `README.md`.
    document: String,
    /// The line it begins on, counted from 1.
    line: usize,
    pub command: String,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} line {}, `{}`", self.document, self.line, self.command)
    }
}

/// The commands of a file, by its path in the repository.
pub fn of_file(path: impl AsRef<Path>) -> Vec<Shown> {
    let path = path.as_ref();
    let document = path.file_name().unwrap().to_string_lossy().into_owned();
    of_document(&document, &text_of(path))
}

/// The text of a file, by its path in the repository.
pub fn text_of(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"))
}

/// The commands of each page of docs.
pub fn pages() -> Vec<Vec<Shown>> {
    documents("docs")
}

/// The commands of each tutorial.
pub fn tutorials() -> Vec<Vec<Shown>> {
    documents("docs/tutorials")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of each Markdown file of a folder, by name.
fn documents(folder: &str) -> Vec<Vec<Shown>> {
    let files = std::fs::read_dir(root().join(folder)).expect("the folder");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files.into_iter().map(of_file).collect()
}

/// The commands of the fenced blocks that are marked `sh`; a backslash continues a line.
fn of_document(document: &str, text: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let (mut in_block, mut continues) = (false, false);
    for (line, content) in (1..).zip(text.lines()) {
        if content.starts_with("```") {
            in_block = !in_block && content.trim_end() == "```sh";
            continue;
        }
        let content = content.trim();
        if !in_block || content.is_empty() || content.starts_with('#') {
            continue;
        }
        let (part, goes_on) = match content.strip_suffix('\\') {
            Some(part) => (part.trim_end(), true),
            None => (content, false),
        };
        match commands.last_mut().filter(|_| continues) {
            Some(shown) => shown.command += &format!(" {part}"),
            None => {
                let (document, command) = (document.to_string(), part.to_string());
                commands.push(Shown { document, line, command });
            }
        }
        continues = goes_on;
    }
    commands
}

#[test]
fn blocks_of_shell_commands_are_found() {
    let text =
        "```sh\none\n# not this\ntwo \\\n  three\n```\n```rust\nfour\n```\n```sh\nfive\n```\n";
    let found: Vec<(usize, String)> =
        of_document("a.md", text).into_iter().map(|shown| (shown.line, shown.command)).collect();
    let expected = [(2, "one"), (4, "two three"), (11, "five")];
    assert_eq!(found, expected.map(|(line, command)| (line, command.to_string())));
}
