//! Decompression jobs of pages: the compressed part of each page, its format and its exact size
//! after decompression.

use std::sync::{Arc, OnceLock};

use arrow::array::ArrayRef;
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
use crate::load::completions::Awaited;
use crate::load::completions::Inbox;
use crate::load::deferred::Candidate;
use crate::load::deferred::Held;
use crate::load::dictionary_cache::Dictionaries;
use crate::load::dictionary_cache::Shelf;
use crate::load::fetch::Slot;
use crate::load::fetch::SlotState;
use crate::undecided::Undecided;

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

/// Bytes of a page, or the job that makes them.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Levels and values: of a page without compression, of a compressed page that stores them
    /// verbatim, or from the dictionary page cache.
    Ready(Bytes),
    /// Number of the job among the completions.
    Job(usize),
    /// Number of a deferred page of the chunk: dictionary indices that no job decompresses yet.
    Held(usize),
}

/// A page with its body; `None` if the page was skipped.
#[derive(Debug, Clone)]
pub(crate) struct LoadedPage {
    pub slot: Slot,
    pub body: Option<Body>,
}

/// Pages of one column chunk.
#[derive(Debug)]
pub(crate) struct LoadedChunk {
    pub place: Place,
    /// Levels and type of its column.
    pub leaf: Leaf,
    pub pages: Vec<LoadedPage>,
    /// Decompressed bytes of the pages, by job.
    pub inbox: Arc<Inbox>,
    /// Deferred pages of dictionary indices.
    pub held: Held,
    /// Decoded values of the dictionary, after their first use.
    pub dictionary: OnceLock<Result<ArrayRef, Undecided>>,
    /// Entry of the dictionary page in the cache.
    shelf: Option<Shelf>,
}

impl LoadedChunk {
    /// Returns the decompressed bytes of a page. Blocks until its job is done.
    fn bytes(&self, body: &Body) -> Result<Bytes> {
        match body {
            Body::Ready(bytes) => Ok(bytes.clone()),
            Body::Job(number) => self.inbox.take(*number),
            Body::Held(number) => self.held.plain(*number),
        }
    }

    /// Returns the levels and values of a data page. Blocks until its job is done. Levels come in
    /// the RLE/bit-packed hybrid encoding even if the page has the deprecated bit-packed one.
    ///
    /// # Errors
    /// Decompression failed, or the page is too short for its levels.
    pub fn data_bytes(&self, page: usize, header: &PageHeader, body: &Body) -> Result<Bytes> {
        let bytes = self.bytes(body)?;
        self.leaf.with_hybrid_levels(header, bytes).map_err(|what| self.bad(page, what))
    }

    /// Returns the values of the dictionary and adds them to the cache. Blocks until their job is
    /// done.
    ///
    /// # Errors
    /// Decompression failed, or the dictionary has timestamps out of range.
    pub fn dictionary_bytes(&self, page: usize, header: &PageHeader, body: &Body) -> Result<Bytes> {
        let bytes = self.bytes(body)?;
        let moments = self.leaf.check_moments(&bytes, header.num_values as usize);
        moments.map_err(|what| self.bad(page, what))?;
        if let (Body::Job(_), Some(shelf)) = (body, &self.shelf) {
            shelf.keep(&bytes);
        }
        Ok(bytes)
    }

    /// Returns an error in the page of this number.
    pub fn bad(&self, page: usize, what: String) -> Error {
        Error::new(self.place.clone().page(page), Cause::Decode(what))
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
    pub look_up: Option<bool>,
    /// Entry for the dictionary page in the cache.
    pub shelf: Option<Shelf>,
    pub slots: Vec<Slot>,
}

/// Submits the pages of several column chunks of a row group as one batch. The jobs are ordered by
/// their first rows, so that decoding starts on the first rows of all columns while the other pages
/// are being decompressed. Pages for a fused decompress and filter are deferred, and their
/// dictionaries come first.
pub(crate) fn submit(chunks: Vec<ReadChunk>, options: &LoadOptions) -> Result<Vec<Arc<LoadedChunk>>> {
    let candidates: Vec<_> = chunks.iter().map(|chunk| Candidate::of(chunk, &options.router)).collect();
    let mut held: Vec<_> = chunks.iter().map(|_| Held::new(options)).collect();
    let mut order: Vec<(bool, usize, usize, usize)> = Vec::new();
    for (column, chunk) in chunks.iter().enumerate() {
        for (index, slot) in chunk.slots.iter().enumerate() {
            // pages with unknown rows (nested columns without an index) are spread by their number
            let row = slot.rows.as_ref().map_or(index, |rows| rows.start);
            let is_awaited = candidates[column].is_some() && index == 0;
            order.push((!is_awaited, row, column, index));
        }
    }
    order.sort_unstable();

    let mut jobs = Vec::new();
    let mut awaited = Vec::new();
    let mut bodies: Vec<Vec<Option<Body>>> =
        chunks.iter().map(|chunk| vec![None; chunk.slots.len()]).collect();
    for (_, _, column, index) in order {
        let ReadChunk { place, codec, hints, shelf, slots, .. } = &chunks[column];
        let slot = &slots[index];
        let SlotState::Read(header, bytes) = &slot.state else { continue };
        let place = place.clone().page(slot.page);
        if let (PageKind::Dictionary { .. }, Some(shelf)) = (header.kind, shelf)
            && let Some(plain) = shelf.find().filter(|plain| plain.len() == header.uncompressed_size)
        {
            bodies[column][index] = Some(Body::Ready(plain));
            continue;
        }
        bodies[column][index] = Some(match job(header, bytes, *codec, &place)? {
            Work::Stored(bytes) => Body::Ready(bytes),
            Work::Compressed(format, job) => {
                let job = job.with_hints(*hints);
                match candidates[column].as_ref().and_then(|candidate| candidate.takes(slot, format, &job)) {
                    Some(values) => held[column].push(job, format, place, values),
                    None => {
                        awaited.push(Awaited { place, format, size: job.input.len() });
                        jobs.push(job);
                        Body::Job(jobs.len() - 1)
                    }
                }
            }
        });
    }
    let ticket = options.submit(jobs);
    let counters = options.counters.clone();
    let inbox = Arc::new(Inbox::new(ticket, awaited, counters, ScanCounters::decompressed));
    let loaded = chunks.into_iter().zip(bodies).zip(held);
    let loaded = loaded.map(|((ReadChunk { place, leaf, shelf, slots, .. }, bodies), held)| {
        let pages = slots.into_iter().zip(bodies).map(|(slot, body)| LoadedPage { slot, body }).collect();
        let dictionary = OnceLock::new();
        let inbox = inbox.clone();
        Arc::new(LoadedChunk { place, leaf, pages, inbox, held, dictionary, shelf })
    });
    Ok(loaded.collect())
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
        && let Some(plain) = stored(format, &body)
        && plain.len() == size
    {
        return Ok(Work::Stored(body.slice(plain)));
    }
    let job = Job::decompress(format, body, OutputSize::Exact(size)).with_prefix(bytes.slice(..levels));
    Ok(Work::Compressed(format, job))
}

/// Checks that `packed` compressed bytes can hold `size` bytes, before memory is allocated.
///
/// # Errors
/// A message with both sizes.
pub(crate) fn check_size(format: Format, packed: usize, size: usize) -> Result<(), String> {
    let most = decompress_bound(format, packed);
    if size > most {
        return Err(format!("it claims {size} bytes, its {packed} compressed ones hold {most} at most"));
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
    matches!((word(0), word(4)), (Some(plain), Some(packed)) if plain <= size && plain > 0 && packed <= bytes.len() - 8)
}
