//! Loaded column chunk: submits the decompression of its pages as jobs, and gives their bytes.

use std::sync::{Arc, OnceLock};

use arrow::array::ArrayRef;
use bytes::Bytes;

use crate::counters::ScanCounters;
use crate::decode::validate::Leaf;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Place;
use crate::error::Result;
use crate::header::PageHeader;
use crate::header::PageKind;
use crate::load::completions::Awaited;
use crate::load::completions::Completions;
use crate::load::deferred::Candidate;
use crate::load::deferred::DeferredPages;
use crate::load::dictionary_cache::CacheHandle;
use crate::load::fetch::Slot;
use crate::load::fetch::SlotState;
use crate::load::jobs::LoadOptions;
use crate::load::jobs::ReadChunk;
use crate::load::jobs::Work;
use crate::load::jobs::job;
use crate::undecided::Undecided;

/// Bytes of a page, or the job that makes them.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Levels and values: of a page without compression, of a compressed page that stores them
    /// verbatim, or from the dictionary page cache.
    Ready(Bytes),
    /// Number of the job among the completions.
    Job(usize),
    /// Number of a deferred page of the chunk: dictionary indices that no job decompresses yet.
    Deferred(usize),
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
    pub completions: Arc<Completions>,
    /// Deferred pages of dictionary indices.
    pub deferred: DeferredPages,
    /// Decoded values of the dictionary, after their first use.
    pub dictionary: OnceLock<Result<ArrayRef, Undecided>>,
    /// Entry of the dictionary page in the cache.
    cache: Option<CacheHandle>,
}

impl LoadedChunk {
    /// Returns the decompressed bytes of a page. Blocks until its job is done.
    fn bytes(&self, body: &Body) -> Result<Bytes> {
        match body {
            Body::Ready(bytes) => Ok(bytes.clone()),
            Body::Job(number) => self.completions.take(*number),
            Body::Deferred(number) => self.deferred.decompressed(*number),
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
        if let (Body::Job(_), Some(cache)) = (body, &self.cache) {
            cache.insert(&bytes);
        }
        Ok(bytes)
    }

    /// Returns an error in the page of this number.
    pub fn bad(&self, page: usize, what: String) -> Error {
        Error::new(self.place.clone().page(page), Cause::Decode(what))
    }
}

/// Submits the pages of several column chunks of a row group as one batch. The jobs are ordered by
/// their first rows, so that decoding starts on the first rows of all columns while the other pages
/// are being decompressed. Pages for a fused decompress and filter are deferred, and their
/// dictionaries come first.
pub(crate) fn submit(chunks: Vec<ReadChunk>, options: &LoadOptions) -> Result<Vec<Arc<LoadedChunk>>> {
    let candidates: Vec<_> = chunks.iter().map(|chunk| Candidate::of(chunk, &options.router)).collect();
    let mut deferred: Vec<_> = chunks.iter().map(|_| DeferredPages::new(options)).collect();
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
        let ReadChunk { place, codec, hints, cache, slots, .. } = &chunks[column];
        let slot = &slots[index];
        let SlotState::Read(header, bytes) = &slot.state else { continue };
        let place = place.clone().page(slot.page);
        if let (PageKind::Dictionary { .. }, Some(cache)) = (header.kind, cache)
            && let Some(uncompressed) =
                cache.find().filter(|uncompressed| uncompressed.len() == header.uncompressed_size)
        {
            bodies[column][index] = Some(Body::Ready(uncompressed));
            continue;
        }
        bodies[column][index] = Some(match job(header, bytes, *codec, &place)? {
            Work::Stored(bytes) => Body::Ready(bytes),
            Work::Compressed(format, job) => {
                let job = job.with_hints(*hints);
                match candidates[column].as_ref().and_then(|candidate| candidate.takes(slot, format, &job)) {
                    Some(values) => Body::Deferred(deferred[column].push(job, format, place, values)),
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
    let completions = Arc::new(Completions::new(ticket, awaited, counters, ScanCounters::decompressed));
    let loaded = chunks.into_iter().zip(bodies).zip(deferred);
    let loaded = loaded.map(|((ReadChunk { place, leaf, cache, slots, .. }, bodies), deferred)| {
        let pages = slots.into_iter().zip(bodies).map(|(slot, body)| LoadedPage { slot, body }).collect();
        let dictionary = OnceLock::new();
        let completions = completions.clone();
        Arc::new(LoadedChunk { place, leaf, pages, completions, deferred, dictionary, cache })
    });
    Ok(loaded.collect())
}
