//! Samples in memory with their labels, checked once.
//!
//! A [`Dataset`] is the input of training. Its constructors check lengths, image sizes and columns;
//! after that it is always valid. Files are read by the crate `ngsll-readers`.

mod cell_form;
mod column;
mod date;
mod groups;
mod images;
mod labels;
mod month_name;
mod number;
mod number_cells;
mod origin;
mod samples;
pub(crate) mod split;
mod table;
mod texts;
mod typed_column;
mod unit_word;

pub use cell_form::CellForm;
pub use column::{Categories, CellValue, Column, ColumnBuilder, ColumnKind, ColumnSpec, Values};
pub use date::{DateForm, DatePart, WrittenDate, date_columns, timestamp_of_days, timestamp_text};
pub use groups::Groups;
pub use images::{ImageSize, Images};
pub(crate) use labels::FEW_NUMBERS;
pub use labels::Labels;
pub use number::{DecimalMark, LARGEST_EXACT, WrittenNumber, loses_digits};
pub use number_cells::NumberCells;
pub use origin::Origin;
pub use samples::Samples;
pub use table::Table;
pub use texts::Texts;
pub use typed_column::{TypedColumn, TypedValues};

use crate::error::{Error, Location, Result};
use crate::random::ChaCha8Rng;
use rand::seq::SliceRandom;

/// Samples of one kind, with a label for each where they have labels.
///
/// ```
/// use ngsll::Dataset;
/// let data = Dataset::texts(["fine", "dull"], ["praise", "blame"])?;
/// assert_eq!((data.len(), data.label(1)), (2, Some("blame")));
/// let wrong = Dataset::texts(["fine", "dull"], ["praise"]).unwrap_err();
/// assert_eq!(wrong.to_string(), "labels = 1: expected one for each of the 2 samples");
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    samples: Samples,
    labels: Option<Labels>,
    origin: Option<Origin>,
    ids: Option<Vec<String>>,
    weights: Option<Vec<f64>>,
}

