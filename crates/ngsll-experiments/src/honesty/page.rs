//! The page of the comparison: tables and figures from its results.

use super::methods::{Family, JudgedMethod};
use super::result::{JudgedK, JudgedResult};
use super::sets::JudgedSet;
use crate::page::{Section, facts_table};
use crate::table::{MeanOverSeeds, markdown};
use ngsll_view::figure::{Panel, Point, Series, chart};
use std::collections::{BTreeMap, BTreeSet};

/// The first line of the page.
pub(crate) const HEADING: &str = "# What the named features are worth";

/// All results, as the page looks them up.
pub(super) struct Results<'a>(pub(super) &'a [JudgedResult]);

impl Results<'_> {
    fn of(&self, set: JudgedSet) -> impl Iterator<Item = &JudgedResult> {
        let name = set.name();
        self.0.iter().filter(move |result| result.dataset == name)
    }

    /// A figure of a method with one K, over the seeds.
    fn spread(
        &self,
        set: JudgedSet,
        method: JudgedMethod,
        k: JudgedK,
        figure: impl Fn(&JudgedResult) -> Option<f64>,
    ) -> Option<MeanOverSeeds> {
        let own = self.of(set).filter(|r| r.method == method.name() && r.k == k);
        MeanOverSeeds::of(own.filter_map(figure))
    }

    /// The K that a data set has results for.
    fn ks(&self, set: JudgedSet) -> Vec<JudgedK> {
        self.of(set).map(|result| result.k).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The methods that a data set has results of, in the order of the tables.
    fn methods(&self, set: JudgedSet) -> Vec<JudgedMethod> {
        let names: BTreeSet<&str> = self.of(set).map(|result| result.method.as_str()).collect();
        JudgedMethod::ALL.into_iter().filter(|method| names.contains(method.name())).collect()
    }

    fn seeds(&self, set: JudgedSet) -> usize {
        self.of(set).map(|result| result.seed).collect::<BTreeSet<_>>().len()
    }

    /// The data sets that have results, planted ones or others.
    fn sets(&self, planted: bool) -> Vec<JudgedSet> {
        let is_wanted = |set: &JudgedSet| set.is_planted() == planted && self.of(*set).count() > 0;
        JudgedSet::ALL.into_iter().filter(is_wanted).collect()
    }
}

/// Facts about the computation: command, program and machine.
pub(super) fn facts(command: &str, results: &[JudgedResult]) -> String {
    // The last result of a job has the time of the whole job; L2X has a job for each K.
    let mut jobs: BTreeMap<_, f64> = BTreeMap::new();
    for result in results {
        let method = JudgedMethod::ALL.into_iter().find(|method| method.name() == result.method);
        let family = method.map(JudgedMethod::family);
        let k = (family == Some(Family::L2x)).then_some(result.k);
        let job = (&result.dataset, result.seed, family.map(Family::title), k);
        let seconds = jobs.entry(job).or_default();
        *seconds = result.seconds_since_job_start.max(*seconds);
    }
    let distinct = |of: fn(&JudgedResult) -> &str| results.iter().map(of).collect();
    let versions = distinct(|result| &result.version);
    facts_table(command, versions, distinct(|result| &result.machine), jobs.values().sum())
}

/// All sections; `figure` writes a figure and gives the name of its file.
pub(super) fn sections<E>(
    results: &[JudgedResult],
    mut figure: impl FnMut(&str, &str) -> Result<String, E>,
) -> Result<Vec<Section>, E> {
    let results = Results(results);
    let mut sections = Vec::new();
    if !results.sets(false).is_empty() {
        let file = figure("judge-accuracy", &worth_figure(&results))?;
        sections.push(worth(&results, &file));
        sections.push(gap(&results));
        sections.push(contests(&results));
    }
    if !results.sets(true).is_empty() {
        let file = figure("planted", &planted_figure(&results))?;
        sections.push(planted(&results, &file));
    }
    sections.push(Section { title: "What was computed".into(), body: format!("{METHODS}\n") });
    Ok(sections)
}

