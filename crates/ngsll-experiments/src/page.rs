//! The page that puts tables and figures together.

use crate::budget::Budget;
use crate::figure::{Panel, Point, Series, chart};
use crate::methods::Method;
use crate::request::{HEADING, Request};
use crate::store::Cell;
use crate::table::{Spread, markdown};
use crate::{Dataset, K, machine, paper};
use std::collections::{BTreeMap, BTreeSet};

/// A part of the page.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Markdown.
    pub body: String,
}

/// The whole page.
pub fn page(
    request: &Request,
    budget: &Budget,
    cells: &[Cell],
    notes: &[String],
    sections: &[Section],
) -> String {
    let mut text = format!("{HEADING}\n\n");
    text += "Yoshikawa & Iwata, *Neural Generators of Sparse Local Linear Models for Achieving both Accuracy and \
             Interpretability* (2020). Columns \"paper\" are the authors' numbers; all others were computed by this program. \
             Accuracies are means over lines of [results.csv](results.csv).\n\n";
    text += &facts(request, cells);
    let left_out = budget.says_left_out(request);
    if !left_out.is_empty() {
        text += "\n## What --quick left out\n\n";
        left_out.iter().for_each(|what| text += &format!("- {what}\n"));
    }
    if !notes.is_empty() {
        text += "\n## Notes\n\n";
        notes.iter().for_each(|note| text += &format!("- {note}\n"));
    }
    for Section { title, body } in sections {
        text += &format!("\n## {title}\n\n{body}");
    }
    text
}

fn facts(request: &Request, cells: &[Cell]) -> String {
    // The last cell of a job states the time of all of it.
    let mut jobs: BTreeMap<_, f64> = BTreeMap::new();
    for c in cells {
        let seconds = jobs.entry((&c.dataset, &c.method, c.seed, &c.together)).or_default();
        *seconds = seconds.max(c.seconds);
    }
    let seconds: f64 = jobs.values().sum();
    let distinct = |of: fn(&Cell) -> &str| {
        let all: BTreeSet<&str> = cells.iter().map(of).collect();
        all.into_iter().collect::<Vec<_>>().join("; ")
    };
    let rows = [
        ("command", format!("`{}`", request.command)),
        ("computed by version", distinct(|cell| &cell.version)),
        ("on", distinct(|cell| &cell.machine)),
        ("drawn by version", machine::version()),
        (
            "time of all jobs",
            format!("{:.1} min on one thread each, {} side by side", seconds / 60.0, request.jobs),
        ),
    ];
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(a, b)| vec![a.to_string(), b]).collect();
    markdown(&["".to_string(), "".to_string()], &rows)
}

/// The accuracy table on MNIST, the paper's numbers beside ours.
pub fn mnist_accuracy(
    methods: &[&dyn Method],
    ks: &[K],
    cells: &[Cell],
    budget: &Budget,
) -> Section {
    let mut header = vec![String::new()];
    for k in ks {
        header.extend([format!("K = {k}"), format!("paper, K = {k}")]);
    }
    header.extend(["all features".to_string(), "seeds".to_string()]);
    let mut rows = Vec::new();
    for method in methods {
        let name = method.name();
        let at = |k: K| Spread::of_cells(cells, "mnist", name, k);
        let all = at(K::All);
        if ks.iter().all(|&k| at(k).is_none()) && all.is_none() {
            continue;
        }
        let constant = method.ks(ks) == [K::All];
        let mut row = vec![method.title().to_string()];
        for &k in ks {
            let ours = if constant { all } else { at(k) };
            row.push(ours.map_or(String::new(), |spread| spread.show(4)));
            let theirs = paper::mnist_accuracy(name, k);
            row.push(theirs.map_or(String::new(), |(mean, sd)| format!("{mean:.3} ± {sd:.3}")));
        }
        let all = all.filter(|_| !constant);
        row.push(all.map_or(String::new(), |spread| spread.show(4)));
        row.push(seeds(cells, "mnist", name).to_string());
        rows.push(row);
    }
    let mut body = "Test accuracy on MNIST's test images, digits 0–4 against 5–9; mean ± standard deviation over the seeds. \
        Each seed splits the training images anew, 11 to learn from for every one that validates (55,000/5,000). DNN is the same at \
        every K. \"All features\" is without K-HGM the model as it was trained, and for linear models all cells with the \
        intercept; at K they have none, as in the paper, but in the rows that say so. NGSLL has a learned intercept besides its K terms, except with the \
        preset paper. "
        .to_string();
    body += if budget.select {
        "L and U are selected on the validation part: for networks with a gate, and without K-HGM, by the loss after the \
         first stage, for DNN by the accuracy at the end.\n\n"
    } else {
        "L = 1 and U = 128.\n\n"
    };
    if cells.iter().any(|cell| cell.method.starts_with("ame")) {
        body += &format!(
            "AME has the same value at every K: its attention covers all experts. An epoch of it takes minutes, so it was trained \
             for at most {} epochs, where its authors allow 300.\n\n",
            budget.ame_epochs,
        );
    }
    body += &markdown(&header, &rows);
    Section { title: "Accuracy on binary-class MNIST".into(), body }
}

