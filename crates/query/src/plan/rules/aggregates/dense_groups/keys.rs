//! Codes of the values of one key, and the values of codes.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewBuilder, GenericByteViewArray, Int64Array, PrimitiveArray,
};
use arrow::buffer::Buffer;
use arrow::compute::cast;
use arrow::datatypes::{
    ArrowPrimitiveType, BinaryViewType, ByteViewType, DataType, Date32Type, Int8Type, Int16Type, Int32Type,
    Int64Type, StringViewType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::common::DataFusionError;
use datafusion::common::hash_utils::RandomState;
use datafusion::error::Result;
use pelton_dense::{IntegerCodes, ViewCodes};

/// Most texts of a key. The views of more do not stay in a level-2 cache, so that a hash of the
/// text is as fast.
const MAX_TEXTS: usize = 1 << 12;

/// Texts from which a key is given up if [`NEW_SHARE`] of the rows so far had a text of their own:
/// more are to come, and each was hashed in vain.
const PROBED_TEXTS: usize = 1 << 10;

/// Numerator and divisor of that share. A key of twice [`PROBED_TEXTS`] has fewer new texts.
const NEW_SHARE: (usize, usize) = (3, 4);

/// Largest range of the integers of a key.
const MAX_RANGE: usize = 1 << 16;

/// Codes of a key, in the order in which its values occur.
pub(super) struct KeyCodes {
    data_type: DataType,
    codes: Codes,
    /// Codes of the rows of a batch.
    pub rows: Vec<u32>,
}

enum Codes {
    Views(Box<Strings>),
    Integers(IntegerCodes),
}

impl KeyCodes {
    /// Returns whether values of a type have codes.
    pub fn exist(data_type: &DataType) -> bool {
        use DataType::{
            BinaryView, Boolean, Date32, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Utf8View,
        };
        matches!(
            data_type,
            Utf8View
                | BinaryView
                | Boolean
                | Date32
                | Int8
                | Int16
                | Int32
                | Int64
                | UInt8
                | UInt16
                | UInt32
                | UInt64
        )
    }

    /// Returns a key without values.
    pub fn new(data_type: DataType) -> Self {
        let codes = match data_type {
            DataType::Utf8View | DataType::BinaryView => Codes::Views(Box::default()),
            _ => Codes::Integers(IntegerCodes::default()),
        };
        Self { data_type, codes, rows: Vec::new() }
    }

    /// Puts the codes of an array's values into `rows`. Returns false if there are too many values.
    ///
    /// # Errors
    /// The array has another type.
    pub fn encode(&mut self, array: &ArrayRef) -> Result<bool> {
        self.rows.clear();
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let is_null = nulls.map(|nulls| |row| nulls.is_null(row));
        let is_null = is_null.as_ref().map(|is_null| is_null as &dyn Fn(usize) -> bool);
        let rows = &mut self.rows;
        let codes = match &mut self.codes {
            Codes::Views(strings) => {
                return match array.data_type() {
                    DataType::Utf8View => {
                        Ok(strings.encode(array.as_byte_view::<StringViewType>(), is_null, rows))
                    }
                    DataType::BinaryView => {
                        Ok(strings.encode(array.as_byte_view::<BinaryViewType>(), is_null, rows))
                    }
                    other => Err(DataFusionError::Internal(format!("views of {other}"))),
                };
            }
            Codes::Integers(codes) => codes,
        };
        Ok(match array.data_type() {
            DataType::Boolean => {
                let values = array.as_boolean().values();
                codes.append(array.len(), |row| i64::from(values.value(row)), is_null, MAX_RANGE, rows)
            }
            DataType::Date32 => integers::<Date32Type>(codes, array, is_null, rows),
            DataType::Int8 => integers::<Int8Type>(codes, array, is_null, rows),
            DataType::Int16 => integers::<Int16Type>(codes, array, is_null, rows),
            DataType::Int32 => integers::<Int32Type>(codes, array, is_null, rows),
            DataType::Int64 => integers::<Int64Type>(codes, array, is_null, rows),
            DataType::UInt8 => integers::<UInt8Type>(codes, array, is_null, rows),
            DataType::UInt16 => integers::<UInt16Type>(codes, array, is_null, rows),
            DataType::UInt32 => integers::<UInt32Type>(codes, array, is_null, rows),
            DataType::UInt64 => {
                let values = array.as_primitive::<UInt64Type>().values();
                codes.append(array.len(), |row| values[row] as i64, is_null, MAX_RANGE, rows)
            }
            other => return Err(DataFusionError::Internal(format!("codes of {other}"))),
        })
    }

    /// Returns the count of values, with the null.
    pub fn domain(&self) -> usize {
        match &self.codes {
            Codes::Views(strings) => strings.values.len(),
            Codes::Integers(codes) => codes.values().len(),
        }
    }

    /// Returns the rows so far with values that were not found by their views.
    pub fn searched(&self) -> usize {
        match &self.codes {
            Codes::Views(strings) => strings.searched,
            Codes::Integers(_) => 0,
        }
    }

    /// Returns the values by their codes.
    ///
    /// # Errors
    /// A text is not UTF-8.
    pub fn values(&self) -> Result<ArrayRef> {
        let numbers = match &self.codes {
            Codes::Views(strings) => {
                let mut builder = BinaryViewBuilder::with_capacity(strings.values.len());
                strings.values.iter().for_each(|value| builder.append_option(value.as_deref()));
                let values = builder.finish();
                return Ok(match self.data_type {
                    DataType::Utf8View => Arc::new(values.to_string_view()?),
                    _ => Arc::new(values),
                });
            }
            Codes::Integers(codes) => codes.values().iter().copied().collect::<Int64Array>(),
        };
        Ok(match self.data_type {
            DataType::UInt64 => Arc::new(numbers.unary::<_, UInt64Type>(|value| value as u64)),
            // days are 32-bit integers
            DataType::Date32 => cast(&cast(&numbers, &DataType::Int32)?, &DataType::Date32)?,
            _ => cast(&numbers, &self.data_type)?,
        })
    }

    /// Returns the bytes of the codes and values.
    pub fn size(&self) -> usize {
        let codes = match &self.codes {
            Codes::Views(strings) => strings.size(),
            Codes::Integers(codes) => codes.size(),
        };
        codes + self.rows.capacity() * size_of::<u32>()
    }
}

fn integers<T: ArrowPrimitiveType>(
    codes: &mut IntegerCodes,
    array: &ArrayRef,
    is_null: Option<&dyn Fn(usize) -> bool>,
    rows: &mut Vec<u32>,
) -> bool
where
    T::Native: Into<i64>,
{
    let values: &PrimitiveArray<T> = array.as_primitive();
    let values = values.values();
    codes.append(array.len(), |row| values[row].into(), is_null, MAX_RANGE, rows)
}

/// Codes of texts or of bytes.
#[derive(Default)]
struct Strings {
    views: ViewCodes,
    /// The buffers that views in the table point into. They are kept, so that no other buffer gets
    /// their addresses.
    buffers: Vec<Buffer>,
    codes: HashMap<Arc<[u8]>, u32, RandomState>,
    values: Vec<Option<Arc<[u8]>>>,
    null: Option<u32>,
    /// Rows of all batches so far.
    rows: usize,
    /// Bytes of the values.
    bytes: usize,
    searched: usize,
}

/// There are too many values.
struct TooMany;

impl Strings {
    fn encode<T: ByteViewType>(
        &mut self,
        array: &GenericByteViewArray<T>,
        is_null: Option<&dyn Fn(usize) -> bool>,
        rows: &mut Vec<u32>,
    ) -> bool {
        let buffers = array.data_buffers();
        if !is_same(&self.buffers, buffers) {
            self.views.change_buffers();
            self.buffers = buffers.to_vec();
        }
        let before = self.rows;
        self.rows += array.len();
        let Self { views, codes, values, null, bytes, searched, .. } = self;
        let mut null_code = None;
        if is_null.is_some() {
            null_code = Some(*null.get_or_insert_with(|| {
                values.push(None);
                values.len() as u32 - 1
            }));
        }
        let find = |row: usize| {
            *searched += 1;
            let value: &[u8] = array.value(row).as_ref();
            if let Some(code) = codes.get(value) {
                return Ok(*code);
            }
            let (share, whole) = NEW_SHARE;
            let are_mostly_new = values.len() * whole > (before + row + 1) * share;
            if values.len() >= MAX_TEXTS || values.len() >= PROBED_TEXTS && are_mostly_new {
                return Err(TooMany);
            }
            let code = values.len() as u32;
            let value: Arc<[u8]> = value.into();
            *bytes += value.len();
            codes.insert(value.clone(), code);
            values.push(Some(value));
            Ok(code)
        };
        views.append(array.views(), is_null, rows, find, || null_code.ok_or(TooMany)).is_ok()
    }

    fn size(&self) -> usize {
        let known = self.codes.capacity() * size_of::<(Arc<[u8]>, u32)>();
        // an `Arc` has two counts
        let counts = self.values.len() * 2 * size_of::<usize>();
        let values = self.values.capacity() * size_of::<Option<Arc<[u8]>>>();
        self.views.size() + known + counts + values + self.bytes
    }
}

/// Returns whether two lists have the same buffers in the same order.
fn is_same(a: &[Buffer], b: &[Buffer]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.as_ptr() == b.as_ptr() && a.len() == b.len())
}

#[cfg(test)]
mod tests;
