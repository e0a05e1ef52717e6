//! Warnings on standard error about data that a user may want to look at.

use crate::flags;
use crate::output::eprint_line;
use ngsll::dataset::{Dataset, Samples};
use ngsll::representation::Representation;
use ngsll::{Finding, TrainingSetup};
use ngsll_readers::Reader;
use ngsll_view::UnseenValues;

/// Says what is special about how the samples were read.
pub fn reading(reader: &dyn Reader) {
    reader.notes().iter().for_each(|note| eprint_line(format_args!("note: {note}")));
}

/// Says which values of `rows` rows the model never saw.
pub fn unseen(unseen: &UnseenValues, rows: usize) {
    unseen.sentences(rows).iter().for_each(|line| eprint_line(format_args!("note: {line}")));
}

/// A K that is larger than the number of features.
pub fn fewer_features(setup: &TrainingSetup) -> Option<String> {
    let (k, features) = (setup.config().k, setup.representation().features());
    let s = if features == 1 { "" } else { "s" };
    (k > features)
        .then(|| format!("note: there are only {features} feature{s}, so K is {features}, not {k}"))
}

/// Columns that are never chosen because they do not help on held-out rows.
pub fn uninformative_columns(representation: &Representation) -> Option<String> {
    let Representation::Columns(columns) = representation else { return None };
    let names: Vec<String> =
        columns.uninformative().iter().map(|name| format!("{name:?}")).collect();
    let (s, do_not) = if names.len() == 1 { ("", "does not") } else { ("s", "do not") };
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!(
            "note: column{s} {names} {do_not} help on the validation rows and will not be chosen; \
             --set training.screening=false keeps all"
        )
    })
}

/// Texts of which only the beginning is read.
pub fn cut_texts(data: &Dataset, representation: &Representation) -> Option<String> {
    let (Representation::Words(words), Samples::Texts(texts)) = (representation, data.samples())
    else {
        return None;
    };
    let cut: Vec<&str> = texts.iter().filter(|text| words.is_cut(text)).collect();
    let longest = cut.iter().map(|text| words.length(text)).max()?;
    let (count, of, most) = (cut.len(), texts.len(), words.config().max_tokens);
    Some(format!(
        "note: {count} of {of} texts are longer than {most} tokens, of which only the first {most} are read; \
         the longest has {longest}: --set representation.max_tokens={longest} reads them all"
    ))
}

/// What was found in training data, with the option of `train` that changes it.
pub fn finding(finding: &Finding) -> String {
    let remedy = finding.remedy().and_then(|remedy| {
        let flag = flags::of_train(&remedy.option, remedy.value.as_deref())?;
        Some(format!("; {flag} {}", remedy.effect))
    });
    format!("note: {finding}{}", remedy.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let said = finding(&found);
            assert!(said.starts_with("note: ") && said.ends_with(way_out), "{said}");
        }
    }
}
