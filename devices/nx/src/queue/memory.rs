//! Memory of a job, and the blocks of its requests.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::Range;
use std::ptr::NonNull;

use crate::hw::{BYTE_LIMIT, Cpb, Crb, Csb, Dde, Function, HISTORY_UNIT};

/// The memory of one job.
///
/// # Safety
/// Until the value is dropped, each function returns the same addresses, even after a move of the
/// value. Nothing else writes the input, or reads or writes the output, while the value exists.
pub(crate) unsafe trait Buffers: Send {
    /// Returns input and output.
    fn split(&mut self) -> (&[u8], &mut [u8]);
}

/// Memory of a caller that waits for the result.
pub(crate) struct Borrowed<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut [u8],
}

// SAFETY: the slices have the addresses of the borrowed memory, and the borrows exclude other
// writes to the input and other accesses to the output.
unsafe impl Buffers for Borrowed<'_> {
    fn split(&mut self) -> (&[u8], &mut [u8]) {
        (self.input, self.output)
    }
}

/// Descriptors of the longest source: padding, history and data.
const MAX_PARTS: usize = 3;
/// Bytes of a target for a stream whose output is complete.
const SPILL: usize = 16;

/// The blocks of a request as they are in memory. The offsets of status and parameters are those of
/// libnxz; the alignment keeps all of it in one page.
#[repr(C, align(2048))]
struct Blocks {
    crb: Crb,
    /// An erratum wants the bytes after a request unused.
    _reserved: [u8; 112],
    csb: Csb,
    cpb: Cpb,
    list: [Dde; MAX_PARTS],
    /// Bytes before a history whose length is no multiple of 16. Nothing refers to them.
    padding: [u8; HISTORY_UNIT],
    spill: [u8; SPILL],
}

/// Owner of the blocks. A raw pointer, because the engine writes some of them at any time.
pub(crate) struct RequestBlocks(NonNull<Blocks>);

// SAFETY: the pointer is the only one to its allocation, apart from the engine's.
unsafe impl Send for RequestBlocks {}

impl RequestBlocks {
    pub(crate) fn new() -> RequestBlocks {
        let layout = Layout::new::<Blocks>();
        // SAFETY: the layout has a size.
        let memory = unsafe { alloc_zeroed(layout) };
        // All fields are integers, for which zero is a value.
        let Some(blocks) = NonNull::new(memory.cast()) else { handle_alloc_error(layout) };
        RequestBlocks(blocks)
    }

    /// Returns the status block, which the engine may write meanwhile.
    pub(crate) fn csb(&self) -> &Csb {
        // SAFETY: allocated until the drop, and made of atomics.
        unsafe { &(*self.0.as_ptr()).csb }
    }

    /// Returns the parameter block. The engine must not have the request.
    pub(crate) fn cpb(&mut self) -> &mut Cpb {
        // SAFETY: allocated until the drop; `self` is borrowed exclusively and the engine is done.
        unsafe { &mut (*self.0.as_ptr()).cpb }
    }

    /// Returns whether an address is in the page of the blocks.
    fn has(&self, address: usize) -> bool {
        address / MAX_PAGE == self.0.as_ptr().addr() / MAX_PAGE
    }
}

impl Drop for RequestBlocks {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout. The owner has made sure that the engine is
        // done.
        unsafe { dealloc(self.0.as_ptr().cast(), Layout::new::<Blocks>()) }
    }
}

/// Source of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// A history in the output, before the data.
    pub(crate) history: Range<usize>,
    /// Data in the input.
    pub(crate) data: Range<usize>,
}

impl Source {
    /// Returns the number of bytes before the history that make it a multiple of the unit.
    fn padding(&self) -> usize {
        self.history.len().wrapping_neg() % HISTORY_UNIT
    }

    /// Returns the length of padding and history.
    pub(crate) fn history_len(&self) -> usize {
        self.padding() + self.history.len()
    }
}

/// A request without addresses.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) function: Function,
    pub(crate) low_limit: bool,
    pub(crate) source: Source,
    /// Part of the output; if it is empty, the target is a few bytes of the request's blocks.
    pub(crate) target: Range<usize>,
}

/// A job's memory between requests, in disjoint parts.
pub(crate) struct Parts<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut [u8],
    pub(crate) cpb: &'a mut Cpb,
}

/// Returns the memory of a job. The engine must not have its request.
pub(crate) fn parts<'a>(buffers: &'a mut impl Buffers, blocks: &'a mut RequestBlocks) -> Parts<'a> {
    let (input, output) = buffers.split();
    Parts { input, output, cpb: blocks.cpb() }
}

/// A part of memory that the engine accesses.
struct Span {
    start: *mut u8,
    len: usize,
    is_written: bool,
}

