//! Rows of Parquet files.
//!
//! Numbers and decimals are numeric, texts and booleans (`true`, `false`) categorical, dates and timestamps are dates.
//! Times of the day are seconds since midnight. Columns of any other type, and nested ones, cannot be read.

use super::rows::RowReader;
use crate::contained::contained;
use crate::unpacked::{most_unpacked, too_much};
use crate::{column_names, source};
use ngsll::dataset::{CellValue, ColumnKind, LARGEST_EXACT};
use ngsll::error::{Error, Location, Result};
use ngsll::findings::Remedy;
use ngsll::readable::count_of;
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, reader::RowIter};
use parquet::schema::types::{Type, TypePtr};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The rows of a Parquet file.
pub(super) struct ParquetRows {
    path: PathBuf,
    file: Option<Box<dyn FileReader>>,
    schema: TypePtr,
    names: Vec<String>,
    /// The number of rows in the footer.
    declared_rows: usize,
    rows: Option<RowIter<'static>>,
    /// The units of the integers of each selected column.
    units: Vec<IntegerUnit>,
    /// The number of NaN cells of each column.
    not_numbers: BTreeMap<String, usize>,
    row: u64,
    cells: Vec<CellValue<'static>>,
}

impl ParquetRows {
    pub fn open(path: &Path) -> Result<Self> {
        let file = source::open_regular(path)?;
        let packed = file.metadata().map_err(|error| Error::io(path, "read", error))?.len();
        let location = Location::file(path);
        let file = guarded(&location, || SerializedFileReader::new(file))?;
        if unpacked(file.metadata()) > most_unpacked(packed) {
            return Err(location.error(too_much("write it without compression")));
        }
        let declared_rows =
            usize::try_from(file.metadata().file_metadata().num_rows()).unwrap_or(0);
        let schema = file.metadata().file_metadata().schema_descr().root_schema_ptr();
        let names: Vec<String> =
            schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
        let mut known = HashSet::new();
        if let Some(name) = names.iter().find(|name| !known.insert(name.as_str())) {
            let name = column_names::quoted(name);
            let message = format!("it names two columns {name}; give one of them another name");
            return Err(location.error(message));
        }
        Ok(Self {
            path: path.to_path_buf(),
            file: Some(Box::new(file)),
            schema,
            names,
            declared_rows,
            rows: None,
            units: Vec::new(),
            not_numbers: BTreeMap::new(),
            row: 0,
            cells: Vec::new(),
        })
    }
}

impl RowReader for ParquetRows {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn kind(&self, column: usize) -> Option<ColumnKind> {
        let field = &self.schema.get_fields()[column];
        // Integers of 64 bits may be identifiers, which only their values show.
        kind(field).ok().filter(|_| !is_large_integer(field))
    }

    fn select(&mut self, columns: Vec<usize>) -> Result<()> {
        let fields: Vec<TypePtr> =
            columns.iter().map(|column| self.schema.get_fields()[*column].clone()).collect();
        for field in &fields {
            kind(field).map_err(|what| Error::Undecided {
                location: Location::file(&self.path).column(field.name()),
                message: format!("{what}, which cannot be read; remove it from the file"),
                remedy: Box::new(Remedy::leaving_out(field.name())),
            })?;
        }
        self.units = fields.iter().map(unit).collect();
        let file = self.file.take();
        let name = self.schema.name();
        self.rows = guarded(&Location::file(&self.path), || {
            let projection = Type::group_type_builder(name).with_fields(fields).build()?;
            file.map(|file| RowIter::from_file_into(file).project(Some(projection))).transpose()
        })?;
        Ok(())
    }

    fn declared_rows(&self) -> usize {
        self.declared_rows
    }

    fn read_row(&mut self) -> Result<bool> {
        // Taken out, and put back only after a good row: reading stops after an error.
        let Some(mut rows) = self.rows.take() else { return Ok(false) };
        let location = Location::line(&self.path, self.row + 1);
        let Some(row) = guarded(&location, || rows.next().transpose())? else { return Ok(false) };
        self.cells.clear();
        for ((name, field), unit) in row.into_columns().into_iter().zip(&self.units) {
            let cell = match is_nan(&field) {
                true => {
                    *self.not_numbers.entry(name.clone()).or_default() += 1;
                    Ok(CellValue::Missing)
                }
                false => cell(field, *unit),
            };
            self.cells.push(cell.map_err(|message| location.clone().column(name).error(message))?);
        }
        self.row += 1;
        self.rows = Some(rows);
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.row
    }

    fn notes(&self) -> Vec<String> {
        let note = |(name, cells): (&String, &usize)| {
            format!("column {name:?}: NaN ({}) is read as missing", count_of(*cells, "cell"))
        };
        self.not_numbers.iter().map(note).collect()
    }

    fn cell(&self, index: usize) -> CellValue<'_> {
        match &self.cells[index] {
            CellValue::Text(text) => CellValue::Text(Cow::Borrowed(text)),
            other => other.clone(),
        }
    }
}

/// The unpacked size of all columns' pages, as the footer says.
fn unpacked(about: &ParquetMetaData) -> u64 {
    let columns = about.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let bytes = columns.map(|column| u64::try_from(column.uncompressed_size()).unwrap_or(u64::MAX));
    bytes.fold(0, u64::saturating_add)
}

/// Runs code of the Parquet library, which panics on some damaged files instead of returning an error.
fn guarded<T>(location: &Location, read: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T> {
    let damaged = |reason: String| {
        location
            .clone()
            .error(format!("the Parquet data are damaged or of an unknown kind{reason}"))
    };
    match contained(read) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(damaged(format!(" ({error})"))),
        None => Err(damaged(String::new())),
    }
}

