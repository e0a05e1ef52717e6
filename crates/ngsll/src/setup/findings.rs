//! Findings about the data before training.

use super::TrainingSetup;
use crate::dataset::{Column, Dataset, DatePart, Values};
use crate::findings::{
    FEW_VALIDATION_SAMPLES, Finding, SMALL_CLASS, Single, alike_classes, far_targets, is_code,
    repeats_would_be_odd, row_hashes, single_column, totals_row,
};
use crate::objective::{Targets, target_numbers};
use crate::representation::CutTexts;
use rayon::prelude::*;
use std::collections::HashSet;

/// A column with more levels than this, most of them in one row only, looks like names.
const MANY_LEVELS: usize = 50;

/// The percentage of rows with a value below which a column is sparse.
const SPARSE: usize = 5;

/// The most leaks that are named, the clearest first.
const MOST_LEAKS: usize = 5;

/// The name of a column in the data: for a part of a date, that of the dates.
fn in_the_data(column: &Column) -> &str {
    column.form().date.as_ref().map_or(column.name(), |date| &date.column)
}

impl TrainingSetup {
    /// Common problems in the data, most with a suggested fix; `data` and `valid` are those that the setup
    /// was made from.
    pub fn findings(&self, data: &Dataset, valid: Option<&Dataset>) -> Vec<Finding> {
        let columns = self.representation.columns_of(data.samples());
        let names = self.identifying(data);
        let hashes = row_hashes(data, &names);
        let mut found: Vec<Finding> = self.left_out.findings().collect();
        found.extend(self.constant_columns());
        if self.columns_left_out > 0 {
            let (read, left_out) = (self.representation.features(), self.columns_left_out);
            found.push(Finding::ManyColumns { read, left_out });
        }
        found.extend(self.fewer_features());
        found.extend(self.word_vectors());
        found.extend(self.cut_texts(data));
        found.extend(self.far_targets(data));
        found.extend(self.sparse_columns(data));
        found.extend(columns.iter().filter_map(|column| self.many_levels(column)));
        found.extend(self.codes(&columns));
        found.extend(self.leaks(&columns, &hashes));
        found.extend(self.repeated(data, valid, &names, &hashes));
        found.extend(self.alike_classes());
        found.extend(self.small_classes(data));
        let samples = self.rows.valid.len();
        if samples < FEW_VALIDATION_SAMPLES {
            let cross_validated = self.has_few_rows();
            found.push(Finding::FewValidationSamples { samples, cross_validated });
        }
        found
    }

    /// The data without the columns that are always left out: ids, and those without any value.
    pub fn without_left_out(&self, data: Dataset) -> crate::Result<Dataset> {
        self.left_out.without_in(data)
    }

