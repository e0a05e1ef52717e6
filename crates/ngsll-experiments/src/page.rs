//! The page that puts tables and figures together.

use crate::budget::Budget;
use crate::methods::Method;
use crate::request::{HEADING, Request};
use crate::store::Cell;
use crate::table::{Spread, markdown};
use crate::{Dataset, K, machine, paper};
use ngsll_baselines::AmeConfig;
use ngsll_view::figure::{Panel, Point, Series, chart};
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
             Accuracies are means over lines of [results.csv](results.csv), in which epochs= is the most that a training may take: \
             each of its stages ends sooner when the validation loss no longer falls (AME's lines give both).\n\n";
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
        ("time of all jobs", format!("{:.1} min on one thread each", seconds / 60.0)),
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
        Each seed splits the training images anew, 11 to learn from for every one that validates (55,000/5,000). DNN, AME and the random forest \
        have one value for every K: they use all of the image. \"All features\" is without K-HGM the model as it was trained, and for linear models all cells with the \
        intercept. At K linear models keep their K largest weights, as in the paper, and no intercept, of which it says nothing; refitted at K, those features get weights and \
        an intercept of their own by least squares. NGSLL has a learned intercept besides its K terms, except with the \
        preset paper. "
        .to_string();
    body += if budget.select {
        "L and U are selected on the validation part: for networks with a gate, and without K-HGM, by the loss after the \
         first stage, for DNN by the accuracy at the end.\n\n"
    } else {
        "L = 1 and U = 128.\n\n"
    };
    if cells.iter().any(|cell| cell.method.starts_with("ame")) {
        let ame = AmeConfig::default();
        body += &format!(
            "An epoch of AME takes minutes, so it was trained \
             for at most {} epochs, where its authors allow 300; its learning rate of 0.001 falls, and it stops, only after {} and {} \
             epochs without progress.\n\n",
            budget.ame_epochs, ame.rate_patience, ame.patience,
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
        ("ridge-refitted", K::All) => "ridge",
        ("lasso-refitted", K::All) => "lasso",
        (method, _) => method,
    }
}

/// The accuracy tables on text, and the figure's name.
pub fn text_accuracy(methods: &[&dyn Method], ks: &[K], cells: &[Cell], figure: &str) -> Section {
    let mut body = format!(
        "Test accuracy against K; mean ± standard deviation over the seeds, each with its own 80/10/10 split. TREC's two files are \
         joined before the split. NGSLL with K = all has no gate: it is the method without K-HGM. Ridge and Lasso keep their K largest weights at K, as in the \
         paper, and no intercept, of which it says nothing; they have one at K = all. Refitted at K, those words get weights and an intercept of their own by least \
         squares. NGSLL has a learned intercept besides its K terms. Without one a sentence without any of the K words scores 0 in a linear \
         model: of equal scores the class with the most training samples wins. The paper only draws its text accuracies, so there are no numbers to put beside. \
         Every network has U = 128, and sentence CNNs L = 1; DNN is a sentence CNN, the better by validation accuracy of two: with its own embedding and dropout, \
         and with those of the token-context network.\n\n![Accuracy against K]({figure})\n"
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
                    false => format!("{} (seeds: {})", s.show(3), s.n),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods;

    fn cell(dataset: &str, method: &str, k: K, seed: u64, test_accuracy: f64) -> Cell {
        Cell {
            fingerprint: String::new(),
            dataset: dataset.into(),
            method: method.into(),
            k,
            seed,
            test_accuracy,
            validation_accuracy: 0.123,
            seconds: 60.0,
            together: vec![k],
            configuration: String::new(),
            version: "0.1.0".into(),
            machine: "2 cores".into(),
        }
    }

    #[test]
    fn a_row_shows_means_and_deviations_of_its_own_cells() {
        let cells = [
            cell("mnist", "ngsll", K::Top(1), 0, 0.90),
            cell("mnist", "ngsll", K::Top(1), 1, 0.92),
            cell("mnist", "ngsll", K::Top(5), 0, 0.95),
            cell("mnist", "dnn", K::All, 0, 0.99),
            cell("mnist", "ridge", K::Top(1), 0, 0.50),
            cell("mnist", "ridge", K::All, 0, 0.80),
        ];
        let all = methods::all();
        let all: Vec<&dyn Method> = all.iter().map(Box::as_ref).collect();
        let ks = [K::Top(1), K::Top(5)];
        let section = mnist_accuracy(&all, &ks, &cells, &Budget::full());
        let rows: Vec<&str> = section.body.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(
            rows,
            [
                "|  | K = 1 | paper, K = 1 | K = 5 | paper, K = 5 | all features | seeds |",
                "|---|---|---|---|---|---|---|",
                "| NGSLL | 0.9100 ± 0.0141 | 0.994 ± 0.000 | 0.9500 | 0.995 ± 0.001 |  | 2 |",
                "| Ridge | 0.5000 | 0.526 ± 0.000 |  | 0.561 ± 0.000 | 0.8000 | 1 |",
                "| DNN | 0.9900 | 0.992 ± 0.001 | 0.9900 | 0.992 ± 0.001 |  | 1 |",
            ]
        );
        assert!(facts_of(&cells).contains("| time of all jobs | 6.0 min on one thread each |"));
    }

    #[test]
    fn a_mean_of_fewer_seeds_than_its_row_says_so() {
        let cells = [
            cell("trec", "ngsll", K::Top(1), 0, 0.8),
            cell("trec", "ngsll", K::Top(1), 1, 0.9),
            cell("trec", "dense", K::All, 0, 0.7),
        ];
        let all = methods::all();
        let all: Vec<&dyn Method> = all.iter().map(Box::as_ref).collect();
        let section = text_accuracy(&all, &[K::Top(1), K::All], &cells, "figure.svg");
        let row = "| NGSLL | 0.850 ± 0.071 | 0.700 (seeds: 1) | 2 |";
        assert!(section.body.contains(row), "{}", section.body);
        assert!(section.body.contains("| NGSLL without K-HGM |  | 0.700 | 1 |"));
    }

    fn facts_of(cells: &[Cell]) -> String {
        let request = Request {
            experiments: Vec::new(),
            data: "data".into(),
            out: "out".into(),
            seeds: None,
            ks: None,
            methods: None,
            quick: false,
            jobs: 1,
            epochs: None,
            command: "ngsll".into(),
        };
        facts(&request, cells)
    }
}
