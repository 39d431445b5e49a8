//! The Arrow types that columns are decoded to.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};

/// The schema with strings and binary as views, nested ones too. A view of 12 bytes or fewer holds its value, a
/// longer one points into the page, so that nothing is copied (Arrow columnar format, "Variable-size binary view").
pub fn with_views(schema: &Schema) -> Schema {
    Schema::new_with_metadata(fields(schema.fields()), schema.metadata().clone())
}

fn fields(all: &Fields) -> Fields {
    all.iter().map(field).collect()
}

fn field(original: &FieldRef) -> FieldRef {
    let data_type = match original.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Struct(inner) => DataType::Struct(fields(inner)),
        DataType::List(inner) => DataType::List(field(inner)),
        DataType::LargeList(inner) => DataType::LargeList(field(inner)),
        DataType::Map(entries, sorted) => DataType::Map(field(entries), *sorted),
        _ => return original.clone(),
    };
    Arc::new(Field::clone(original).with_data_type(data_type))
}
