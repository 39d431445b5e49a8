//! Builder of a column's array for one batch.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayData, ArrayRef, AsArray, DictionaryArray, Int32Array, NullBufferBuilder, UInt32Array,
    make_array,
};
use arrow::buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer};
use arrow::compute;
use arrow::datatypes::{ArrowNativeType, DataType, Int32Type, ToByteSlice};

use pelton_bitpack::{Bitmap, Kernels, Order, Packed, Source};

use crate::decode::native::plain::Plain;

/// Arrow type and encodings of a column's values.
pub(crate) struct Form {
    pub data_type: DataType,
    /// Conversion of plain values; `None` if their type needs parquet-rs.
    pub plain: Option<Plain>,
    /// Values of the dictionary; `None` if no page has indices. A null may follow the last value.
    pub dictionary: Option<ArrayRef>,
    /// Number of dictionary values, without the null.
    pub dictionary_len: usize,
}

impl Form {
    /// Returns the bytes of a plain value.
    pub fn width(&self) -> usize {
        self.plain.map_or(0, Plain::width)
    }
}

/// The decoded rows of a batch. Errors in pages are texts, without a place.
pub(crate) struct Output<'a> {
    form: &'a Form,
    kernels: Kernels,
    /// Rows of the batch.
    rows: usize,
    /// Finished arrays. An array ends where the encoding changes.
    done: Vec<ArrayRef>,
    values: Values,
    nulls: NullBufferBuilder,
}

/// Values of the rows behind the finished arrays.
enum Values {
    None,
    /// Dictionary indices, 0 for a null.
    Indices(Vec<u32>),
    /// Plain values in Arrow's form.
    Plain(MutableBuffer),
}

impl<'a> Output<'a> {
    pub fn new(form: &'a Form, kernels: Kernels, rows: usize) -> Self {
        Self {
            form,
            kernels,
            rows,
            done: Vec::new(),
            values: Values::None,
            nulls: NullBufferBuilder::new(rows),
        }
    }

    /// Appends `rows` rows with plain values, one value for each `present` row.
    pub fn plain(
        &mut self,
        values: &[u8],
        present: Option<BooleanBuffer>,
        rows: usize,
    ) -> Result<(), String> {
        let plain = self.form.plain.ok_or("internal error: plain values of a type that has none")?;
        if !matches!(self.values, Values::Plain(_)) {
            self.flush()?;
            self.values = Values::Plain(MutableBuffer::new(self.rows * plain.widened()));
        }
        if let Values::Plain(to) = &mut self.values {
            plain.append(values, present.as_ref(), to);
        }
        self.nulls(present, rows);
        Ok(())
    }

    /// Appends `rows` rows. `append` appends a dictionary index for each `present` row.
    pub fn indices(
        &mut self,
        append: impl FnOnce(&mut Vec<u32>) -> Result<(), String>,
        present: Option<BooleanBuffer>,
        rows: usize,
    ) -> Result<(), String> {
        if !matches!(self.values, Values::Indices(_)) {
            self.flush()?;
            self.values = Values::Indices(Vec::with_capacity(self.rows));
        }
        if let Values::Indices(to) = &mut self.values {
            match &present {
                None => {
                    let before = to.len();
                    append(to)?;
                    check(self.kernels, self.form, &to[before..])?;
                }
                Some(present) => {
                    let mut compact = Vec::new();
                    append(&mut compact)?;
                    check(self.kernels, self.form, &compact)?;
                    let packed =
                        Packed::new(compact.to_byte_slice(), u32::BITS, compact.len(), Order::Little);
                    let expanded = packed
                        .and_then(|packed| self.kernels.expand(&Source::from(packed), &bitmap(present), to));
                    expanded.map_err(|error| error.to_string())?;
                }
            }
        }
        self.nulls(present, rows);
        Ok(())
    }

    fn nulls(&mut self, present: Option<BooleanBuffer>, rows: usize) {
        match present {
            None => self.nulls.append_n_non_nulls(rows),
            Some(present) => self.nulls.append_buffer(&NullBuffer::new(present)),
        }
    }

