//! The help of the options, and their page.

use super::*;
use std::path::Path;

#[test]
fn every_option_is_listed_and_words_select() {
    let all = text(&[], 100).unwrap();
    for group in option_groups() {
        for option in group.options {
            assert!(all.contains(&group.key(option)), "{}", group.key(option));
        }
    }
    assert!(all.lines().all(|line| line.chars().count() <= 100), "{all}");
    let some = text(&["generator".into(), "ensemble".into()], 100).unwrap();
    assert!(some.contains("generator.members") && !some.contains("generator.filters"), "{some}");
    let flag = text(&["--target".into()], 100).unwrap();
    assert!(flag.contains("data.target, --target") && !flag.contains("data.id"), "{flag}");
    let none = text(&["colour".into()], 100).unwrap_err();
    assert_eq!(none.to_string(), "help options colour: no option matches these words");
}

/// The table of a group in Markdown.
fn table(group: &OptionGroup) -> String {
    let flags = group.options.iter().any(|option| !flag(&group.key(option)).is_empty());
    let head = if flags { ["| flag ", "|---"] } else { ["", ""] };
    let mut text = format!("| key {}| default | purpose | values |\n", head[0]);
    text += &format!("|---{}|---|---|---|\n", head[1]);
    for option in group.options {
        let key = group.key(option);
        let flag = match flag(&key) {
            _ if !flags => String::new(),
            flag if flag.is_empty() => "| ".to_string(),
            flag => format!("| `{flag}` "),
        };
        let OptionInfo { default, purpose, values, .. } = option;
        text += &format!("| `{key}` {flag}| {default} | {purpose} | {values} |\n");
    }
    text
}

/// The page with its tables made anew: each stands between two comments, the first of which names it.
fn with_tables(page: &str) -> String {
    let groups = option_groups();
    let name = |group: &OptionGroup| match group.kind {
        Some(kind) => format!("{} {kind}", group.table),
        None if group.table.is_empty() => "model".to_string(),
        None => group.table.to_string(),
    };
    let mut text = String::new();
    let mut rest = page;
    for group in &groups {
        let start = format!("<!-- options: {} -->\n", name(group));
        let (before, after) = rest.split_once(&start).unwrap_or_else(|| panic!("no {start}"));
        let (_, after) = after.split_once("<!-- end -->\n").expect("an end");
        text += &format!("{before}{start}{}<!-- end -->\n", table(group));
        rest = after;
    }
    text + rest
}

#[test]
fn the_page_of_options_has_the_tables_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let expected = with_tables(&page);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
        return;
    }
    let other = page.lines().zip(expected.lines()).find(|(page, expected)| page != expected);
    assert!(page == expected, "{other:?}: UPDATE_DOCS=1 and this test write docs/options.md anew");
}
