//! A data page that is partly decoded.

use std::ops::Range;

use arrow::buffer::{BooleanBuffer, Buffer};
use bytes::Bytes;
use pelton_bitpack::{Bitmap, Hybrid, Kernels, Position, Predicate, Source};

use crate::decode::compaction::values;
use crate::decode::flat;
use crate::decode::native::output::Form;
use crate::decode::native::output::Output;
use crate::error::Result;
use crate::load::fetch::SlotState;
use crate::load::loaded_chunk::LoadedChunk;

/// Levels and values of a data page, and the position in them.
pub(crate) struct OpenPage {
    /// Its rows in the row group; in a compacted page, positions among all selected rows.
    pub rows: Range<usize>,
    /// Index of the page in its chunk.
    index: usize,
    /// Rows decoded or skipped so far.
    done: usize,
    /// A bit for each row, set if the row has a value; `None` if all rows have values.
    present: Option<BooleanBuffer>,
    values: Values,
    kernels: Kernels,
}

enum Values {
    /// Plain values; `done` bytes of them are decoded or skipped.
    Plain { bytes: Bytes, done: usize },
    /// Packed dictionary indices of `width` bits, one for each row with a value.
    Indices { bytes: Bytes, width: u8, count: usize, done: Position },
    /// Unpacked indices of selected rows; `done` of them are decoded or skipped.
    Selected { indices: Vec<u32>, done: usize },
}

impl OpenPage {
    /// Opens the page at `index`; waits until it is decompressed.
    ///
    /// # Errors
    /// Decompression failed, or a length or a level in it is bad.
    pub fn new(chunk: &LoadedChunk, index: usize, is_optional: bool, kernels: Kernels) -> Result<Self> {
        let Parts { rows, is_dictionary_encoded, present, encoded } =
            Parts::of(chunk, index, is_optional, kernels)?;
        let count = present.as_ref().map_or(rows.len(), Bitmap::count_ones);
        let values = if is_dictionary_encoded {
            let (width, bytes) = flat::indices(chunk, index, &encoded)?;
            Values::Indices { bytes, width, count, done: Position::default() }
        } else {
            Values::Plain { bytes: encoded, done: 0 }
        };
        let present = present.map(buffer);
        Ok(Self { rows, index, done: 0, present, values, kernels })
    }

    /// Opens the page at `index`, and compacts it to the rows of `kept`. `before` selected rows
    /// precede the page. Waits until it is decompressed.
    ///
    /// # Errors
    /// As [`Self::new`], or the page ends before its last value.
    pub fn compacted(
        chunk: &LoadedChunk,
        index: usize,
        is_optional: bool,
        kernels: Kernels,
        (kept, before): (Bitmap, usize),
        form: &Form,
    ) -> Result<Self> {
        let Parts { is_dictionary_encoded, present, encoded, .. } =
            Parts::of(chunk, index, is_optional, kernels)?;
        let bad = |what: &str| flat::bad(chunk, index, what);
        let failed = |error: pelton_bitpack::Error| bad(&error.to_string());
        let count = kept.count_ones();
        // selection among the values, and presence among the selected rows
        let (of_values, of_kept) = match &present {
            None => (kept, None),
            Some(present) => (kernels.pick(&kept, present), Some(kernels.pick(present, &kept))),
        };
        let values = if is_dictionary_encoded {
            let (width, bytes) = flat::indices(chunk, index, &encoded)?;
            let mut indices = Vec::with_capacity(of_values.count_ones());
            if !of_values.is_empty() {
                let source = Source::from(Hybrid::new(&bytes, u32::from(width), of_values.len()));
                kernels.select(&source, &of_values, &mut indices).map_err(failed)?;
            }
            Values::Selected { indices, done: 0 }
        } else {
            let plain = values::fixed(&encoded, form.width(), &of_values);
            let bytes = plain.ok_or_else(|| bad("it ends before its last value"))?.into();
            Values::Plain { bytes, done: 0 }
        };
        let present = of_kept.filter(|of_kept| of_kept.count_ones() < count).map(buffer);
        Ok(Self { rows: before..before + count, index, done: 0, present, values, kernels })
    }