impl Dataset {
    /// Texts and their labels; a label is a class's name, or a number in regression.
    pub fn texts<T: AsRef<str>, L: ToString>(
        texts: impl IntoIterator<Item = T>,
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self> {
        Self::new(texts.into_iter().collect::<Texts>()).with_labels(labels)
    }

    /// Images of one size and their labels.
    pub fn images<L: ToString>(
        images: Images,
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self> {
        Self::new(images).with_labels(labels)
    }

    /// Rows of a table and their labels.
    pub fn table<L: ToString>(table: Table, labels: impl IntoIterator<Item = L>) -> Result<Self> {
        Self::new(table).with_labels(labels)
    }

    /// Samples without labels.
    pub fn new(samples: impl Into<Samples>) -> Self {
        Self { samples: samples.into(), labels: None, origin: None, ids: None, weights: None }
    }

    /// Adds a label for each sample. The empty string means an unknown label.
    pub fn with_labels<L: ToString>(self, labels: impl IntoIterator<Item = L>) -> Result<Self> {
        let labels: Labels = labels.into_iter().collect();
        if labels.len() != self.len() {
            let expected = format!("expected one for each of the {} samples", self.len());
            return Err(Error::setting("labels", labels.len(), expected));
        }
        Ok(Self { labels: Some(labels), ..self })
    }

    /// Adds the place in a file that each sample came from, for messages.
    pub fn with_origin(self, origin: Origin) -> Result<Self> {
        if origin.len() != self.len() {
            let expected = format!("expected one for each of the {} samples", self.len());
            return Err(Error::setting("origin", origin.len(), expected));
        }
        Ok(Self { origin: Some(origin), ..self })
    }

    /// Adds the user's identifier of each sample.
    pub fn with_ids(self, ids: Vec<String>) -> Result<Self> {
        if ids.len() != self.len() {
            let expected = format!("expected one for each of the {} samples", self.len());
            return Err(Error::setting("ids", ids.len(), expected));
        }
        Ok(Self { ids: Some(ids), ..self })
    }

    /// Adds the weight of each sample in training, a number of at least 0; without them all
    /// count the same.
    ///
    /// ```
    /// use ngsll::Dataset;
    /// let data = Dataset::texts(["fine", "dull"], ["praise", "blame"])?;
    /// assert_eq!(data.clone().with_weights(vec![1.0, 3.0])?.weights(), Some(&[1.0, 3.0][..]));
    /// let wrong = data.with_weights(vec![1.0, -3.0]).unwrap_err();
    /// assert_eq!(wrong.to_string(), "sample 1: the weight is -3, expected a number of at least 0");
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.len() {
            let expected = format!("expected one for each of the {} samples", self.len());
            return Err(Error::setting("weights", weights.len(), expected));
        }
        let bad = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0));
        if let Some(row) = bad {
            let weight = weights[row];
            let message = format!("the weight is {weight}, expected a number of at least 0");
            return Err(self.location(row).error(message));
        }
        if !weights.is_empty() && weights.iter().all(|weight| *weight == 0.0) {
            return Err(Error::setting("weights", "all 0", "expected at least one weight above 0"));
        }
        Ok(Self { weights: Some(weights), ..self })
    }

    /// Replaces each label by its group's name; a label outside every group is an
    /// error.
    pub fn grouped(mut self, groups: &Groups) -> Result<Self> {
        if let Some(labels) = &self.labels {
            let ungrouped = |row| {
                self.location(row).error(format!("label {:?} is in no group", labels.get(row)))
            };
            let grouped = labels.map(|label| groups.apply(label).map(str::to_string));
            self.labels = Some(grouped.map_err(ungrouped)?);
        }
        Ok(self)
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The samples.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The labels, where there are any.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    /// The label of a sample; `None` where it is not known.
    ///
    /// # Panics
    /// If `row` is not below [`len`](Self::len).
    pub fn label(&self, row: usize) -> Option<&str> {
        self.labels.as_ref().map(|labels| labels.get(row)).filter(|label| !label.is_empty())
    }

    /// The user's identifier of a sample, if known.
    ///
    /// # Panics
    /// If `row` is not below [`len`](Self::len).
    pub fn id(&self, row: usize) -> Option<&str> {
        self.ids.as_ref().map(|ids| ids[row].as_str())
    }

    /// The weight of each sample in training, if they differ.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The origin of the samples, if known.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// The origin of sample `row` (counted from 0), for messages.
    ///
    /// # Panics
    /// If `row` is not below [`len`](Self::len).
    pub fn location(&self, row: usize) -> Location {
        self.origin.as_ref().map_or_else(|| Location::sample(row), |origin| origin.location(row))
    }

    /// The common source of the samples, for messages.
    pub fn source(&self) -> Location {
        self.origin.as_ref().map_or_else(Location::default, Origin::source)
    }

    /// Replaces the samples, one for one, and keeps labels and origins.
    pub(crate) fn with_samples(self, samples: Samples) -> Self {
        debug_assert_eq!(samples.len(), self.samples.len(), "one for each");
        Self { samples, ..self }
    }

    /// The given rows, in the given order.
    ///
    /// # Panics
    /// If a row is not below [`len`](Self::len).
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            samples: self.samples.select(rows),
            labels: self.labels.as_ref().map(|labels| labels.select(rows)),
            origin: self.origin.as_ref().map(|origin| origin.select(rows)),
            ids: self.ids.as_ref().map(|ids| rows.iter().map(|&row| ids[row].clone()).collect()),
            weights: self.weights.as_ref().map(|all| rows.iter().map(|&row| all[row]).collect()),
        }
    }

    /// At most `most` samples, drawn at random, in their order.
    pub fn thinned(&self, most: usize, rng: &mut ChaCha8Rng) -> Self {
        if self.len() <= most {
            return self.clone();
        }
        let mut rows: Vec<usize> = (0..self.len()).collect();
        rows.shuffle(rng);
        rows.truncate(most);
        rows.sort_unstable();
        self.select(&rows)
    }
}

impl AsRef<Samples> for Dataset {
    fn as_ref(&self) -> &Samples {
        &self.samples
    }
}
