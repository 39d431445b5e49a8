//! Types of single values on the device.

use arrow::datatypes::DataType;

/// A type of the kernels' prelude.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bool`
    Bool,
    /// `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `u8`
    U8,
    /// `u16`
    U16,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `i128`
    I128,
    /// `Str`
    Str,
}

/// Decimals of up to this number of digits fit 64 bits with a sign.
pub const DIGITS_OF_64_BITS: u8 = 18;

impl Scalar {
    /// Returns the type on the device for values of an Arrow type.
    ///
    /// # Errors
    /// There is none, with the reason.
    pub fn of(data_type: &DataType) -> Result<Self, String> {
        Ok(match data_type {
            DataType::Boolean => Self::Bool,
            DataType::Int8 => Self::I8,
            DataType::Int16 => Self::I16,
            DataType::Int32 | DataType::Date32 | DataType::Time32(_) => Self::I32,
            DataType::Int64 | DataType::Date64 | DataType::Time64(_) | DataType::Timestamp(..) => Self::I64,
            DataType::UInt8 => Self::U8,
            DataType::UInt16 => Self::U16,
            DataType::UInt32 => Self::U32,
            DataType::UInt64 => Self::U64,
            DataType::Float32 => Self::F32,
            DataType::Float64 => Self::F64,
            DataType::Decimal128(digits, scale) if *scale >= 0 => {
                if *digits <= DIGITS_OF_64_BITS {
                    Self::I64
                } else {
                    Self::I128
                }
            }
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView => Self::Str,
            other => return Err(format!("values of type {other} are not kept on the GPU")),
        })
    }

    /// Returns its name in the kernels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I128 => "i128",
            Self::Str => "Str",
        }
    }

    /// Returns the bytes of a value in a table's column.
    pub fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::I128 | Self::Str => 16,
        }
    }

    /// Returns whether it is one of the integers of up to 64 bits.
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::Bool | Self::F32 | Self::F64 | Self::I128 | Self::Str)
    }

    /// Returns whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}
