//! Validation of descriptors, before any operation.

use pelton_device_iaa::Capabilities;
use pelton_device_iaa::hw::flags::{decompress, operation as flag};
use pelton_device_iaa::hw::{CompletionRecord, Descriptor, Opcode, RecordView, Status, aecs};

use super::memory::Region;
use crate::iaa::operation::refused;

/// The memory of a descriptor that its operation uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Regions {
    pub(crate) source1: Region,
    /// The filter's second input.
    pub(crate) source2: Region,
    pub(crate) destination: Region,
    /// The AECS image to read.
    pub(crate) aecs_read: Region,
    /// The AECS image to write.
    pub(crate) aecs_write: Region,
}

/// A valid descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Valid {
    pub(crate) opcode: Opcode,
    pub(crate) regions: Regions,
}

/// Every flag that the model supports. The others are for steering tags, traffic classes, read-back
/// and later devices.
const KNOWN_FLAGS: u32 = flag::FENCE
    | flag::BLOCK_ON_FAULT
    | flag::COMPLETION_ADDRESS_VALID
    | flag::REQUEST_COMPLETION
    | flag::REQUEST_INTERRUPT
    | flag::CACHE_CONTROL
    | flag::SOURCE2_MASK
    | flag::WRITE_AECS_MASK
    | flag::CRC32C
    | flag::AECS_TOGGLE;

/// Flags that NOOP and DRAIN have.
const PLAIN_FLAGS: u32 = flag::FENCE
    | flag::BLOCK_ON_FAULT
    | flag::COMPLETION_ADDRESS_VALID
    | flag::REQUEST_COMPLETION
    | flag::REQUEST_INTERRUPT;

/// Reserved bits of the first field.
const RESERVED_ADDRESS_SPACE: u32 = 0x7FF0_0000;
/// Highest bit of the first field.
const PRIVILEGED: u32 = 1 << 31;

fn invalid_flags(flags: u32) -> RecordView {
    refused(Status::InvalidOperationFlags).with_invalid_flags(flags)
}

/// Checks the parts of a descriptor that all operations share. Each operation checks its own flags.
///
/// # Errors
/// The completion record with the status. If there are several errors, the first check decides, as
/// the order of the hardware is unknown.
pub(crate) fn check(descriptor: &Descriptor, queue: &Capabilities) -> Result<Valid, RecordView> {
    let opcode = Opcode::from_byte(descriptor.opcode_byte())
        .filter(|opcode| queue.allows(*opcode))
        .ok_or_else(|| refused(Status::UnsupportedOpcode))?;
    check_flags(descriptor, opcode, queue)?;
    check_reserved(descriptor, opcode)?;
    if !descriptor.completion().is_multiple_of(CompletionRecord::BYTES as u64) {
        return Err(refused(Status::CompletionMisaligned));
    }
    let regions = regions(descriptor, opcode, queue)?;
    check_overlap(descriptor, &regions)?;
    Ok(Valid { opcode, regions })
}

fn check_flags(descriptor: &Descriptor, opcode: Opcode, queue: &Capabilities) -> Result<(), RecordView> {
    let flags = descriptor.operation_flags();
    let mut invalid = match opcode {
        Opcode::Noop | Opcode::Drain => flags & !PLAIN_FLAGS,
        Opcode::Crc64 => flags & !PLAIN_FLAGS,
        _ => flags & !KNOWN_FLAGS,
    };
    if flags & flag::COMPLETION_ADDRESS_VALID == 0 {
        invalid |= flags & flag::REQUEST_COMPLETION;
    }
    if !queue.block_on_fault {
        invalid |= flags & flag::BLOCK_ON_FAULT;
    }
    let source2 = flags & flag::SOURCE2_MASK;
    let write = flags & flag::WRITE_AECS_MASK;
    if source2 == flag::SOURCE2_MASK {
        invalid |= source2;
    }
    // Source 2 can't be both the filter's input and the AECS.
    if write == flag::WRITE_AECS_MASK || write != 0 && source2 == flag::SOURCE2_FILTER {
        invalid |= write;
    }
    if source2 != flag::SOURCE2_AECS && write == 0 {
        invalid |= flags & flag::AECS_TOGGLE;
    }
    if invalid != 0 { Err(invalid_flags(invalid)) } else { Ok(()) }
}

