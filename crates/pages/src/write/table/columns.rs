//! Conversion of a table's columns to types that can be encoded.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, new_empty_array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_writer::compute_leaves;

use super::{TableWriter, error};
use crate::error::{Cause, Error, Place, Result};

/// Options that report a value that does not fit as an error, not as null.
const EXACT: CastOptions<'static> =
    CastOptions { safe: false, format_options: arrow::util::display::FormatOptions::new() };

/// Returns the schema to encode. Types that Parquet lacks are replaced, and so are dictionaries of
/// views (polars' categories), which parquet-rs does not encode: their values become strings, and
/// their indices stay. Columns with the name of an earlier one are numbered.
pub(super) fn encoded(schema: &Schema) -> SchemaRef {
    let fields = numbered(&fields(schema.fields()));
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Numbers columns of equal names as DuckDB does, because readers find columns by name. The second
/// `x` becomes `x_1`.
fn numbered(all: &Fields) -> Fields {
    let mut taken: HashSet<String> = all.iter().map(|field| field.name().clone()).collect();
    let mut seen = HashSet::new();
    let number = |field: &FieldRef| {
        if seen.insert(field.name().clone()) {
            return field.clone();
        }
        let mut names = (1usize..).map(|number| format!("{}_{number}", field.name()));
        let name = names.find(|name| taken.insert(name.clone())).unwrap_or_default();
        Arc::new(field.as_ref().clone().with_name(name))
    };
    all.iter().map(number).collect()
}

fn fields(all: &Fields) -> Fields {
    all.iter().map(field).collect()
}

fn field(original: &FieldRef) -> FieldRef {
    match data_type(original.data_type()) {
        Some(other) => Arc::new(original.as_ref().clone().with_data_type(other)),
        None => original.clone(),
    }
}

/// Returns the type that replaces another one; `None` if it can be encoded unchanged.
///
/// parquet-rs writes times in seconds and dates in milliseconds as integers, since Parquet has no
/// types for them. Other readers would see numbers.
fn data_type(original: &DataType) -> Option<DataType> {
    let found = match original {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Date64 => DataType::Date32,
        DataType::Dictionary(codes, values) => {
            let values = match **values {
                DataType::Utf8View => DataType::Utf8,
                DataType::BinaryView => DataType::Binary,
                _ => data_type(values)?,
            };
            DataType::Dictionary(codes.clone(), Box::new(values))
        }
        DataType::List(item) => DataType::List(field(item)),
        DataType::LargeList(item) => DataType::LargeList(field(item)),
        DataType::ListView(item) => DataType::ListView(field(item)),
        DataType::LargeListView(item) => DataType::LargeListView(field(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(field(item), *length),
        DataType::Map(entries, is_sorted) => DataType::Map(field(entries), *is_sorted),
        DataType::Struct(all) => DataType::Struct(fields(all)),
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(ends.clone(), field(values)),
        _ => return None,
    };
    Some(found)
}

impl<W: std::io::Write + Send> TableWriter<W> {
    /// Converts a batch's columns to the types to encode.
    pub(super) fn encodable(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let columns = batch.columns().iter().zip(self.encoded.fields());
        let encodable = columns.map(|(column, field)| match column.data_type() == field.data_type() {
            true => Ok(column.clone()),
            false => cast_with_options(column, field.data_type(), &EXACT)
                .map_err(|e| self.failed((field.name().clone(), e.to_string()))),
        });
        encodable.collect()
    }

    /// Encodes an empty array of each column, which reports a type without an encoding before the
    /// first row.
    pub(super) fn try_types(&self) -> Result<()> {
        let (factory, _) = self.factory(0);
        let mut writers = factory.create_column_writers(0).map_err(|e| error(&self.name, &e))?.into_iter();
        for field in self.encoded.fields() {
            let none = new_empty_array(field.data_type());
            let leaves = compute_leaves(field, &none)
                .map_err(|e| self.failed((field.name().clone(), e.to_string())))?;
            for (leaf, mut writer) in leaves.iter().zip(&mut writers) {
                writer.write(leaf).map_err(|e| self.failed((field.name().clone(), e.to_string())))?;
            }
        }
        Ok(())
    }

    pub(super) fn check(&self, batch: &RecordBatch) -> Result<()> {
        let (own, other) = (self.schema.fields(), batch.schema_ref().fields());
        let differs = own.iter().zip(other).find(|(own, other)| own.data_type() != other.data_type());
        let what = match differs {
            Some((own, other)) => {
                let (name, own, other) = (own.name(), own.data_type(), other.data_type());
                format!("column {name} of the table is {own}, of the batch {other}")
            }
            None if own.len() != other.len() => {
                format!("the table has {} columns, the batch {}", own.len(), other.len())
            }
            None => return Ok(()),
        };
        Err(Error::new(Place::file(&self.name), Cause::Write(what)))
    }
}

#[cfg(test)]
mod tests;
