//! Pages of codes that are held back until their dictionary is there: a device may look the codes
//! up while it decompresses them, and then nobody needs their bytes.

use std::sync::OnceLock;

use bytes::Bytes;
use pelton_codec::Format;
use pelton_job::{Batch, Job, MembershipTest, Router};

use crate::counters::ScanCounters;
use crate::decode::flat;
use crate::error::Place;
use crate::error::Result;
use crate::header::PageKind;
use crate::load::completions::Awaited;
use crate::load::completions::Count;
use crate::load::completions::Inbox;
use crate::load::fetch::Slot;
use crate::load::fetch::SlotState;
use crate::load::jobs::Body;
use crate::load::jobs::LoadOptions;
use crate::load::jobs::ReadChunk;

/// A column chunk of which pages may be held back.
pub(crate) struct Candidate<'a> {
    router: &'a Router,
    /// Whether values may be null.
    is_optional: bool,
    /// An empty set with room for all values of the dictionary: what the devices are asked about.
    set: Bytes,
}

impl<'a> Candidate<'a> {
    /// The chunk, if somebody wants its codes looked up, it has a dictionary, and there is a device
    /// for it.
    pub fn of(chunk: &ReadChunk, router: &'a Router) -> Option<Self> {
        let is_optional = chunk.look_up.filter(|_| router.has_fused_filter())?;
        let SlotState::Read(header, _) = &chunk.slots.first()?.state else { return None };
        let PageKind::Dictionary { .. } = header.kind else { return None };
        // A larger one would not be judged anyway, and its size is only claimed so far.
        let rows: usize =
            chunk.slots.iter().filter_map(|slot| slot.rows.as_ref()).map(|rows| rows.len()).sum();
        if header.num_values as usize > rows {
            return None;
        }
        let set = vec![0; (header.num_values as usize).div_ceil(8)];
        Some(Self { router, is_optional, set: set.into() })
    }

    /// Whether a page had better be held back, which the plain `job` would decompress: how many
    /// codes it has.
    pub fn takes(&self, slot: &Slot, format: Format, job: &Job) -> Option<usize> {
        let count = self.codes(slot)?;
        let members = members(format, job, count, self.set.clone());
        self.router.prefers_fused_filter(&members.view(), &job.view()).then_some(count)
    }

    /// How many codes a page has, if nothing else is compressed with them. Levels are, in pages of
    /// version 1.
    fn codes(&self, slot: &Slot) -> Option<usize> {
        let (SlotState::Read(header, _), Some(rows)) = (&slot.state, &slot.rows) else { return None };
        let nulls = match header.kind {
            PageKind::DataV1 { .. } if !self.is_optional => 0,
            PageKind::DataV2 { num_nulls, .. } if self.is_optional || num_nulls == 0 => num_nulls as usize,
            _ => return None,
        };
        let is_whole = flat::is_coded(header) && header.num_values as usize == rows.len();
        rows.len().checked_sub(nulls).filter(|&codes| is_whole && codes > 0)
    }
}

/// The job that looks up what `plain` decompresses.
fn members(format: Format, plain: &Job, count: usize, set: Bytes) -> Job {
    let codes = MembershipTest { uncompressed_len: plain.output.max_len(), count, set };
    Job::test_membership(format, plain.input.clone(), codes).with_hints(plain.hints)
}

/// What a device found in a page.
pub(crate) struct Found {
    /// How many codes the page has.
    pub codes: usize,
    /// A bit for each of them, whether it is in the set.
    pub bits: Bytes,
}

/// The held pages of one column chunk.
#[derive(Debug)]
pub(crate) struct Held {
    options: LoadOptions,
    pages: Vec<HeldPage>,
    looked_up: OnceLock<Inbox>,
    plain: OnceLock<Inbox>,
}

#[derive(Debug)]
struct HeldPage {
    /// Decompresses it.
    job: Job,
    format: Format,
    place: Place,
    codes: usize,
}

impl Held {
    pub fn new(options: &LoadOptions) -> Self {
        let (looked_up, plain) = (OnceLock::new(), OnceLock::new());
        Self { options: options.clone(), pages: Vec::new(), looked_up, plain }
    }

    pub fn push(&mut self, job: Job, format: Format, place: Place, codes: usize) -> Body {
        self.pages.push(HeldPage { job, format, place, codes });
        Body::Held(self.pages.len() - 1)
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Submits all pages to be looked up in a set, a bit for each value of the dictionary.
    pub fn look_up(&self, set: &Bytes) {
        let job = |page: &HeldPage| members(page.format, &page.job, page.codes, set.clone());
        self.looked_up.get_or_init(|| self.submit(&self.pages, job, ScanCounters::looked_up));
    }

    /// Submits all pages to be decompressed after all.
    pub fn release(&self) {
        self.plain
            .get_or_init(|| self.submit(&self.pages, |page| page.job.clone(), ScanCounters::decompressed));
    }

    fn submit(&self, pages: &[HeldPage], job: impl Fn(&HeldPage) -> Job, count: Count) -> Inbox {
        let batch: Batch = pages.iter().map(job).collect();
        let awaited = pages.iter().map(|HeldPage { job, format, place, .. }| Awaited {
            place: place.clone(),
            format: *format,
            size: job.input.len(),
        });
        let (ticket, awaited) = (self.options.submit(batch), awaited.collect());
        Inbox::new(ticket, awaited, self.options.counters.clone(), count)
    }

    /// What was found in a page, waiting for it. `None`: it was not looked up, or that failed,
    /// which is counted; its bytes will tell why.
    pub fn found(&self, number: usize) -> Option<Found> {
        let bits = self.looked_up.get()?.take(number);
        let codes = self.pages[number].codes;
        let bits = bits.ok().filter(|bits| bits.len() == codes.div_ceil(8));
        if bits.is_none() {
            self.options.counters.not_looked_up();
        }
        bits.map(|bits| Found { codes, bits })
    }

    /// The bytes of a page, waiting for them.
    ///
    /// # Errors
    /// Decompression failed.
    pub fn plain(&self, number: usize) -> Result<Bytes> {
        if let Some(inbox) = self.plain.get() {
            return inbox.take(number);
        }
        // One page that could not be looked up says nothing of the others.
        let page = std::slice::from_ref(&self.pages[number]);
        self.submit(page, |page| page.job.clone(), ScanCounters::decompressed).take(0)
    }
}
