//! A row group that is encoded, on its way into the file.

use std::io::Write;

use super::{TableWriter, bloom, lock};
use crate::error::Result;
use crate::write::layout::NewChunk;

impl<W: Write + Send> TableWriter<W> {
    /// Writes the first row group that is not written, when its pages are compressed, and its
    /// filters behind it.
    ///
    /// # Errors
    /// It can't be encoded, compressed or written.
    pub(super) fn write_row_group(&mut self) -> Result<()> {
        let Some(stores) = self.row_groups.pop_front() else { return Ok(()) };
        let encoded = self.encoders.chunks().map_err(|failed| self.failed(failed))?;
        let stores = std::mem::take(&mut *lock(&stores.chunks));
        // where parquet-rs believes the next page to be
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
}
