//! The memory that a descriptor names, who owns it, and how it gets its addresses.

#![allow(unsafe_code)]

use std::ops::Range;

use crate::hw::Descriptor;
use crate::hw::flags::operation::AECS_TOGGLE;

/// The memory of one job.
///
/// # Safety
/// What the functions return is at the same address each time, wherever the value itself is moved
/// to, until it is dropped. While the value exists nobody else writes the inputs, and nobody else
/// reads or writes the output.
pub(crate) unsafe trait Buffers: Send {
    /// What source 1 is a part of.
    fn input(&self) -> &[u8];
    /// What source 2 is where it is a second input.
    fn second(&self) -> &[u8] {
        &[]
    }
    /// What the destination is a part of.
    fn output(&mut self) -> &mut [u8] {
        self.split().1
    }
    /// Input and output.
    fn split(&mut self) -> (&[u8], &mut [u8]);
}

/// Memory of a caller who waits until the job is over.
pub(crate) struct Borrowed<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) second: &'a [u8],
    pub(crate) output: &'a mut [u8],
}

// SAFETY: the slices' addresses are the borrowed memory's; the borrows say that nobody else writes
// the inputs or touches the output.
unsafe impl Buffers for Borrowed<'_> {
    fn input(&self) -> &[u8] {
        self.input
    }

    fn second(&self) -> &[u8] {
        self.second
    }

    fn split(&mut self) -> (&[u8], &mut [u8]) {
        (self.input, self.output)
    }
}

/// Memory of the driver's own: AECS images, histograms, and a place for output where there is none.
#[derive(Default)]
pub(crate) struct Scratch {
    bytes: Vec<u8>,
    /// Where the first aligned byte is.
    start: usize,
    len: usize,
}

impl Scratch {
    /// What AECS and histograms have to be aligned to: 32, and completion records 64.
    const ALIGNMENT: usize = 64;

    /// Makes it so many zero bytes.
    pub(crate) fn clear(&mut self, len: usize) {
        self.bytes.clear();
        self.bytes.resize(len + Scratch::ALIGNMENT, 0);
        // A vector that stays within its capacity stays where it is.
        self.start = self.bytes.as_ptr().addr().wrapping_neg() % Scratch::ALIGNMENT;
        self.len = len;
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// A job's memory, in parts that don't overlap.
pub(crate) struct Parts<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut [u8],
    pub(crate) scratch: &'a mut Scratch,
}

/// Which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Input,
    Second,
    Output,
    Scratch,
}

/// A part of a job's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) place: Place,
    pub(crate) range: Range<usize>,
}

impl Span {
    pub(crate) fn new(place: Place, range: Range<usize>) -> Span {
        Span { place, range }
    }

    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }
}

/// A descriptor that has no addresses yet: those, and the sizes of what is there, come from the
/// spans.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) descriptor: Descriptor,
    pub(crate) source1: Option<Span>,
    pub(crate) destination: Option<Span>,
    /// A second input; or an AECS, of which there may be two images, and the descriptor has the
    /// size of one.
    pub(crate) source2: Option<Span>,
}

impl Order {
    /// Whether source 2 is two images.
    pub(crate) fn images(&self) -> usize {
        let flags = self.descriptor.operation_flags();
        use crate::hw::flags::operation::WRITE_AECS_MASK;
        if flags & (WRITE_AECS_MASK | AECS_TOGGLE) != 0 { 2 } else { 1 }
    }
}

/// All memory of a job.
pub(crate) struct Memory<B> {
    pub(crate) buffers: B,
    pub(crate) scratch: Scratch,
}

impl<B: Buffers> Memory<B> {
    /// The memory, for the driver to work with while the device does not.
    pub(crate) fn parts(&mut self) -> Parts<'_> {
        let (input, output) = self.buffers.split();
        Parts { input, output, scratch: &mut self.scratch }
    }

    /// The bytes of a span; none if the memory has no such.
    pub(crate) fn bytes(&mut self, span: &Span) -> Option<*mut [u8]> {
        let range = span.range.clone();
        match span.place {
            Place::Input => self.buffers.input().get(range).map(|bytes| std::ptr::from_ref(bytes).cast_mut()),
            Place::Second => {
                self.buffers.second().get(range).map(|bytes| std::ptr::from_ref(bytes).cast_mut())
            }
            Place::Output => self.buffers.output().get_mut(range).map(std::ptr::from_mut),
            Place::Scratch => self.scratch.bytes().get_mut(range).map(std::ptr::from_mut),
        }
    }

    /// The descriptor with addresses and sizes; none if a span reaches beyond its memory.
    pub(crate) fn descriptor(&mut self, order: &Order) -> Option<Descriptor> {
        let mut descriptor = order.descriptor;
        if let Some(span) = &order.source1 {
            let bytes = self.bytes(span)?;
            descriptor =
                descriptor.with_source1(address(bytes)).with_source1_bytes(u32::try_from(span.len()).ok()?);
        }
        if let Some(span) = &order.destination {
            // The device writes only what is the driver's or nobody else's.
            matches!(span.place, Place::Output | Place::Scratch).then_some(())?;
            let bytes = self.bytes(span)?;
            let len = u32::try_from(span.len()).ok()?;
            descriptor = descriptor.with_destination(address(bytes)).with_destination_bytes(len);
        }
        if let Some(span) = &order.source2 {
            let images = order.images();
            // The second image is written.
            (images == 1 || span.place == Place::Scratch).then_some(())?;
            let bytes = self.bytes(span)?;
            let len = u32::try_from(span.len() / images).ok()?;
            descriptor = descriptor.with_source2(address(bytes)).with_source2_bytes(len);
        }
        Some(descriptor)
    }
}

/// An address for the device, which gets at the memory by nothing but that.
fn address(bytes: *mut [u8]) -> u64 {
    bytes.cast::<u8>().expose_provenance() as u64
}
