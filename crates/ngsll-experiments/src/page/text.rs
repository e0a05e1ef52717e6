//! The accuracy tables and the figure on text.

use super::{Section, seeds};
use crate::methods::Method;
use crate::store::RunResult;
use crate::table::{MeanOverSeeds, markdown};
use crate::{K, PaperDataset};
use ngsll_view::figure::{Panel, Point, Series, chart};

/// The method whose results a row shows at K. At K = all, NGSLL is the method without K-HGM, and a refitted
/// linear model is the one that is not refitted.
fn source(method: &str, k: K) -> &str {
    match (method, k) {
        ("ngsll", K::All) => "dense",
        ("ngsll-sentence", K::All) => "dense-sentence",
        ("ridge-refitted", K::All) => "ridge",
        ("lasso-refitted", K::All) => "lasso",
        (method, _) => method,
    }
}

/// The accuracy tables on text, below the figure with the given file name.
pub(crate) fn text_accuracy(
    methods: &[&dyn Method],
    ks: &[K],
    results: &[RunResult],
    figure: &str,
) -> Section {
    let mut body = format!("{ABOUT}\n\n![Accuracy against K]({figure})\n");
    for dataset in PaperDataset::TEXTS {
        let mut header = vec![dataset.title().to_string()];
        header.extend(ks.iter().map(|k| format!("K = {k}")));
        header.push("seeds".to_string());
        let mut rows = Vec::new();
        for method in methods {
            let constant = method.ks(ks) == [K::All];
            let at = |k: K| {
                let k = if constant { K::All } else { k };
                MeanOverSeeds::of_results(results, dataset.name(), source(method.name(), k), k)
            };
            let own = seeds(results, dataset.name(), method.name());
            if own > 0 {
                // A value taken from another row may be a mean over fewer seeds.
                let shown = |s: MeanOverSeeds| match s.n == own {
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

/// The figure of the text accuracies. If there are linear models, a second row of panels repeats the other
/// methods, which lie close together, with its own axis.
pub(crate) fn text_figure(methods: &[&dyn Method], ks: &[K], results: &[RunResult]) -> String {
    let lines = |row: &[Panel]| row.iter().map(|panel| panel.series.len()).sum::<usize>();
    let networks: Vec<&dyn Method> = methods.iter().copied().filter(|m| !m.is_linear()).collect();
    let mut rows = vec![panels(methods, ks, results, "")];
    let zoomed = panels(&networks, ks, results, ", networks alone");
    if (1..lines(&rows[0])).contains(&lines(&zoomed)) {
        rows.push(zoomed);
    }
    chart("Accuracy against K on text", "K", "test accuracy", &rows)
}

/// A panel for each data set, with a suffix to its title.
fn panels(methods: &[&dyn Method], ks: &[K], results: &[RunResult], suffix: &str) -> Vec<Panel> {
    let panel = |dataset: PaperDataset| {
        let series = methods.iter().map(|method| {
            let constant = method.ks(ks) == [K::All];
            let point = |(place, &k): (usize, &K)| {
                let spread = MeanOverSeeds::of_results(
                    results,
                    dataset.name(),
                    source(method.name(), k),
                    k,
                )?;
                Some(Point::new(place, spread.mean, spread.deviation))
            };
            let points = match seeds(results, dataset.name(), method.name()) {
                0 => Vec::new(),
                _ if constant => [K::All].iter().enumerate().filter_map(point).collect(),
                _ => ks.iter().enumerate().filter_map(point).collect(),
            };
            Series::new(method.title(), points).constant(constant)
        });
        Panel::new(
            format!("{}{suffix}", dataset.title()),
            ks.iter().map(K::to_string).collect(),
            series.filter(|series| !series.points.is_empty()).collect(),
        )
    };
    PaperDataset::TEXTS.map(panel).to_vec()
}

const ABOUT: &str = "Test accuracy against K: mean ± standard deviation over the seeds, each with its own 80/10/10 split. TREC's two \
    files are joined before the split. NGSLL with K = all has no gate: it is the method without K-HGM. At K, Ridge and Lasso keep \
    their K largest weights, as in the paper, and no intercept, which the paper does not mention; at K = all they have one. Refitted \
    at K, those words get new weights and an intercept by least squares. NGSLL has a learned intercept in addition to its K terms. In \
    a linear model without an intercept, a sentence with none of the K words scores 0; ties go to the class with the most training \
    samples. The paper gives its text accuracies only as a figure, so there are no numbers to compare with. All networks have \
    U = 128, and sentence CNNs have L = 1. DNN is the better, by validation accuracy, of two sentence CNNs: one with its own \
    embedding and dropout, one with those of the token-context network.";
