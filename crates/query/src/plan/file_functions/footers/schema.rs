//! Rows of `parquet_schema`: the elements of a file's schema, depth first.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::schema::types::Type;
use pelton_pages::ParquetFile;

use super::columns::{Column, Get};

/// An element of a schema.
pub(super) struct Element<'a> {
    file: &'a str,
    element: &'a Type,
    number: usize,
}

/// Returns the elements of a file's schema.
pub(super) fn elements(file: &ParquetFile) -> Vec<Element<'_>> {
    let mut elements = Vec::new();
    let name = file.location().name();
    let mut open = vec![file.metadata().file_metadata().schema()];
    while let Some(element) = open.pop() {
        elements.push(Element { file: name, element, number: elements.len() });
        if element.is_group() {
            open.extend(element.get_fields().iter().rev().map(|field| field.as_ref()));
        }
    }
    elements
}

impl Element<'_> {
    fn converted(&self) -> ConvertedType {
        self.element.get_basic_info().converted_type()
    }

    /// Returns the scale and the precision of a decimal.
    fn decimal(&self) -> Option<(i64, i64)> {
        match self.element {
            Type::PrimitiveType { scale, precision, .. } if self.converted() == ConvertedType::DECIMAL => {
                Some(((*scale).into(), (*precision).into()))
            }
            _ => None,
        }
    }

    fn length(&self) -> Option<i32> {
        match self.element {
            Type::PrimitiveType { type_length, .. } if *type_length > 0 => Some(*type_length),
            _ => None,
        }
    }
}

/// Returns a logical type in the notation of parquet.thrift.
fn logical(of: &LogicalType) -> String {
    let unit = |unit: &TimeUnit| {
        let part = |is: TimeUnit, name: &'static str| if *unit == is { name } else { "<null>" };
        format!(
            "TimeUnit(MILLIS={}, MICROS={}, NANOS={})",
            part(TimeUnit::MILLIS, "MilliSeconds()"),
            part(TimeUnit::MICROS, "MicroSeconds()"),
            part(TimeUnit::NANOS, "NanoSeconds()"),
        )
    };
    match of {
        LogicalType::Decimal(of) => format!("DecimalType(scale={}, precision={})", of.scale, of.precision),
        LogicalType::Time(of) => {
            format!(
                "TimeType(isAdjustedToUTC={}, unit={})",
                u8::from(of.is_adjusted_to_u_t_c),
                unit(&of.unit)
            )
        }
        LogicalType::Timestamp(of) => {
            let is_utc = u8::from(of.is_adjusted_to_u_t_c);
            format!("TimestampType(isAdjustedToUTC={is_utc}, unit={})", unit(&of.unit))
        }
        LogicalType::Integer(of) => {
            format!("IntType(bitWidth={}, isSigned={})", of.bit_width, u8::from(of.is_signed))
        }
        LogicalType::Json => "JsonType()".to_owned(),
        LogicalType::Bson => "BsonType()".to_owned(),
        LogicalType::Uuid => "UUIDType()".to_owned(),
        LogicalType::Variant(_) => "VariantType()".to_owned(),
        LogicalType::Geometry(_) => "GeometryType()".to_owned(),
        LogicalType::Geography(_) => "GeographyType()".to_owned(),
        other => format!("{other:?}Type()"),
    }
}

/// The columns. Their names, types and values are DuckDB's.
pub(super) fn columns<'a>() -> [Column<Element<'a>>; 12] {
    [
        Column { name: "file_name", get: Get::Text(|e| Some(e.file.to_owned())) },
        Column { name: "name", get: Get::Text(|e| Some(e.element.name().to_owned())) },
        Column {
            name: "type",
            get: Get::Text(|e| e.element.is_primitive().then(|| e.element.get_physical_type().to_string())),
        },
        Column { name: "type_length", get: Get::Text(|e| e.length().map(|length| length.to_string())) },
        Column {
            name: "repetition_type",
            get: Get::Text(|e| {
                let info = e.element.get_basic_info();
                Some(if info.has_repetition() {
                    info.repetition().to_string()
                } else {
                    "REQUIRED".to_owned()
                })
            }),
        },
        Column {
            name: "num_children",
            get: Get::Integer(|e| e.element.is_group().then(|| e.element.get_fields().len() as i64)),
        },
        Column {
            name: "converted_type",
            get: Get::Text(|e| (e.converted() != ConvertedType::NONE).then(|| e.converted().to_string())),
        },
        Column { name: "scale", get: Get::Integer(|e| e.decimal().map(|(scale, _)| scale)) },
        Column { name: "precision", get: Get::Integer(|e| e.decimal().map(|(_, precision)| precision)) },
        Column {
            name: "field_id",
            get: Get::Integer(|e| {
                let info = e.element.get_basic_info();
                info.has_id().then(|| info.id().into())
            }),
        },
        Column {
            name: "logical_type",
            get: Get::Text(|e| e.element.get_basic_info().logical_type_ref().map(logical)),
        },
        Column { name: "column_id", get: Get::Integer(|e| Some(e.number as i64)) },
    ]
}
