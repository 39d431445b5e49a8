//! How parquet-rs is to encode a schema's columns.

use arrow::datatypes::Schema;
use parquet::arrow::add_encoded_arrow_schema_to_metadata;
use parquet::basic::{Encoding, Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::SchemaDescriptor;

use super::schema;

/// Who wrote the file, in the form that readers parse (parquet.thrift, `created_by`).
const CREATED_BY: &str = concat!("pelton version ", env!("CARGO_PKG_VERSION"));

/// The Parquet schema, and the properties of its columns.
///
/// Values that are too many for a dictionary are packed as differences, and strings have their
/// lengths apart: that leaves the codec a third of the bytes of whole numbers, and of texts what is
/// text. Data pages are of version 1, which every reader knows. There is no codec here: pages get
/// theirs later.
pub(super) fn of(schema: &Schema) -> Result<(SchemaDescriptor, WriterProperties)> {
    let parquet = schema::parquet(schema)?;
    let mut builder = WriterProperties::builder().set_created_by(CREATED_BY.to_owned());
    for column in parquet.columns() {
        let encoding = match column.physical_type() {
            Type::INT32 | Type::INT64 => Encoding::DELTA_BINARY_PACKED,
            Type::BYTE_ARRAY => Encoding::DELTA_LENGTH_BYTE_ARRAY,
            _ => continue,
        };
        builder = builder.set_column_encoding(column.path().clone(), encoding);
    }
    let mut properties = builder.build();
    add_encoded_arrow_schema_to_metadata(&schema::told(schema), &mut properties);
    Ok((parquet, properties))
}
