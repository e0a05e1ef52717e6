//! Every option of a model, from the tables of the library.

use crate::flags;
use anyhow::{Result, bail};
use ngsll::config::{OptionGroup, OptionInfo, option_groups};

/// The largest width of the column of names.
const NAMES: usize = 34;

const HEAD: &str = "\
Options of a model. Give them to ngsll train as --set KEY=VALUE, or in a TOML file with --config;
some have a flag of their own. Every model folder has the options of its training in train.toml.
";

/// The options whose name, group or flag has all of these words, for a terminal this wide.
pub fn text(words: &[String], width: usize) -> Result<String> {
    let mut text = HEAD.to_string();
    let mut found = 0;
    for group in option_groups() {
        let options: Vec<&OptionInfo> =
            group.options.iter().filter(|option| has_all(&group, option, words)).collect();
        if options.is_empty() {
            continue;
        }
        found += options.len();
        text += &format!("\n{}\n", heading(&group));
        for option in options {
            text += &entry(&group.key(option), option, width);
        }
    }
    if found == 0 {
        bail!("help options {}: no option matches these words", words.join(" "));
    }
    Ok(text)
}

fn has_all(group: &OptionGroup, option: &OptionInfo, words: &[String]) -> bool {
    let key = group.key(option);
    let kind = group.kind.unwrap_or_default();
    let all = format!("{key} {kind} {} {}", group.title, flag(&key)).to_lowercase();
    words.iter().all(|word| all.contains(&word.to_lowercase()))
}

/// The title of a group, with the kind for which its options apply.
fn heading(group: &OptionGroup) -> String {
    match group.kind {
        Some(kind) => format!("{} ({}.kind = {kind})", group.title, group.table),
        None => group.title.to_string(),
    }
}

/// The flag of an option, or an empty text.
pub fn flag(key: &str) -> String {
    flags::own_flag_of_train(key).map(|flag| format!("--{flag}")).unwrap_or_default()
}

fn entry(key: &str, option: &OptionInfo, width: usize) -> String {
    let flag = flag(key);
    let name = if flag.is_empty() { format!("  {key}") } else { format!("  {key}, {flag}") };
    let available = width.saturating_sub(NAMES).max(24);
    let mut lines = wrapped(&option.purpose.replace('`', ""), available);
    lines.extend(wrapped(&format!("{}; default: {}", option.values, option.default), available));
    let first = if name.len() < NAMES { lines.remove(0) } else { String::new() };
    let mut text = format!("{name:NAMES$}{first}").trim_end().to_string() + "\n";
    for line in lines {
        text += &format!("{:NAMES$}{line}\n", "");
    }
    text
}

/// A text in lines of at most `width` characters where its words allow it.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always one");
        if line.is_empty() {
            *line += word;
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            *line += &format!(" {word}");
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}

#[cfg(test)]
mod tests;
