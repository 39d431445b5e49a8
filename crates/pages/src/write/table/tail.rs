//! The end of the file: indexes and the footer, with the places where pages are.

use std::io::Write;

use super::TableWriter;
use crate::error::{Cause, Error, Place, Result};
use crate::header::thrift::ThriftError;
use crate::write::{MAGIC, footer, indexes};

/// What follows the footer: its length in four bytes, and the magic.
const TRAILER: usize = 8;

impl<W: Write + Send> TableWriter<W> {
    /// Writes the indexes and the footer.
    ///
    /// # Errors
    /// They can't be written, or the footer is too large for its length.
    pub(super) fn write_tail(&mut self) -> Result<()> {
        let place = Place::file(&self.name);
        let error = |what: String| Error::new(place.clone(), Cause::Write(what));
        let thrift = |e: ThriftError| error(format!("what parquet-rs wrote does not parse: {e}"));
        self.layout.keep_from(self.file.bytes_written() as u64);
        let metadata = self.file.finish().map_err(|e| error(e.to_string()))?;
        let kept = self.layout.take();
        let columns = || metadata.row_groups().iter().map(|group| group.columns());
        for (new, old) in self.chunks.iter_mut().flatten().zip(columns().flatten()) {
            if let Some(index) = kept.get(old.column_index_offset(), old.column_index_length()) {
                new.column_index = Some(self.sink.write(&[index])?);
            }
        }
        for (new, old) in self.chunks.iter_mut().flatten().zip(columns().flatten()) {
            if let Some(index) = kept.get(old.offset_index_offset(), old.offset_index_length()) {
                let index = indexes::offset_index(index, new).map_err(thrift)?;
                new.offset_index = Some(self.sink.write(&[&index])?);
            }
        }
        let end = kept.bytes.len().saturating_sub(TRAILER);
        let length = kept.bytes[end..].first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize);
        let old = &kept.bytes[end.saturating_sub(length)..end];
        let packing = self.options.packing;
        let new = footer::New { chunks: &self.chunks, codec: packing.codec(), window: packing.window() };
        let footer = footer::rewrite(old, &new).map_err(thrift)?;
        let length = u32::try_from(footer.len()).map_err(|_| error("the footer has 4 GiB or more".into()))?;
        self.sink.write(&[&footer, &length.to_le_bytes(), MAGIC])?;
        Ok(())
    }
}
