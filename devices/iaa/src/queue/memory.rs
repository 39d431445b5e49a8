//! Memory of a job, and the addresses and sizes that its descriptors name.

#![allow(unsafe_code)]

use std::ops::Range;

use crate::hw::Descriptor;
use crate::hw::flags::operation::AECS_TOGGLE;

/// The memory of one job.
///
/// # Safety
/// Until the value is dropped, each function returns the same address, even after a move of the
/// value. Nothing else writes the inputs, or reads or writes the output, while the value exists.
pub(crate) unsafe trait Buffers: Send {
    /// Returns the memory that source 1 is a part of.
    fn input(&self) -> &[u8];
    /// Returns the second input, which source 2 may be.
    fn second(&self) -> &[u8] {
        &[]
    }
    /// Returns the memory that the destination is a part of.
    fn output(&mut self) -> &mut [u8] {
        self.split().1
    }
    /// Returns input and output.
    fn split(&mut self) -> (&[u8], &mut [u8]);
}

/// Memory of a caller that waits for the result.
pub(crate) struct Borrowed<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) second: &'a [u8],
    pub(crate) output: &'a mut [u8],
}

// SAFETY: the slices have the addresses of the borrowed memory, and the borrows exclude other
// writes to the inputs and other accesses to the output.
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

/// Memory of the driver: AECS images, histograms, and a destination for operations without output.
#[derive(Default)]
pub(crate) struct Scratch {
    bytes: Vec<u8>,
    /// Offset of the first aligned byte.
    start: usize,
    len: usize,
}

impl Scratch {
    /// Alignment of AECS images, histograms and completion records, whichever is largest.
    const ALIGNMENT: usize = 64;

    /// Resizes the memory to `len` zero bytes.
    pub(crate) fn clear(&mut self, len: usize) {
        self.bytes.clear();
        self.bytes.resize(len + Scratch::ALIGNMENT, 0);
        self.start = self.bytes.as_ptr().addr().wrapping_neg() % Scratch::ALIGNMENT;
        self.len = len;
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// A job's memory, in disjoint parts.
pub(crate) struct Parts<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut [u8],
    pub(crate) scratch: &'a mut Scratch,
}

/// The buffer that a span is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Input,
    Second,
    Output,
    Scratch,
}

/// A part of a job's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) region: Region,
    pub(crate) range: Range<usize>,
}

impl Span {
    pub(crate) fn new(region: Region, range: Range<usize>) -> Span {
        Span { region, range }
    }

    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }
}

/// A descriptor without addresses, and the spans that give it addresses and sizes.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) descriptor: Descriptor,
    pub(crate) source1: Option<Span>,
    pub(crate) destination: Option<Span>,
    /// The second input, or one or two AECS images. The descriptor has the size of one image.
    pub(crate) source2: Option<Span>,
}

impl Request {
    /// Returns the number of images in source 2.
    pub(crate) fn images(&self) -> usize {
        let flags = self.descriptor.operation_flags();
        use crate::hw::flags::operation::WRITE_AECS_MASK;
        if flags & (WRITE_AECS_MASK | AECS_TOGGLE) != 0 { 2 } else { 1 }
    }
}

/// Buffers and scratch memory of a job.
pub(crate) struct Memory<B> {
    pub(crate) buffers: B,
    pub(crate) scratch: Scratch,
}

impl<B: Buffers> Memory<B> {
    /// Returns the memory for the driver, which the device must not be using.
    pub(crate) fn parts(&mut self) -> Parts<'_> {
        let (input, output) = self.buffers.split();
        Parts { input, output, scratch: &mut self.scratch }
    }

    /// Returns the bytes of a span; none if it reaches beyond its buffer.
    pub(crate) fn bytes(&mut self, span: &Span) -> Option<*mut [u8]> {
        let range = span.range.clone();
        match span.region {
            Region::Input => {
                self.buffers.input().get(range).map(|bytes| std::ptr::from_ref(bytes).cast_mut())
            }
            Region::Second => {
                self.buffers.second().get(range).map(|bytes| std::ptr::from_ref(bytes).cast_mut())
            }
            Region::Output => self.buffers.output().get_mut(range).map(std::ptr::from_mut),
            Region::Scratch => self.scratch.bytes().get_mut(range).map(std::ptr::from_mut),
        }
    }

    /// Returns the descriptor with addresses and sizes; none if a span reaches beyond its buffer.
    pub(crate) fn descriptor(&mut self, request: &Request) -> Option<Descriptor> {
        let mut descriptor = request.descriptor;
        if let Some(span) = &request.source1 {
            let bytes = self.bytes(span)?;
            descriptor =
                descriptor.with_source1(address(bytes)).with_source1_bytes(u32::try_from(span.len()).ok()?);
        }
        if let Some(span) = &request.destination {
            // The device may write only output and scratch memory.
            matches!(span.region, Region::Output | Region::Scratch).then_some(())?;
            let bytes = self.bytes(span)?;
            let len = u32::try_from(span.len()).ok()?;
            descriptor = descriptor.with_destination(address(bytes)).with_destination_bytes(len);
        }
        if let Some(span) = &request.source2 {
            let images = request.images();
            // The device writes the second image.
            (images == 1 || span.region == Region::Scratch).then_some(())?;
            let bytes = self.bytes(span)?;
            let len = u32::try_from(span.len() / images).ok()?;
            descriptor = descriptor.with_source2(address(bytes)).with_source2_bytes(len);
        }
        Some(descriptor)
    }
}

/// Returns the address for a descriptor, and exposes its provenance to the device.
fn address(bytes: *mut [u8]) -> u64 {
    bytes.cast::<u8>().expose_provenance() as u64
}
