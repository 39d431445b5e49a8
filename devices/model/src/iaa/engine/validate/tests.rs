//! Statuses of a valid descriptor with changed bytes.

use pelton_device_iaa::Mode;
use pelton_device_iaa::hw::flags::operation as flag;

use super::*;

fn queue() -> Capabilities {
    Capabilities {
        mode: Mode::Shared,
        depth: 16,
        max_transfer_bytes: 2 << 20,
        block_on_fault: true,
        opcodes: [u64::MAX; 4],
        node: None,
    }
}

fn status(descriptor: &Descriptor) -> Option<Status> {
    match check(descriptor, &queue()) {
        Ok(_) => None,
        Err(record) => record.status(),
    }
}

/// A decompression that reads the second image and writes the first, from the layout in
/// docs/iaa.md.
const BYTES: [u8; 64] = [
    0, 0, 0, 0, // no address space
    0x0E, 0x00, 0x45, // record, block on fault; AECS in source 2, write it, toggle
    0x42, // DECOMPRESS
    0x40, 0x10, 0, 0, 0, 0, 0, 0, // completion record at 0x1040
    0x00, 0x20, 0, 0, 0, 0, 0, 0, // source 1 at 0x2000
    0x00, 0x30, 0, 0, 0, 0, 0, 0, // destination at 0x3000
    0x64, 0, 0, 0, // length of the source
    0, 0, // no interrupt
    0x1F, 0, // enable, flush, stop, check, the final end
    0x00, 0x00, 0x01, 0, 0, 0, 0, 0, // AECS at 0x10000
    0x00, 0x02, 0, 0, // length of the destination
    0x00, 0x15, 0, 0, // images of 0x1500 bytes
    0, 0, 0, 0, // no filter
    0, 0, 0, 0, // no elements
];

#[test]
fn a_descriptor_byte_by_byte() {
    let valid = check(&Descriptor::from_bytes(BYTES), &queue()).unwrap();
    let expected = Regions {
        source1: Region::new(0x2000, 100),
        source2: Region::default(),
        destination: Region::new(0x3000, 512),
        aecs_read: Region::new(0x1_1500, 0x1500),
        aecs_write: Region::new(0x1_0000, 0x1500),
    };
    assert_eq!(valid, Valid { opcode: Opcode::Decompress, regions: expected });
    // Without the toggle, bit 22, the first image is read.
    let mut other = BYTES;
    other[6] = 0x05;
    let valid = check(&Descriptor::from_bytes(other), &queue()).unwrap();
    assert_eq!(valid.regions.aecs_read, Region::new(0x1_0000, 0x1500));
    assert_eq!(valid.regions.aecs_write, Region::new(0x1_1500, 0x1500));
}

/// Returns the status of the valid descriptor with some bytes changed.
fn changed(changes: &[(usize, u8)]) -> Option<Status> {
    let mut bytes = BYTES;
    changes.iter().for_each(|(at, byte)| bytes[*at] = *byte);
    status(&Descriptor::from_bytes(bytes))
}

