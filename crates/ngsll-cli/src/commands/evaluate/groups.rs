//! The samples by a column of their file: `--by`.

use crate::output::table_lines;
use anyhow::Result;
use ngsll::dataset::{ColumnKind, ColumnSpec, Dataset, Origin};
use ngsll::explanation::Explanation;
use ngsll::metrics::{GroupFigures, Subgroups, format_figure};
use ngsll::objective::Targets;
use ngsll::{Error, Model};
use ngsll_readers::{LabelUse, TableReader, read_all};
use ngsll_view::SummaryTable;
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;

/// A numeric column with more distinct values than this is cut into parts.
const FEW: usize = 10;
/// The number of parts, of about the same size.
const PARTS: usize = 4;
/// The most groups of a column of names; the rarer values are combined.
const GROUPS: usize = 12;
/// The most features for each group: in JSON, and in the text.
const TERMS: usize = 20;
const SHOWN_TERMS: usize = 5;

/// The group of each sample, and the figures of the groups so far.
pub struct SampleGroups {
    column: String,
    /// The line of each sample, and its group.
    samples: Vec<(u64, usize)>,
    figures: Subgroups,
}

/// The figures of each group.
#[derive(Serialize)]
pub struct ByGroup {
    column: String,
    groups: Vec<GroupFigures>,
}

impl SampleGroups {
    /// Reads the column of a file of texts or of a table; of `rows` only, where they are given.
    pub fn read(path: &Path, column: &str, rows: Option<&[usize]>) -> Result<Self> {
        if path.is_dir() {
            let expected = "a folder of images has no columns";
            return Err(Error::setting("by", column, expected).into());
        }
        // As levels: whether numbers are cut into parts depends on all of them.
        let spec = ColumnSpec::new(column, ColumnKind::Categorical);
        let data = read_all(&mut TableReader::open(path, &[spec], None, LabelUse::Ignored)?)?;
        let table = data.samples().as_table().expect("a table was read");
        let cells: Vec<Option<String>> =
            (0..data.len()).map(|row| table.columns()[0].text(row)).collect();
        let (names, groups) = grouped(&cells);
        let all: Vec<(u64, usize)> = lines(&data).iter().copied().zip(groups).collect();
        let samples = match rows {
            Some(rows) => rows.iter().filter_map(|&row| all.get(row).copied()).collect(),
            None => all,
        };
        Ok(Self { column: column.to_string(), samples, figures: Subgroups::new(names) })
    }

    /// Counts explained samples, of which the first is row `first` of those that were read.
    pub fn add(
        &mut self,
        model: &Model,
        data: &Dataset,
        first: usize,
        (explanations, targets): (&[Explanation], &Targets),
    ) -> Result<()> {
        let own = self.samples.get(first..first + data.len()).unwrap_or_default();
        if !own.iter().map(|(line, _)| line).eq(lines(data)) {
            let message = "its rows do not match its samples, so they cannot be grouped";
            return Err(data.source().error(message).into());
        }
        self.figures.add(model.objective(), explanations, targets, |i| own[i].1);
        Ok(())
    }

    /// The figures of all groups.
    pub fn finish(self, model: &Model) -> ByGroup {
        let name = |feature| model.representation().name(feature);
        let mut groups = self.figures.finish(model.objective(), name);
        groups.iter_mut().for_each(|group| group.terms.truncate(TERMS));
        ByGroup { column: self.column, groups }
    }
}

/// The line of each sample.
fn lines(data: &Dataset) -> &[u64] {
    match data.origin() {
        Some(Origin::Lines { lines, .. }) => lines,
        _ => &[],
    }
}

/// The groups' names, and the group of each cell.
fn grouped(cells: &[Option<String>]) -> (Vec<String>, Vec<usize>) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    cells.iter().flatten().for_each(|cell| *counts.entry(cell).or_default() += 1);
    let number = |cell: &str| cell.parse::<f64>().ok().filter(|number| number.is_finite());
    let numeric = counts.len() > FEW && counts.keys().all(|cell| number(cell).is_some());
    let mut names;
    let group: Box<dyn Fn(&str) -> usize>;
    if numeric {
        let mut sorted: Vec<f64> = cells.iter().flatten().filter_map(|cell| number(cell)).collect();
        sorted.sort_by(f64::total_cmp);
        let mut cuts: Vec<f64> =
            (1..PARTS).map(|part| sorted[(sorted.len() * part).div_ceil(PARTS) - 1]).collect();
        cuts.dedup();
        // The last part must not be empty.
        cuts.retain(|cut| *cut < sorted[sorted.len() - 1]);
        names = parts(&cuts);
        group = Box::new(move |cell| {
            number(cell).map_or(0, |number| cuts.partition_point(|cut| *cut < number))
        });
    } else {
        let mut levels: Vec<&str> = counts.keys().copied().collect();
        levels.sort_by_key(|level| (std::cmp::Reverse(counts[level]), *level));
        names = levels.iter().take(GROUPS).map(ToString::to_string).collect::<Vec<_>>();
        if levels.len() > GROUPS {
            names.push(format!("{} other values", levels.len() - GROUPS));
        }
        let index =
            levels.into_iter().enumerate().map(|(i, level)| (level.to_string(), i.min(GROUPS)));
        let index: HashMap<String, usize> = index.collect();
        group = Box::new(move |cell| index[cell]);
    }
    let missing = names.len();
    names.push("missing".to_string());
    let groups = cells.iter().map(|cell| cell.as_deref().map_or(missing, &group)).collect();
    (names, groups)
}

