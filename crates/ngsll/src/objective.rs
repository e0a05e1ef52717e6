//! What is predicted: two classes, several classes, or a number.

use crate::data::{Chunk, Groups, classes};
use crate::error::{Place, Result};
use crate::explanation::{ClassProbability, Prediction};
use crate::moments::Moments;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What is predicted, with all that is needed to read a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Objective {
    /// Two classes, one score; positive speaks for the second class.
    Binary {
        /// The two class names.
        classes: Vec<String>,
    },
    /// C > 2 classes, one score for each.
    Classes {
        /// The class names.
        classes: Vec<String>,
    },
    /// A number; the network predicts it standardised.
    Regression {
        /// The target's name.
        target: String,
        /// Mean of the training targets.
        mean: f64,
        /// Standard deviation of the training targets; 1 where they do not vary.
        deviation: f64,
    },
}

/// Which objective the user wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectiveChoice {
    /// Classes for text and images; for tables a number when the target is numeric and is not a few
    /// whole numbers.
    #[default]
    Auto,
    /// Classes, also when the labels are numbers.
    Classes,
    /// A number.
    Regression,
}

/// The known answers, in the model's own terms.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// The class number of each sample.
    Classes(Vec<usize>),
    /// The standardised value of each sample.
    Values(Vec<f32>),
}

/// A numeric target with at most this many distinct whole values counts as classes.
const FEW: usize = 10;

/// From this many classes on, one that most samples have for themselves looks like a wrong column.
const MANY: usize = 100;

impl Objective {
    /// Reads the objective off the training labels. `tabular` says whether numbers may mean regression.
    pub fn fit(
        choice: ObjectiveChoice,
        target: &str,
        chunk: &Chunk,
        rows: &[usize],
        tabular: bool,
    ) -> Result<Self> {
        let labels = labels(chunk)?;
        let regression = match choice {
            ObjectiveChoice::Classes => false,
            ObjectiveChoice::Regression => true,
            ObjectiveChoice::Auto => tabular && looks_continuous(labels),
        };
        if regression {
            let values = numbers(chunk)?;
            let Moments { mean, deviation } = Moments::of(rows.iter().map(|&r| values[r]));
            return Ok(Self::Regression { target: target.into(), mean, deviation });
        }
        let classes = classes(labels);
        match classes.len() {
            0 | 1 => {
                let found =
                    classes.first().map_or("no label".into(), |c| format!("only the class {c:?}"));
                let file = Place::file(chunk.place(0).file);
                Err(file.error(format!("there is {found}, training needs at least two classes")))
            }
            2 => Ok(Self::Binary { classes }),
            n if n > MANY && 2 * n > labels.len() => {
                let file = Place::file(chunk.place(0).file);
                let samples = labels.len();
                let message =
                    format!("{n} different labels in {samples} samples are no classes to learn");
                Err(file.error(message))
            }
            _ => Ok(Self::Classes { classes }),
        }
    }

    /// The same with its classes in the order of `names`; a positive score then speaks for the
    /// second of two.
    pub fn in_order(mut self, names: &[&str]) -> Self {
        if let Self::Binary { classes } | Self::Classes { classes } = &mut self {
            classes.sort_by_key(|class| names.iter().position(|name| name == class));
        }
        self
    }

