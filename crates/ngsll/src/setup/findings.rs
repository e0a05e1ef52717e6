//! What a user may want to know about the data before training.

use super::TrainingSetup;
use crate::dataset::{Column, Dataset, Samples, Values};
use crate::findings::{
    FEW_VALIDATION_SAMPLES, Finding, SMALL_CLASS, Single, is_code, repeats_would_be_odd,
    row_hashes, single_column,
};
use crate::objective::Targets;
use crate::representation::Representation;
use rayon::prelude::*;
use std::collections::HashSet;

/// A column with more levels than this, most of them in one row only, looks like names.
const MANY_LEVELS: usize = 50;

/// Leaks that are named, the clearest first.
const MOST_LEAKS: usize = 5;

impl TrainingSetup {
    /// Traps in the data that nobody would notice otherwise, each with its way out; `data` and `valid` are those
    /// that the setup was made from.
    pub fn findings(&self, data: &Dataset, valid: Option<&Dataset>) -> Vec<Finding> {
        let columns = self.columns_of(data);
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        let hashes = row_hashes(data, &names);
        let mut found: Vec<Finding> = self.left_out.findings().collect();
        found.extend(self.constant_columns());
        if self.columns_left_out > 0 {
            let (read, left_out) = (self.representation.features(), self.columns_left_out);
            found.push(Finding::ManyColumns { read, left_out });
        }
        found.extend(columns.iter().filter_map(|column| self.many_levels(column)));
        found.extend(self.codes(&columns));
        found.extend(self.leaks(&columns, &hashes));
        found.extend(self.repeated(data, valid, &names, &hashes));
        found.extend(self.small_classes(data));
        let samples = self.rows.valid.len();
        if samples < FEW_VALIDATION_SAMPLES {
            let cross_validated = self.has_few_rows();
            found.push(Finding::FewValidationSamples { samples, cross_validated });
        }
        found
    }

    /// The data without the columns that are left out whatever they say: ids, and those without any value.
    pub fn without_left_out(&self, data: Dataset) -> crate::Result<Dataset> {
        self.left_out.without_in(data)
    }

    /// The columns of a table that the model reads.
    fn columns_of<'a>(&self, data: &'a Dataset) -> Vec<&'a Column> {
        let (Samples::Table(table), Representation::Columns(columns)) =
            (data.samples(), &self.representation)
        else {
            return Vec::new();
        };
        let read = columns.encodings().iter();
        read.filter_map(|encoding| table.column(encoding.name())).collect()
    }

    fn constant_columns(&self) -> Option<Finding> {
        let Representation::Columns(read) = &self.representation else { return None };
        let columns: Vec<String> =
            self.left_out.empty().iter().chain(read.constant()).cloned().collect();
        (!columns.is_empty()).then_some(Finding::ConstantColumns { columns })
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
        let decided = &self.config().data.columns;
        let codes = columns.par_iter().filter(|column| {
            !decided.contains_key(column.name())
                && !self.left_out.is_id(column.name())
                && is_code(column, &self.targets, &self.rows.train)
        });
        let columns: Vec<String> = codes.map(|column| column.name().to_string()).collect();
        (!columns.is_empty()).then_some(Finding::NumberCodes { columns })
    }

    fn leaks(&self, columns: &[&Column], hashes: &[u64]) -> Vec<Finding> {
        // A row that is there twice is found again by any column.
        let mut seen = HashSet::new();
        let rows = self.rows.train.iter().copied();
        let rows: Vec<usize> = rows.filter(|&row| seen.insert(hashes[row])).collect();
        let each = columns.par_iter().filter_map(|column| {
            let single = single_column(column, &self.targets, &rows)?;
            single.is_leak().then(|| (column.name().to_string(), single))
        });
        let mut leaks: Vec<(String, Single)> = each.collect();
        leaks.sort_by(|a, b| b.1.figure.total_cmp(&a.1.figure));
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
        let mut counts = vec![0; names.len()];
        classes.iter().for_each(|&class| counts[class] += 1);
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
