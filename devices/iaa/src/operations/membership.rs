//! Membership test of dictionary indices, fused with their decompression in one descriptor.
//!
//! The indices are never in memory. Only gzip's trailer can verify them, with their length and the
//! CRC-32 that the device computes, so other containers are not supported.

use pelton_codec::{Container, Error, Format};
use pelton_job::MembershipTest;

use super::{Completion, Output, Step};
use crate::error::IaaError;
use crate::hw::flags::{decompress, filter as flag, operation};
use crate::hw::{AnalyticsError, Descriptor, Opcode, Status};
use crate::queue::{Parts, Region, Request, Span};

/// Length of the largest set: a bit for each value of 15 bits.
pub(crate) const MAX_SET_BYTES: usize = 4096;
/// Counted reason for indices of an unsupported width.
pub(crate) const WIDTH: &str = "the device has no sets for codes of this width";
/// Counted reason for a block of several streams.
pub(crate) const MEMBERS: &str = "the device filters one stream, and the block has several";

/// A membership test in progress.
pub(crate) struct Membership {
    container: Container,
    codes: MembershipTest,
    /// Offset of the stream, after the container's header.
    start: usize,
    /// Length of the output.
    bytes: usize,
}

impl Membership {
    pub(crate) fn new(container: Container, codes: MembershipTest) -> Membership {
        let bytes = codes.count.div_ceil(8);
        Membership { container, codes, start: 0, bytes }
    }

    pub(super) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        self.start = self.container.header_len(parts.input).map_err(IaaError::Container)?;
        if self.start >= parts.input.len() {
            let format = self.container.format();
            return Err(IaaError::Container(Error::Truncated { format }));
        }
        if parts.output.len() < self.bytes {
            return Err(IaaError::OutputFull);
        }
        // The set needs a bit for each value of the index width, which only the block contains.
        parts.scratch.clear(MAX_SET_BYTES);
        let len = self.codes.set.len().min(MAX_SET_BYTES);
        parts.scratch.bytes()[..len].copy_from_slice(&self.codes.set[..len]);
        Ok(Step::Submit(Request {
            descriptor: Descriptor::new(Opcode::SetMembership)
                .with_operation_flags(operation::SOURCE2_FILTER)
                .with_own_flags(decompress::WHOLE_STREAM)
                .with_filter_flags(flag::PARSER_PARQUET_RLE)
                .with_elements(u32::try_from(self.codes.count).map_err(|_| IaaError::Unsupported(WIDTH))?),
            source1: Some(Span::new(Region::Input, self.start..parts.input.len())),
            destination: Some(Span::new(Region::Output, 0..self.bytes)),
            source2: Some(Span::new(Region::Scratch, 0..MAX_SET_BYTES)),
        }))
    }

    pub(super) fn resume(&mut self, parts: Parts<'_>, completion: Completion) -> Result<Step, IaaError> {
        let record = match completion {
            Completion::Success(record) => record,
            Completion::Failed(IaaError::Rejected {
                status: Status::InvalidWidth | Status::InvalidFilterFlags,
                ..
            })
            // The device rejects indices without bits too, which a dictionary of one value has.
            | Completion::Failed(IaaError::Data(
                AnalyticsError::ParquetRleTooWide | AnalyticsError::BadParquetRle,
            )) => {
                return Err(IaaError::Unsupported(WIDTH));
            }
            other => {
                return Err(other.success().err().unwrap_or(IaaError::Inconsistent("neither success nor error")));
            }
        };
        let end = self.start + record.consumed() as usize;
        if record.produced() as usize != self.bytes || end > parts.input.len() {
            return Err(IaaError::Inconsistent("another number of bytes than it was asked for"));
        }
        let end = self.container.check_trailer(parts.input, end, record.crc(), self.codes.uncompressed_len);
        let end = end.map_err(IaaError::Container)?;
        if self.container.goes_on(&parts.input[end..]) {
            return Err(IaaError::Unsupported(MEMBERS));
        }
        let beyond = self.bytes * 8 - self.codes.count;
        if let Some(last) = parts.output[..self.bytes].last_mut() {
            *last &= u8::MAX >> beyond;
        }
        Ok(Step::Done(Output { produced: self.bytes, consumed: end, checksum: None, record: Some(record) }))
    }
}

/// Returns whether the format's trailer can verify a result.
pub(crate) fn is_checked(format: Format) -> bool {
    format == Format::Gzip
}
