//! The threshold of two classes: the one given, or the one that costs least.

use crate::args::EvaluateArgs;
use crate::output::eprint_line;
use crate::samples::CHUNK;
use anyhow::{Result, bail};
use ngsll::metrics::{Costs, Metrics, TwoClassCounts, format_figure};
use ngsll::objective::{Objective, Targets};
use ngsll::readable::class_name;
use ngsll::{Error, Model};
use ngsll_readers::Reader;
use ngsll_view::SummaryTable;
use serde::Serialize;

/// The threshold options of the command.
pub struct ThresholdRequest {
    given: Option<f64>,
    costs: Option<Costs>,
    keep: bool,
    /// The least costly threshold, and the cost of ½; after a search.
    found: Option<(f64, f64)>,
}

/// The results at a threshold.
#[derive(Serialize)]
pub struct AtThreshold {
    /// The second class, which is predicted above it.
    positive: String,
    value: f64,
    /// Whether it was searched for on these samples.
    found: bool,
    #[serde(flatten)]
    counts: TwoClassCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<Costs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_at_half: Option<f64>,
}

impl ThresholdRequest {
    /// Checks the options for this model.
    pub fn new(args: &EvaluateArgs, model: &Model) -> Result<Self> {
        let costs = args.cost_false_positive.zip(args.cost_false_negative);
        let costs = costs.map(|(positive, negative)| Costs::new(positive, negative)).transpose()?;
        let objective = model.objective();
        if let (Some(costs), false) = (costs, matches!(objective, Objective::Binary { .. })) {
            let expected = format!(
                "only a model with two classes has a threshold, and this one predicts {}",
                objective.describe()
            );
            let cost = costs.false_positive();
            return Err(Error::setting("cost_false_positive", cost, expected).into());
        }
        if args.keep_threshold && args.threshold.is_none() && costs.is_none() {
            bail!(
                "--keep-threshold: nothing to keep; expected --threshold or the costs of both errors"
            );
        }
        Ok(Self { given: args.threshold, costs, keep: args.keep_threshold, found: None })
    }

    /// The model with the requested threshold, which may have to be found on the samples.
    pub fn apply(
        &mut self,
        model: Model,
        k: Option<usize>,
        open: impl FnOnce(&Model) -> Result<Box<dyn Reader>>,
    ) -> Result<Model> {
        if let (None, Some(costs)) = (self.given, self.costs) {
            let mut reader = open(&model)?;
            self.found = Some(search(&model, k, costs, reader.as_mut())?);
        }
        match self.given.or(self.found.map(|(threshold, _)| threshold)) {
            Some(threshold) => Ok(model.with_threshold(threshold)?),
            None => Ok(model),
        }
    }

    /// Whether the model now differs from the one in its folder.
    pub fn is_for_now(&self) -> bool {
        !self.keep && (self.given.is_some() || self.found.is_some())
    }

    /// Writes the model with its threshold, if requested.
    pub fn keep(&self, model: &Model, args: &EvaluateArgs) -> Result<()> {
        if self.keep {
            model.save_over(&args.model)?;
            let folder = args.model.display();
            eprint_line(match model.objective().threshold() {
                Some(_) => format!("note: the threshold is saved in {folder}"),
                None => format!("note: {folder} is back to the threshold 0.5"),
            });
        }
        Ok(())
    }

    /// The results at the model's threshold; `None` if none was chosen.
    pub fn report(&self, model: &Model, metrics: &Metrics) -> Option<AtThreshold> {
        let asked = self.given.or(self.found.map(|(threshold, _)| threshold));
        let value = model.objective().threshold().or(asked)?;
        let counts = TwoClassCounts::of(metrics)?;
        Some(AtThreshold {
            positive: model.objective().output_name(0).to_string(),
            value,
            found: self.found.is_some(),
            counts,
            costs: self.costs,
            cost: self.costs.map(|costs| costs.of(&counts)),
            cost_at_half: self.found.map(|(_, at_half)| at_half),
        })
    }
}

/// The least costly threshold, and the cost of ½.
fn search(
    model: &Model,
    k: Option<usize>,
    costs: Costs,
    reader: &mut dyn Reader,
) -> Result<(f64, f64)> {
    let (mut probabilities, mut positive) = (Vec::new(), Vec::new());
    let objective = model.objective().with_threshold(0.5)?;
    let mut at_half = TwoClassCounts::default();
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        let targets = objective.targets(&chunk);
        let targets = targets.map_err(|e| e.in_column(model.config().data.target.as_deref()))?;
        let Targets::Classes(classes) = targets else { continue };
        for (scores, class) in model.scores_with(&chunk, k)?.iter().zip(classes) {
            at_half.add(class == 1, objective.class(scores) == 1);
            let prediction = objective.prediction(scores);
            probabilities.extend(prediction.class().map(|class| class.probabilities()[1]));
            positive.push(class == 1);
        }
    }
    Ok((costs.best_threshold(&probabilities, &positive), costs.of(&at_half)))
}

impl AtThreshold {
    /// For the terminal: names and values.
    pub fn facts(&self) -> Vec<(String, String)> {
        let Self { value, counts, .. } = self;
        let positive = class_name(&self.positive);
        let TwoClassCounts {
            true_positives, false_positives, false_negatives, true_negatives, ..
        } = counts;
        let found = if self.found { ", the least costly on these samples" } else { "" };
        let mut facts = vec![
            ("threshold", format!("{} for {positive}{found}", format_figure(*value))),
            ("right", format!("{true_positives} {positive}, {true_negatives} others")),
            (
                "wrong",
                format!(
                    "{false_positives} taken for {positive} (false positives), {false_negatives} missed (false negatives)"
                ),
            ),
        ];
        if let Some(cost) = self.cost {
            let half = self.cost_at_half.map(|half| format!(", {half} with a threshold of 0.5"));
            facts.push(("cost", format!("{cost}{}", half.unwrap_or_default())));
        }
        facts.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }

    /// For the page.
    pub fn table(&self) -> SummaryTable {
        let rows = self.facts().into_iter().map(|(name, value)| vec![name, value]);
        SummaryTable::new("At the threshold", ["", ""], rows.collect())
    }
}
