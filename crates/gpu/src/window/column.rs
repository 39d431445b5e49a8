//! Columns of a scan range: their types, and the sources of their values.

use std::sync::Arc;

use arrow::datatypes::DataType;
use bytes::Bytes;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;
use pelton_device_cuda::Buffer;
use pelton_pages::ParquetFile;
use pelton_pages::raw::{self, RawChunk};

use super::check::ColumnPlace;
use super::layout::Column;

/// The physical type of a flat leaf column, with the form of its integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnType {
    /// Parquet's type of the stored values.
    pub physical: Type,
    /// Bytes of a value of fixed length; zero for booleans and byte arrays.
    pub width: u32,
    /// Bits of an integer, which can be fewer than its stored bits.
    pub bits: u32,
    /// Whether the highest bit is a sign.
    pub is_signed: bool,
    /// Whether rows may be null.
    pub is_optional: bool,
}

impl ColumnType {
    /// Returns the type of a leaf column of a file.
    ///
    /// # Errors
    /// No kernel reads it, with the reason.
    pub fn new(file: &ParquetFile, leaf: usize) -> Result<Self, String> {
        let schema = file.metadata().file_metadata().schema_descr();
        if leaf >= schema.num_columns() {
            return Err(format!("the file has no column {leaf}"));
        }
        let column = schema.column(leaf);
        if !raw::is_flat(&column) {
            return Err(format!("{} is nested", column.path().string()));
        }
        let fields = file.schema().fields();
        let field = fields.get(schema.get_column_root_idx(leaf)).ok_or("the schema has no such field")?;
        let (bits, is_signed) = integer(&column, field.data_type()).ok_or_else(|| {
            let (name, as_what) = (column.path().string(), column.physical_type());
            format!("{name} is of type {}, stored as {as_what}", field.data_type())
        })?;
        let width = match column.physical_type() {
            Type::INT32 | Type::FLOAT => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::FIXED_LEN_BYTE_ARRAY => u32::try_from(column.type_length()).unwrap_or(0),
            Type::INT96 | Type::BOOLEAN | Type::BYTE_ARRAY => 0,
        };
        let physical = column.physical_type();
        Ok(Self { physical, width, bits, is_signed, is_optional: column.max_def_level() == 1 })
    }

    /// Returns the kernels' number for the physical type: parquet.thrift's.
    pub(super) fn number(&self) -> u32 {
        match self.physical {
            Type::BOOLEAN => 0,
            Type::INT32 => 1,
            Type::INT64 => 2,
            Type::INT96 => 3,
            Type::FLOAT => 4,
            Type::DOUBLE => 5,
            Type::BYTE_ARRAY => 6,
            Type::FIXED_LEN_BYTE_ARRAY => 7,
        }
    }
}

/// Maximum number of bytes of a decimal, for 128 bits.
const DECIMAL_BYTES: i32 = 16;

/// Returns bits and sign of the integers of a column. `None` if its Arrow type needs more than
/// widening.
fn integer(column: &ColumnDescriptor, data_type: &DataType) -> Option<(u32, bool)> {
    use DataType as D;
    let length = column.type_length();
    match (column.physical_type(), data_type) {
        (_, D::Dictionary(_, values)) => integer(column, values),
        (Type::INT32, D::Int8) => Some((8, true)),
        (Type::INT32, D::Int16) => Some((16, true)),
        (Type::INT32, D::UInt8) => Some((8, false)),
        (Type::INT32, D::UInt16) => Some((16, false)),
        (Type::INT32, D::UInt32) => Some((32, false)),
        (Type::INT32, D::Int32 | D::Date32 | D::Time32(_) | D::Decimal32(..) | D::Decimal64(..)) => {
            Some((32, true))
        }
        (Type::INT32, D::Decimal128(..)) => Some((32, true)),
        (
            Type::INT64,
            D::Int64 | D::UInt64 | D::Date64 | D::Time64(_) | D::Timestamp(..) | D::Duration(_),
        ) => Some((64, true)),
        (Type::INT64, D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..)) => Some((64, true)),
        (Type::FIXED_LEN_BYTE_ARRAY, D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..)) => {
            (1..=DECIMAL_BYTES).contains(&length).then_some((64, true))
        }
        (Type::BYTE_ARRAY, D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..)) => Some((64, true)),
        (Type::FIXED_LEN_BYTE_ARRAY, D::FixedSizeBinary(size)) => {
            (length > 0 && *size == length).then_some((64, true))
        }
        (Type::BOOLEAN, D::Boolean) | (Type::FLOAT, D::Float32) | (Type::DOUBLE, D::Float64) => {
            Some((64, true))
        }
        (
            Type::BYTE_ARRAY,
            D::Utf8 | D::LargeUtf8 | D::Utf8View | D::Binary | D::LargeBinary | D::BinaryView,
        ) => Some((64, true)),
        _ => None,
    }
}

/// Source of the values of one column of a scan range.
#[derive(Debug, Clone)]
pub enum RawColumn {
    /// Pages of the file.
    Pages(RawChunk, ColumnType),
    /// Pages that are on the GPU already.
    Staged(Arc<StagedColumn>),
    /// Nulls: the file has no such column.
    Null,
    /// Every row has this value.
    Constant(Constant),
}

/// A value that every row has.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// A boolean.
    Bool(bool),
    /// An integer, a date, a timestamp or a decimal, as `i64_at` and `i128_at` return it.
    Number(i128),
    /// A float.
    Float32(f32),
    /// A double.
    Float64(f64),
    /// A string or bytes.
    Bytes(Bytes),
}

impl Constant {
    /// Returns `Column::constant`; `None` for bytes, which have to be copied to device memory
    /// first.
    pub(super) fn words(&self) -> Option<[u64; 2]> {
        Some(match self {
            Constant::Bool(value) => [u64::from(*value), 0],
            Constant::Number(value) => [*value as u64, (*value >> 64) as u64],
            Constant::Float32(value) => [u64::from(value.to_bits()), 0],
            Constant::Float64(value) => [value.to_bits(), 0],
            Constant::Bytes(_) => return None,
        })
    }
}

/// A column of a row group on the GPU, for any number of scan ranges.
#[derive(Debug)]
pub struct StagedColumn {
    /// The kernels' struct, without the number in a scan range and its status.
    pub(super) column: Column,
    pub(super) place: Arc<ColumnPlace>,
    pub(super) dictionary: Option<DictionaryInfo>,
    /// Rows of the scan range that it was made in.
    pub(super) rows: u64,
    /// Bytes of its values, or of its decompressed pages.
    pub(super) bytes: u64,
    /// Buffers that the column points into, shared with others of its scan range.
    pub(super) buffers: Vec<Arc<Buffer>>,
}

impl StagedColumn {
    /// Returns the bytes to read for a number of its rows.
    pub(super) fn reads(&self, rows: u64) -> u64 {
        (u128::from(self.bytes) * u128::from(rows) / u128::from(self.rows.max(1))) as u64
    }

    /// Returns the bytes of GPU memory that the columns of its scan range take together.
    pub fn memory(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.len() as u64).sum()
    }
}

/// A column's dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DictionaryInfo {
    /// Number of its values.
    pub values: u32,
}
