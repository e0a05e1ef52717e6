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

/// All commands of README.md, which comes first, and docs/*.md; each once, but those of `ngsll serve`
/// and what is asked of it belong together and are repeated.
pub fn commands() -> Vec<Shown> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = std::fs::read_dir(root.join("docs")).expect("the folder docs");
    let mut docs: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    docs.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    docs.sort();
    let mut all: Vec<Shown> = Vec::new();
    for path in std::iter::once(root.join("README.md")).chain(docs) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let document = path.file_name().unwrap().to_string_lossy().into_owned();
        for shown in of_document(&document, &text) {
            let repeated = ["ngsll serve", "curl"].iter().any(|s| shown.command.starts_with(s));
            if repeated || all.iter().all(|other| other.command != shown.command) {
                all.push(shown);
            }
        }
    }
    all
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