/// A table of one data set: a row for each method, a column for each K.
fn by_k(
    results: &Results<'_>,
    set: JudgedSet,
    cell: impl Fn(JudgedMethod, JudgedK) -> Option<String>,
) -> (Vec<String>, Vec<Vec<String>>) {
    let ks = results.ks(set);
    let mut header = vec![set.title()];
    header.extend(ks.iter().map(|k| format!("K = {k}")));
    let row = |method: JudgedMethod| {
        let cells: Vec<Option<String>> = ks.iter().map(|&k| cell(method, k)).collect();
        let mut row = vec![method.title().to_string()];
        let any = cells.iter().any(Option::is_some);
        row.extend(cells.into_iter().map(Option::unwrap_or_default));
        any.then_some(row)
    };
    (header, results.methods(set).into_iter().filter_map(row).collect())
}

fn worth(results: &Results<'_>, figure: &str) -> Section {
    let mut body = format!("{WORTH}\n\n![The judge's accuracy against K]({figure})\n");
    for set in results.sets(false) {
        let judged = |r: &JudgedResult| Some(r.judge_accuracy);
        let (mut header, mut rows) = by_k(results, set, |method, k| {
            results.spread(set, method, k, judged).map(|spread| spread.show(3))
        });
        header.push("ms per explanation".to_string());
        for (row, method) in rows.iter_mut().zip(results.methods(set)) {
            let times = results.of(set).filter(|r| r.method == method.name());
            let time = MeanOverSeeds::of(times.map(|r| r.ms_per_explanation));
            row.push(time.map_or(String::new(), |time| milliseconds(time.mean)));
        }
        let all = MeanOverSeeds::of(results.of(set).map(|r| r.judge_accuracy_all));
        let mut last = vec!["all features".to_string()];
        let shown = all.map_or(String::new(), |all| format!("{:.3}", all.mean));
        last.extend(results.ks(set).iter().map(|_| shown.clone()));
        last.push(String::new());
        rows.push(last);
        body += &format!("\n{}", markdown(&header, &rows));
        body += &format!("\n{}\n", counted(results, set));
    }
    Section { title: "The judge's accuracy from the named features alone".into(), body }
}

/// "1000 samples of each of 3 seeds."
fn counted(results: &Results<'_>, set: JudgedSet) -> String {
    let samples = results.of(set).map(|result| result.samples).max().unwrap_or(0);
    let seeds = results.seeds(set);
    let s = if seeds == 1 { "" } else { "s" };
    format!("{samples} test samples, {seeds} seed{s}.")
}

fn milliseconds(ms: f64) -> String {
    match ms {
        ms if ms < 0.01 => "below 0.01".to_string(),
        ms if ms < 10.0 => format!("{ms:.2}"),
        ms => format!("{ms:.0}"),
    }
}

fn gap(results: &Results<'_>) -> Section {
    let mut body = format!("{GAP}\n");
    for set in results.sets(false) {
        let (header, rows) = by_k(results, set, |method, k| gap_of(results, set, method, k));
        if !rows.is_empty() {
            body += &format!("\n{}", markdown(&header, &rows));
        }
    }
    Section { title: "The encoding gap".into(), body }
}

/// "0.991 → 0.740: 0.251"
fn gap_of(
    results: &Results<'_>,
    set: JudgedSet,
    method: JudgedMethod,
    k: JudgedK,
) -> Option<String> {
    let gap = results.spread(set, method, k, |r| r.encoding_gap)?;
    let own = results.spread(set, method, k, |r| r.own_accuracy)?;
    let judged = results.spread(set, method, k, |r| Some(r.judge_accuracy))?;
    Some(format!("{:.3} → {:.3}: {:.3}", own.mean, judged.mean, gap.mean))
}

fn contests(results: &Results<'_>) -> Section {
    let mut body = format!("{CONTESTS}\n");
    for set in results.sets(false) {
        let (header, rows) = by_k(results, set, |method, k| {
            results.spread(set, method, k, |r| r.contest_rate).map(|spread| spread.show(2))
        });
        body += &format!("\n{}", markdown(&header, &rows));
    }
    Section { title: "The contest rate".into(), body }
}

/// A column of the planted tables: a data set with one K.
fn columns(results: &Results<'_>) -> Vec<(JudgedSet, JudgedK, String)> {
    let of = |set: JudgedSet| {
        let several = results.ks(set).len() > 1;
        let title = move |k: JudgedK| match several {
            true => format!("{}, K = {k}", set.title()),
            false => set.title(),
        };
        results.ks(set).into_iter().map(move |k| (set, k, title(k))).collect::<Vec<_>>()
    };
    results.sets(true).into_iter().flat_map(of).collect()
}

