//! Parquet with records about samples, with the columns of [`SampleCsv`](crate::sample_csv::SampleCsv): the row first,
//! its id if it has one, then the result, then its file if it has one.

use crate::output::Output;
use crate::samples::SampleId;
use anyhow::{Result, bail};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

/// Records held in memory at a time.
const GROUP: usize = 1 << 16;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    Number,
    Text,
}

/// A cell; one that is missing is neither.
pub enum ParquetCell<'a> {
    Whole(i64),
    Number(f64),
    Text(&'a str),
    Missing,
}

/// Writes such a file.
pub struct SampleParquet {
    state: State,
}

enum State {
    /// Nothing is written so far, so that unreadable data leave no file behind.
    New(Output),
    Begun {
        writer: Box<SerializedFileWriter<Output>>,
        columns: Vec<Column>,
        id: bool,
        file: bool,
    },
    /// Between the two.
    Taken,
}

/// The cells of a column that are not written yet.
#[derive(Default)]
struct Column {
    /// 1 if there is a value, 0 if it is missing.
    levels: Vec<i16>,
    whole: Vec<i64>,
    numbers: Vec<f64>,
    texts: Vec<ByteArray>,
}

impl SampleParquet {
    /// An empty file; refused on a terminal.
    pub fn new(out: Output) -> Result<Self> {
        if out.is_terminal() {
            bail!("--format parquet: expected --out FILE.parquet, as Parquet is not text");
        }
        Ok(Self { state: State::New(out) })
    }

    /// Makes the columns before the first record.
    pub fn begin(
        &mut self,
        id: &SampleId,
        columns: impl FnOnce() -> Vec<(String, CellKind)>,
    ) -> Result<()> {
        let out = match std::mem::replace(&mut self.state, State::Taken) {
            State::New(out) => out,
            begun => {
                self.state = begun;
                return Ok(());
            }
        };
        let text = |name: &str| (name.to_string(), CellKind::Text);
        let (has_id, has_file) = (id.id.is_some(), id.file.is_some());
        let columns: Vec<_> = (has_id.then(|| text("id")).into_iter())
            .chain(columns())
            .chain(has_file.then(|| text("file")))
            .collect();
        let row = Type::primitive_type_builder("row", Physical::INT64);
        let mut fields = vec![Arc::new(row.with_repetition(Repetition::OPTIONAL).build()?)];
        for (name, kind) in &columns {
            let (physical, logical) = match kind {
                CellKind::Number => (Physical::DOUBLE, None),
                CellKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            };
            let field = Type::primitive_type_builder(name, physical).with_logical_type(logical);
            fields.push(Arc::new(field.with_repetition(Repetition::OPTIONAL).build()?));
        }
        let schema = Type::group_type_builder("samples").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
        let columns = (0..=columns.len()).map(|_| Column::default()).collect();
        self.state = State::Begun { writer: Box::new(writer), columns, id: has_id, file: has_file };
        Ok(())
    }

    /// Writes a record.
    pub fn add(&mut self, sample: &SampleId, cells: Vec<ParquetCell<'_>>) -> Result<()> {
        let State::Begun { writer, columns, id, file } = &mut self.state else { return Ok(()) };
        let text = |text: &'_ Option<String>| text.clone().unwrap_or_default();
        let (id_text, file_text) = (text(&sample.id), text(&sample.file));
        let row = ParquetCell::Whole(i64::try_from(sample.row)?);
        let before = std::iter::once(row).chain(id.then_some(ParquetCell::Text(&id_text)));
        let record = before.chain(cells).chain(file.then_some(ParquetCell::Text(&file_text)));
        columns.iter_mut().zip(record).for_each(|(column, cell)| column.push(cell));
        if columns[0].levels.len() == GROUP {
            write_group(writer, columns)?;
        }
        Ok(())
    }

    /// Writes the rest, and gives a file its name.
    pub fn finish(self) -> Result<()> {
        match self.state {
            State::New(out) => out.finish(),
            State::Begun { mut writer, mut columns, .. } => {
                write_group(&mut writer, &mut columns)?;
                writer.into_inner()?.finish()
            }
            State::Taken => Ok(()),
        }
    }
}

impl Column {
    fn push(&mut self, cell: ParquetCell<'_>) {
        self.levels.push(i16::from(!matches!(cell, ParquetCell::Missing)));
        match cell {
            ParquetCell::Whole(value) => self.whole.push(value),
            ParquetCell::Number(value) => self.numbers.push(value),
            ParquetCell::Text(text) => self.texts.push(text.into()),
            ParquetCell::Missing => {}
        }
    }
}

/// Writes the cells that are held, column by column.
fn write_group(writer: &mut SerializedFileWriter<Output>, columns: &mut [Column]) -> Result<()> {
    if columns.iter().all(|column| column.levels.is_empty()) {
        return Ok(());
    }
    let types: Vec<Physical> =
        writer.schema_descr().columns().iter().map(|column| column.physical_type()).collect();
    let mut group = writer.next_row_group()?;
    for (column, physical) in columns.iter_mut().zip(types) {
        let Column { levels, whole, numbers, texts } = std::mem::take(column);
        match physical {
            Physical::INT64 => write_column::<Int64Type>(&mut group, &whole, &levels)?,
            Physical::DOUBLE => write_column::<DoubleType>(&mut group, &numbers, &levels)?,
            _ => write_column::<ByteArrayType>(&mut group, &texts, &levels)?,
        }
    }
    group.close()?;
    Ok(())
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Output>,
    values: &[T::T],
    levels: &[i16],
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, Some(levels), None)?;
        column.close()?;
    }
    Ok(())
}
