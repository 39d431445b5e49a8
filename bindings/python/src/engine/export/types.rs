//! Types that exported rows are cast to.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};

/// Returns the same columns, with text and bytes as all of pyarrow takes them: without views.
pub fn without_views(schema: &SchemaRef) -> SchemaRef {
    each(schema, &|data_type| match data_type {
        DataType::Utf8View => Some(DataType::Utf8),
        DataType::BinaryView => Some(DataType::Binary),
        _ => None,
    })
}

/// Returns the same columns, with the types that Parquet has: it knows days and no dates in
/// milliseconds, and no whole seconds (parquet-format, LogicalTypes.md).
pub fn of_files(schema: &SchemaRef) -> SchemaRef {
    each(schema, &|data_type| match data_type {
        DataType::Date64 => Some(DataType::Date32),
        DataType::Timestamp(TimeUnit::Second, zone) => {
            Some(DataType::Timestamp(TimeUnit::Millisecond, zone.clone()))
        }
        DataType::Time32(TimeUnit::Second) => Some(DataType::Time32(TimeUnit::Millisecond)),
        _ => None,
    })
}

/// Replacement for a type, if it has one.
type Other = dyn Fn(&DataType) -> Option<DataType>;

fn each(schema: &SchemaRef, other: &Other) -> SchemaRef {
    let fields: Vec<_> = schema.fields().iter().map(|of| field(of, other)).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn field(field: &Field, other: &Other) -> FieldRef {
    Arc::new(field.clone().with_data_type(replaced(field.data_type(), other)))
}

fn replaced(data_type: &DataType, other: &Other) -> DataType {
    if let Some(other) = other(data_type) {
        return other;
    }
    match data_type {
        DataType::List(item) => DataType::List(field(item, other)),
        DataType::LargeList(item) => DataType::LargeList(field(item, other)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(field(item, other), *size),
        DataType::Map(entries, sorted) => DataType::Map(field(entries, other), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|of| field(of, other)).collect()),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(replaced(values, other)))
        }
        same => same.clone(),
    }
}