/// Returns the spans of a request: padding, history, data and target, of which the first two may be
/// empty. None if one reaches beyond its buffer.
fn spans(buffers: &mut impl Buffers, blocks: &RequestBlocks, request: &Request) -> Option<[Span; 4]> {
    let (input, output) = buffers.split();
    let Request { source, target, .. } = request;
    let data = input.get(source.data.clone())?;
    (source.history.end <= output.len() && target.end <= output.len()).then_some(())?;
    // One pointer for history and target, which the engine uses at the same time.
    let output = output.as_mut_ptr();
    // SAFETY: the fields of an allocation, of which no reference is made.
    let (padding, spill) =
        unsafe { (&raw mut (*blocks.0.as_ptr()).padding, &raw mut (*blocks.0.as_ptr()).spill) };
    let target = match target.len() {
        0 => (spill.cast(), SPILL),
        len => (output.wrapping_add(target.start), len),
    };
    Some([
        Span { start: padding.cast(), len: source.padding(), is_written: false },
        Span {
            start: output.wrapping_add(source.history.start),
            len: source.history.len(),
            is_written: false,
        },
        Span { start: data.as_ptr().cast_mut(), len: data.len(), is_written: false },
        Span { start: target.0, len: target.1, is_written: true },
    ])
}

/// Writes the request into its blocks, with addresses and sizes, and returns it. None if it reaches
/// beyond its memory. The engine must not have a request of these blocks.
pub(crate) fn prepare<'a>(
    buffers: &mut impl Buffers,
    blocks: &'a mut RequestBlocks,
    request: &Request,
) -> Option<&'a Crb> {
    let [padding, history, data, target] = spans(buffers, blocks, request)?;
    let direct = |span: &Span| Some(Dde::direct(address(span.start), u32::try_from(span.len).ok()?));
    let mut list = [Dde::default(); MAX_PARTS];
    let mut count: u8 = 0;
    let mut len = 0_usize;
    for span in [&padding, &history, &data].into_iter().filter(|span| span.len > 0) {
        list[usize::from(count)] = direct(span)?;
        count += 1;
        len += span.len;
    }
    let target = direct(&target)?;
    let base = blocks.0.as_ptr();
    // SAFETY: an allocation that the engine does not use now; the fields are disjoint.
    let (list_address, csb) = unsafe {
        (*base).list = list;
        (&raw mut (*base).list, &raw mut (*base).csb)
    };
    let source = match count {
        1 => list[0],
        _ => Dde::list(address(list_address.cast()), count, u32::try_from(len).ok()?),
    };
    let crb = Crb::new(request.function, request.low_limit, address(csb.cast()), source, target);
    blocks.csb().reset();
    // The manual: the engine does not always write the count.
    blocks.cpb().set_source_bytes(request.function, 0);
    // SAFETY: as above.
    unsafe {
        (*base).crb = crb;
        Some(&(*base).crb)
    }
}

/// Returns the address for a request, and exposes its provenance to the engine.
fn address(start: *mut u8) -> u64 {
    start.expose_provenance() as u64
}

/// The smaller page size of POWER, so that touching reaches every page.
const MIN_PAGE: usize = 4 << 10;
/// The usual page size of POWER, so that the address of a span's first page is recognised.
const MAX_PAGE: usize = 64 << 10;
/// Ratio of most compressed data.
const USUAL_RATIO: usize = 4;

/// Touches the pages of a request's memory, so that the engine finds them: reads a byte, and writes
/// it back if the engine writes there. A target is touched as far as its source is likely to fill
/// it before the byte limit, as its length is only claimed. The engine must not have the request.
pub(crate) fn touch_all(buffers: &mut impl Buffers, blocks: &RequestBlocks, request: &Request) {
    let likely = (USUAL_RATIO * request.source.data.len() + MIN_PAGE).min(BYTE_LIMIT);
    for span in spans(buffers, blocks, request).into_iter().flatten() {
        let len = if span.is_written { span.len.min(likely) } else { span.len };
        touch_span(&span, 0, len);
    }
}

/// Touches the page at an address, and as many bytes after it as lie before it in its part of the
/// memory, so that a target of any length takes few faults. Returns false if the request does not
/// use the address. The engine must not have the request.
pub(crate) fn touch(
    buffers: &mut impl Buffers,
    blocks: &RequestBlocks,
    request: &Request,
    address: u64,
) -> bool {
    let Ok(address) = usize::try_from(address) else { return false };
    let touch_in = |span: Span| {
        // The engine may report the page's address, which can be before the span.
        let first = span.start.addr() / MAX_PAGE * MAX_PAGE;
        let is_in = span.len > 0 && (first..span.start.addr() + span.len).contains(&address);
        if is_in {
            let at = address.max(span.start.addr()) - span.start.addr();
            touch_span(&span, at, span.len.min(2 * at + 1));
        }
        is_in
    };
    let found = spans(buffers, blocks, request).into_iter().flatten().any(touch_in);
    // Preparing the request again writes to its blocks.
    found || blocks.has(address)
}

fn touch_span(span: &Span, from: usize, to: usize) {
    let mut at = from;
    while at < to {
        // SAFETY: within the span, whose memory is allocated; nothing else accesses memory that may
        // be written, and the engine is done. Volatile because only the side effect matters.
        unsafe {
            let byte = span.start.add(at);
            let value = byte.read_volatile();
            if span.is_written {
                byte.write_volatile(value);
            }
        }
        at = (span.start.addr() + at) / MIN_PAGE * MIN_PAGE + MIN_PAGE - span.start.addr();
    }
}
