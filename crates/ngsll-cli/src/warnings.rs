//! Warnings on standard error about notable properties of the data.

use crate::flags;
use crate::output::eprint_line;
use ngsll::Finding;
use ngsll::findings::Remedy;
use ngsll_readers::{Reader, ReaderNote};
use ngsll_view::UnseenValues;

/// Prints the notes about how the samples were read.
pub fn reading(reader: &dyn Reader) {
    reader.notes().iter().map(note).for_each(eprint_line);
}

/// A note about how samples were read, with the option of `train` that changes it.
pub fn note(note: &ReaderNote) -> String {
    format!("note: {}", note.sentence(way_out))
}

/// Prints the values of `rows` rows that the model never saw.
pub fn unseen(unseen: &UnseenValues, rows: usize) {
    unseen.sentences(rows).iter().for_each(|line| eprint_line(format_args!("note: {line}")));
}

/// A finding about training data or a trained model, with the option of `train` that changes it.
pub fn finding(finding: &Finding) -> String {
    format!("note: {}", finding.sentence(way_out))
}

/// An option of `train` as it is typed, and its effect.
fn way_out(remedy: &Remedy) -> Option<String> {
    let flag = flags::of_train(&remedy.option, remedy.value.as_deref())?;
    Some(format!("{flag} {}", remedy.effect))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::config::{DataConfig, Task};
    use ngsll_readers::{LabelUse, open};

    /// The notes of `train` about how a table with one column is read.
    fn notes_about(cells: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let rows = cells.iter().enumerate().map(|(i, cell)| format!("\"{cell}\",{}\n", i % 2));
        std::fs::write(&path, "x,y\n".to_string() + &rows.collect::<String>()).unwrap();
        let mut data = DataConfig::default();
        data.target = Some("y".into());
        let reader = open(Task::Tabular, &data, &path, None, LabelUse::Required, None).unwrap();
        reader.notes().iter().map(note).collect()
    }

    #[test]
    fn notes_on_a_table_name_options_as_they_are_typed() {
        let slips: Vec<String> = (0..98).map(|i| format!("{i}.25")).collect();
        let mut slips: Vec<&str> = slips.iter().map(String::as_str).collect();
        slips.push("1,2,3");
        for (cells, ends) in [
            (
                &["01/02/2024", "02/03/2024", "03/04/2024"][..],
                "it is read as 1 February, and --set data.month_first=true changes that",
            ),
            (
                &["<5", "7", "8", "9"],
                "; --set 'data.columns.\"x\"=categorical' makes it a category",
            ),
            (&["1,234", "5,678"], "(1,234 is 1234); --set data.decimal=comma reads 1.234 instead"),
            (&["007", "008"], "; --set 'data.columns.\"x\"=numeric' makes quantities of them"),
            (&slips, "or --set 'data.missing_words=[\"1,2,3\"]' reads it as missing"),
        ] {
            let printed = notes_about(cells);
            assert!(printed.len() == 1 && printed[0].ends_with(ends), "{printed:?}: not {ends}");
        }
    }

    #[test]
    fn a_way_out_is_named_as_it_is_typed() {
        let column = "order no".to_string();
        for (found, way_out) in [
            (
                Finding::IdColumn {
                    column: column.clone(),
                    distinct: 99,
                    values: 100,
                    left_out: true,
                },
                "; --set 'data.keep=[\"order no\"]' keeps it",
            ),
            (
                Finding::NumberCodes { columns: vec![column] },
                "; --set 'data.columns.\"order no\"=categorical' reads it as a category",
            ),
            (
                Finding::SmallClasses { classes: vec![("a".into(), 3)] },
                "; --group GROUPS merges classes",
            ),
            (
                Finding::FewValidationSamples { samples: 8, cross_validated: false },
                "; --folds 5 measures on all samples",
            ),
        ] {
            let printed = finding(&found);
            assert!(printed.starts_with("note: ") && printed.ends_with(way_out), "{printed}");
        }
    }
}
