//! Deferred pages: dictionary indices that are not decompressed until their dictionary is filtered.
//! A device may then test the indices while it decompresses them, and the decompressed bytes are
//! never needed.

use std::sync::OnceLock;

use bytes::Bytes;
use pelton_codec::Format;
use pelton_job::{Batch, Job, MembershipTest, Router};

use crate::counters::ScanCounters;
use crate::error::Place;
use crate::error::Result;
use crate::header::PageKind;
use crate::load::completions::Awaited;
use crate::load::completions::Completions;
use crate::load::completions::Count;
use crate::load::fetch::Slot;
use crate::load::fetch::SlotState;
use crate::load::jobs::LoadOptions;
use crate::load::jobs::ReadChunk;

/// A column chunk with pages that may be deferred.
pub(crate) struct Candidate<'a> {
    router: &'a Router,
    /// Whether values may be null.
    is_optional: bool,
    /// An empty code set of the dictionary's size, for comparing the devices' costs.
    set: Bytes,
}

impl<'a> Candidate<'a> {
    /// Returns the chunk as a candidate if its column is meant for a fused filter, it has a
    /// dictionary, and a device supports the operation.
    pub fn of(chunk: &ReadChunk, router: &'a Router) -> Option<Self> {
        let is_optional = chunk.fused.filter(|_| router.has_fused_filter())?;
        let SlotState::Read(header, _) = &chunk.slots.first()?.state else { return None };
        let PageKind::Dictionary { .. } = header.kind else { return None };
        // A dictionary larger than the chunk's rows is not filtered anyway, and its size is
        // unverified.
        let rows: usize =
            chunk.slots.iter().filter_map(|slot| slot.rows.as_ref()).map(|rows| rows.len()).sum();
        if header.num_values as usize > rows {
            return None;
        }
        let set = vec![0; (header.num_values as usize).div_ceil(8)];
        Some(Self { router, is_optional, set: set.into() })
    }

    /// Returns the number of indices in a page if its fused filter is expected to be faster than
    /// `job`, which decompresses it.
    pub fn takes(&self, slot: &Slot, format: Format, job: &Job) -> Option<usize> {
        let count = self.index_count(slot)?;
        let members = members(format, job, count, self.set.clone());
        self.router.prefers_fused_filter(&members.view(), &job.view()).then_some(count)
    }

    /// Returns the number of indices in a page if nothing else is compressed with them. In version
    /// 1, levels are.
    fn index_count(&self, slot: &Slot) -> Option<usize> {
        let (SlotState::Read(header, _), Some(rows)) = (&slot.state, &slot.rows) else { return None };
        let nulls = match header.kind {
            PageKind::DataV1 { .. } if !self.is_optional => 0,
            PageKind::DataV2 { num_nulls, .. } if self.is_optional || num_nulls == 0 => num_nulls as usize,
            _ => return None,
        };
        let is_whole = header.is_dictionary_encoded() && header.num_values as usize == rows.len();
        rows.len().checked_sub(nulls).filter(|&count| is_whole && count > 0)
    }
}

/// Returns the membership test on the output of the job `decompression`.
fn members(format: Format, decompression: &Job, count: usize, set: Bytes) -> Job {
    let test = MembershipTest { uncompressed_len: decompression.output.max_len(), count, set };
    Job::test_membership(format, decompression.input.clone(), test).with_hints(decompression.hints)
}

/// Result of a membership test.
pub(crate) struct MembershipBits {
    /// Number of indices in the page.
    pub index_count: usize,
    /// A bit for each index, set if the code set contains it.
    pub bits: Bytes,
}

/// Deferred pages of one column chunk.
#[derive(Debug)]
pub(crate) struct DeferredPages {
    options: LoadOptions,
    pages: Vec<DeferredPage>,
    membership: OnceLock<Completions>,
    decompressed: OnceLock<Completions>,
}

#[derive(Debug)]
struct DeferredPage {
    /// Decompression of the page.
    job: Job,
    format: Format,
    place: Place,
    index_count: usize,
}

impl DeferredPages {
    pub fn new(options: &LoadOptions) -> Self {
        let (membership, decompressed) = (OnceLock::new(), OnceLock::new());
        Self { options: options.clone(), pages: Vec::new(), membership, decompressed }
    }

    /// Adds a page, and returns its number.
    pub fn push(&mut self, job: Job, format: Format, place: Place, index_count: usize) -> usize {
        self.pages.push(DeferredPage { job, format, place, index_count });
        self.pages.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Submits membership tests of all pages; `set` has a bit for each value of the dictionary.
    pub fn test_membership(&self, set: &Bytes) {
        let job = |page: &DeferredPage| members(page.format, &page.job, page.index_count, set.clone());
        self.membership.get_or_init(|| self.submit(&self.pages, job, ScanCounters::looked_up));
    }

    /// Submits all pages for decompression.
    pub fn release(&self) {
        self.decompressed
            .get_or_init(|| self.submit(&self.pages, |page| page.job.clone(), ScanCounters::decompressed));
    }

    fn submit(
        &self,
        pages: &[DeferredPage],
        job: impl Fn(&DeferredPage) -> Job,
        count: Count,
    ) -> Completions {
        let batch: Batch = pages.iter().map(job).collect();
        let awaited = pages.iter().map(|DeferredPage { job, format, place, .. }| Awaited {
            place: place.clone(),
            format: *format,
            size: job.input.len(),
        });
        let (ticket, awaited) = (self.options.submit(batch), awaited.collect());
        Completions::new(ticket, awaited, self.options.counters.clone(), count)
    }

    /// Returns the result of a page's membership test, after waiting for it. `None` if the page was
    /// not tested, or if the test failed, which is counted; decompression then reports the reason.
    pub fn found(&self, number: usize) -> Option<MembershipBits> {
        let bits = self.membership.get()?.take(number);
        let index_count = self.pages[number].index_count;
        let bits = bits.ok().filter(|bits| bits.len() == index_count.div_ceil(8));
        if bits.is_none() {
            self.options.counters.not_looked_up();
        }
        bits.map(|bits| MembershipBits { index_count, bits })
    }

    /// Returns the decompressed bytes of a page, after waiting for them.
    ///
    /// # Errors
    /// Decompression failed.
    pub fn decompressed(&self, number: usize) -> Result<Bytes> {
        if let Some(completions) = self.decompressed.get() {
            return completions.take(number);
        }
        // The failure of one page does not concern the others.
        let page = std::slice::from_ref(&self.pages[number]);
        self.submit(page, |page| page.job.clone(), ScanCounters::decompressed).take(0)
    }
}
