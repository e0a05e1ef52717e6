//! Finding a column by its name, and the message if there is none.

use std::collections::HashMap;
use std::path::Path;

use ngsll::error::{Location, Result};

/// The most names that a message lists.
const LISTED: usize = 30;
/// The most characters of a name in a message.
const LONGEST_NAME: usize = 100;

/// The index of column `name`, or an error that lists the columns and suggests the nearest.
pub(crate) fn find(path: &Path, names: &[String], name: &str) -> Result<usize> {
    Ok(find_all(path, names, [name])?[0])
}

/// The indices of the columns `wanted`, or an error that names all that are missing, lists the columns and suggests the
/// nearest to each.
pub(crate) fn find_all<'a>(
    path: &Path,
    names: &[String],
    wanted: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<usize>> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    // Files may have hundreds of thousands of columns.
    let indices: HashMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    for name in wanted {
        match indices.get(name) {
            Some(index) => found.push(*index),
            None => missing.push(name.to_string()),
        }
    }
    if missing.is_empty() {
        return Ok(found);
    }
    let suggested: Vec<String> =
        missing.iter().filter_map(|name| nearest(names, name)).map(quoted).collect();
    let hint = match suggested.as_slice() {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    };
    let s = if missing.len() == 1 { "" } else { "s" };
    let missing = list(&missing);
    let message = match names {
        [] => format!("no column{s} {missing}; there are no columns"),
        names => format!("no column{s} {missing}; the columns are {}{hint}", list(names)),
    };
    Err(Location::file(path).error(message))
}

/// The names for a message, quoted and separated by commas.
pub(crate) fn list(names: &[String]) -> String {
    let listed: Vec<String> = names.iter().take(LISTED).map(|name| quoted(name)).collect();
    let more = match names.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    listed.join(", ") + &more
}

/// A name for a message: in quotes, and cut if it is so long that it is none.
pub(crate) fn quoted(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{:?}", name[..end].to_string() + "…"),
        None => format!("{name:?}"),
    }
}

/// The name that `wrong` was most likely meant to be, if any is near.
fn nearest<'a>(names: &'a [String], wrong: &str) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let length = wrong.chars().count();
    let most = 1 + length / 3;
    names
        .iter()
        // The distance takes time and memory by the product of the lengths.
        .filter(|name| length <= LONGEST_NAME && name.len() <= 4 * (length + most))
        .map(|name| (strsim::damerau_levenshtein(&name.to_lowercase(), &wrong), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn a_wrong_name_gets_the_list_and_the_nearest() {
        let names = names(&["age", "Income", "workclass"]);
        assert_eq!(find(Path::new("a.csv"), &names, "Income").unwrap(), 1);
        assert_eq!(
            find(Path::new("a.csv"), &names, "incmoe").unwrap_err().to_string(),
            "a.csv: no column \"incmoe\"; the columns are \"age\", \"Income\", \"workclass\"; did you mean \"Income\"?"
        );
        assert_eq!(
            find(Path::new("a.csv"), &names, "colour").unwrap_err().to_string(),
            "a.csv: no column \"colour\"; the columns are \"age\", \"Income\", \"workclass\""
        );
        let error = find(Path::new("a.csv"), &[], "age").unwrap_err();
        assert_eq!(error.to_string(), "a.csv: no column \"age\"; there are no columns");
        let wanted = ["colour", "age", "work_class", "size"];
        assert_eq!(
            find_all(Path::new("a.csv"), &names, wanted).unwrap_err().to_string(),
            "a.csv: no columns \"colour\", \"work_class\", \"size\"; the columns are \"age\", \"Income\", \
             \"workclass\"; did you mean \"workclass\"?"
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        let many: Vec<String> = (0..33).map(|i| i.to_string()).collect();
        assert!(list(&many).ends_with("\"29\" and 3 more"));
        let long = ["é".repeat(1 << 20)];
        assert_eq!(list(&long), format!("\"{}…\"", "é".repeat(100)));
        // Two names of a million characters are not compared: that would take an hour.
        let error = find(Path::new("a.csv"), &long, &"e".repeat(1 << 20)).unwrap_err().to_string();
        assert!(error.len() < 400, "{error}");
    }
}
