//! The labels of a data set as classes or numbers.

use super::ObjectiveChoice;
use crate::dataset::{Dataset, DecimalMark, FEW_NUMBERS, Groups, Labels};
use crate::error::{Error, Remedy, Result};
use crate::readable::count;
use std::collections::HashMap;
use std::sync::Arc;

/// From this many classes on, a target with a distinct class for most samples looks like a wrong column.
const MANY: usize = 100;

/// The labels of a data set as classes or numbers, read once: they do not depend on which
/// samples training sees.
#[derive(Debug)]
pub(crate) enum Answers {
    /// Class names, and the class of each sample.
    Classes(Arc<[String]>, Vec<usize>),
    /// The number of each sample.
    Numbers(Vec<f64>),
}

impl Answers {
    /// Reads the labels. `tabular` says whether numbers may mean regression; classes are in the
    /// order of the groups, if there are any.
    pub fn read(
        choice: ObjectiveChoice,
        data: &Dataset,
        tabular: bool,
        groups: Option<&Groups>,
    ) -> Result<Self> {
        let labels = labels(data)?;
        let regression = match choice {
            ObjectiveChoice::Classes => false,
            ObjectiveChoice::Regression => true,
            ObjectiveChoice::Auto => tabular && looks_continuous(labels),
        };
        if regression {
            let numbers = numbers(data)?;
            if let (Some(&first), true) = (numbers.first(), labels.len() > 1)
                && numbers.iter().all(|number| *number == first)
            {
                let message =
                    format!("the target is {first} in every row: there is nothing to learn");
                return Err(data.source().error(message));
            }
            return Ok(Self::Numbers(numbers));
        }
        if tabular && choice == ObjectiveChoice::Auto {
            refuse_slips(data, labels)?;
        }
        let mut classes = labels.classes();
        let n = classes.len();
        if n < 2 {
            let found =
                classes.first().map_or("no label".into(), |c| format!("only the class {c:?}"));
            let message = format!("there is {found}; training needs at least two classes");
            return Err(data.source().error(message));
        }
        if n > MANY && 2 * n > labels.len() {
            let samples = labels.len();
            let message =
                format!("{n} different labels in {samples} samples are too many to be classes");
            return Err(data.source().error(message));
        }
        if let Some(groups) = groups {
            let names = groups.names();
            if let Some(class) = classes.iter().find(|class| !names.contains(&class.as_str())) {
                return Err(Error::setting("data.group", class, "a label outside the groups"));
            }
            classes.sort_by_key(|class| names.iter().position(|name| name == class));
        }
        let indices = class_indices(data, labels, &classes)?;
        Ok(Self::Classes(classes.into(), indices))
    }
}

pub(super) fn labels(data: &Dataset) -> Result<&Labels> {
    data.labels().ok_or_else(|| data.source().error("it has no labels, but they are needed here"))
}

/// The class of each sample; names are compared once for each distinct label.
pub(super) fn class_indices(
    data: &Dataset,
    labels: &Labels,
    classes: &[String],
) -> Result<Vec<usize>> {
    let known: HashMap<&str, usize> =
        classes.iter().enumerate().map(|(c, name)| (name.as_str(), c)).collect();
    let class_of: Vec<Option<usize>> =
        labels.distinct().iter().map(|label| known.get(label.as_str()).copied()).collect();
    let class = |(row, &index): (usize, &u32)| {
        class_of[index as usize].ok_or_else(|| {
            let (label, known) = (labels.get(row), classes.join(", "));
            data.location(row).error(format!("label {label:?} is not one of {known}"))
        })
    };
    labels.indices().iter().enumerate().map(class).collect()
}

/// The number in each distinct label, also as in `12,5`, `$1,200` and `12 EUR`.
fn written(labels: &Labels) -> impl Iterator<Item = Option<f64>> {
    let form = labels.number_form();
    let number = move |label: &String| Some(form.number(label.trim())?.value(DecimalMark::Point));
    labels.distinct().iter().map(number)
}

/// The labels as finite numbers.
pub(crate) fn numbers(data: &Dataset) -> Result<Vec<f64>> {
    let labels = labels(data)?;
    let value_of: Vec<Option<f64>> =
        written(labels).map(|value| value.filter(|v| v.is_finite())).collect();
    let value = |(row, &index): (usize, &u32)| {
        value_of[index as usize].ok_or_else(|| {
            let label = labels.get(row);
            data.location(row).error(format!("the target {label:?} is not a finite number"))
        })
    };
    labels.indices().iter().enumerate().map(value).collect()
}

/// Refuses mostly numeric labels with a few that are not; the error names the first. Read as classes, every number
/// would be one.
fn refuse_slips(data: &Dataset, labels: &Labels) -> Result<()> {
    let Some(numbers) = Labels::nearly_all_numbers(labels.iter()) else { return Ok(()) };
    let is_number: Vec<bool> = written(labels).map(|number| number.is_some()).collect();
    let slip = labels.indices().iter().position(|&index| !is_number[index as usize]);
    let Some(row) = slip else { return Ok(()) };
    let what = match labels.len() - numbers {
        1 => "this cell or leave its row out".to_string(),
        slips => format!("all {} such cells or leave their rows out", count(slips)),
    };
    let (label, numbers, all) = (labels.get(row), count(numbers), count(labels.len()));
    Err(Error::Undecided {
        location: data.location(row),
        message: format!(
            "the target {label:?} is not a number, as those of {numbers} of {all} rows are; correct {what}"
        ),
        remedy: Box::new(Remedy {
            option: "objective".into(),
            value: Some("\"classes\"".into()),
            effect: "predicts classes",
        }),
    })
}

/// A target of few whole numbers counts as classes.
fn looks_continuous(labels: &Labels) -> bool {
    let values: Option<Vec<f64>> = written(labels).collect();
    // 2.0 is whole, too: programs write it so where a column once had a gap.
    values.is_some_and(|values| {
        values.len() > FEW_NUMBERS || values.iter().any(|value| value.fract() != 0.0)
    })
}
