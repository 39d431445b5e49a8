//! Decompression jobs of pages: the compressed part of each page, its format and its exact size
//! after decompression.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use pelton_codec::{Format, decompress_bound, stored};
use pelton_job::{Batch, Hints, Job, OutputSize, Router, Ticket};

use crate::counters::ScanCounters;
use crate::decode::validate::Leaf;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Place;
use crate::error::Result;
use crate::header::PageHeader;
use crate::header::PageKind;
use crate::load::dictionary_cache::CacheHandle;
use crate::load::dictionary_cache::Dictionaries;
use crate::load::fetch::Slot;

/// Router, counters and checks for loading pages.
#[derive(Clone)]
pub struct LoadOptions {
    /// Runs the jobs.
    pub router: Arc<Router>,
    /// Counts the bytes read and the pages decompressed, by device.
    pub counters: Arc<ScanCounters>,
    /// Check the pages' CRC-32 where the writer stored one.
    pub verify_checksums: bool,
    /// The thread that decodes a page runs the CPU jobs that it waits for ([`Batch::caller_runs`]).
    pub caller_runs: bool,
    /// Cache of dictionary pages, shared by the scans of the same columns.
    pub dictionaries: Option<Arc<Dictionaries>>,
}

impl LoadOptions {
    /// Submits jobs.
    pub(crate) fn submit(&self, batch: impl Into<Batch>) -> Ticket {
        let batch = batch.into();
        self.router.submit(if self.caller_runs { batch.caller_runs() } else { batch })
    }
}

impl std::fmt::Debug for LoadOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadOptions")
            .field("verify_checksums", &self.verify_checksums)
            .finish_non_exhaustive()
    }
}

/// A column chunk after its pages were read.
pub(crate) struct ReadChunk {
    pub place: Place,
    /// Levels and type of its column.
    pub leaf: Leaf,
    pub codec: Compression,
    /// Hints for the jobs of its pages.
    pub hints: Hints,
    /// Whether values may be null; `None` if the column is not meant for a fused decompress and
    /// filter.
    pub fused: Option<bool>,
    /// Entry for the dictionary page in the cache.
    pub cache: Option<CacheHandle>,
    pub slots: Vec<Slot>,
}

/// Work that gives the levels and values of a page.
pub(crate) enum Work {
    /// None: these are the levels and values.
    Stored(Bytes),
    /// A job that puts out the levels and values.
    Compressed(Format, Job),
}

/// Returns the work for a page with these `bytes` after its header.
///
/// # Errors
/// The header's sizes contradict the bytes, or the codec is not supported.
pub(crate) fn job(header: &PageHeader, bytes: &Bytes, codec: Compression, place: &Place) -> Result<Work> {
    let bad = |what: String| Error::new(place.clone(), Cause::BadHeader(what));
    let (levels, is_compressed) = match header.kind {
        PageKind::DataV2 { definition_bytes, repetition_bytes, is_compressed, .. } => {
            ((definition_bytes + repetition_bytes) as usize, is_compressed)
        }
        _ => (0, true),
    };
    let size = header.uncompressed_size - levels;
    if codec == Compression::UNCOMPRESSED || !is_compressed {
        if bytes.len() != header.uncompressed_size {
            let (found, claimed) = (bytes.len(), header.uncompressed_size);
            return Err(bad(format!("it claims {claimed} bytes without compression, there are {found}")));
        }
        return Ok(Work::Stored(bytes.clone()));
    }
    if size == 0 {
        // All values are null. Some writers leave the compressed stream out.
        return Ok(Work::Stored(bytes.slice(..levels)));
    }
    let body = bytes.slice(levels..);
    let format = match codec {
        Compression::GZIP(_) => Format::Gzip,
        Compression::SNAPPY => Format::Snappy,
        Compression::ZSTD(_) => Format::Zstd,
        Compression::BROTLI(_) => Format::Brotli,
        Compression::LZ4_RAW => Format::Lz4,
        Compression::LZ4 if is_hadoop_framed(&body, size) => Format::Lz4Hadoop,
        Compression::LZ4 => Format::Lz4,
        other => {
            let cause = Cause::UnsupportedCodec(format!("{other}"));
            return Err(Error::new(Place { page: None, ..place.clone() }, cause));
        }
    };
    check_size(format, body.len(), size).map_err(bad)?;
    // Data stored verbatim are used in place; levels in front of them would require a copy.
    if levels == 0
        && let Some(uncompressed) = stored(format, &body)
        && uncompressed.len() == size
    {
        return Ok(Work::Stored(body.slice(uncompressed)));
    }
    let job = Job::decompress(format, body, OutputSize::Exact(size)).with_prefix(bytes.slice(..levels));
    Ok(Work::Compressed(format, job))
}

/// Checks that a number of compressed bytes can hold `size` bytes, before memory is allocated.
///
/// # Errors
/// A message with both sizes.
pub(crate) fn check_size(format: Format, compressed: usize, size: usize) -> Result<(), String> {
    let bound = decompress_bound(format, compressed);
    if size > bound {
        return Err(format!("it claims {size} bytes, its {compressed} compressed ones hold {bound} at most"));
    }
    Ok(())
}

/// Returns whether a page of Parquet's deprecated `LZ4` codec is in Hadoop's framing. The codec has
/// also been written as raw blocks, and only the bytes tell (parquet-format, Compression.md,
/// "LZ4"). Hadoop's framing starts with two big-endian sizes: the uncompressed one, at most `size`,
/// and the compressed one, at most the number of bytes that follow.
fn is_hadoop_framed(bytes: &[u8], size: usize) -> bool {
    let word = |at: usize| {
        let word = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(word) as usize)
    };
    matches!((word(0), word(4)), (Some(uncompressed), Some(compressed)) if uncompressed <= size && uncompressed > 0 && compressed <= bytes.len() - 8)
}
