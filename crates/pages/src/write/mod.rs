//! Writers of files: Parquet from a table's rows ([`table`]), or from the pages of another file
//! with another codec (*repacking*); the rows of a query in several formats ([`rows`]).
//!
//! Repacking decodes no values. The router decompresses each page and compresses it again, its
//! header gets the new size, and the footer and the offset index get the new offsets. Everything
//! else is copied: values, encodings, levels, statistics, row groups, bloom filters.
//!
//! [`source`] reads pages in batches and [`recompress`] submits them as jobs. [`compress`],
//! [`indexes`] and [`footer`] write pages, page index and footer by means of [`edit`], for tables
//! too. Memory holds two batches of pages, and the old and new offset of each page.

mod atomic_file;
mod compress;
mod edit;
mod footer;
mod indexes;
mod layout;
mod options;
mod output_file;
mod packing;
mod recompress;
mod rows;
mod sink;
mod source;
mod table;

pub use atomic_file::{AtomicFile, AtomicFolder, Existing, is_data_file, remove_partial_files};
pub use options::{OptionValue, ParquetOptions, level};
pub use output_file::OutputFile;
pub use packing::Packing;
pub use rows::{CsvFormat, RowFormat, RowWriter, TextCodec, TimeFormats};
pub use table::{PARQUET_TYPE, TableWriter, WriteOptions, Written, check_columns};

use std::io::Write;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use pelton_job::{InputBuffer, Router};

use crate::error::{Cause, Result};
use crate::file::ParquetFile;
use layout::NewChunk;
use sink::Sink;
use source::Source;

/// First and last bytes of a Parquet file (parquet-format, README, "File format").
const MAGIC: &[u8] = b"PAR1";

/// Batches of pages in work at a time. While one completes, the next keeps the devices busy.
const WINDOWS_HELD: usize = 2;

/// Options of a repacking.
#[derive(Clone)]
pub struct RepackOptions {
    /// The file to read.
    pub file: Arc<ParquetFile>,
    /// The codec of the new file.
    pub packing: Packing,
    /// Runs the jobs.
    pub router: Arc<Router>,
}

/// Progress of a repacking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RepackProgress {
    /// Bytes of pages in the old file.
    pub bytes_total: u64,
    /// Bytes of the pages that are in the new file already.
    pub bytes_done: u64,
}

/// Result of a repacking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Repacked {
    /// Bytes of the old file.
    pub bytes_before: u64,
    /// Bytes of the new file.
    pub bytes_after: u64,
    /// Pages in both.
    pub pages: u64,
}

/// Writes a file with the same values and another codec to `to`. Checks the checksums of pages
/// where the writer stored them, and computes them anew. A gzip window below 32 KB is recorded in
/// the footer (`pelton.deflate.window`), so that readers know which devices can decompress the
/// pages.
///
/// Calls `progress` after each batch of pages. Dropping the future stops the repacking.
///
/// # Errors
/// The file can't be read, has changed or is damaged; or `to` can't be written. The bytes written
/// until then are not a valid file.
pub async fn repack(
    options: &RepackOptions,
    to: &mut dyn Write,
    progress: &mut dyn FnMut(RepackProgress),
) -> Result<Repacked> {
    let RepackOptions { file, packing, router } = options;
    let old = footer_bytes(file).await?;
    let groups = file.metadata().row_groups();
    let mut chunks: Vec<_> =
        groups.iter().map(|group| vec![NewChunk::default(); group.num_columns()]).collect();
    let mut sink = Sink::new(to, file.location().name());
    sink.write(&[MAGIC])?;

    let bytes_total = groups.iter().flat_map(|group| group.columns()).map(|chunk| chunk.byte_range().1).sum();
    let mut done = RepackProgress { bytes_total, bytes_done: 0 };
    let mut pages = 0;
    let windows = stream::try_unfold(Source::new(file, router), |mut source| async move {
        Ok(source.window().await?.map(|window| (window, source)))
    });
    let windows = windows.map_ok(|window| recompress::recompress(window, options));
    let mut windows = std::pin::pin!(windows.try_buffered(WINDOWS_HELD));
    while let Some(window) = windows.next().await {
        for page in window? {
            let at = sink.write(&[&page.head, &page.body])?.start;
            let (row_group, leaf) = page.chunk;
            chunks[row_group][leaf].push(&page, at);
            done.bytes_done += page.length;
            pages += 1;
        }
        progress(done);
    }
    place_empty_chunks(&mut chunks);

    indexes::copy(file, &mut chunks, &mut sink).await?;
    let new = footer::New { chunks: &chunks, codec: packing.codec(), window: packing.window() };
    let bad = |what: String| file.error(Cause::NotParquet(format!("its footer does not parse: {what}")));
    let footer = footer::rewrite(&old, &new).map_err(|e| bad(e.to_string()))?;
    let length = u32::try_from(footer.len()).map_err(|_| bad("it is 4 GiB or more".to_owned()))?;
    sink.write(&[&footer, &length.to_le_bytes(), MAGIC])?;
    sink.flush()?;
    Ok(Repacked { bytes_before: file.location().size(), bytes_after: sink.position(), pages })
}

/// Places each chunk without pages at the end of the chunk before it.
fn place_empty_chunks(chunks: &mut [Vec<NewChunk>]) {
    let mut end = MAGIC.len() as u64;
    for chunk in chunks.iter_mut().flatten() {
        if chunk.pages.is_empty() {
            chunk.start = end;
        }
        end = chunk.start + chunk.compressed;
    }
}

/// Reads the serialized footer.
async fn footer_bytes(file: &ParquetFile) -> Result<bytes::Bytes> {
    // the footer's length in four bytes, and the magic
    const TRAILER: u64 = 8;
    let (location, size) = (file.location(), file.location().size());
    let end = size.saturating_sub(TRAILER);
    let trailer = location.read(&[end..size], InputBuffer::fresh).await?.remove(0);
    let length = trailer.first_chunk().map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
    let start = end.checked_sub(length).ok_or_else(|| file.error(Cause::Changed))?;
    Ok(location.read(&[start..end], InputBuffer::fresh).await?.remove(0))
}
