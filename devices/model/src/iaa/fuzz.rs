//! Fuzz target: a descriptor and its memory, made from arbitrary bytes.

use pelton_device_iaa::hw::{Descriptor, RecordView, Status};
use pelton_device_iaa::{Capabilities, Mode};

use super::engine::execute::{Scratch, run};
use super::engine::memory::Submitted;
use super::operation;

/// Memory of a descriptor.
const ARENA: usize = 64 << 10;
/// Maximum length of a buffer. A buffer that begins in the first [`STARTS`] bytes ends in the
/// arena, even two images of an AECS.
const MAX_LEN: usize = 16 << 10;
const STARTS: u64 = (ARENA - MAX_LEN) as u64;

/// Memory aligned like a completion record.
#[repr(C, align(64))]
struct Arena([u8; ARENA]);

/// Runs the descriptor in the first 64 bytes, with its addresses as offsets in memory that begins
/// with the other bytes. Returns the completion record.
///
/// # Panics
/// The record is inconsistent, or memory changed that the descriptor does not allow to be written.
pub fn descriptor(bytes: &[u8]) -> RecordView {
    let (first, memory) = bytes.split_at(bytes.len().min(Descriptor::BYTES));
    let mut raw = [0; Descriptor::BYTES];
    raw[..first.len()].copy_from_slice(first);
    let raw = Descriptor::from_bytes(raw);
    let mut arena = Box::new(Arena([0; ARENA]));
    let len = memory.len().min(ARENA);
    arena.0[..len].copy_from_slice(&memory[..len]);
    let before = arena.0;

    let base = arena.0.as_mut_ptr().expose_provenance() as u64;
    // A zero address stays zero, as some operations require it.
    let place = |offset: u64| if offset == 0 { 0 } else { base + offset % STARTS };
    let placed = raw
        .with_source1(place(raw.source1()))
        .with_destination(place(raw.destination()))
        .with_source2(place(raw.source2()))
        .with_completion(place(raw.completion()));
    let queue = Capabilities {
        mode: Mode::Shared,
        depth: 1,
        max_transfer_bytes: MAX_LEN,
        block_on_fault: true,
        opcodes: operation::opcodes(),
        node: None,
    };
    // SAFETY: the descriptor names memory in the arena, or too much, or null; the model does not
    // touch the latter two. The arena has no other user, and is dropped later.
    #[allow(unsafe_code)]
    let submitted = unsafe { Submitted::new(placed) };
    let outcome = run(&submitted, &queue, None, &mut Scratch::default());
    check(&placed, &outcome.record, &before, &arena.0, base);
    outcome.record
}

fn check(descriptor: &Descriptor, record: &RecordView, before: &[u8], after: &[u8], base: u64) {
    let status = record.status();
    assert!(status.is_some_and(|status| status != Status::InProgress), "{record:?}");
    assert!(record.produced() <= descriptor.destination_bytes(), "{record:?}");
    assert!(record.consumed() <= descriptor.source1_bytes(), "{record:?}");
    if status == Some(Status::AnalyticsError) {
        assert!(record.analytics_error().is_some(), "{record:?}");
    }
    let is_in = |at: usize, start: u64, len: u64| (start..start + len).contains(&(base + at as u64));
    let changed = before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after);
    for (at, _) in changed {
        let in_destination = is_in(at, descriptor.destination(), record.produced().into());
        let in_images = is_in(at, descriptor.source2(), 2 * u64::from(descriptor.source2_bytes()));
        assert!(in_destination || in_images, "byte {at} changed: {record:?}");
    }
}

/// Returns valid descriptors with their memory, to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    use pelton_device_iaa::hw::Opcode;
    use pelton_device_iaa::hw::flags::{crc64, decompress, filter, operation};
    // After the descriptor: a source, an AECS or second input, and the destination.
    let flags = operation::COMPLETION_ADDRESS_VALID | operation::REQUEST_COMPLETION;
    let with = |opcode| {
        Descriptor::new(opcode)
            .with_operation_flags(flags)
            .with_completion(128)
            .with_source1(64)
            .with_source1_bytes(4)
            .with_destination(16_384)
            .with_destination_bytes(4096)
    };
    let aecs = |descriptor: Descriptor, bytes| {
        let write = operation::SOURCE2_AECS | operation::WRITE_AECS_ALWAYS;
        descriptor.with_source2(1024).with_source2_bytes(bytes).with_operation_flags(flags | write)
    };
    let second = |opcode| {
        let descriptor = with(opcode).with_source2(1024).with_source2_bytes(4).with_elements(4);
        descriptor
            .with_operation_flags(flags | operation::SOURCE2_FILTER)
            .with_filter_flags(7 << filter::SOURCE1_WIDTH_SHIFT)
    };
    let scan = |opcode| {
        let scan = with(opcode).with_elements(4).with_filter_flags(7 << filter::SOURCE1_WIDTH_SHIFT);
        scan.with_source2(1024).with_source2_bytes(32).with_operation_flags(flags | operation::SOURCE2_AECS)
    };
    let whole = decompress::WHOLE_STREAM;
    let indexed = whole | decompress::SUPPRESS_OUTPUT | 1 << decompress::INDEXING_SHIFT;
    let crc = with(Opcode::Crc64).with_destination(0).with_destination_bytes(0);
    let descriptors = [
        Descriptor::new(Opcode::Noop).with_operation_flags(flags).with_completion(128),
        with(Opcode::Decompress).with_own_flags(whole),
        with(Opcode::Decompress).with_own_flags(indexed),
        aecs(with(Opcode::Decompress).with_own_flags(whole), 0x1500),
        aecs(with(Opcode::Compress), 0x620),
        crc.with_own_flags(crc64::INVERT).with_polynomial(0x42F0_E1EB_A9EA_3693),
        scan(Opcode::Scan),
        scan(Opcode::Scan).with_own_flags(whole),
        scan(Opcode::Extract),
        scan(Opcode::FindUnique),
        second(Opcode::Select),
        second(Opcode::Expand),
        second(Opcode::SetMembership),
        second(Opcode::RleBurst),
    ];
    let mut memory = vec![0; 2048];
    // "aaaa" in the fixed code (a test of decompression derives its bytes).
    memory[64..68].copy_from_slice(&[0x4B, 0x04, 0x02, 0x00]);
    memory[1024..1028].fill(0x01);
    descriptors.map(|descriptor| [&descriptor.as_bytes()[..], &memory].concat()).to_vec()
}

#[cfg(test)]
mod tests;
