//! Execution of a descriptor: checks, faults, operation and output, without the completion record.

use pelton_device_iaa::Capabilities;
use pelton_device_iaa::hw::flags::operation as flag;
use pelton_device_iaa::hw::{Descriptor, Opcode, RecordView, Status};

use super::memory::{Region, Submitted};
use super::validate::{Regions, check};
use crate::iaa::fault::Fault;
use crate::iaa::operation::{self, Operation, Reply, Request, analytics};

/// Result of a descriptor.
pub(crate) struct Outcome {
    pub(crate) record: RecordView,
    /// Whether the device waited for a missing page.
    pub(crate) waited_for_page: bool,
    /// Bytes written to the destination, which may differ from the record.
    pub(crate) produced: usize,
}

impl From<RecordView> for Outcome {
    fn from(record: RecordView) -> Outcome {
        Outcome { record, waited_for_page: false, produced: 0 }
    }
}

/// Memory of a thread for the output of operations, before it is copied.
#[derive(Default)]
pub(crate) struct Scratch {
    destination: Vec<u8>,
    aecs: Vec<u8>,
}

/// Executes a descriptor.
pub(crate) fn run(
    submitted: &Submitted,
    queue: &Capabilities,
    fault: Option<Fault>,
    scratch: &mut Scratch,
) -> Outcome {
    let descriptor = submitted.descriptor();
    let valid = match check(descriptor, queue) {
        Ok(valid) => valid,
        Err(record) => return record.into(),
    };
    let mut regions = valid.regions;
    let mut waited_for_page = false;
    match fault {
        Some(Fault::Analytics(error)) => return analytics(error).into(),
        Some(Fault::Status(status)) => return RecordView::new(status).into(),
        Some(Fault::UnresolvedReadFault) => {
            return page_fault(Status::PageFaultUnresolved, false, source(&regions)).into();
        }
        Some(Fault::UnresolvedWriteFault) => {
            return page_fault(Status::PageFaultUnresolved, true, destination(descriptor, &regions)).into();
        }
        Some(Fault::ReadFault | Fault::WriteFault)
            if descriptor.operation_flags() & flag::BLOCK_ON_FAULT != 0 =>
        {
            waited_for_page = true;
        }
        Some(Fault::ReadFault) => return page_fault(Status::PageFault, false, source(&regions)).into(),
        Some(Fault::WriteFault) => {
            return page_fault(Status::PageFault, true, destination(descriptor, &regions)).into();
        }
        Some(Fault::OutputOverflow) => regions.destination.len /= 2,
        _ => {}
    }
    let mut outcome = match operation::of_opcode(valid.opcode) {
        Some(operation) => operate(submitted, operation, &regions, scratch),
        None => RecordView::new(Status::Success).into(),
    };
    outcome.waited_for_page = waited_for_page;
    if fault == Some(Fault::WrongCrc) {
        outcome.record = spoil_crc(valid.opcode, outcome.record);
    }
    if let Some(Fault::WrongBits(by)) = fault {
        outcome.record = outcome.record.with_output_bits(outcome.record.output_bits().wrapping_add(by) % 8);
    }
    if let Some(Fault::WrongSize(by)) = fault {
        outcome.record = outcome.record.with_produced(outcome.record.produced().saturating_add_signed(by));
    }
    outcome
}

fn spoil_crc(opcode: Opcode, record: RecordView) -> RecordView {
    match opcode {
        Opcode::Crc64 => record.with_crc64(!record.crc64()),
        _ => record.with_crc(!record.crc()),
    }
}

/// Returns the record of a page fault, with an address in the middle of the region.
fn page_fault(status: Status, is_write: bool, region: Region) -> RecordView {
    let write = if is_write { Status::WRITE_FAULT } else { 0 };
    RecordView::new(status)
        .with_status_byte(status as u8 | write)
        .with_fault_address(region.address + region.len as u64 / 2)
}

fn source(regions: &Regions) -> Region {
    regions.source1
}

fn destination(descriptor: &Descriptor, regions: &Regions) -> Region {
    match regions.destination.len {
        0 => Region::new(descriptor.completion(), 0),
        _ => regions.destination,
    }
}

fn operate(submitted: &Submitted, operation: Operation, regions: &Regions, scratch: &mut Scratch) -> Outcome {
    let missing = |region| page_fault(Status::PageFaultUnresolved, false, region);
    let read = |region| submitted.read(region).ok_or_else(|| missing(region));
    let request = || {
        let (source1, source2) = (read(regions.source1)?, read(regions.source2)?);
        Ok(Request { descriptor: submitted.descriptor(), source1, source2, aecs: read(regions.aecs_read)? })
    };
    let request = match request() {
        Ok(request) => request,
        Err(record) => return RecordView::into(record),
    };
    let written = [regions.destination, regions.aecs_write];
    if let Some(region) = written.into_iter().find(|region| !region.is_mapped()) {
        return page_fault(Status::PageFaultUnresolved, true, region).into();
    }
    let destination = grown(&mut scratch.destination, regions.destination.len);
    let aecs = grown(&mut scratch.aecs, regions.aecs_write.len);
    // Fields of the image that an operation does not set keep the value of the image that it read.
    aecs.fill(0);
    let same = request.aecs.len().min(aecs.len());
    aecs[..same].copy_from_slice(&request.aecs[..same]);
    let writes_aecs = regions.aecs_write.len > 0;
    let record = operation(&request, Reply { destination, aecs: writes_aecs.then_some(&mut *aecs) });
    let has_output = matches!(record.status(), Some(Status::Success | Status::OutputOverflow));
    let produced = if has_output { (record.produced() as usize).min(destination.len()) } else { 0 };
    submitted.write(regions.destination, &destination[..produced]);
    let always = flag::WRITE_AECS_ALWAYS == submitted.descriptor().operation_flags() & flag::WRITE_AECS_MASK;
    if has_output && (always || record.status() == Some(Status::OutputOverflow)) {
        submitted.write(regions.aecs_write, aecs);
    }
    Outcome { record, waited_for_page: false, produced }
}

fn grown(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
    &mut buffer[..len]
}