/// The kind of a column's cells, or the reason why it cannot be read.
fn kind(field: &TypePtr) -> std::result::Result<ColumnKind, String> {
    let info = field.get_basic_info();
    if !field.is_primitive() || info.repetition() == Repetition::REPEATED {
        return Err("the column is nested (a list, map or struct)".into());
    }
    if is_date(field) {
        return Ok(ColumnKind::Date);
    }
    let converted = info.converted_type();
    let half = info.logical_type_ref() == Some(&LogicalType::Float16);
    match (field.get_physical_type(), converted) {
        (Physical::BOOLEAN, _) => Ok(ColumnKind::Categorical),
        (Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY, ConvertedType::DECIMAL) => {
            Ok(ColumnKind::Numeric)
        }
        (Physical::FIXED_LEN_BYTE_ARRAY, _) if half => Ok(ColumnKind::Numeric),
        (Physical::BYTE_ARRAY, ConvertedType::BSON) | (Physical::FIXED_LEN_BYTE_ARRAY, _) => {
            Err("the column holds bytes".into())
        }
        (Physical::BYTE_ARRAY, _) => Ok(ColumnKind::Categorical),
        _ => Ok(ColumnKind::Numeric),
    }
}

/// Whether the column holds dates or points in time.
fn is_date(field: &TypePtr) -> bool {
    let info = field.get_basic_info();
    let logical =
        matches!(info.logical_type_ref(), Some(LogicalType::Date | LogicalType::Timestamp(_)));
    let converted = matches!(
        info.converted_type(),
        ConvertedType::DATE | ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS
    );
    logical || converted || field.get_physical_type() == Physical::INT96
}

/// Whether the column holds integers of 64 bits without a unit.
fn is_large_integer(field: &TypePtr) -> bool {
    let info = field.get_basic_info();
    let converted = matches!(
        info.converted_type(),
        ConvertedType::NONE | ConvertedType::INT_64 | ConvertedType::UINT_64
    );
    let is_integer = field.is_primitive() && field.get_physical_type() == Physical::INT64;
    is_integer && converted && unit(field) == IntegerUnit::One && !is_date(field)
}

/// The unit of integers, which the row reader does not distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IntegerUnit {
    One,
    /// Nanoseconds since midnight.
    OfDay,
    /// Nanoseconds since 1970.
    Since1970,
}

fn unit(field: &TypePtr) -> IntegerUnit {
    match field.get_basic_info().logical_type_ref() {
        Some(LogicalType::Timestamp(timestamp)) if matches!(timestamp.unit, TimeUnit::NANOS) => {
            IntegerUnit::Since1970
        }
        Some(LogicalType::Time(time)) if matches!(time.unit, TimeUnit::NANOS) => IntegerUnit::OfDay,
        _ => IntegerUnit::One,
    }
}

fn is_nan(field: &Field) -> bool {
    match field {
        Field::Float16(value) => value.is_nan(),
        Field::Float(value) => value.is_nan(),
        Field::Double(value) => value.is_nan(),
        _ => false,
    }
}

/// A cell, or the message about its missing value.
fn cell(field: Field, unit: IntegerUnit) -> std::result::Result<CellValue<'static>, String> {
    Ok(match field {
        Field::Null => CellValue::Missing,
        Field::Bool(value) => CellValue::Text(Cow::Borrowed(if value { "true" } else { "false" })),
        Field::Byte(value) => CellValue::Number(value.into()),
        Field::Short(value) => CellValue::Number(value.into()),
        Field::Int(value) => CellValue::Number(value.into()),
        Field::UByte(value) => CellValue::Number(value.into()),
        Field::UShort(value) => CellValue::Number(value.into()),
        Field::UInt(value) => CellValue::Number(value.into()),
        Field::Long(value) if unit == IntegerUnit::Since1970 => {
            CellValue::Timestamp(value as f64 / 1e9)
        }
        Field::Long(value) if unit == IntegerUnit::OfDay => CellValue::Number(value as f64 / 1e9),
        Field::Long(value) if value.unsigned_abs() <= LARGEST_EXACT => {
            CellValue::Number(value as f64)
        }
        Field::Long(value) => CellValue::Text(Cow::Owned(value.to_string())),
        Field::ULong(value) if value <= LARGEST_EXACT => CellValue::Number(value as f64),
        Field::ULong(value) => CellValue::Text(Cow::Owned(value.to_string())),
        Field::Float16(value) => CellValue::Number(value.to_f64()),
        Field::Float(value) => CellValue::Number(value.into()),
        Field::Double(value) => CellValue::Number(value),
        Field::Date(days) => CellValue::Timestamp(f64::from(days) * 86_400.0),
        Field::TimeMillis(value) => CellValue::Number(f64::from(value) / 1e3),
        Field::TimestampMillis(value) => CellValue::Timestamp(value as f64 / 1e3),
        Field::TimeMicros(value) => CellValue::Number(value as f64 / 1e6),
        Field::TimestampMicros(value) => CellValue::Timestamp(value as f64 / 1e6),
        Field::Str(text) => CellValue::Text(Cow::Owned(text)),
        Field::Bytes(bytes) => match String::from_utf8(bytes.data().to_vec()) {
            Ok(text) => CellValue::Text(Cow::Owned(text)),
            Err(_) => return Err("the text is not valid UTF-8".into()),
        },
        // Its text is the only exact form that the library gives us.
        decimal @ Field::Decimal(_) => CellValue::Text(Cow::Owned(decimal.to_string())),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            return Err("the column is nested (a list, map or struct)".into());
        }
    })
}