fn planted(results: &Results<'_>, figure: &str) -> Section {
    let columns = columns(results);
    let table =
        |corner: &str, cell: &dyn Fn(JudgedMethod, JudgedSet, JudgedK) -> Option<String>| {
            let mut header = vec![corner.to_string()];
            header.extend(columns.iter().map(|(_, _, title)| title.clone()));
            let row = |method: JudgedMethod| {
                let cells: Vec<Option<String>> =
                    columns.iter().map(|(set, k, _)| cell(method, *set, *k)).collect();
                let any = cells.iter().any(Option::is_some);
                let mut row = vec![method.title().to_string()];
                row.extend(cells.into_iter().map(Option::unwrap_or_default));
                any.then_some(row)
            };
            let rows: Vec<Vec<String>> = JudgedMethod::ALL.into_iter().filter_map(row).collect();
            markdown(&header, &rows)
        };
    let found = table("precision (recall)", &|method, set, k| {
        let precision = results.spread(set, method, k, |r| r.precision)?;
        let recall = results.spread(set, method, k, |r| r.recall)?;
        Some(format!("{:.3} ({:.3})", precision.mean, recall.mean))
    });
    let judged = table("judge's accuracy", &|method, set, k| {
        let spread = results.spread(set, method, k, |r| Some(r.judge_accuracy))?;
        Some(format!("{:.3}", spread.mean))
    });
    let gaps =
        table("own → judge's accuracy: gap", &|method, set, k| gap_of(results, set, method, k));
    let sets: Vec<String> = results
        .sets(true)
        .into_iter()
        .map(|set| format!("{}: {}", set.title(), counted(results, set)))
        .collect();
    let body = format!(
        "{PLANTED}\n\n![Precision on planted reasons]({figure})\n\n{found}\n{judged}\n{gaps}\n{}\n",
        sets.join(" ")
    );
    Section { title: "Planted reasons".into(), body }
}

fn point(place: usize, spread: Option<MeanOverSeeds>) -> Option<Point> {
    spread.map(|spread| Point::new(place, spread.mean, spread.deviation))
}

fn worth_figure(results: &Results<'_>) -> String {
    let panel = |set: JudgedSet| {
        let ks = results.ks(set);
        let series = |method: JudgedMethod| {
            let judged = |r: &JudgedResult| Some(r.judge_accuracy);
            let at = |(place, &k)| point(place, results.spread(set, method, k, judged));
            let points = ks.iter().enumerate().filter_map(at).collect();
            Series::new(method.title(), points)
        };
        let all = MeanOverSeeds::of(results.of(set).map(|r| r.judge_accuracy_all));
        let all = all.map(|all| Point::new(0, all.mean, None));
        let constant = Series::new("all features", all.into_iter().collect()).constant(true);
        Panel::new(
            set.title(),
            ks.iter().map(JudgedK::to_string).collect(),
            results.methods(set).into_iter().map(series).chain([constant]).collect(),
        )
    };
    let panels: Vec<Panel> = results.sets(false).into_iter().map(panel).collect();
    let rows: Vec<Vec<Panel>> = panels.chunks(2).map(<[Panel]>::to_vec).collect();
    chart("The judge's accuracy from the named features", "K", "judge's accuracy", &rows)
}

/// Precision: a panel of the sets with one K, and one of each set with several.
fn planted_figure(results: &Results<'_>) -> String {
    let (several, single): (Vec<JudgedSet>, Vec<JudgedSet>) =
        results.sets(true).into_iter().partition(|set| results.ks(*set).len() > 1);
    let panel = |title: String, joined: bool, places: Vec<(JudgedSet, JudgedK, String)>| {
        let series = |method: JudgedMethod| {
            let at = |(place, (set, k, _)): (usize, &(JudgedSet, JudgedK, String))| {
                point(place, results.spread(*set, method, *k, |r| r.precision))
            };
            let points = places.iter().enumerate().filter_map(at).collect();
            Series::new(method.title(), points)
        };
        let series: Vec<Series> = JudgedMethod::ALL.into_iter().map(series).collect();
        let places = places.iter().map(|(_, _, name)| name.clone()).collect();
        let series = series.into_iter().filter(|series| !series.points.is_empty()).collect();
        Panel::new(title, places, series).joined(joined)
    };
    let mut panels = Vec::new();
    let of_single =
        |set: JudgedSet| results.ks(set).into_iter().map(move |k| (set, k, set.title()));
    if !single.is_empty() {
        let places = single.iter().flat_map(|&set| of_single(set)).collect();
        panels.push(panel("K = relevant features".to_string(), false, places));
    }
    for set in several {
        let places = results.ks(set).into_iter().map(|k| (set, k, format!("K = {k}"))).collect();
        panels.push(panel(set.title(), true, places));
    }
    chart("Precision on planted reasons", "", "precision", &[panels])
}

