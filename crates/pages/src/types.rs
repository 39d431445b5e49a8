//! Arrow types of decoded columns.

use std::sync::Arc;

use arrow::datatypes::{
    DECIMAL32_MAX_PRECISION, DECIMAL64_MAX_PRECISION, DataType, Field, FieldRef, Fields, Schema, TimeUnit,
};
use parquet::basic::{ConvertedType, Encoding, Type as PhysicalType};
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type, TypePtr};

/// Returns the schema with views for strings and binary. A short value is in the view itself; a
/// view of a longer one points into the page, so no bytes are copied (Arrow columnar format,
/// "Variable-size binary view"). Fields of lists, maps and structs are unchanged: some functions of
/// DataFusion do not support views in them.
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

/// Returns the schema with types close to the encoding of the file's leaves: strings and binary as
/// dictionaries if all pages have dictionary indices, else as views at every depth, decimals no
/// wider than stored, and INT96 in microseconds, which have a larger range than nanoseconds.
pub fn as_stored(schema: &Schema, parquet: &SchemaDescriptor, metadata: &ParquetMetaData) -> Schema {
    let mut leaves = parquet.columns().iter();
    let mut leaf = 0;
    let field = |field: &FieldRef| {
        let first = leaf;
        let data_type = stored(field, &mut leaves.by_ref().inspect(|_| leaf += 1));
        match field.data_type() {
            DataType::Utf8 | DataType::Binary if is_coded(metadata, first) => {
                let of = Box::new(field.data_type().clone());
                let coded = DataType::Dictionary(Box::new(DataType::Int32), of);
                Arc::new(Field::clone(field).with_data_type(coded))
            }
            _ => data_type,
        }
    };
    let fields: Fields = schema.fields().iter().map(field).collect();
    Schema::new(fields)
}

/// Returns whether all pages of a leaf have dictionary indices, according to the footer. Pages with
/// other ones are decoded all the same, more slowly.
fn is_coded(metadata: &ParquetMetaData, leaf: usize) -> bool {
    let mut groups = metadata.row_groups().iter();
    metadata.num_row_groups() > 0 && groups.all(|group| is_coded_chunk(group.column(leaf)))
}

/// Returns whether all pages of a column chunk have dictionary indices, according to the footer.
/// Writers without statistics of pages, such as DuckDB's, list the encodings of a chunk: beside
/// those of levels there is none but the dictionary's then.
pub(crate) fn is_coded_chunk(column: &ColumnChunkMetaData) -> bool {
    let is_dictionary = |of: Encoding| matches!(of, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    #[allow(deprecated)] // old writers pack levels so
    let is_of_levels = |of: Encoding| matches!(of, Encoding::RLE | Encoding::BIT_PACKED);
    match column.page_encoding_stats_mask() {
        Some(mask) => mask.is_only(Encoding::RLE_DICTIONARY) || mask.is_only(Encoding::PLAIN_DICTIONARY),
        None => {
            column.encodings().any(is_dictionary)
                && column.encodings().all(|of| is_dictionary(of) || is_of_levels(of))
        }
    }
}

/// Returns the field with types as stored. Arrow's fields have the leaves in the same order as
/// Parquet's schema.
fn stored<'a>(original: &FieldRef, leaves: &mut impl Iterator<Item = &'a ColumnDescPtr>) -> FieldRef {
    let data_type = match original.data_type() {
        DataType::List(item) => DataType::List(stored(item, leaves)),
        DataType::Map(entries, is_sorted) => DataType::Map(stored(entries, leaves), *is_sorted),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| stored(field, leaves)).collect())
        }
        other => {
            let Some(leaf) = leaves.next() else { return original.clone() };
            let length = match leaf.physical_type() {
                PhysicalType::INT32 => 4,
                PhysicalType::INT64 => 8,
                PhysicalType::FIXED_LEN_BYTE_ARRAY => leaf.type_length(),
                _ => i32::MAX,
            };
            match *other {
                DataType::Utf8 => DataType::Utf8View,
                DataType::Binary => DataType::BinaryView,
                DataType::Decimal128(p, s) if length <= 4 && p <= DECIMAL32_MAX_PRECISION => {
                    DataType::Decimal32(p, s)
                }
                DataType::Decimal128(p, s) if length <= 8 && p <= DECIMAL64_MAX_PRECISION => {
                    DataType::Decimal64(p, s)
                }
                DataType::Timestamp(..) if leaf.physical_type() == PhysicalType::INT96 => {
                    DataType::Timestamp(TimeUnit::Microsecond, None)
                }
                _ => return original.clone(),
            }
        }
    };
    Arc::new(Field::clone(original).with_data_type(data_type))
}

/// Returns the file's schema with intervals as fixed-length bytes; `None` if it has no intervals.
/// Arrow has no type with all their parts that parquet-rs reads.
pub fn with_plain_intervals(schema: &SchemaDescriptor) -> Result<Option<SchemaDescriptor>> {
    let is_interval = |leaf: &ColumnDescPtr| leaf.converted_type() == ConvertedType::INTERVAL;
    if !schema.columns().iter().any(is_interval) {
        return Ok(None);
    }
    plain_intervals(schema.root_schema()).map(|root| Some(SchemaDescriptor::new(root)))
}

fn plain_intervals(original: &Type) -> Result<TypePtr> {
    let info = original.get_basic_info();
    let id = info.has_id().then(|| info.id());
    Ok(Arc::new(match original {
        Type::PrimitiveType { physical_type, type_length, .. }
            if info.converted_type() == ConvertedType::INTERVAL =>
        {
            let plain = Type::primitive_type_builder(info.name(), *physical_type);
            plain.with_length(*type_length).with_repetition(info.repetition()).with_id(id).build()?
        }
        Type::PrimitiveType { .. } => original.clone(),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| plain_intervals(field)).collect::<Result<Vec<_>>>()?;
            let group = Type::group_type_builder(info.name()).with_fields(fields).with_id(id);
            let group = if info.has_repetition() { group.with_repetition(info.repetition()) } else { group };
            let group = group.with_converted_type(info.converted_type());
            group.with_logical_type(info.logical_type_ref().cloned()).build()?
        }
    }))
}