/// The names of the parts between these cuts.
fn parts(cuts: &[f64]) -> Vec<String> {
    let [first, .., last] = cuts else {
        return match cuts {
            [cut] => vec![format!("up to {cut}"), format!("above {cut}")],
            _ => vec!["all numbers".to_string()],
        };
    };
    let between = cuts.windows(2).map(|pair| format!("above {} up to {}", pair[0], pair[1]));
    let ends = (format!("up to {first}"), format!("above {last}"));
    std::iter::once(ends.0).chain(between).chain([ends.1]).collect()
}

impl ByGroup {
    /// The figures, and the features that each group's explanations name.
    pub fn tables(&self, positive: Option<&str>) -> [SummaryTable; 2] {
        type Figure = fn(&GroupFigures) -> Option<f64>;
        let positive = positive.unwrap_or_default();
        let columns: [(String, Figure); 11] = [
            ("accuracy".to_string(), |g| g.accuracy),
            ("AUROC".to_string(), |g| g.auroc),
            ("log loss".to_string(), |g| g.log_loss),
            (format!("predicted {positive}"), |g| g.positive_rate),
            ("of true ones".to_string(), |g| g.true_positive_rate),
            ("of others".to_string(), |g| g.false_positive_rate),
            ("mean p".to_string(), |g| g.mean_probability),
            (format!("true {positive}"), |g| g.observed_rate),
            ("RMSE".to_string(), |g| g.rmse),
            ("MAE".to_string(), |g| g.mae),
            ("bias".to_string(), |g| g.bias),
        ];
        let columns: Vec<&(String, Figure)> =
            columns.iter().filter(|(_, of)| self.groups.iter().any(|g| of(g).is_some())).collect();
        let names = columns.iter().map(|(name, _)| name.clone());
        let header = [self.column.clone(), "rows".to_string()].into_iter().chain(names);
        let row = |group: &GroupFigures| {
            let figures =
                columns.iter().map(|(_, of)| of(group).map_or("–".to_string(), format_figure));
            [group.group.clone(), group.n.to_string()].into_iter().chain(figures).collect()
        };
        let rows = self.groups.iter().map(row).collect();
        let figures = SummaryTable::new(format!("By {}", self.column), header, rows);
        let named = |group: &GroupFigures| {
            let terms = group.terms.iter().take(SHOWN_TERMS).map(|term| {
                let (share, mean) = (100.0 * term.share, term.mean_contribution);
                format!("{} in {share:.0} % ({mean:+.2})", term.feature)
            });
            vec![group.group.clone(), terms.collect::<Vec<_>>().join(", ")]
        };
        let terms = SummaryTable::new(
            "Features that the explanations of each group name, with their mean contribution",
            [self.column.as_str(), "features"],
            self.groups.iter().map(named).collect(),
        );
        [figures, terms]
    }

    /// Both tables as lines.
    pub fn lines(&self, positive: Option<&str>) -> Vec<String> {
        let [figures, terms] = self.tables(positive);
        let lines = |table: &SummaryTable| -> Vec<String> {
            std::iter::once(String::new()).chain(table_lines(table)).collect()
        };
        [lines(&figures), lines(&terms)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(values: impl IntoIterator<Item = &'static str>) -> Vec<Option<String>> {
        values.into_iter().map(|v| Some(v.to_string()).filter(|v| !v.is_empty())).collect()
    }

    #[test]
    fn names_are_groups_by_frequency_and_gaps_are_one() {
        let (names, groups) = grouped(&cells(["b", "a", "", "b", "3"]));
        assert_eq!(names, ["b", "3", "a", "missing"]);
        assert_eq!(groups, [0, 2, 3, 0, 1]);
        let many: Vec<Option<String>> = (0..40).map(|i| Some(format!("v{i:02}"))).collect();
        let (names, groups) = grouped(&many);
        assert_eq!((names.len(), names[12].as_str()), (14, "28 other values"));
        assert_eq!((groups[11], groups[12], groups[39]), (11, 12, 12));
        assert_eq!(grouped(&[]), (vec!["missing".to_string()], vec![]));
    }

    #[test]
    fn numbers_are_cut_into_parts_of_about_one_size() {
        let numbers: Vec<Option<String>> = (1..=40).map(|i| Some(format!("{i}.0"))).collect();
        let (names, groups) = grouped(&numbers);
        let expected =
            ["up to 10", "above 10 up to 20", "above 20 up to 30", "above 30", "missing"];
        assert_eq!(names, expected);
        for part in 0..4 {
            assert_eq!(groups.iter().filter(|group| **group == part).count(), 10);
        }
        // Most are equal, and equal values are not separated.
        let heavy = (0..100).map(|i| Some(if i < 80 { 0 } else { i }.to_string()));
        let (names, groups) = grouped(&heavy.collect::<Vec<_>>());
        assert_eq!(names, ["up to 0", "above 0", "missing"]);
        assert_eq!(groups.iter().filter(|group| **group == 1).count(), 20);
    }
}
