//! Measures the model on this machine, in real time: the cost of a descriptor from submission to
//! completion, and the speed of decompression.
//!
//! `cargo run --release -p pelton-device-model --example measure_model`

use std::time::Instant;

use pelton_codec::{BitWriter, BlockEncoder, Window};
use pelton_device_iaa::hw::flags::{decompress, operation};
use pelton_device_iaa::hw::{CompletionRecord, Descriptor, Opcode};
use pelton_device_model::iaa::Model;

const FLAGS: u32 = operation::COMPLETION_ADDRESS_VALID | operation::REQUEST_COMPLETION;
const ROUNDS: usize = 5;

/// Keeps `in_flight` descriptors in a queue until `total` have completed, and returns the median
/// time of one, in seconds.
fn measure(in_flight: usize, total: usize, descriptor: impl Fn(usize) -> Descriptor) -> f64 {
    let model = Model::builder().build();
    let portal = model.open().remove(0);
    let records: Vec<CompletionRecord> = (0..in_flight).map(|_| CompletionRecord::new()).collect();
    let submit = |slot: usize| {
        records[slot].reset();
        let descriptor =
            descriptor(slot).with_completion(records[slot].address()).with_operation_flags(FLAGS);
        // SAFETY: the memory is kept until `measure` ends, after all descriptors have completed.
        while unsafe { portal.submit(&[descriptor]) }.is_ok_and(|accepted| accepted == 0) {
            std::thread::yield_now();
        }
    };
    let round = || {
        let start = Instant::now();
        (0..in_flight).for_each(submit);
        for done in 0..total {
            let slot = done % in_flight;
            while records[slot].status_byte() == 0 {
                std::thread::yield_now();
            }
            if done + in_flight < total {
                submit(slot);
            }
        }
        start.elapsed().as_secs_f64() / total as f64
    };
    let mut times: Vec<f64> = (0..ROUNDS).map(|_| round()).collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn main() {
    for in_flight in [1, 16, 64] {
        let time = measure(in_flight, 20_000, |_| Descriptor::new(Opcode::Noop));
        println!("no-operation, {in_flight:2} in flight: {:6.0} ns", time * 1e9);
    }
    let uncompressed: Vec<u8> =
        (0..1u64 << 18).flat_map(|n| (n * n / 1000 % 5000).to_le_bytes()).take(1 << 20).collect();
    let mut compressed = vec![0; uncompressed.len()];
    let mut writer = BitWriter::new(&mut compressed);
    let mut encoder = BlockEncoder::new();
    encoder.set_window(Window::SMALL);
    let len =
        encoder.deflate_block(&uncompressed, &[], 6, true, &mut writer).ok().and_then(|()| writer.finish());
    let outputs: Vec<Vec<u8>> = vec![vec![0; uncompressed.len()]; 16];
    let time = measure(16, 160, |slot| {
        Descriptor::new(Opcode::Decompress)
            .with_own_flags(decompress::WHOLE_STREAM)
            .with_source1(compressed.as_ptr() as u64)
            .with_source1_bytes(len.unwrap_or(compressed.len()) as u32)
            .with_destination(outputs[slot].as_ptr() as u64)
            .with_destination_bytes(uncompressed.len() as u32)
    });
    println!("decompression: {:.0} MB/s", uncompressed.len() as f64 / time / 1e6);
}
