//! Output of row groups, page indexes and the footer, with the final offsets of pages.

use std::io::Write;

use super::{TableWriter, bloom, lock};
use crate::error::{Cause, Error, Place, Result};
use crate::header::thrift::ThriftError;
use crate::write::layout::NewChunk;
use crate::write::{MAGIC, footer, indexes};

/// Bytes behind the footer: its length in four bytes, and the magic.
const TRAILER: usize = 8;

impl<W: Write + Send> TableWriter<W> {
    /// Waits for the pages of the next row group, and writes them and their bloom filters.
    ///
    /// # Errors
    /// They can't be encoded, compressed or written.
    pub(super) fn write_row_group(&mut self) -> Result<()> {
        let Some(stores) = self.row_groups.pop_front() else { return Ok(()) };
        let encoded = self.encoders.chunks().map_err(|failed| self.failed(failed))?;
        let stores = std::mem::take(&mut *lock(&stores.chunks));
        // offset of the next page in the layout of parquet-rs
        let mut at = self.file.bytes_written() as u64;
        let mut chunks = Vec::with_capacity(encoded.len());
        let name = self.name.clone();
        let error = |e| super::error(&name, &e);
        let mut row_group = self.file.next_row_group().map_err(error)?;
        for (mut chunk, store) in encoded.into_iter().zip(stores) {
            let mut pages = lock(&store);
            let dictionary = pages.dictionary.take();
            if let Some(dictionary) = dictionary.filter(|_| self.options.bloom_filters && pages.is_all_codes)
            {
                let close = chunk.close_mut();
                let bytes = close.metadata.uncompressed_size() as usize;
                close.bloom_filter = bloom::filter(close.metadata.column_descr(), &dictionary, bytes);
            }
            let mut new = NewChunk::default();
            for page in pages.finish(at)? {
                let to = self.sink.write(&[&page.head, &page.body])?.start;
                at += page.length;
                new.push(&page, to);
            }
            drop(pages);
            chunk.append_to_row_group(&mut row_group).map_err(error)?;
            chunks.push(new);
        }
        self.layout.keep_from(at);
        row_group.close().map_err(error)?;
        self.file.flush().map_err(|e| error(e.into()))?;
        let kept = self.layout.take();
        let columns = self.file.flushed_row_groups().last().map(|group| group.columns());
        for (new, column) in chunks.iter_mut().zip(columns.unwrap_or_default()) {
            if let Some(filter) = kept.get(column.bloom_filter_offset(), column.bloom_filter_length()) {
                new.bloom = Some(self.sink.write(&[filter])?);
            }
        }
        self.chunks.push(chunks);
        Ok(())
    }

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