    /// The number of scores.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Binary { .. } | Self::Regression { .. } => 1,
            Self::Classes { classes } => classes.len(),
        }
    }

    /// The class names; none in regression.
    pub fn classes(&self) -> &[String] {
        match self {
            Self::Binary { classes } | Self::Classes { classes } => classes,
            Self::Regression { .. } => &[],
        }
    }

    /// What the c-th score speaks for.
    pub fn output_name(&self, c: usize) -> &str {
        match self {
            Self::Binary { classes } => &classes[1],
            Self::Classes { classes } => &classes[c],
            Self::Regression { target, .. } => target,
        }
    }

    /// Factor and offset from the network's score to the user's units.
    pub fn units(&self) -> (f64, f64) {
        match self {
            Self::Regression { mean, deviation, .. } => (*deviation, *mean),
            _ => (1.0, 0.0),
        }
    }

    /// The known answers of a chunk; a label that training never saw is an error.
    pub fn targets(&self, chunk: &Chunk) -> Result<Targets> {
        if let Self::Regression { mean, deviation, .. } = self {
            let standardise = |v: f64| ((v - mean) / deviation) as f32;
            return Ok(Targets::Values(numbers(chunk)?.into_iter().map(standardise).collect()));
        }
        let classes = self.classes();
        let numbers: HashMap<&str, usize> =
            classes.iter().enumerate().map(|(c, name)| (name.as_str(), c)).collect();
        let number = |(row, label): (usize, &String)| {
            numbers.get(label.as_str()).copied().ok_or_else(|| {
                let known = classes.join(", ");
                chunk.place(row).error(format!("label {label:?} is not one of {known}"))
            })
        };
        labels(chunk)?.iter().enumerate().map(number).collect::<Result<_>>().map(Targets::Classes)
    }

    /// The prediction that belongs to the scores (in the user's units).
    pub fn prediction(&self, scores: &[f64]) -> Prediction {
        let probabilities = match self {
            Self::Regression { .. } => return Prediction::Value(scores[0]),
            Self::Binary { .. } => {
                let second = 1.0 / (1.0 + (-scores[0]).exp());
                vec![1.0 - second, second]
            }
            Self::Classes { .. } => softmax(scores),
        };
        let label = self.classes()[self.class(scores)].clone();
        let named = self.classes().iter().cloned().zip(probabilities);
        let named = named.map(|(class, probability)| ClassProbability { class, probability });
        let probabilities = named.collect();
        Prediction::Class { label, probabilities }
    }

    /// The predicted class number; ties go to the lower one.
    pub fn class(&self, scores: &[f64]) -> usize {
        match self {
            Self::Binary { .. } => usize::from(scores[0] > 0.0),
            _ => (0..scores.len())
                .rev()
                .max_by(|&a, &b| scores[a].total_cmp(&scores[b]))
                .unwrap_or(0),
        }
    }
}

impl Targets {
    /// The number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Values(values) => values.len(),
        }
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The answers of the given rows.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes(classes) => Self::Classes(rows.iter().map(|&r| classes[r]).collect()),
            Self::Values(values) => Self::Values(rows.iter().map(|&r| values[r]).collect()),
        }
    }
}

/// Replaces each label by its group's name; a label without group is an error.
pub fn group(chunk: &mut Chunk, groups: &Groups) -> Result<()> {
    let Some(mut labels) = chunk.labels.take() else { return Ok(()) };
    for (row, label) in labels.iter_mut().enumerate() {
        *label = match groups.apply(label) {
            Some(name) => name.to_string(),
            None => return Err(chunk.place(row).error(format!("label {label:?} is in no group"))),
        };
    }
    chunk.labels = Some(labels);
    Ok(())
}

fn labels(chunk: &Chunk) -> Result<&[String]> {
    chunk.labels.as_deref().ok_or_else(|| {
        Place::file(chunk.place(0).file).error("it has no labels, and they are needed here")
    })
}

/// The labels as finite numbers.
fn numbers(chunk: &Chunk) -> Result<Vec<f64>> {
    let number = |(row, label): (usize, &String)| match label.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(chunk.place(row).error(format!("the target {label:?} is not a finite number"))),
    };
    labels(chunk)?.iter().enumerate().map(number).collect()
}

fn looks_continuous(labels: &[String]) -> bool {
    let mut distinct = std::collections::HashSet::new();
    let numeric = labels.iter().all(|label| label.trim().parse::<f64>().is_ok());
    let whole = labels.iter().all(|label| {
        distinct.insert(label.trim());
        // 2.0 is whole, too: programs write it so where a column once had a gap.
        label.trim().parse::<f64>().is_ok_and(|value| value.fract() == 0.0)
    });
    numeric && !(whole && distinct.len() <= FEW)
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exps: Vec<f64> = scores.iter().map(|s| (s - top).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.into_iter().map(|e| e / sum).collect()
}