fn check_reserved(descriptor: &Descriptor, opcode: Opcode) -> Result<(), RecordView> {
    if descriptor.address_space() & PRIVILEGED != 0 {
        return Err(refused(Status::Privilege));
    }
    // The model has no table of interrupt handles.
    if descriptor.operation_flags() & flag::REQUEST_INTERRUPT != 0 {
        return Err(refused(Status::InvalidInterruptHandle));
    }
    let source2 = [descriptor.source2() != 0, descriptor.source2_bytes() != 0];
    let has_source2 = descriptor.operation_flags() & (flag::SOURCE2_MASK | flag::WRITE_AECS_MASK) != 0;
    let nothing =
        [descriptor.source1_bytes() != 0, descriptor.destination_bytes() != 0, descriptor.own_flags() != 0];
    let reserved = match opcode {
        Opcode::Noop | Opcode::Drain => {
            let addresses =
                [descriptor.source1() != 0, descriptor.destination() != 0, descriptor.polynomial() != 0];
            [nothing, addresses].concat().contains(&true) || source2.contains(&true)
        }
        Opcode::Crc64 => {
            let unused = [descriptor.destination() != 0, descriptor.destination_bytes() != 0];
            unused.contains(&true) || source2.contains(&true)
        }
        Opcode::Decompress | Opcode::Compress => {
            descriptor.elements() != 0 || !has_source2 && source2.contains(&true)
        }
        _ => !has_source2 && source2.contains(&true),
    };
    if reserved
        || descriptor.address_space() & RESERVED_ADDRESS_SPACE != 0
        || descriptor.interrupt_handle() != 0
    {
        return Err(refused(Status::ReservedField));
    }
    Ok(())
}

fn regions(descriptor: &Descriptor, opcode: Opcode, queue: &Capabilities) -> Result<Regions, RecordView> {
    let flags = descriptor.operation_flags();
    let mut regions = Regions::default();
    if matches!(opcode, Opcode::Noop | Opcode::Drain) {
        return Ok(regions);
    }
    regions.source1 = Region::new(descriptor.source1(), descriptor.source1_bytes() as usize);
    if opcode != Opcode::Crc64 {
        regions.destination = Region::new(descriptor.destination(), descriptor.destination_bytes() as usize);
    }
    let source2_bytes = descriptor.source2_bytes() as usize;
    let reads_aecs = flags & flag::SOURCE2_MASK == flag::SOURCE2_AECS;
    let writes_aecs = flags & flag::WRITE_AECS_MASK != 0;
    if flags & flag::SOURCE2_MASK == flag::SOURCE2_FILTER {
        regions.source2 = Region::new(descriptor.source2(), source2_bytes);
    } else if reads_aecs || writes_aecs {
        let is_aligned = |number: u64| number.is_multiple_of(aecs::ALIGNMENT as u64);
        if !is_aligned(descriptor.source2()) || !is_aligned(source2_bytes as u64) {
            return Err(refused(Status::AecsMisaligned));
        }
        let image = |nth: u64| {
            Region::new(descriptor.source2().saturating_add(nth * source2_bytes as u64), source2_bytes)
        };
        let toggle = u64::from(flags & flag::AECS_TOGGLE != 0);
        regions.aecs_read = if reads_aecs { image(toggle) } else { Region::default() };
        regions.aecs_write = if writes_aecs { image(1 - toggle) } else { Region::default() };
    }
    check_sizes(descriptor, opcode, queue, &regions)?;
    Ok(regions)
}

/// Returns the maximum size of an operation's AECS.
fn max_aecs(opcode: Opcode) -> usize {
    if opcode == Opcode::Compress { aecs::compress::BYTES } else { aecs::decompress::BYTES }
}

fn check_sizes(
    descriptor: &Descriptor,
    opcode: Opcode,
    queue: &Capabilities,
    regions: &Regions,
) -> Result<(), RecordView> {
    let flags = descriptor.operation_flags();
    let source2_bytes = descriptor.source2_bytes() as usize;
    let is_suppressed =
        opcode == Opcode::Decompress && descriptor.own_flags() & decompress::SUPPRESS_OUTPUT != 0;
    // The accumulators may have all of the remaining stream.
    let may_lack_source =
        matches!(opcode, Opcode::Decompress | Opcode::Compress) && regions.aecs_read.len > 0;
    let bad = [
        regions.source1.len > queue.max_transfer_bytes,
        regions.destination.len > queue.max_transfer_bytes,
        regions.source2.len > queue.max_transfer_bytes,
        regions.source1.len == 0 && !may_lack_source,
        regions.destination.len == 0 && opcode != Opcode::Crc64 && !is_suppressed,
        flags & (flag::SOURCE2_MASK | flag::WRITE_AECS_MASK) != 0 && source2_bytes == 0,
        regions.aecs_read.len.max(regions.aecs_write.len) > max_aecs(opcode),
    ];
    if bad.contains(&true) { Err(refused(Status::InvalidTransferSize)) } else { Ok(()) }
}

fn check_overlap(descriptor: &Descriptor, regions: &Regions) -> Result<(), RecordView> {
    let completion = match descriptor.operation_flags() & flag::COMPLETION_ADDRESS_VALID {
        0 => Region::default(),
        _ => Region::new(descriptor.completion(), CompletionRecord::BYTES),
    };
    let read = [regions.source1, regions.source2, regions.aecs_read];
    let written = [regions.destination, regions.aecs_write, completion];
    let clash = written
        .iter()
        .enumerate()
        .any(|(nth, region)| read.iter().chain(&written[nth + 1..]).any(|other| region.overlaps(*other)));
    if clash { Err(refused(Status::OverlappingBuffers)) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
