//! Pages as stored in the file, for readers that decompress and decode them on another device.
//!
//! Pages are read, skipped and checked as in a scan ([`crate::load::fetch`]). Columns are flat:
//! each row has one value or a null, so rows and values have the same count.

mod page;

pub use page::{RawBody, RawChunk, RawPage};

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::schema::types::ColumnDescriptor;
use pelton_job::InputBuffer;

use crate::counters::ScanCounters;
use crate::error::{Cause, Error, Place, Result};
use crate::file::ParquetFile;
use crate::header::PageKind;
use crate::load::fetch::{self, Request, RowRanges, Slot, SlotState};

/// Counters, checks and memory for reading raw pages.
#[derive(Debug, Clone)]
pub struct RawOptions {
    /// Counts the bytes and pages read.
    pub counters: Arc<ScanCounters>,
    /// Check the pages' CRC-32 where the writer stored one.
    pub verify_checksums: bool,
    /// Allocates buffers for data of local files.
    pub memory: ReadMemory,
}

/// Allocates a buffer of a given size for data of a file.
#[derive(Clone)]
pub struct ReadMemory(Arc<dyn Fn(usize) -> InputBuffer + Send + Sync>);

impl ReadMemory {
    /// Allocates with `give`.
    pub fn new(give: impl Fn(usize) -> InputBuffer + Send + Sync + 'static) -> Self {
        Self(Arc::new(give))
    }
}

/// Allocates fresh memory.
impl Default for ReadMemory {
    fn default() -> Self {
        Self::new(InputBuffer::fresh)
    }
}

impl std::fmt::Debug for ReadMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadMemory").finish_non_exhaustive()
    }
}

/// Returns whether a row has one value of the column or a null. Excludes lists, structs and their
/// fields.
pub fn is_flat(descriptor: &ColumnDescriptor) -> bool {
    descriptor.path().parts().len() == 1 && descriptor.max_rep_level() == 0 && descriptor.max_def_level() <= 1
}

/// Reads the pages of the flat columns `leaves` (ascending) that hold a selected row, without
/// decompression.
///
/// # Errors
/// The file can't be read or has changed, a page header is bad, a checksum differs, or a column is
/// not flat.
pub async fn read(
    file: &ParquetFile,
    row_group: usize,
    wanted: &RowRanges,
    leaves: &[usize],
    options: &RawOptions,
) -> Result<Vec<RawChunk>> {
    let metadata = file.row_group(row_group)?;
    let verify_checksums = options.verify_checksums;
    let request = Request { file, row_group, leaves, wanted, verify_checksums, counters: &options.counters };
    let read = fetch::read(request, |len| (options.memory.0)(len)).await?;
    let mut chunks = Vec::with_capacity(leaves.len());
    for (&leaf, slots) in leaves.iter().zip(read) {
        let chunk = metadata.column(leaf);
        let place = file.place().row_group(row_group).column(chunk.column_path().string());
        if !is_flat(chunk.column_descr()) {
            let what = "internal error: raw pages of a column that is not flat";
            return Err(Error::new(place, Cause::Decode(what.to_owned())));
        }
        chunks.push(self::chunk(leaf, place, chunk.compression(), slots)?);
    }
    Ok(chunks)
}

fn chunk(leaf: usize, place: Place, codec: Compression, slots: Vec<Slot>) -> Result<RawChunk> {
    let mut chunk = RawChunk { leaf, place, codec, dictionary: None, pages: Vec::new() };
    for slot in slots {
        let SlotState::Read(header, bytes) = slot.state else { continue };
        let page = RawPage { page: slot.page, rows: slot.rows.unwrap_or_default(), header, bytes };
        if matches!(header.kind, PageKind::Dictionary { .. }) {
            chunk.dictionary = Some(page);
            continue;
        }
        if page.rows.len() != header.num_values as usize {
            let (rows, values) = (page.rows.len(), header.num_values);
            let what = format!("it has {values} values in {rows} rows of a column without lists");
            return Err(Error::new(chunk.place.page(page.page), Cause::BadHeader(what)));
        }
        if page.is_coded() && chunk.dictionary.is_none() {
            let what = "its values are codes, and its chunk has no dictionary";
            return Err(Error::new(chunk.place.page(page.page), Cause::Decode(what.to_owned())));
        }
        if !page.rows.is_empty() {
            chunk.pages.push(page);
        }
    }
    Ok(chunk)
}

#[cfg(test)]
mod tests;