pub(super) const INTRODUCTION: &str = "Every method names K features of a test sample. How much are they worth? One judge for \
    each data set and seed, a network of its own, was trained on random subsets of the features of the training part and has \
    never seen a choice, so that no choice can be a code for it. What it predicts from the K features alone, everything else \
    erased, is what they are worth. All methods are judged by the same judge on the same test samples; the numbers are means \
    over lines of [results.csv](results.csv).";

const WORTH: &str = "The share of test samples that the judge classifies correctly when it sees nothing but the K named features: \
    mean ± standard deviation over the seeds. *All features* is what the judge makes of the whole sample. Milliseconds on one \
    thread, from batches where the method allows them, without training.";

const GAP: &str = "Own accuracy → judge's accuracy: the difference. NGSLL and L2X predict from the features that they name. What their \
    own predictions have beyond what those features are worth was not read from the features, but from a code: which \
    features are named, or weights written by a network that has seen everything.";

const CONTESTS: &str = "The share of samples in which K *other* features persuade the judge of another class than the named ones do. They \
    are searched for by gradient, so the true share may be larger. A high rate says that the sample also holds support for \
    another answer, whoever chose.";

const PLANTED: &str = "Data whose reasons are known. Syn1–6 are the synthetic tables of L2X and INVASE: which of 10 or 11 columns decide \
    depends on the table and, in Syn4–6, on the row; K is the number of columns that decide the row, with the switch. Phrase: \
    texts of 10 to 18 words in which two neighbouring words together decide, neither of them alone; K = 2. Shapes: a square, \
    circle, triangle or cross at a random place on grey noise, 64×64 pixels, 7×7 cells; a cell is right if it touches the \
    shape. The shape is brighter than its ground, so *most ink* finds it without a label. A shape touches more cells than K, so there recall is low by nature. Precision: the share of the named features \
    that are relevant. Recall: the share of the relevant ones that are named.";

const METHODS: &str = "- **NGSLL chosen**: the library's defaults; one model for all K. **NGSLL whole**: the paper's method with preset \
    annealed, a model for each K; with more than two classes the terms of the predicted class count.\n\
    - **L2X**: selector and predictor trained together through the maximum of K Gumbel-softmax draws (temperature 0.5), for each K; \
    the selector is the network of NGSLL whole, the predictor is the DNN, unselected input is zero.\n\
    - **DNN**: the plain network with the library's options for evidence whole; the text network is the sentence CNN.\n\
    - **Gradient × input**: Σ x·∂s/∂x over the pixels of a cell, the dimensions of a word's vectors or the numbers that encode a column; \
    s is the score of the class that the DNN predicts.\n\
    - **Grad-CAM**: of the last convolution before pooling, interpolated to the image and averaged over each cell.\n\
    - **LIME**: 5,000 perturbed samples (images: 1,000) of the probability of the predicted class; words are left out, cells become their \
    mean, columns are drawn from the training data's mean and spread; features by their coefficient.\n\
    - **KernelSHAP**: up to 2,048 + 2 per feature coalitions of the same probability; absent words are left out, absent cells have the \
    median grey of the training images, absent columns the values of 20 training rows.\n\
    - **Most ink** and **rarest word** (by the number of training texts that hold it) look at no label.\n\n\
    Methods name only features that the sample has: words of the vocabulary, cells with ink, columns. For images and texts the post-hoc \
    methods name what supports the predicted class most, for tables what has the largest absolute value, as NGSLL's own choice does.";

#[cfg(test)]
mod tests;
