//! Common columns of files with different schemas, by name.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, Fields, TimeUnit};
use pelton_pages::{ParquetFile, type_in_sql};

use crate::error::Result;

/// Returns the columns of a table over files, in the order of their first appearance. Their types
/// hold the values of every file, and any of them may be null where one file's may. Without
/// `by_name` they are the columns of the first file, and every other file has to have them.
///
/// # Errors
/// A file lacks a column, or no type holds a column's values of two files.
pub(super) fn fields(files: &[Arc<ParquetFile>], by_name: bool) -> Result<Vec<FieldRef>> {
    let mut fields: Vec<FieldRef> = Vec::new();
    // for each name: the column, and the file that its type is from
    let mut places: HashMap<&str, (usize, usize)> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        for found in file.schema().fields() {
            let Some((place, from)) = places.get_mut(found.name().as_str()) else {
                if by_name || number == 0 {
                    places.insert(found.name(), (fields.len(), number));
                    let is_nullable = found.is_nullable() || number > 0;
                    fields.push(Arc::new(Field::clone(found).with_nullable(is_nullable)));
                }
                continue;
            };
            let known = &fields[*place];
            let Some(united) = common_type(known.data_type(), found.data_type()) else {
                return Err(differs(file, found, known, &files[*from]));
            };
            if !united.equals_datatype(known.data_type()) {
                *from = number;
            }
            let is_nullable = known.is_nullable() || found.is_nullable();
            fields[*place] = Arc::new(Field::clone(known).with_data_type(united).with_nullable(is_nullable));
        }
    }
    for file in files {
        for field in fields.iter_mut().filter(|field| file.schema().index_of(field.name()).is_err()) {
            if !by_name {
                let (name, other) = (field.name(), files[0].location().name());
                let place = file.location().name();
                return Err(crate::Error::Table(format!(
                    "{place}: column {name} is missing; {other} has it (read_parquet(…, union_by_name := true) \
                     makes it NULL)"
                )));
            }
            *field = Arc::new(Field::clone(field).with_nullable(true));
        }
    }
    Ok(fields)
}

fn differs(file: &ParquetFile, found: &Field, known: &Field, other: &ParquetFile) -> crate::Error {
    let (name, place, other) = (found.name(), file.location().name(), other.location().name());
    let (found, expected) = (type_in_sql(found.data_type()), type_in_sql(known.data_type()));
    crate::Error::Table(format!(
        "{place}: column {name} is {found} here, and {expected} in {other}: read the files apart, and unite them \
         by UNION ALL with CAST({name} AS VARCHAR)"
    ))
}

/// Returns the smallest type that holds every value of two types without a loss; `None` if there is
/// none.
fn common_type(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::{Date32, Float16, Float32, Float64, Null, Timestamp};
    if a.equals_datatype(b) {
        return Some(a.clone());
    }
    Some(match (a, b) {
        (Null, other) | (other, Null) => other.clone(),
        (Float16, Float32) | (Float32, Float16) => Float32,
        (Float16 | Float32, Float64) | (Float64, Float16 | Float32) => Float64,
        (integer, float @ (Float32 | Float64)) | (float @ (Float32 | Float64), integer)
            if integer.is_integer() =>
        {
            match (bits(integer), float) {
                (..=16, _) => float.clone(),
                (17..=32, _) => Float64,
                _ => return None,
            }
        }
        (Timestamp(a, zone), Timestamp(b, other)) if zone == other => Timestamp(finer(*a, *b), zone.clone()),
        (Date32, time @ Timestamp(_, None)) | (time @ Timestamp(_, None), Date32) => time.clone(),
        (DataType::Struct(a), DataType::Struct(b)) => DataType::Struct(common_fields(a, b)?),
        (DataType::List(a), DataType::List(b)) => {
            let item = common_type(a.data_type(), b.data_type())?;
            let is_nullable = a.is_nullable() || b.is_nullable();
            DataType::List(Arc::new(Field::clone(a).with_data_type(item).with_nullable(is_nullable)))
        }
        (a, b) if a.is_integer() && b.is_integer() => integer(a, b)?,
        (a, b) => decimal(a, b)?,
    })
}

/// Returns the fields of two structs with the same names, in the order of the first.
fn common_fields(a: &Fields, b: &Fields) -> Option<Fields> {
    let is_same = a.len() == b.len() && a.iter().all(|field| b.find(field.name()).is_some());
    let fields = a.iter().map(|field| {
        let (_, other) = b.find(field.name())?;
        let united = common_type(field.data_type(), other.data_type())?;
        let is_nullable = field.is_nullable() || other.is_nullable();
        Some(Field::clone(field).with_data_type(united).with_nullable(is_nullable))
    });
    is_same.then(|| fields.collect::<Option<Vec<Field>>>()).flatten().map(Fields::from)
}

fn bits(integer: &DataType) -> u32 {
    integer.primitive_width().map_or(0, |bytes| bytes as u32 * 8)
}

fn integer(a: &DataType, b: &DataType) -> Option<DataType> {
    let is_signed = a.is_signed_integer() || b.is_signed_integer();
    // a signed type needs a bit more than an unsigned one of the same range
    let needed = |of: &DataType| if is_signed && of.is_unsigned_integer() { bits(of) * 2 } else { bits(of) };
    Some(match (needed(a).max(needed(b)), is_signed) {
        (..=8, true) => DataType::Int8,
        (..=16, true) => DataType::Int16,
        (..=32, true) => DataType::Int32,
        (..=64, true) => DataType::Int64,
        (..=8, false) => DataType::UInt8,
        (..=16, false) => DataType::UInt16,
        (..=32, false) => DataType::UInt32,
        (..=64, false) => DataType::UInt64,
        _ => DataType::Decimal128(20, 0),
    })
}

/// Returns the decimal type that holds the values of two types, of which one is a decimal.
fn decimal(a: &DataType, b: &DataType) -> Option<DataType> {
    let ((a, a_scale), (b, b_scale)) = (digits(a)?, digits(b)?);
    let scale = a_scale.max(b_scale);
    let before = (i16::from(a) - i16::from(a_scale)).max(i16::from(b) - i16::from(b_scale));
    let precision = u8::try_from(before + i16::from(scale)).ok()?;
    (precision <= DECIMAL128_MAX_PRECISION).then_some(DataType::Decimal128(precision, scale))
}

/// Returns the precision and the scale of a decimal, and those that an integer needs.
fn digits(of: &DataType) -> Option<(u8, i8)> {
    Some(match of {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => (*precision, *scale),
        DataType::Int8 | DataType::UInt8 => (3, 0),
        DataType::Int16 | DataType::UInt16 => (5, 0),
        DataType::Int32 | DataType::UInt32 => (10, 0),
        DataType::Int64 => (19, 0),
        DataType::UInt64 => (20, 0),
        _ => return None,
    })
}

fn finer(a: TimeUnit, b: TimeUnit) -> TimeUnit {
    let rank = |unit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    };
    if rank(a) >= rank(b) { a } else { b }
}

#[cfg(test)]
mod tests;