#[test]
fn each_field_that_is_wrong() {
    assert_eq!(changed(&[]), None);
    for (changes, expected) in [
        // The first field: privilege, and reserved bits.
        (&[(3, 0x80)][..], Some(Status::Privilege)),
        (&[(3, 0x40)], Some(Status::ReservedField)),
        (&[(2, 0x10)], Some(Status::ReservedField)),
        (&[(0, 0xFF), (1, 0xFF), (2, 0x0F)], None),
        // Unknown flags.
        (&[(4, 0x2E)], Some(Status::InvalidOperationFlags)),
        (&[(4, 0x4E)], Some(Status::InvalidOperationFlags)),
        (&[(4, 0x8E)], Some(Status::InvalidOperationFlags)),
        (&[(5, 0x02)], Some(Status::InvalidOperationFlags)),
        (&[(5, 0x80)], Some(Status::InvalidOperationFlags)),
        (&[(6, 0x55)], Some(Status::InvalidOperationFlags)),
        (&[(6, 0xC5)], Some(Status::InvalidOperationFlags)),
        // A record is requested without an address.
        (&[(4, 0x08)], Some(Status::InvalidOperationFlags)),
        // Source 2 as both inputs; an AECS written in two ways; an AECS written over the filter's
        // input.
        (&[(6, 0x47)], Some(Status::InvalidOperationFlags)),
        (&[(6, 0x4D)], Some(Status::InvalidOperationFlags)),
        (&[(6, 0x06)], Some(Status::InvalidOperationFlags)),
        // A toggle without an AECS.
        (&[(6, 0x40)], Some(Status::InvalidOperationFlags)),
        // CRC-32C, cache control and a fence are valid.
        (&[(6, 0x65), (5, 0x01), (4, 0x0F)], None),
        // An interrupt, and a handle without one.
        (&[(4, 0x1E)], Some(Status::InvalidInterruptHandle)),
        (&[(36, 1)], Some(Status::ReservedField)),
        // Opcodes.
        (&[(7, 0x01)], Some(Status::UnsupportedOpcode)),
        (&[(7, 0x03)], Some(Status::UnsupportedOpcode)),
        (&[(7, 0xFF)], Some(Status::UnsupportedOpcode)),
        // Alignment of the record and of the AECS, and the size of the AECS.
        (&[(8, 0x60)], Some(Status::CompletionMisaligned)),
        (&[(40, 0x10)], Some(Status::AecsMisaligned)),
        (&[(52, 0x10)], Some(Status::AecsMisaligned)),
        // Sizes: over the limit, zero, and an image that is too large.
        (&[(34, 0x20)], Some(Status::InvalidTransferSize)),
        (&[(50, 0x21)], Some(Status::InvalidTransferSize)),
        (&[(49, 0)], Some(Status::InvalidTransferSize)),
        (&[(53, 0x16)], Some(Status::InvalidTransferSize)),
        (&[(52, 0), (53, 0)], Some(Status::InvalidTransferSize)),
        // An empty source is valid only if an AECS may have the rest.
        (&[(32, 0)], None),
        (&[(32, 0), (6, 0), (42, 0), (53, 0)], Some(Status::InvalidTransferSize)),
        // An empty destination is valid if the output is suppressed.
        (&[(49, 0), (39, 0x02)], None),
        // Unused fields have to be zero.
        (&[(6, 0)], Some(Status::ReservedField)),
        (&[(60, 1)], Some(Status::ReservedField)),
        // The destination over source 1, the written AECS, and the record.
        (&[(17, 0x31)], Some(Status::OverlappingBuffers)),
        (&[(17, 0x32)], None),
        (&[(25, 0xFE)], None),
        (&[(24, 0x01), (25, 0xFE)], Some(Status::OverlappingBuffers)),
        (&[(25, 0x10)], Some(Status::OverlappingBuffers)),
        (&[(26, 0x01), (25, 0x14)], Some(Status::OverlappingBuffers)),
    ] {
        assert_eq!(changed(changes), expected, "{changes:x?}");
    }
}

#[test]
fn what_the_queue_does_not_have() {
    let strict = Capabilities { block_on_fault: false, ..queue() };
    let refused = check(&Descriptor::from_bytes(BYTES), &strict).unwrap_err();
    assert_eq!(refused.status(), Some(Status::InvalidOperationFlags));
    assert_eq!(refused.invalid_flags(), flag::BLOCK_ON_FAULT);
    let opcodes = [u64::MAX, !(1 << (0x42 - 64)), 0, 0];
    let refused = check(&Descriptor::from_bytes(BYTES), &Capabilities { opcodes, ..queue() });
    assert_eq!(refused, Err(RecordView::new(Status::UnsupportedOpcode)));
}

#[test]
fn operations_without_memory_have_empty_fields() {
    for opcode in [Opcode::Noop, Opcode::Drain] {
        let empty = Descriptor::new(opcode).with_operation_flags(0x0C).with_completion(0x1000);
        assert_eq!(check(&empty, &queue()), Ok(Valid { opcode, regions: Regions::default() }));
        for wrong in [
            empty.with_source1(1),
            empty.with_source1_bytes(1),
            empty.with_destination(1),
            empty.with_destination_bytes(1),
            empty.with_source2(32),
            empty.with_source2_bytes(32),
            empty.with_own_flags(1),
            empty.with_filter_flags(1),
            empty.with_elements(1),
        ] {
            assert_eq!(status(&wrong), Some(Status::ReservedField), "{wrong:?}");
        }
        let flags = empty.with_operation_flags(0x0C | flag::CRC32C);
        assert_eq!(status(&flags), Some(Status::InvalidOperationFlags));
    }
}

/// A CRC64 has a source and a polynomial, and no other field.
#[test]
fn a_crc64_byte_by_byte() {
    let mut bytes = [0; 64];
    bytes[4] = 0x0C;
    bytes[7] = 0x44;
    bytes[9] = 0x10;
    bytes[17] = 0x20;
    bytes[32] = 9;
    bytes[39] = 0x40;
    bytes[56..].copy_from_slice(&0x42F0_E1EB_A9EA_3693u64.to_le_bytes());
    let descriptor = Descriptor::from_bytes(bytes);
    let regions = Regions { source1: Region::new(0x2000, 9), ..Regions::default() };
    assert_eq!(check(&descriptor, &queue()), Ok(Valid { opcode: Opcode::Crc64, regions }));
    assert_eq!((descriptor.polynomial(), descriptor.own_flags()), (0x42F0_E1EB_A9EA_3693, 0x4000));
    for reserved in [24, 40, 48, 52] {
        let mut wrong = bytes;
        wrong[reserved] = 32;
        assert_eq!(status(&Descriptor::from_bytes(wrong)), Some(Status::ReservedField), "byte {reserved}");
    }
    bytes[5] = 0x01;
    assert_eq!(
        status(&Descriptor::from_bytes(bytes)),
        Some(Status::InvalidOperationFlags),
        "cache control is reserved"
    );
}
