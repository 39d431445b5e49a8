//! Descriptors through a portal, as a driver submits them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pelton_codec::{BitWriter, BlockEncoder, Window};
use pelton_device_iaa::Portal;
use pelton_device_iaa::hw::flags::{decompress, operation};
use pelton_device_iaa::hw::{CompletionRecord, Descriptor, Opcode, RecordView, Status};
use pelton_device_model::iaa::Model;

const FLAGS: u32 = operation::COMPLETION_ADDRESS_VALID | operation::REQUEST_COMPLETION;

fn wait(record: &CompletionRecord) -> RecordView {
    let start = Instant::now();
    loop {
        if let Some(view) = record.view() {
            return view;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "no completion");
        std::thread::yield_now();
    }
}

fn run(portal: &Arc<dyn Portal>, descriptor: Descriptor) -> RecordView {
    let record = CompletionRecord::new();
    let descriptor = descriptor.with_completion(record.address());
    // SAFETY: what the descriptor names outlives the wait for its completion.
    assert_eq!(unsafe { portal.submit(&[descriptor]) }.unwrap(), 1);
    wait(&record)
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut out = vec![0; plain.len() + plain.len() / 1000 + 100];
    let mut encoder = BlockEncoder::new();
    encoder.set_window(Window::SMALL);
    let mut writer = BitWriter::new(&mut out);
    encoder.deflate_block(plain, &[], 6, true, &mut writer).unwrap();
    let len = writer.finish().unwrap();
    out.truncate(len);
    out
}

#[test]
fn a_noop_and_a_drain_complete() {
    let model = Model::builder().build();
    let portal = model.open().remove(0);
    for opcode in [Opcode::Noop, Opcode::Drain] {
        let record = run(&portal, Descriptor::new(opcode).with_operation_flags(FLAGS));
        assert_eq!(record, RecordView::new(Status::Success));
    }
}

#[test]
fn a_stream_is_decompressed() {
    let plain: Vec<u8> = (0..200_000u32).flat_map(|n| (n / 7 * n % 1000).to_le_bytes()).collect();
    let packed = packed(&plain);
    let mut out = vec![0u8; plain.len()];
    let model = Model::builder().devices(2).build();
    for portal in model.open() {
        out.fill(0);
        let record = run(
            &portal,
            Descriptor::new(Opcode::Decompress)
                .with_operation_flags(FLAGS)
                .with_own_flags(decompress::WHOLE_STREAM)
                .with_source1(packed.as_ptr() as u64)
                .with_source1_bytes(packed.len() as u32)
                .with_destination(out.as_mut_ptr() as u64)
                .with_destination_bytes(out.len() as u32),
        );
        assert_eq!(record.status(), Some(Status::Success), "{record:?}");
        assert_eq!((record.produced() as usize, record.consumed() as usize), (plain.len(), packed.len()));
        assert!(out == plain);
    }
    assert_eq!(model.counters().bytes_out, 2 * plain.len() as u64);
    println!("{}", model.clock());
}
