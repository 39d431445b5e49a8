//! Code set: the dictionary indices that pass a condition.

use std::sync::Arc;

use arrow::array::Array;
use arrow::compute;
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use pelton_bitpack::Bitmap;

use crate::decode::dictionary_column::DictionaryColumn;
use crate::scan::condition::Filter;

/// Indices that pass a condition, and whether null does.
#[derive(Debug)]
pub(crate) struct CodeSet {
    values: Values,
    null: bool,
}

/// Indices that pass.
#[derive(Debug)]
pub(crate) enum Values {
    /// All of them, or none.
    All(bool),
    /// Indices from the first to the last, both included. A comparison is faster than a membership
    /// test.
    Range(u32, u32),
    /// Indices with a set bit.
    Set(Bitmap),
}

impl CodeSet {
    /// Evaluates the condition on the values of a dictionary; `field` is the column's.
    ///
    /// # Errors
    /// The condition fails on one of the values.
    pub fn new(filter: &dyn Filter, field: &Field, dictionary: &DictionaryColumn) -> Result<Self, String> {
        let field = field.clone().with_nullable(true);
        let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![dictionary.values.clone()]);
        let mask = filter.evaluate(&batch.map_err(|e| e.to_string())?)?;
        let mask = if mask.null_count() > 0 { compute::prep_null_mask_filter(&mask) } else { mask };
        let dictionary_len = dictionary.dictionary_len();
        if mask.len() != dictionary.values.len() {
            return Err(format!("{} of {} values came out", mask.len(), dictionary.values.len()));
        }
        let null = dictionary.is_optional() && mask.value(dictionary_len);
        let bits = mask.values().slice(0, dictionary_len);
        let count = bits.count_set_bits();
        let runs: Vec<_> = bits.set_slices().take(2).collect();
        let values = match runs.as_slice() {
            [] => Values::All(false),
            _ if count == dictionary_len => Values::All(true),
            [(from, to)] => Values::Range(*from as u32, *to as u32 - 1),
            _ => Values::Set(Bitmap::from_words(bits.bit_chunks().iter_padded().collect(), dictionary_len)),
        };
        Ok(Self { values, null })
    }

    /// Returns the indices that pass.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns the set with a bit for each of `dictionary_len` indices, the form that jobs take;
    /// `None` if all bits are equal.
    pub fn set(&self, dictionary_len: usize) -> Option<Bytes> {
        Some(match &self.values {
            Values::All(_) => return None,
            Values::Range(low, high) => {
                let (low, high) = (*low as usize, *high as usize);
                let mut set = Bitmap::with_len(low, false);
                set.extend_run(true, high + 1 - low);
                set.extend_run(false, dictionary_len - set.len());
                set.bytes().collect()
            }
            Values::Set(set) => set.bytes().collect(),
        })
    }

    /// Returns whether null passes.
    pub fn null(&self) -> bool {
        self.null
    }

    /// Returns the result that is common to all rows, whatever their values; `None` if rows may
    /// differ.
    pub fn constant(&self, is_optional: bool) -> Option<bool> {
        match self.values {
            Values::All(bit) if !is_optional || bit == self.null => Some(bit),
            _ => None,
        }
    }
}