    /// Converts the rows behind the finished arrays to an array.
    fn flush(&mut self) -> Result<(), String> {
        let (values, nulls) = (std::mem::replace(&mut self.values, Values::None), self.nulls.finish());
        self.done.push(match values {
            Values::None => return Ok(()),
            Values::Indices(indices) => {
                let dictionary = self.form.dictionary.as_ref();
                let dictionary = dictionary.ok_or("its values are codes, and its chunk has no dictionary")?;
                // without the null behind the values, which is of rows only if there is no value
                let values = self.form.dictionary_len.max(1).min(dictionary.len());
                let dictionary = &dictionary.slice(0, values);
                match self.form.data_type.primitive_width() {
                    Some(4) => self.gather::<i32>(dictionary, &indices, nulls)?,
                    Some(8) => self.gather::<i64>(dictionary, &indices, nulls)?,
                    Some(16) => self.gather::<i128>(dictionary, &indices, nulls)?,
                    _ if let Some(coded) = dictionary.as_dictionary_opt::<Int32Type>() => {
                        let keys =
                            Int32Array::new(self.gathered(coded.keys().values(), &indices)?.into(), nulls);
                        let coded = DictionaryArray::try_new(keys, coded.values().clone());
                        Arc::new(coded.map_err(|error| error.to_string())?)
                    }
                    _ => {
                        let indices = UInt32Array::new(indices.into(), nulls);
                        compute::take(dictionary, &indices, None).map_err(|error| error.to_string())?
                    }
                }
            }
            Values::Plain(values) => {
                let rows = values.len() / self.form.data_type.primitive_width().unwrap_or(1);
                let data = ArrayData::builder(self.form.data_type.clone()).len(rows).nulls(nulls);
                let data = data.add_buffer(values.into()).build();
                make_array(data.map_err(|error| error.to_string())?)
            }
        });
        Ok(())
    }

    /// Returns the values of indices, as numbers of the type's width.
    fn gather<T: ArrowNativeType>(
        &self,
        dictionary: &ArrayRef,
        indices: &[u32],
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, String> {
        let data = dictionary.to_data();
        let values = &data.buffers()[0].typed_data::<T>()[data.offset()..data.offset() + data.len()];
        let found = self.gathered(values, indices)?;
        let of_rows = ArrayData::builder(self.form.data_type.clone()).len(found.len()).nulls(nulls);
        let of_rows = of_rows.add_buffer(Buffer::from_vec(found)).build();
        Ok(make_array(of_rows.map_err(|error| error.to_string())?))
    }

    fn gathered<T: ArrowNativeType>(&self, values: &[T], indices: &[u32]) -> Result<Vec<T>, String> {
        let mut found = Vec::with_capacity(indices.len());
        match self.kernels.gather(indices, values, &mut found) {
            true => Ok(found),
            false => Err("internal error: a code beyond the dictionary".to_owned()),
        }
    }

    /// Returns the array of all rows.
    pub fn finish(mut self) -> Result<ArrayRef, String> {
        self.flush()?;
        match &self.done[..] {
            [one] => Ok(one.clone()),
            [] => Ok(arrow::array::new_empty_array(&self.form.data_type)),
            all => {
                let all: Vec<_> = all.iter().map(|array| array.as_ref()).collect();
                compute::concat(&all).map_err(|error| error.to_string())
            }
        }
    }
}

/// Checks that the dictionary has a value for each index.
fn check(kernels: Kernels, form: &Form, indices: &[u32]) -> Result<(), String> {
    let max = kernels.greatest(indices);
    if !indices.is_empty() && max as usize >= form.dictionary_len {
        let values = form.dictionary_len;
        return Err(format!("code {max} is beyond its dictionary, which has {values} values"));
    }
    Ok(())
}

/// Returns the bits of a buffer, which may start within a byte.
fn bitmap(bits: &BooleanBuffer) -> Bitmap {
    Bitmap::from_words(bits.inner().bit_chunks(bits.offset(), bits.len()).iter_padded().collect(), bits.len())
}

#[cfg(test)]
mod tests;