    /// The columns that tell one sample from another: including those that are not read, except numbers that were
    /// assigned one by one, which differ in a repeated row.
    fn identifying<'a>(&self, data: &'a Dataset) -> Vec<&'a str> {
        let Some(table) = data.samples().as_table() else { return Vec::new() };
        let columns = table.columns().iter();
        columns.filter(|column| !self.left_out.is_assigned_id(column)).map(Column::name).collect()
    }

    fn constant_columns(&self) -> Option<Finding> {
        let constant = self.representation.constant();
        let columns: Vec<String> = self.left_out.empty().iter().chain(constant).cloned().collect();
        (!columns.is_empty()).then_some(Finding::ConstantColumns { columns })
    }

    /// More terms requested than there are features.
    fn fewer_features(&self) -> Option<Finding> {
        let (k, features) = (self.config().k, self.representation.features());
        (k > features).then_some(Finding::FewerFeatures { k, features })
    }

    fn word_vectors(&self) -> Option<Finding> {
        let [found, others] = self.words_with_vectors()?;
        let words = self.representation.features() - others;
        Some(Finding::WordVectors { found, words, others })
    }

    /// Texts of which only the beginning is read.
    fn cut_texts(&self, data: &Dataset) -> Option<Finding> {
        let CutTexts { texts: cut, longest, tokens } =
            self.representation.cut_texts(data.samples())?;
        (cut > 0).then_some(Finding::CutTexts { cut, texts: data.len(), tokens, longest })
    }

    /// A row of totals, or else values of the target that are far from the others.
    fn far_targets(&self, data: &Dataset) -> Option<Finding> {
        let Targets::Values(_) = &self.targets else { return None };
        let values = target_numbers(data).ok()?;
        let location = |row: usize| data.location(row).to_string();
        let totals = data.samples().as_table().and_then(|table| {
            let read = table.columns().iter().filter(|column| !self.left_out.is_id(column.name()));
            let numbers = read.filter_map(|column| match column.values() {
                Values::Numeric(values) if column.form().date.is_none() => Some(&values[..]),
                _ => None,
            });
            totals_row(&numbers.chain([&values[..]]).collect::<Vec<_>>())
        });
        match totals {
            Some(row) => Some(Finding::TotalsRow { location: location(row) }),
            None => far_targets(&values, location),
        }
    }

    /// Columns with a value in hardly any row.
    fn sparse_columns(&self, data: &Dataset) -> Option<Finding> {
        let table = data.samples().as_table()?;
        let rows = table.len();
        let is_whole = |column: &&Column| {
            column.form().date.as_ref().is_none_or(|date| date.part == DatePart::Days)
        };
        let filled = table
            .columns()
            .iter()
            .filter(is_whole)
            .map(|column| (in_the_data(column).to_string(), rows - column.missing()));
        let sparse = |(_, filled): &(String, usize)| *filled > 0 && 100 * filled < SPARSE * rows;
        let columns: Vec<(String, usize)> = filled.filter(sparse).collect();
        (!columns.is_empty()).then_some(Finding::SparseColumns { columns, rows })
    }

    fn alike_classes(&self) -> Option<Finding> {
        let Targets::Classes(_) = &self.targets else { return None };
        let names = self.objective.classes().iter().map(String::as_str);
        let classes: Vec<(&str, usize)> = names.zip(self.class_sizes()).collect();
        alike_classes(&classes)
    }

    /// The number of samples of each class.
    fn class_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.objective.classes().len()];
        if let Targets::Classes(classes) = &self.targets {
            classes.iter().for_each(|&class| sizes[class] += 1);
        }
        sizes
    }

    fn many_levels(&self, column: &Column) -> Option<Finding> {
        let Values::Categorical(categories) = column.values() else { return None };
        let (levels, rows) = (categories.levels().len(), column.len());
        let many = levels > MANY_LEVELS && 2 * levels > rows;
        (many && !self.left_out.is_id(column.name())).then(|| {
            let column = column.name().to_string();
            Finding::ManyLevels { column, levels, rows }
        })
    }

    fn codes(&self, columns: &[&Column]) -> Option<Finding> {
        let data = &self.config().data;
        let codes = columns.par_iter().filter(|column| {
            column.form().date.is_none()
                && !data.columns.contains_key(column.name())
                && !data.keep.iter().any(|name| name == column.name())
                && !self.left_out.is_id(column.name())
                && is_code(column, &self.targets, &self.rows.train)
        });
        let columns: Vec<String> = codes.map(|column| column.name().to_string()).collect();
        (!columns.is_empty()).then_some(Finding::NumberCodes { columns })
    }

    fn leaks(&self, columns: &[&Column], hashes: &[u64]) -> Vec<Finding> {
        // A repeated row would be predicted by its copy from any column.
        let mut seen = HashSet::new();
        let rows = self.rows.train.iter().copied();
        let rows: Vec<usize> = rows.filter(|&row| seen.insert(hashes[row])).collect();
        let each = columns.par_iter().filter_map(|column| {
            let single = single_column(column, &self.targets, &rows)?;
            single.is_leak().then(|| (in_the_data(column).to_string(), single))
        });
        let mut leaks: Vec<(String, Single)> = each.collect();
        leaks.sort_by(|a, b| b.1.figure.total_cmp(&a.1.figure));
        let mut named = HashSet::new();
        leaks.retain(|(column, _)| named.insert(column.clone()));
        leaks.truncate(MOST_LEAKS);
        let finding =
            |(column, Single { figure, base_rate })| Finding::Leak { column, figure, base_rate };
        leaks.into_iter().map(finding).collect()
    }

    fn repeated(
        &self,
        data: &Dataset,
        valid: Option<&Dataset>,
        names: &[&str],
        hashes: &[u64],
    ) -> Option<Finding> {
        let learned: HashSet<u64> = self.rows.train.iter().map(|&row| hashes[row]).collect();
        let among = |hashes: &[u64], rows: &[usize]| {
            rows.iter().filter(|&&row| learned.contains(&hashes[row])).count()
        };
        let validation = match valid {
            Some(valid) => among(&row_hashes(valid, names), &self.rows.valid),
            None => among(hashes, &self.rows.valid),
        };
        let test = among(hashes, &self.rows.test);
        (validation + test > 0 && repeats_would_be_odd(data, hashes))
            .then_some(Finding::RepeatedSamples { validation, test })
    }

    fn small_classes(&self, data: &Dataset) -> Vec<Finding> {
        let Targets::Classes(classes) = &self.targets else { return Vec::new() };
        let names = self.objective.classes();
        let counts = self.class_sizes();
        let single = |class: usize| {
            let row = classes.iter().position(|&own| own == class)?;
            let (class, location) = (names[class].clone(), data.location(row).to_string());
            Some(Finding::SingleSample { class, location })
        };
        let mut found: Vec<Finding> =
            (0..names.len()).filter(|&class| counts[class] == 1).filter_map(single).collect();
        let small = names.iter().zip(&counts).filter(|(_, n)| (2..SMALL_CLASS).contains(*n));
        let small: Vec<(String, usize)> = small.map(|(name, n)| (name.clone(), *n)).collect();
        if !small.is_empty() {
            found.push(Finding::SmallClasses { classes: small });
        }
        found
    }
}
