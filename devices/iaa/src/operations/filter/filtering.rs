//! Filter operation as a descriptor, and the result from its record.

use pelton_codec::{Container, Format};

use super::Filter;
use crate::error::IaaError;
use crate::hw::aecs::decompress as aecs;
use crate::hw::{Descriptor, RecordView, flags};
use crate::operations::{Completion, Output, Step};
use crate::queue::{Parts, Region, Request, Span};

/// Result of a filter, in addition to the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filtered {
    /// Bytes of the output.
    pub produced: usize,
    /// Number of valid bits in the last byte, 1 to 8.
    pub last_bits: u8,
    /// Bytes of the first input that were used, including its container.
    pub consumed: usize,
    /// The smallest element of the output, or the first index.
    pub min_or_first: u32,
    /// The largest element of the output, or the last index.
    pub max_or_last: u32,
    /// The sum of the output's elements, modulo the range of a u32, or the number of set bits.
    pub sum_or_count: u32,
    /// CRC-32 of the decompressed bytes.
    pub crc: u32,
}

impl Filtered {
    pub(crate) fn of(output: &Output) -> Option<Filtered> {
        let record = output.record?;
        Some(Filtered {
            produced: output.produced,
            last_bits: if record.output_bits() == 0 { 8 } else { record.output_bits() },
            consumed: output.consumed,
            min_or_first: record.min_or_first(),
            max_or_last: record.max_or_last(),
            sum_or_count: record.sum_or_count(),
            crc: record.crc(),
        })
    }
}

/// A filter in progress.
pub(crate) struct Filtering {
    filter: Filter,
    second: usize,
    /// Offset of the stream, after the container's header.
    start: usize,
}

impl Filtering {
    /// Returns a filter with a second input of `second` bytes.
    pub(crate) fn new(filter: Filter, second: usize) -> Filtering {
        Filtering { filter, second, start: 0 }
    }

    pub(in crate::operations) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        let filter = &self.filter;
        let mut own = 0;
        if let Some(format) = filter.container {
            let container =
                Container::of(format).ok_or(IaaError::Invalid("the device decompresses DEFLATE only"))?;
            self.start = container.header_len(parts.input).map_err(IaaError::Container)?;
            own = flags::decompress::WHOLE_STREAM;
        }
        let (operation, source2) = if filter.has_second() {
            (flags::operation::SOURCE2_FILTER, Span::new(Region::Second, 0..self.second))
        } else {
            parts.scratch.clear(aecs::FILTER_BYTES);
            parts.scratch.bytes().copy_from_slice(&filter.image());
            (flags::operation::SOURCE2_AECS, Span::new(Region::Scratch, 0..aecs::FILTER_BYTES))
        };
        if filter.has_second() && (filter.skip, filter.first_index) != (0, 0) {
            return Err(IaaError::Invalid("an operation with a second input has no parameters beside it"));
        }
        Ok(Step::Submit(Request {
            descriptor: Descriptor::new(filter.opcode())
                .with_operation_flags(operation)
                .with_own_flags(own)
                .with_filter_flags(filter.flags()?)
                .with_elements(filter.elements),
            source1: Some(Span::new(Region::Input, self.start..parts.input.len())),
            destination: Some(Span::new(Region::Output, 0..parts.output.len())),
            source2: Some(source2),
        }))
    }

    pub(in crate::operations) fn resume(
        &mut self,
        parts: Parts<'_>,
        completion: Completion,
    ) -> Result<Step, IaaError> {
        let record = completion.success()?;
        let (consumed, produced) = (record.consumed() as usize, record.produced() as usize);
        if consumed > parts.input.len() - self.start
            || produced > parts.output.len()
            || record.output_bits() > 8
        {
            return Err(IaaError::Inconsistent("more bytes than it was given"));
        }
        let consumed = self.check_container(&parts, &record, self.start + consumed)?;
        Ok(Step::Done(Output { produced, consumed, checksum: None, record: Some(record) }))
    }

    /// Checks the trailer of a gzip container. The elements themselves are never in memory, so the
    /// device's CRC is the only value to compare. zlib's checksum is one that the device does not
    /// compute.
    fn check_container(&self, parts: &Parts<'_>, record: &RecordView, end: usize) -> Result<usize, IaaError> {
        let Some(container) =
            self.filter.container.filter(|format| *format == Format::Gzip).and_then(Container::of)
        else {
            return Ok(end);
        };
        let trailer: Option<&[u8; 8]> = parts.input.get(end..).and_then(<[u8]>::first_chunk);
        let len =
            trailer.map_or(0, |trailer| u32::from_le_bytes([trailer[4], trailer[5], trailer[6], trailer[7]]));
        container.check_trailer(parts.input, end, record.crc(), len as usize).map_err(IaaError::Container)
    }
}
