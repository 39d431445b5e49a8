//! Parquet schema of an Arrow schema, including types that Arrow lacks, and writer properties.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, IntervalUnit, Schema};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::{ConvertedType, Encoding, LogicalType, Type as Physical};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

/// Metadata key of an Arrow field that names a Parquet type without an Arrow type: `STRING` or
/// `JSON` for bytes, `UUID` and `INTERVAL` for bytes of their fixed length.
pub const PARQUET_TYPE: &str = "pelton.parquet.type";

/// Arrow's extension names of such types (Arrow, "Canonical extension types"), under [`EXTENSION`].
const EXTENSIONS: [(&str, &str); 2] = [("arrow.uuid", "UUID"), ("arrow.json", "JSON")];

/// Metadata key of extension names.
const EXTENSION: &str = "ARROW:extension:name";

/// Name of the writer, in the form that readers parse (parquet.thrift, `created_by`).
const CREATED_BY: &str = concat!("pelton version ", env!("CARGO_PKG_VERSION"));

/// Returns the Parquet schema and the properties of its columns.
///
/// Integers that are too many for a dictionary are stored as differences, and strings apart from
/// their lengths, so that the codec gets fewer and more regular bytes. Data pages are of version 1,
/// which every reader knows. The properties name no codec: pages are compressed later.
pub(super) fn properties(schema: &Schema) -> Result<(SchemaDescriptor, WriterProperties)> {
    let parquet = parquet(schema)?;
    let mut builder = WriterProperties::builder().set_created_by(CREATED_BY.to_owned());
    for column in parquet.columns() {
        let encoding = match column.physical_type() {
            Physical::INT32 | Physical::INT64 => Encoding::DELTA_BINARY_PACKED,
            Physical::BYTE_ARRAY => Encoding::DELTA_LENGTH_BYTE_ARRAY,
            _ => continue,
        };
        builder = builder.set_column_encoding(column.path().clone(), encoding);
    }
    let mut properties = builder.build();
    add_encoded_arrow_schema_to_metadata(&told(schema), &mut properties);
    Ok((parquet, properties))
}

/// Checks that Parquet has the types of all columns, at every depth.
///
/// # Errors
/// A column has another type; the message names it and the next step.
pub fn check_columns(schema: &Schema) -> Result<(), String> {
    for column in schema.fields() {
        let alone = Schema::new(vec![column.clone()]);
        if let Some(why) = alone.flattened_fields().iter().find_map(|field| unfit(field.data_type())) {
            return Err(format!("column {}: {why}", column.name()));
        }
    }
    Ok(())
}

/// Returns the schema of the file.
fn parquet(schema: &Schema) -> Result<SchemaDescriptor> {
    check_columns(schema).map_err(ParquetError::General)?;
    let plain = ArrowSchemaConverter::new().convert(schema)?;
    let root = plain.root_schema();
    Ok(SchemaDescriptor::new(with_fields(root, schema.fields())?))
}

/// Returns the reason why a column can't hold a type. parquet-rs panics at unions.
fn unfit(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Union(..) => Some("Parquet has no unions"),
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            Some("Parquet has no type for an INTERVAL of nanoseconds; cast it to VARCHAR")
        }
        _ => None,
    }
}

/// Returns the Parquet type that a field names.
fn named(field: &Field) -> Option<&str> {
    let own = field.metadata().get(PARQUET_TYPE).map(String::as_str);
    own.or_else(|| {
        let name = field.metadata().get(EXTENSION)?;
        EXTENSIONS.iter().find(|(theirs, _)| theirs == name).map(|(_, ours)| *ours)
    })
}

/// Returns a group with the types that its fields name.
fn with_fields(group: &Type, fields: &Fields) -> Result<TypePtr> {
    let of = |(of, field): (&TypePtr, &FieldRef)| with_names(of, field);
    regroup(group, group.get_fields().iter().zip(fields).map(of).collect::<Result<_>>()?)
}

