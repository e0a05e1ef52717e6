//! Tables: the choice by the effect network, and a last pass with the chosen columns; or one pass under the
//! gate.

mod columns;
mod ensemble;
mod mlp;

use crate::choice::{check_rule, step, unfinished};
use crate::gated::gated;
use crate::graph::{Graph, Kind, Value};
use crate::outputs::Terms;
use crate::weights::Weights;
use columns::TableInput;
use ensemble::Ensemble;
use mlp::Mlp;
use ngsll::evidence::choice::Rule;
use ngsll::generator::GeneratorConfig;
use ngsll::representation::{ColumnEncoding, Columns};
use ngsll::{Evidence, Model, Result};

/// The network that writes the weights.
enum TableNetwork {
    Ensemble(Ensemble),
    Mlp(Mlp),
}

impl TableNetwork {
    fn new(
        g: &mut Graph,
        weights: &mut Weights,
        model: &Model,
        rows: &TableInput,
        encodings: &[ColumnEncoding],
    ) -> Result<Self> {
        let marked = model.evidence() == Evidence::Chosen;
        Ok(match &model.config().generator {
            GeneratorConfig::TabularMlp(_) => {
                let name = "generator.TabularMlp";
                Self::Mlp(Mlp::new(g, weights, name, rows, encodings, marked)?)
            }
            _ => Self::Ensemble(Ensemble::new(g, weights, "generator.TabularEnsemble", rows)?),
        })
    }

    /// kept: [batch, columns]; all if absent → [batch, outputs, slots]
    fn forward(&self, g: &mut Graph, kept: Option<&Value>, all: &Value, outputs: usize) -> Value {
        match self {
            Self::Mlp(network) => network.forward(g, kept),
            Self::Ensemble(network) => {
                let output = network.forward(g, kept.unwrap_or(all));
                g.reshape(&output, &[0, outputs as i64, -1])
            }
        }
    }
}

/// The inputs, and the terms of the scores.
pub(crate) fn terms(
    g: &mut Graph,
    weights: &mut Weights,
    model: &Model,
    table: &Columns,
    k: usize,
) -> Result<Terms> {
    let encodings = table.encodings();
    match model.evidence() {
        Evidence::Chosen => chosen(g, weights, model, table, k),
        _ => {
            let rows = TableInput::input(g, encodings, &vec![true; encodings.len()])?;
            let network = TableNetwork::new(g, weights, model, &rows, encodings)?;
            let all = ones(g, &rows);
            let weights = network.forward(g, None, &all, model.objective().outputs());
            let z = level_values(g, &rows, encodings);
            Ok(gated(g, model, &weights, &z, k, None))
        }
    }
}

/// 1 for every column: [batch, columns]
fn ones(g: &mut Graph, rows: &TableInput) -> Value {
    let zeros = g.zeros_like(&rows.numbers);
    let one = g.float(1.0);
    g.add(&zeros, &one)
}

/// z if numbers and levels are features: [batch, features]
fn level_values(g: &mut Graph, rows: &TableInput, encodings: &[ColumnEncoding]) -> Value {
    let (mut owners, mut rows_of_levels, mut numeric) = (Vec::new(), Vec::new(), Vec::new());
    for (c, encoding) in encodings.iter().enumerate() {
        let first = rows.layout.firsts[c] as i64;
        let levels = match encoding {
            ColumnEncoding::Categorical { levels, .. } => levels.len(),
            _ => 0,
        };
        let features = if rows.layout.numeric[c] { 1 } else { levels };
        owners.extend(vec![c as i64; features]);
        rows_of_levels.extend((0..features as i64).map(|level| first + 1 + level));
        numeric.extend(vec![rows.layout.numeric[c]; features]);
    }
    let features = owners.len();
    let owners = g.list(&owners);
    let (found, numbers) = (g.gather(&rows.rows, &owners, 1), g.gather(&rows.numbers, &owners, 1));
    let rows_of_levels = g.ints(&[1, features], &rows_of_levels);
    let holds = g.op("Equal", &[&found, &rows_of_levels]);
    let holds = g.cast(&holds, Kind::Float);
    let numeric = g.bools(&[1, features], &numeric);
    g.select(&numeric, &numbers, &holds)
}

