//! Samples of any kind.

use super::{Images, Table, Texts, Values};
use crate::checksum::with_length;

/// Samples of one kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Samples {
    /// Free texts.
    Texts(Texts),
    /// Images of one size.
    Images(Images),
    /// Rows of named columns.
    Table(Table),
}

impl Samples {
    /// Free texts.
    ///
    /// ```
    /// let samples = ngsll::Samples::texts(["not bad at all", "too long"]);
    /// assert_eq!(samples.len(), 2);
    /// ```
    pub fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Texts(texts.into_iter().collect())
    }

    /// The given rows, in the given order.
    ///
    /// # Panics
    /// If a row is not below [`len`](Self::len).
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Texts(texts) => Self::Texts(rows.iter().map(|&r| texts.get(r)).collect()),
            Self::Images(images) => Self::Images(images.select(rows)),
            Self::Table(table) => Self::Table(table.select(rows)),
        }
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Images(images) => images.len(),
            Self::Table(table) => table.len(),
        }
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All samples of the parts, in order; `None` where the parts differ in kind, image size or columns.
    pub fn join<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let mut all = parts.next()?.clone();
        for part in parts {
            match (&mut all, part) {
                (Self::Texts(all), Self::Texts(more)) => more.iter().for_each(|t| all.push(t)),
                (Self::Images(all), Self::Images(more)) => all.append(more)?,
                (Self::Table(all), Self::Table(more)) => all.append(more)?,
                _ => return None,
            }
        }
        Some(all)
    }

    /// The texts; `None` for other samples.
    pub fn as_texts(&self) -> Option<&Texts> {
        match self {
            Self::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    /// The images; `None` for other samples.
    pub fn as_images(&self) -> Option<&Images> {
        match self {
            Self::Images(images) => Some(images),
            _ => None,
        }
    }

    /// The table; `None` for other samples.
    ///
    /// ```
    /// use ngsll::dataset::{Column, Samples, Table};
    /// let table = Table::new([Column::numeric("size", [1.0, 2.0])?])?;
    /// assert_eq!(Samples::from(table).as_table().map(|table| table.columns().len()), Some(1));
    /// assert!(Samples::texts(["not bad"]).as_table().is_none());
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn as_table(&self) -> Option<&Table> {
        match self {
            Self::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Gives `write` the bytes of the samples, each piece with its row: of a table the named columns, one after the
    /// other. Equal samples give equal bytes, and others do not.
    pub(crate) fn bytes<'a>(
        &self,
        columns: impl IntoIterator<Item = &'a str>,
        mut write: impl FnMut(usize, &[u8]),
    ) {
        match self {
            Self::Texts(texts) => {
                let each = texts.iter().enumerate();
                each.for_each(|(row, text)| with_length(text, |bytes| write(row, bytes)));
            }
            Self::Images(images) => {
                (0..images.len()).for_each(|row| write(row, images.get(row)));
            }
            Self::Table(table) => {
                for column in columns.into_iter().filter_map(|name| table.column(name)) {
                    match column.values() {
                        Values::Numeric(values) => {
                            // A missing number has several forms.
                            let bits = |v: &f64| if v.is_nan() { u64::MAX } else { v.to_bits() };
                            let each = values.iter().enumerate();
                            each.for_each(|(row, v)| write(row, &bits(v).to_le_bytes()));
                        }
                        Values::Categorical(levels) => {
                            for (row, level) in levels.iter().enumerate() {
                                write(row, &[u8::from(level.is_some())]);
                                with_length(level.unwrap_or_default(), |bytes| write(row, bytes));
                            }
                        }
                    }
                }
            }
        }
    }

    /// The name of their kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Texts(_) => "text",
            Self::Images(_) => "images",
            Self::Table(_) => "a table",
        }
    }
}

impl AsRef<Samples> for Samples {
    fn as_ref(&self) -> &Samples {
        self
    }
}

impl From<Texts> for Samples {
    fn from(texts: Texts) -> Self {
        Self::Texts(texts)
    }
}

impl From<Images> for Samples {
    fn from(images: Images) -> Self {
        Self::Images(images)
    }
}

impl From<Table> for Samples {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ImageSize;

    #[test]
    fn joined_samples_are_the_parts_one_after_the_other() {
        let texts = |list: &[&str]| Samples::Texts(list.iter().collect());
        let joined = Samples::join([&texts(&["a", "b"]), &texts(&[]), &texts(&["c"])]);
        assert_eq!(joined, Some(texts(&["a", "b", "c"])));

        let image = |width, pixels: &[u8]| {
            let size = ImageSize { width, height: 1, channels: 1 };
            Samples::Images(Images::new(size, pixels.to_vec()).unwrap())
        };
        let joined = Samples::join([&image(2, &[1, 2]), &image(2, &[3, 4, 5, 6])]);
        assert_eq!(joined.as_ref().map(Samples::len), Some(3));
        assert_eq!(joined, Some(image(2, &[1, 2, 3, 4, 5, 6])));
        assert_eq!(Samples::join([&image(2, &[1, 2]), &image(1, &[3])]), None);
        assert_eq!(Samples::join([&image(2, &[1, 2]), &texts(&["a"])]), None);
    }
}
