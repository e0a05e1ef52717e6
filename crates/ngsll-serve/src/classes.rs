//! Explanations of chosen classes only.

use super::error::ApiError;
use ngsll::Explanation;
use ngsll::explanation::ScoreExplanation;
use ngsll::objective::Objective;
use std::collections::HashSet;

/// Refuses classes that the model does not have.
pub fn check(objective: &Objective, classes: &[String]) -> Result<(), ApiError> {
    let known = objective.classes();
    if known.is_empty() {
        return Err(ApiError::bad(
            "this model predicts a number, so there are no classes to choose",
        ));
    }
    match classes.iter().find(|class| !known.contains(class)) {
        None if classes.is_empty() => Err(ApiError::bad("classes is empty, expected at least one")),
        // A class repeated a hundred thousand times would make a large response to a small request.
        None => each_once("class", classes),
        Some(class) => {
            let known = known.join(", ");
            let message = format!("the model has no class {class:?}; its classes are {known}");
            Err(ApiError::bad(message))
        }
    }
}

/// Refuses a list that names something twice.
pub fn each_once(what: &str, names: &[impl AsRef<str>]) -> Result<(), ApiError> {
    let mut seen = HashSet::new();
    match names.iter().map(AsRef::as_ref).find(|name| !seen.insert(*name)) {
        Some(name) => {
            Err(ApiError::bad(format!("the {what} {name:?} is named twice, expected each once")))
        }
        None => Ok(()),
    }
}

/// Keeps the scores of these classes, in this order. Two classes share one score, which favours the second;
/// for the first it is negated.
pub fn choose(explanation: &mut Explanation, objective: &Objective, classes: &[String]) {
    let of = |class: &String| match objective {
        Objective::Binary { classes, .. } if *class == classes[0] => {
            explanation.outputs.first().map(|output| opposite(output, class))
        }
        _ => explanation.outputs.iter().find(|output| output.name == *class).cloned(),
    };
    explanation.outputs = classes.iter().filter_map(of).collect();
    let outputs = &explanation.outputs;
    let is_named = |feature| outputs.iter().flat_map(|o| &o.terms).any(|t| t.feature == feature);
    explanation.regions.retain(|region| is_named(region.feature));
}

/// Gives every class its own score.
pub fn each(explanation: &mut Explanation, objective: &Objective) {
    if let Objective::Binary { classes, .. } = objective {
        choose(explanation, objective, classes);
    }
}

fn opposite(score: &ScoreExplanation, class: &str) -> ScoreExplanation {
    let mut score = score.clone();
    score.name = class.to_string();
    // From zero, because a negated zero is written "-0.0".
    for term in &mut score.terms {
        term.weight = 0.0 - term.weight;
        term.level = 0.0 - term.level;
        term.contribution = 0.0 - term.contribution;
    }
    score.score = 0.0 - score.score;
    score.intercept = 0.0 - score.intercept;
    score
}
