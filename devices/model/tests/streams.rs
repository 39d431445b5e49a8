//! Complete streams through a portal, in pieces that the queue allows, with the AECS in memory.

mod support;

use std::sync::Arc;

use pelton_codec::{Checksum, checksum};
use pelton_device_iaa::hw::aecs::decompress as at;
use pelton_device_iaa::hw::flags::{crc64, decompress, operation};
use pelton_device_iaa::hw::{CompletionRecord, Descriptor, Opcode, RecordView, Status};
use pelton_device_iaa::{Mode, Portal};
use pelton_device_model::iaa::{Model, QueueConfig};

use support::{FLAGS, compress, uncompressed, until};

/// Two adjacent images, aligned for the device.
#[repr(C, align(64))]
struct Images([u8; 2 * at::BYTES]);

fn run(portal: &Arc<dyn Portal>, descriptor: Descriptor) -> RecordView {
    let record = CompletionRecord::new();
    let descriptor = descriptor.with_completion(record.address());
    // SAFETY: the callers' buffers are kept during the call, which ends with the completion.
    assert_eq!(unsafe { portal.submit(&[descriptor]) }.unwrap(), 1);
    until(|| record.view().is_some());
    record.view().unwrap()
}

#[test]
fn an_input_above_the_transfer_limit() {
    const LIMIT: usize = 4096;
    let queue = QueueConfig { max_transfer_bytes: LIMIT, ..QueueConfig::new(Mode::Shared) };
    let model = Model::builder().queues([queue]).build();
    let portal = model.open().remove(0);
    let uncompressed = uncompressed(200_000);
    let compressed = compress(&uncompressed);
    assert!(compressed.len() > 5 * LIMIT, "{}", compressed.len());

    let mut images = Box::new(Images([0; 2 * at::BYTES]));
    let mut output = vec![0u8; uncompressed.len()];
    let (mut read, mut written, mut toggle, mut descriptors) = (0, 0, false, 0);
    let last = loop {
        let source = &compressed[read..compressed.len().min(read + LIMIT)];
        let is_last = read + source.len() == compressed.len();
        let ends = decompress::STOP_ON_EOB | decompress::SELECT_FINAL_EOB;
        let finish = if is_last { decompress::FLUSH_OUTPUT | decompress::CHECK_FOR_EOB } else { 0 };
        let state = if descriptors == 0 { 0 } else { operation::SOURCE2_AECS };
        let toggled = if toggle { operation::AECS_TOGGLE } else { 0 };
        let capacity = (uncompressed.len() - written).min(LIMIT);
        let record = run(
            &portal,
            Descriptor::new(Opcode::Decompress)
                .with_operation_flags(FLAGS | operation::WRITE_AECS_ALWAYS | state | toggled)
                .with_own_flags(decompress::ENABLE | ends | finish)
                .with_source1(source.as_ptr() as u64)
                .with_source1_bytes(source.len() as u32)
                .with_destination(output[written..].as_mut_ptr() as u64)
                .with_destination_bytes(capacity as u32)
                .with_source2(images.0.as_mut_ptr() as u64)
                .with_source2_bytes(at::BYTES as u32),
        );
        (toggle, descriptors) = (!toggle, descriptors + 1);
        (read, written) = (read + record.consumed() as usize, written + record.produced() as usize);
        match record.status() {
            Some(Status::OutputOverflow) => {}
            Some(Status::Success) if is_last => break record,
            Some(Status::Success) => {}
            _ => panic!("{record:?}"),
        }
    };
    assert!(output == uncompressed);
    assert_eq!((read, written), (compressed.len(), uncompressed.len()));
    assert_eq!(u64::from(last.crc()), checksum(Checksum::Crc32, &uncompressed));
    assert!(descriptors > uncompressed.len() / LIMIT);

    // A transfer over the limit is rejected.
    let record = run(
        &portal,
        Descriptor::new(Opcode::Decompress)
            .with_operation_flags(FLAGS)
            .with_own_flags(decompress::WHOLE_STREAM)
            .with_source1(compressed.as_ptr() as u64)
            .with_source1_bytes(LIMIT as u32 + 1)
            .with_destination(output.as_mut_ptr() as u64)
            .with_destination_bytes(LIMIT as u32),
    );
    assert_eq!(record, RecordView::new(Status::InvalidTransferSize));
}

#[test]
fn a_crc64_of_memory() {
    let model = Model::builder().build();
    let portal = model.open().remove(0);
    let data = uncompressed(100_000);
    // CRC-64/NVME, which the codec's checksums include.
    let record = run(
        &portal,
        Descriptor::new(Opcode::Crc64)
            .with_operation_flags(FLAGS)
            .with_own_flags(crc64::INVERT)
            .with_source1(data.as_ptr() as u64)
            .with_source1_bytes(data.len() as u32)
            .with_polynomial(0xAD93_D235_94C9_3659),
    );
    assert_eq!((record.status(), record.crc64()), (Some(Status::Success), checksum(Checksum::Crc64, &data)));
}

#[test]
fn memory_that_nobody_has_is_a_fault_and_no_crash() {
    let model = Model::builder().build();
    let portal = model.open().remove(0);
    let data = uncompressed(100);
    let crc = Descriptor::new(Opcode::Crc64).with_operation_flags(FLAGS).with_source1_bytes(100);
    for address in [0, 8, 1 << 47, u64::MAX - 50] {
        let record = run(&portal, crc.with_source1(address));
        assert_eq!((record.status_byte(), record.is_write_fault()), (0x04, false), "{address:#x}");
    }
    let record = run(
        &portal,
        Descriptor::new(Opcode::Decompress)
            .with_operation_flags(FLAGS)
            .with_own_flags(decompress::WHOLE_STREAM)
            .with_source1(data.as_ptr() as u64)
            .with_source1_bytes(100)
            .with_destination(64)
            .with_destination_bytes(100),
    );
    assert_eq!(record.status_byte(), 0x84);
}
