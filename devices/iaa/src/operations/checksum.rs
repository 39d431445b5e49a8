//! CRC-64, and the no-op that measures the round trip to the device.

use pelton_codec::{Checksum, checksum};

use super::{Completion, Output, Step};
use crate::error::IaaError;
use crate::hw::{Descriptor, Opcode, flags};
use crate::queue::{Parts, Region, Request, Span};

/// Polynomial of CRC-64/NVME in the usual notation, with the bit of x^63 as the highest (NVM
/// Express, NVM Command Set Specification, section 5.2.1.3.4).
const NVME: u64 = 0xAD93_D235_94C9_3659;

/// CRC-64/NVME of the input: starts with all bits set, takes the lowest bit of a byte first, and
/// inverts the result. Only software can verify it, so that is done on request.
pub(crate) struct Crc64 {
    pub(crate) verify: bool,
}

impl Crc64 {
    pub(super) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        Ok(Step::Submit(request(NVME, flags::crc64::INVERT, parts.input.len())))
    }

    pub(super) fn resume(&mut self, parts: Parts<'_>, completion: Completion) -> Result<Step, IaaError> {
        let record = completion.success()?;
        if record.consumed() as usize != parts.input.len() {
            return Err(IaaError::Inconsistent("not all of its input was used"));
        }
        if self.verify && record.crc64() != checksum(Checksum::Crc64, parts.input) {
            return Err(IaaError::Inconsistent("a checksum that is not that of its input"));
        }
        let (consumed, checksum) = (parts.input.len(), Some(record.crc64()));
        Ok(Step::Done(Output { produced: 0, consumed, checksum, record: Some(record) }))
    }
}

/// Returns the request for the CRC of `len` bytes with any polynomial.
fn request(polynomial: u64, own_flags: u16, len: usize) -> Request {
    let descriptor = Descriptor::new(Opcode::Crc64).with_own_flags(own_flags).with_polynomial(polynomial);
    let source1 = Some(Span::new(Region::Input, 0..len));
    Request { descriptor, source1, destination: None, source2: None }
}

/// A descriptor that only writes a completion record.
pub(crate) struct Noop;

impl Noop {
    pub(super) fn begin(&self) -> Step {
        let descriptor = Descriptor::new(Opcode::Noop);
        Step::Submit(Request { descriptor, source1: None, destination: None, source2: None })
    }

    pub(super) fn resume(&self, completion: Completion) -> Result<Step, IaaError> {
        let record = completion.success()?;
        Ok(Step::Done(Output { produced: 0, consumed: 0, checksum: None, record: Some(record) }))
    }
}