/// How many seeds a row is the mean of.
fn seeds(cells: &[Cell], dataset: &str, method: &str) -> usize {
    let own = cells.iter().filter(|c| c.dataset == dataset && c.method == method);
    own.map(|c| c.seed).collect::<BTreeSet<_>>().len()
}

/// Where a method with K = all is to be looked up: NGSLL without a gate is the method without K-HGM, and
/// linear models with all features always have an intercept.
fn source(method: &str, k: K) -> &str {
    match (method, k) {
        ("ngsll", K::All) => "dense",
        ("ngsll-sentence", K::All) => "dense-sentence",
        ("ridge-intercept", K::All) => "ridge",
        ("lasso-intercept", K::All) => "lasso",
        (method, _) => method,
    }
}

/// The accuracy tables on text, and the figure's name.
pub fn text_accuracy(methods: &[&dyn Method], ks: &[K], cells: &[Cell], figure: &str) -> Section {
    let mut body = format!(
        "Test accuracy against K; mean ± standard deviation over the seeds, each with its own 80/10/10 split. TREC's two files are \
         joined before the split. NGSLL with K = all has no gate: it is the method without K-HGM. Ridge and Lasso have no intercept at K, \
         as in the paper, but in the rows that say so, and one at K = all; NGSLL has a learned intercept besides its K terms. Without one a sentence without any of the K words \
         scores 0 in a linear model, and ties go to the first class. The paper only draws its text accuracies, so there are no numbers \
         to put beside. L = 1 and U = 128 throughout; DNN is the better, by validation accuracy, of the sentence CNN's own \
         sizes and those of the token-context network.\n\n![Accuracy against K]({figure})\n"
    );
    for dataset in Dataset::TEXTS {
        let mut header = vec![dataset.title().to_string()];
        header.extend(ks.iter().map(|k| format!("K = {k}")));
        header.push("seeds".to_string());
        let mut rows = Vec::new();
        for method in methods {
            let constant = method.ks(ks) == [K::All];
            let at = |k: K| {
                let k = if constant { K::All } else { k };
                Spread::of_cells(cells, dataset.name(), source(method.name(), k), k)
            };
            let own = seeds(cells, dataset.name(), method.name());
            if own > 0 {
                // What another row lends may be a mean of fewer.
                let shown = |s: Spread| match s.n == own {
                    true => s.show(3),
                    false => format!("{} ({} seeds)", s.show(3), s.n),
                };
                let mut row = vec![method.title().to_string()];
                row.extend(ks.iter().map(|&k| at(k).map_or(String::new(), shown)));
                row.push(own.to_string());
                rows.push(row);
            }
        }
        body += &format!("\n{}", markdown(&header, &rows));
    }
    Section { title: "Accuracy on text".into(), body }
}

/// The figure of the text accuracies; below linear models the others once more, on an axis of their own.
pub fn text_figure(methods: &[&dyn Method], ks: &[K], cells: &[Cell]) -> String {
    let lines = |row: &[Panel]| row.iter().map(|panel| panel.series.len()).sum::<usize>();
    let networks: Vec<&dyn Method> = methods.iter().copied().filter(|m| !m.is_linear()).collect();
    let mut rows = vec![panels(methods, ks, cells, "")];
    let closer = panels(&networks, ks, cells, ", networks alone");
    if (1..lines(&rows[0])).contains(&lines(&closer)) {
        rows.push(closer);
    }
    chart("Accuracy against K on text", "K", "test accuracy", &rows)
}

/// A panel for each data set, whose title goes on as given.
fn panels(methods: &[&dyn Method], ks: &[K], cells: &[Cell], goes_on: &str) -> Vec<Panel> {
    let panel = |dataset: Dataset| {
        let series = methods.iter().map(|method| {
            let constant = method.ks(ks) == [K::All];
            let point = |(place, &k): (usize, &K)| {
                let spread = Spread::of_cells(cells, dataset.name(), source(method.name(), k), k)?;
                Some(Point { place, mean: spread.mean, deviation: spread.deviation })
            };
            let points = match seeds(cells, dataset.name(), method.name()) {
                0 => Vec::new(),
                _ if constant => [K::All].iter().enumerate().filter_map(point).collect(),
                _ => ks.iter().enumerate().filter_map(point).collect(),
            };
            Series { name: method.title().to_string(), constant, points }
        });
        Panel {
            title: format!("{}{goes_on}", dataset.title()),
            places: ks.iter().map(K::to_string).collect(),
            series: series.filter(|series| !series.points.is_empty()).collect(),
        }
    };
    Dataset::TEXTS.map(panel).to_vec()
}