fn chosen(
    g: &mut Graph,
    weights: &mut Weights,
    model: &Model,
    table: &Columns,
    k: usize,
) -> Result<Terms> {
    let (encodings, outputs) = (table.encodings(), model.objective().outputs());
    check_rule(model, &[Rule::Effect])?;
    let closed = table.uninformative();
    let open: Vec<bool> =
        encodings.iter().map(|e| !closed.iter().any(|name| name == e.name())).collect();
    let rows = TableInput::input(g, encodings, &open)?;
    let effects = Ensemble::new(g, weights, "importance", &rows)?;
    let known = rows.known(g, encodings);
    let marks: Vec<f32> = open.iter().map(|&open| if open { 1.0 } else { 0.0 }).collect();
    let marks = g.floats(&[1, marks.len()], &marks);
    let available = g.mul(&known, &marks);
    let going = unfinished(g, &available, k);
    let [kept] = g.repeat(&going, [(&available, Kind::Float)], |g, _, [kept]| {
        let effects = effects.forward(g, kept);
        let kept = step(g, kept, &effects, k, false);
        let going = unfinished(g, &kept, k);
        ([kept], going)
    });
    let network = TableNetwork::new(g, weights, model, &rows, encodings)?;
    let output = network.forward(g, Some(&kept), &kept, outputs);
    let division = Division::new(g, weights, &rows, &kept, outputs)?;
    let explainer = match weights.has("explainer.") {
        true => Some(Ensemble::new(g, weights, "explainer.network", &rows)?),
        false => None,
    };
    let explained = explainer.map(|explainer| explainer.forward(g, &kept));
    let pair = division.terms(g, output, explained);
    let pair = match weights.find("scale") {
        Some(scale) => pair.map(|part| g.times(&part, scale.values[0])),
        None => pair,
    };
    let [levels, slopes] = pair;
    let numbers = division.numbers;
    let products = vec![(levels, None), (slopes, Some(numbers))];
    Ok(Terms { products, kept: division.marks, groups: 1, numbers: None })
}

/// The division of a score into levels and slopes of the kept columns.
struct Division {
    /// 1 where a column is kept: [batch, 1, columns]
    marks: Value,
    /// The number of kept columns: [batch, 1, 1]
    count: Value,
    /// The factors of slopes: [batch, 1, columns]
    numbers: Value,
    linear: Option<LinearTerms>,
    outputs: usize,
}

/// The linear model beneath the network.
struct LinearTerms {
    /// Levels and slopes: [batch, outputs, columns]
    pair: [Value; 2],
    /// The share of the network's addition that is kept: [batch, 1, 1]
    share: Value,
}

impl Division {
    fn new(
        g: &mut Graph,
        weights: &mut Weights,
        rows: &TableInput,
        kept: &Value,
        outputs: usize,
    ) -> Result<Self> {
        let marks = g.unsqueeze(kept, 1);
        let count = g.sum(&marks, 2);
        let farthest = ColumnEncoding::FARTHEST;
        let numbers = g.clip(&rows.numbers, -farthest, farthest);
        let numbers = g.unsqueeze(&numbers, 1);
        let linear = match weights.has("linear.") {
            false => None,
            true => {
                let columns = rows.layout.columns();
                let levels = weights.take("linear.levels")?;
                let levels = rows.embedded(g, &levels.values, outputs);
                let levels = g.transpose(&levels, &[0, 2, 1]);
                let slopes = weights.take("linear.slopes")?;
                let slopes = g.floats(&[1, outputs, columns], &slopes.values);
                let share = weights.take("linear.kept")?.values[0];
                let one = g.float(1.0);
                let others = g.sub(&count, &one);
                let known = g.times(&others, 1.0 / columns.saturating_sub(1).max(1) as f32);
                let known = g.clip(&known, 0.0, 1.0);
                let lost = g.times(&known, 1.0 - share);
                let share = g.sub(&one, &lost);
                Some(LinearTerms { pair: [levels, slopes], share })
            }
        };
        Ok(Self { marks, count, numbers, linear, outputs })
    }

    /// A level and a slope for each column from a network's output, 0 where it is not kept.
    fn pair(&self, g: &mut Graph, output: &Value) -> [Value; 2] {
        let pairs = g.reshape(output, &[0, self.outputs as i64, -1, 2]);
        [0, 1].map(|which| {
            let which = g.ints(&[], &[which]);
            g.gather(&pairs, &which, 3)
        })
    }

    /// output: [batch, outputs, 2 · columns], explained: [batch, outputs · 2 · columns] → levels and slopes
    fn terms(&self, g: &mut Graph, output: Value, explained: Option<Value>) -> [Value; 2] {
        let mut pair = self.pair(g, &output);
        if let Some(LinearTerms { pair: linear, share }) = &self.linear {
            pair = [0, 1].map(|at| {
                let part = g.mul(&pair[at], share);
                g.add(&part, &linear[at])
            });
        }
        let pair = pair.map(|part| g.mul(&part, &self.marks));
        let Some(explained) = explained else { return pair };
        // A column's contribution, and the slope of the score in it: the level is the part without the slope.
        let [added, slopes] = self.pair(g, &explained);
        let moved = g.mul(&slopes, &self.numbers);
        let mut own = [g.sub(&added, &moved), slopes];
        if let Some(LinearTerms { pair: linear, .. }) = &self.linear {
            own = [0, 1].map(|at| g.add(&own[at], &linear[at]));
        }
        let own = own.map(|part| g.mul(&part, &self.marks));
        // The difference between its terms and the score is shared equally by all columns.
        let [level, slope] = [0, 1].map(|at| g.sub(&pair[at], &own[at]));
        let moved = g.mul(&slope, &self.numbers);
        let lacking = g.add(&level, &moved);
        let lacking = g.sum(&lacking, 2);
        let one = g.float(1.0);
        let count = g.op("Max", &[&self.count, &one]);
        let shares = g.op("Div", &[&self.marks, &count]);
        let shared = g.mul(&lacking, &shares);
        let [level, slope] = own;
        [g.add(&level, &shared), slope]
    }
}
