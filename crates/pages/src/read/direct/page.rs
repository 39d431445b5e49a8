//! A page that is being decoded.

use std::ops::Range;

use arrow::buffer::{BooleanBuffer, Buffer};
use bytes::Bytes;
use pelton_filter::{Bitmap, Hybrid, Kernels, Position, Predicate, Source};

use super::column::Form;
use super::output::Output;
use crate::error::Result;
use crate::fetch::SlotState;
use crate::read::flat;
use crate::read::jobs::LoadedChunk;

/// A data page, taken apart, and how far it was decoded.
pub(super) struct OpenPage {
    /// Its rows.
    pub rows: Range<usize>,
    /// Where it is in the chunk.
    index: usize,
    /// Rows that were decoded or skipped.
    done: usize,
    /// A bit for each row, whether it has a value; `None`: all have.
    present: Option<BooleanBuffer>,
    values: Values,
}

enum Values {
    /// So many bytes of them were decoded or skipped.
    Plain { bytes: Bytes, done: usize },
    /// Codes of so many bits, as many as rows have a value.
    Codes { bytes: Bytes, width: u8, count: usize, done: Position },
}

impl OpenPage {
    /// Takes the page at `index` apart, waiting for it.
    ///
    /// # Errors
    /// Decompression failed, or a length or a level in it is bad.
    pub fn new(chunk: &LoadedChunk, index: usize, is_optional: bool, kernels: Kernels) -> Result<Self> {
        let page = &chunk.pages[index];
        let (SlotState::Read(header, _), Some(body), Some(rows)) =
            (&page.slot.state, &page.body, &page.slot.rows)
        else {
            return Err(flat::bad(chunk, index, "internal error: it was not loaded"));
        };
        let bytes = chunk.bytes(body)?;
        let (levels, encoded) = flat::split(chunk, index, &bytes, is_optional)?;
        let present = match is_optional {
            false => None,
            true => present(&levels, rows.len(), kernels)
                .map_err(|error| flat::bad(chunk, index, &error.to_string()))?,
        };
        let count = present.as_ref().map_or(rows.len(), BooleanBuffer::count_set_bits);
        flat::check_count(chunk, index, count)?;
        let values = if flat::is_coded(header) {
            let (width, bytes) = flat::codes(chunk, index, &encoded)?;
            Values::Codes { bytes, width, count, done: Position::default() }
        } else {
            Values::Plain { bytes: encoded, done: 0 }
        };
        Ok(Self { rows: rows.clone(), index, done: 0, present, values })
    }

    /// Skips to a row, which is not before what was decoded, and decodes `count` rows from there, which it has.
    ///
    /// # Errors
    /// It ends before its last value, or a code is not in the dictionary.
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
            Values::Codes { bytes, width, count, done } => {
                let codes = Hybrid::new(bytes, u32::from(*width), *count);
                codes.skip(done, values).map_err(|error| bad(&error.to_string()))?;
            }
        }
        self.done += skipped;
        let values = self.values_in(count);
        let present = self.present.as_ref().map(|present| present.slice(self.done, count));
        // Without a null among them they are like rows of a page that has none.
        let present = present.filter(|_| values < count);
        match &mut self.values {
            Values::Plain { bytes, done } => {
                let end = values.checked_mul(form.width()).and_then(|size| done.checked_add(size));
                let plain = end.and_then(|end| bytes.get(*done..end));
                let plain = plain.ok_or_else(|| bad("it ends before its last value"))?;
                *done += plain.len();
                to.plain(plain, present, count)
            }
            Values::Codes { bytes, width, count: all, done } => {
                let codes = Hybrid::new(bytes, u32::from(*width), *all);
                to.codes(&codes, done, values, present, count)
            }
        }
        .map_err(|what| flat::bad(chunk, self.index, &what))?;
        self.done += count;
        Ok(())
    }

    /// How many of the next rows have a value.
    fn values_in(&self, rows: usize) -> usize {
        self.present.as_ref().map_or(rows, |present| present.slice(self.done, rows).count_set_bits())
    }
}

/// A bit for each row, whether it has a value, from its definition levels; `None`: all have.
fn present(
    levels: &[u8],
    rows: usize,
    kernels: Kernels,
) -> Result<Option<BooleanBuffer>, pelton_filter::Error> {
    let levels = Hybrid::new(levels, 1, rows);
    if levels.constant(&Position::default())? == Some(1) {
        return Ok(None);
    }
    let mut bits = Bitmap::new();
    kernels.scan(&Source::from(levels), Predicate::Equal(1), &mut bits)?;
    let bits = BooleanBuffer::new(Buffer::from_slice_ref(bits.words()), 0, rows);
    Ok((bits.count_set_bits() < rows).then_some(bits))
}