/// Returns a group with other fields.
fn regroup(group: &Type, fields: Vec<TypePtr>) -> Result<TypePtr> {
    let info = group.get_basic_info();
    let mut builder = Type::group_type_builder(info.name()).with_fields(fields);
    if info.has_repetition() {
        builder = builder.with_repetition(info.repetition());
    }
    if info.has_id() {
        builder = builder.with_id(Some(info.id()));
    }
    let builder = builder.with_logical_type(info.logical_type_ref().cloned());
    builder.with_converted_type(info.converted_type()).build().map(Arc::new)
}

/// Returns the type of a field with the types that it and its nested fields name.
fn with_names(of: &TypePtr, field: &Field) -> Result<TypePtr> {
    match field.data_type() {
        DataType::Struct(fields) => with_fields(of, fields),
        // a list is a group of a repeated group of the item, a map a group of the repeated entries
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => {
            let repeated = only(of)?;
            let item = with_names(only(repeated)?, item)?;
            regroup(of, vec![regroup(repeated, vec![item])?])
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => regroup(of, vec![with_fields(only(of)?, fields)?]),
            _ => Ok(of.clone()),
        },
        _ => match named(field) {
            Some(name) if of.is_primitive() => primitive(of, name),
            _ => Ok(of.clone()),
        },
    }
}

fn only(group: &Type) -> Result<&TypePtr> {
    group.get_fields().first().ok_or_else(|| ParquetError::General(format!("{} is empty", group.name())))
}

fn primitive(of: &Type, name: &str) -> Result<TypePtr> {
    let length = match of {
        Type::PrimitiveType { type_length, .. } => *type_length,
        Type::GroupType { .. } => -1,
    };
    let (logical, converted) = match (name, of.get_physical_type()) {
        ("STRING", Physical::BYTE_ARRAY) => (Some(LogicalType::String), ConvertedType::UTF8),
        ("JSON", Physical::BYTE_ARRAY) => (Some(LogicalType::Json), ConvertedType::JSON),
        ("UUID", Physical::FIXED_LEN_BYTE_ARRAY) if length == 16 => {
            (Some(LogicalType::Uuid), ConvertedType::NONE)
        }
        ("INTERVAL", Physical::FIXED_LEN_BYTE_ARRAY) if length == 12 => (None, ConvertedType::INTERVAL),
        (name, physical) => {
            let bytes = if length > 0 { format!(" of {length} bytes") } else { String::new() };
            let what = format!("column {}: {physical}{bytes} can't be {name}", of.name());
            return Err(ParquetError::General(what));
        }
    };
    let info = of.get_basic_info();
    let mut builder = Type::primitive_type_builder(info.name(), of.get_physical_type())
        .with_repetition(info.repetition())
        .with_length(length)
        .with_logical_type(logical)
        .with_converted_type(converted);
    if info.has_id() {
        builder = builder.with_id(Some(info.id()));
    }
    builder.build().map(Arc::new)
}

/// Returns the Arrow schema that is stored for Arrow's readers. Types that some readers lack are
/// replaced: views, and decimals narrower than 128 bits. Fields named as strings or JSON become
/// text. Values are stored in the same way.
fn told(schema: &Schema) -> Schema {
    Schema::new_with_metadata(fields(schema.fields()), schema.metadata().clone())
}

fn fields(all: &Fields) -> Fields {
    all.iter().map(field).collect()
}

fn field(original: &FieldRef) -> FieldRef {
    let mut metadata = original.metadata().clone();
    metadata.remove(PARQUET_TYPE);
    let inner = |inner: &FieldRef| field(inner);
    let data_type = match original.data_type() {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView
            if matches!(named(original), Some("STRING" | "JSON")) =>
        {
            DataType::Utf8
        }
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::List(item) | DataType::ListView(item) => DataType::List(inner(item)),
        DataType::LargeList(item) | DataType::LargeListView(item) => DataType::LargeList(inner(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(inner(item), *length),
        DataType::Map(entries, is_sorted) => DataType::Map(inner(entries), *is_sorted),
        DataType::Struct(all) => DataType::Struct(fields(all)),
        other => other.clone(),
    };
    Arc::new(Field::clone(original).with_data_type(data_type).with_metadata(metadata))
}
