//! Means over seeds, and tables in Markdown.

use crate::K;
use crate::store::RunResult;

/// Mean and standard deviation over seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanOverSeeds {
    pub(crate) mean: f64,
    /// The standard deviation, with n − 1 in the denominator; `None` for a single value.
    pub(crate) deviation: Option<f64>,
    /// The number of values.
    pub(crate) n: usize,
}

impl MeanOverSeeds {
    /// The spread of some values; `None` if there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        Some(Self { mean, deviation, n })
    }

    /// The test accuracy of a method at K on a data set, over the seeds.
    pub(crate) fn of_results(
        results: &[RunResult],
        dataset: &str,
        method: &str,
        k: K,
    ) -> Option<Self> {
        let selected = |r: &&RunResult| r.dataset == dataset && r.method == method && r.k == k;
        Self::of(results.iter().filter(selected).map(|result| result.test_accuracy))
    }

    /// "0.994 ± 0.001", with the given number of decimals.
    pub(crate) fn show(&self, decimals: usize) -> String {
        let mean = format!("{:.decimals$}", self.mean);
        match self.deviation {
            Some(deviation) => format!("{mean} ± {deviation:.decimals$}"),
            None => mean,
        }
    }
}

/// A Markdown table; bars in its cells are escaped.
pub(crate) fn markdown(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    line(header) + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_match_the_calculation_by_hand() {
        // Mean 0.5, squared differences 0.01 + 0 + 0.01, over n − 1 = 2: 0.01.
        let spread = MeanOverSeeds::of([0.4, 0.5, 0.6]).unwrap();
        assert!((spread.mean - 0.5).abs() < 1e-12);
        assert!((spread.deviation.unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(spread.show(3), "0.500 ± 0.100");
        assert_eq!(MeanOverSeeds::of([0.25]).unwrap().show(2), "0.25");
        assert_eq!(MeanOverSeeds::of([]), None);
        let spread = MeanOverSeeds::of([2.0, 4.0, 6.0]).unwrap();
        assert_eq!((spread.mean, spread.deviation), (4.0, Some(2.0)));
    }

    #[test]
    fn a_table_has_one_line_per_row() {
        let text = |cells: &[&str]| cells.iter().map(ToString::to_string).collect::<Vec<_>>();
        let table = markdown(&text(&["a", "b"]), &[text(&["1|2", "3"])]);
        assert_eq!(table, "| a | b |\n|---|---|\n| 1\\|2 | 3 |\n");
    }
}