    /// Skips to `row`, at or behind the position, and decodes `count` rows of the page from there.
    ///
    /// # Errors
    /// The page ends before its last value, or an index exceeds the dictionary.
    pub fn read(
        &mut self,
        chunk: &LoadedChunk,
        row: usize,
        count: usize,
        form: &Form,
        to: &mut Output<'_>,
    ) -> Result<()> {
        let skipped = row - self.rows.start - self.done;
        let values = self.values_in(skipped);
        let bad = |what: &str| flat::bad(chunk, self.index, what);
        match &mut self.values {
            Values::Plain { done, .. } => *done = done.saturating_add(values.saturating_mul(form.width())),
            Values::Indices { bytes, width, count, done } => {
                let indices = Hybrid::new(bytes, u32::from(*width), *count);
                indices.skip(done, values).map_err(|error| bad(&error.to_string()))?;
            }
            Values::Selected { done, .. } => *done += values,
        }
        self.done += skipped;
        let values = self.values_in(count);
        let present = self.present.as_ref().map(|present| present.slice(self.done, count));
        // a range without nulls needs no bits
        let present = present.filter(|_| values < count);
        match &mut self.values {
            Values::Plain { bytes, done } => {
                let end = values.checked_mul(form.width()).and_then(|size| done.checked_add(size));
                let plain = end.and_then(|end| bytes.get(*done..end));
                let plain = plain.ok_or_else(|| bad("it ends before its last value"))?;
                *done += plain.len();
                to.plain(plain, present, count)
            }
            Values::Indices { bytes, width, count: all, done } => {
                let indices = Hybrid::new(bytes, u32::from(*width), *all);
                let read = |to: &mut Vec<u32>| {
                    let read = self.kernels.read(&indices, done, values, to);
                    read.map_err(|error| error.to_string())
                };
                to.indices(read, present, count)
            }
            Values::Selected { indices, done } => {
                let next = &indices[*done..*done + values];
                *done += values;
                let copy = |to: &mut Vec<u32>| {
                    to.extend_from_slice(next);
                    Ok(())
                };
                to.indices(copy, present, count)
            }
        }
        .map_err(|what| flat::bad(chunk, self.index, &what))?;
        self.done += count;
        Ok(())
    }

    /// Returns how many of the next rows have a value.
    fn values_in(&self, rows: usize) -> usize {
        self.present.as_ref().map_or(rows, |present| present.slice(self.done, rows).count_set_bits())
    }
}

/// Levels and values of a data page.
struct Parts {
    rows: Range<usize>,
    is_dictionary_encoded: bool,
    /// A bit for each row, set if the row has a value; `None` if all rows have values.
    present: Option<Bitmap>,
    encoded: Bytes,
}

impl Parts {
    fn of(chunk: &LoadedChunk, index: usize, is_optional: bool, kernels: Kernels) -> Result<Self> {
        let page = &chunk.pages[index];
        let (SlotState::Read(header, _), Some(body), Some(rows)) =
            (&page.slot.state, &page.body, &page.slot.rows)
        else {
            return Err(flat::bad(chunk, index, "internal error: it was not loaded"));
        };
        let bytes = chunk.data_bytes(page.slot.page, header, body)?;
        let (levels, encoded) = flat::split(chunk, index, &bytes, is_optional)?;
        let present = match is_optional {
            false => None,
            true => present(&levels, rows.len(), kernels)
                .map_err(|error| flat::bad(chunk, index, &error.to_string()))?,
        };
        let count = present.as_ref().map_or(rows.len(), Bitmap::count_ones);
        flat::check_count(chunk, index, count)?;
        Ok(Self {
            rows: rows.clone(),
            is_dictionary_encoded: header.is_dictionary_encoded(),
            present,
            encoded,
        })
    }
}

/// Returns a bit for each row, set if its definition level says that it has a value; `None` if all
/// rows have values.
fn present(levels: &[u8], rows: usize, kernels: Kernels) -> Result<Option<Bitmap>, pelton_bitpack::Error> {
    let levels = Hybrid::new(levels, 1, rows);
    if levels.constant(&Position::default())? == Some(1) {
        return Ok(None);
    }
    let mut bits = Bitmap::new();
    kernels.scan(&Source::from(levels), Predicate::Equal(1), &mut bits)?;
    Ok((bits.count_ones() < rows).then_some(bits))
}

fn buffer(bits: Bitmap) -> BooleanBuffer {
    let len = bits.len();
    BooleanBuffer::new(Buffer::from_vec(bits.into_words()), 0, len)
}
