//! Strings and bytes, and words of ENUMs.
//!
//! DuckDB's strings and Arrow's views are both 16 bytes that begin with the length, and contain
//! strings of up to 12 bytes themselves. The bytes of a longer string are copied, and the view
//! refers to the copy.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray};
use arrow::buffer::Buffer;
use arrow::error::ArrowError;

use super::{Gather, Nulls, Result};
use crate::sys::{INLINE, Pod, Text, Values};

/// Bytes of long strings in a buffer: a view's offset has 32 bits, and a few buffers are enough for
/// any batch.
const BUFFER_BYTES: usize = 16 << 20;

/// Strings, gathered as views.
#[derive(Default)]
pub struct Strings {
    views: Views,
    nulls: Nulls,
}

#[derive(Default)]
struct Views {
    views: Vec<u128>,
    full: Vec<Buffer>,
    long: Vec<u8>,
}

impl Views {
    fn push(&mut self, text: Text) {
        match text {
            Text::Short(view) => self.views.push(view),
            Text::Long(bytes) => {
                if self.long.len() + bytes.len() > BUFFER_BYTES.max(bytes.len()) {
                    self.full.push(Buffer::from_vec(std::mem::take(&mut self.long)));
                }
                let head = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                let place = (self.full.len() as u128) << 64 | (self.long.len() as u128) << 96;
                self.views.push(bytes.len() as u128 | u128::from(head) << 32 | place);
                self.long.extend_from_slice(bytes);
            }
        }
    }

    fn finish(&mut self, nulls: &mut Nulls) -> Result<ArrayRef, ArrowError> {
        let (views, long) = (std::mem::take(&mut self.views), std::mem::take(&mut self.long));
        self.views.reserve(views.len());
        self.long.reserve(long.len());
        let mut buffers = std::mem::take(&mut self.full);
        buffers.push(Buffer::from_vec(long));
        Ok(Arc::new(BinaryViewArray::try_new(views.into(), buffers, nulls.finish())?))
    }
}

impl Gather for Strings {
    fn push(&mut self, values: &Values) -> Result {
        let views = &mut self.views;
        values.strings(|text| views.push(text));
        self.nulls.push(values);
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        self.views.finish(&mut self.nulls)
    }
}

/// Bits as text, in the form of DuckDB's cast to VARCHAR.
#[derive(Default)]
pub struct Bits {
    views: Views,
    nulls: Nulls,
}

/// Returns a string of bits as digits. The first byte is the number of unused upper bits of the
/// second.
fn digits(bits: &[u8]) -> Vec<u8> {
    let Some((unused, bytes)) = bits.split_first() else { return Vec::new() };
    let all = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| b'0' + (byte >> bit & 1)));
    all.skip(usize::from(*unused)).collect()
}

impl Gather for Bits {
    fn push(&mut self, values: &Values) -> Result {
        let views = &mut self.views;
        values.strings(|text| {
            let text = match text {
                Text::Long(bits) => digits(bits),
                Text::Short(view) => digits(&view.to_le_bytes()[4..4 + (view as u32) as usize]),
            };
            views.push(view(&text));
        });
        self.nulls.push(values);
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        self.views.finish(&mut self.nulls)
    }
}

/// Returns bytes in the form that vectors have.
fn view(bytes: &[u8]) -> Text<'_> {
    if bytes.len() > INLINE {
        return Text::Long(bytes);
    }
    let mut view = [0; 16];
    view[0] = bytes.len() as u8;
    view[4..4 + bytes.len()].copy_from_slice(bytes);
    Text::Short(u128::from_le_bytes(view))
}

/// Indexes of ENUM words, of the width of `T`.
pub struct Words<T> {
    /// The words' views, and the bytes of the long ones.
    words: Vec<u128>,
    long: Vec<Buffer>,
    views: Vec<u128>,
    nulls: Nulls,
    number: fn(T) -> usize,
}

impl<T> Words<T> {
    pub fn new(words: &[String], number: fn(T) -> usize) -> Self {
        let mut views = Views::default();
        words.iter().for_each(|word| views.push(view(word.as_bytes())));
        let long = views.full.into_iter().chain([Buffer::from_vec(views.long)]).collect();
        Self { words: views.views, long, views: Vec::new(), nulls: Nulls::default(), number }
    }
}

impl<T: Pod> Gather for Words<T> {
    fn push(&mut self, values: &Values) -> Result {
        // The index of a null row may be anything.
        let word = |number: &T| self.words.get((self.number)(*number)).copied().unwrap_or_default();
        self.views.extend(values.values::<T>().iter().map(word));
        self.nulls.push(values);
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let views = std::mem::take(&mut self.views);
        Ok(Arc::new(BinaryViewArray::try_new(views.into(), self.long.clone(), self.nulls.finish())?))
    }
}

#[cfg(test)]
mod tests;
