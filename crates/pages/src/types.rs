//! The Arrow types that columns are decoded to.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};

/// The schema with strings and binary as views. A view of 12 bytes or fewer holds its value, a longer one points into
/// the page, so that nothing is copied (Arrow columnar format, "Variable-size binary view"). Those inside of lists, maps
/// and structs stay as they are: DataFusion's functions over such columns don't know views everywhere.
pub fn with_views(schema: &Schema) -> Schema {
    let fields: Fields = schema.fields().iter().map(field).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

fn field(original: &FieldRef) -> FieldRef {
    let data_type = match original.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        _ => return original.clone(),
    };
    Arc::new(Field::clone(original).with_data_type(data_type))
}
