//! Lists, arrays, maps and structs.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, FieldRef, Fields};
use arrow::error::ArrowError;

use super::{Gather, Nulls, Result};
use crate::sys::Values;

/// Layout of the elements in a DuckDB vector.
#[derive(Clone, Copy)]
pub enum Rows {
    /// Each row has an offset and a length.
    Lists,
    /// Each row has this number of elements.
    Arrays(usize),
}

/// Rows of elements. Elements of NULL rows are left out.
pub struct Lists {
    of: DataType,
    rows: Rows,
    ends: Vec<i32>,
    nulls: Nulls,
    elements: Box<dyn Gather>,
}

impl Lists {
    pub fn new(of: &DataType, rows: Rows, elements: Box<dyn Gather>) -> Self {
        Self { of: of.clone(), rows, ends: vec![0], nulls: Nulls::default(), elements }
    }
}

impl Gather for Lists {
    fn push(&mut self, values: &Values) -> Result {
        let valid = values.validity();
        let (elements, ranges): (_, Vec<(usize, usize)>) = match self.rows {
            Rows::Lists => (values.elements(), values.values::<[u8; 16]>().iter().map(entry).collect()),
            Rows::Arrays(size) => {
                (values.items(size), (0..values.len()).map(|row| (row * size, size)).collect())
            }
        };
        // The elements of consecutive rows are gathered at once.
        let mut run = 0..0;
        let mut end = self.ends.last().copied().unwrap_or_default();
        for (row, (start, length)) in ranges.into_iter().enumerate() {
            if valid.is_none_or(|valid| valid.is_valid(row)) && length > 0 {
                if start != run.end {
                    self.elements.push(&elements.slice(run.start, run.len()))?;
                    run = start..start;
                }
                run.end = start + length;
                end = i32::try_from(length).ok().and_then(|length| end.checked_add(length)).ok_or_else(
                    || {
                        "lists of more than 2,147,483,647 elements together; copy fewer rows at a time"
                            .to_owned()
                    },
                )?;
            }
            self.ends.push(end);
        }
        self.elements.push(&elements.slice(run.start, run.len()))?;
        self.nulls.push(values);
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let offsets = OffsetBuffer::new(std::mem::replace(&mut self.ends, vec![0]).into());
        let (elements, nulls) = (self.elements.finish()?, self.nulls.finish());
        Ok(match &self.of {
            DataType::Map(entries, is_sorted) => {
                let pairs = elements.as_any().downcast_ref::<StructArray>().cloned();
                let pairs =
                    pairs.ok_or_else(|| ArrowError::ComputeError("a map without pairs".to_owned()))?;
                Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, nulls, *is_sorted)?)
            }
            DataType::List(item) => Arc::new(ListArray::try_new(item.clone(), offsets, elements, nulls)?),
            other => return Err(ArrowError::ComputeError(format!("lists as {other}"))),
        })
    }
}

/// Splits DuckDB's `list_entry_t` into its offset and length, of 64 bits each.
fn entry(entry: &[u8; 16]) -> (usize, usize) {
    let both = u128::from_le_bytes(*entry);
    (both as u64 as usize, (both >> 64) as usize)
}

/// Fields of a struct.
pub struct Structs {
    fields: Fields,
    nulls: Nulls,
    rows: usize,
    parts: Vec<Box<dyn Gather>>,
}

impl Structs {
    pub fn new(fields: &[FieldRef], parts: Vec<Box<dyn Gather>>) -> Self {
        Self { fields: fields.iter().cloned().collect(), nulls: Nulls::default(), rows: 0, parts }
    }
}

impl Gather for Structs {
    fn push(&mut self, values: &Values) -> Result {
        for (index, part) in self.parts.iter_mut().enumerate() {
            part.push(&values.field(index))?;
        }
        self.nulls.push(values);
        self.rows += values.len();
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let parts = self.parts.iter_mut().map(|part| part.finish()).collect::<Result<Vec<_>, _>>()?;
        let (rows, nulls) = (std::mem::take(&mut self.rows), self.nulls.finish());
        Ok(Arc::new(StructArray::try_new_with_length(self.fields.clone(), parts, nulls, rows)?))
    }
}
