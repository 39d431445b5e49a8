//! Descriptors with their memory, for tests.
#![allow(dead_code, reason = "each test uses some of it")]

use std::cell::UnsafeCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pelton_codec::{BitWriter, BlockEncoder, Window};
use pelton_device_iaa::hw::flags::{decompress, operation};
use pelton_device_iaa::hw::{CompletionRecord, Descriptor, Opcode, RecordView};
use pelton_device_iaa::{Portal, SubmitError};

/// Flags of a descriptor with a completion record.
pub const FLAGS: u32 = operation::COMPLETION_ADDRESS_VALID | operation::REQUEST_COMPLETION;

/// Maximum wait of a test, for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A descriptor and its memory. If it is dropped while it may be in a queue, the memory is leaked,
/// so that a failed test does not touch freed memory.
pub struct Job {
    descriptor: Descriptor,
    memory: Rc<Memory>,
    in_queue: bool,
}

struct Memory {
    record: CompletionRecord,
    input: Vec<u8>,
    output: UnsafeCell<Vec<u8>>,
}

/// Returns bytes that compress like a column: half of them are growing numbers.
pub fn uncompressed(len: usize) -> Vec<u8> {
    (0..len as u32).flat_map(|n| (n / 7 * (n % 13)).to_le_bytes()).take(len).collect()
}

/// Returns a stream with a window of 4 KB.
pub fn compress(uncompressed: &[u8]) -> Vec<u8> {
    let mut compressed = vec![0; uncompressed.len() * 9 / 8 + 100];
    let mut encoder = BlockEncoder::new();
    encoder.set_window(Window::SMALL);
    let mut writer = BitWriter::new(&mut compressed);
    encoder.deflate_block(uncompressed, &[], 6, true, &mut writer).unwrap();
    let len = writer.finish().unwrap();
    compressed.truncate(len);
    compressed
}

pub fn noop() -> Descriptor {
    Descriptor::new(Opcode::Noop).with_operation_flags(FLAGS)
}

/// Waits until a condition holds.
pub fn until(mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "it never came");
        std::thread::sleep(Duration::from_micros(50));
    }
}

impl Job {
    /// Returns a descriptor without memory except for its record.
    pub fn new(descriptor: Descriptor) -> Job {
        Job::with_memory(descriptor, Vec::new(), Vec::new())
    }

    /// Returns a decompression of a complete stream.
    pub fn decompress(compressed: &[u8], capacity: usize) -> Job {
        let descriptor = Descriptor::new(Opcode::Decompress).with_own_flags(decompress::WHOLE_STREAM);
        Job::with_memory(descriptor.with_operation_flags(FLAGS), compressed.to_vec(), vec![0; capacity])
    }

    fn with_memory(descriptor: Descriptor, input: Vec<u8>, mut output: Vec<u8>) -> Job {
        let address = |bytes: &[u8]| if bytes.is_empty() { 0 } else { bytes.as_ptr() as u64 };
        let descriptor = descriptor
            .with_source1(address(&input))
            .with_source1_bytes(input.len() as u32)
            .with_destination(if output.is_empty() { 0 } else { output.as_mut_ptr() as u64 })
            .with_destination_bytes(output.len() as u32);
        let memory =
            Rc::new(Memory { record: CompletionRecord::new(), input, output: UnsafeCell::new(output) });
        let descriptor = descriptor.with_completion(memory.record.address());
        Job { descriptor, memory, in_queue: false }
    }

    pub fn descriptor(&self) -> Descriptor {
        self.descriptor
    }

    pub fn with_flags(mut self, flags: u32) -> Job {
        self.descriptor = self.descriptor.with_operation_flags(flags);
        self
    }

    pub fn input(&self) -> &[u8] {
        &self.memory.input
    }

    pub fn try_submit(&mut self, portal: &Arc<dyn Portal>) -> Result<usize, SubmitError> {
        // SAFETY: the memory is kept until `drop`, which frees it only if the record was written.
        let accepted = unsafe { portal.submit(&[self.descriptor]) }?;
        self.in_queue |= accepted > 0;
        Ok(accepted)
    }

    pub fn submit(&mut self, portal: &Arc<dyn Portal>) -> usize {
        self.try_submit(portal).unwrap()
    }

    pub fn now(&self) -> Option<RecordView> {
        self.memory.record.view()
    }

    pub fn wait(&mut self) -> RecordView {
        until(|| self.now().is_some());
        self.in_queue = false;
        self.now().unwrap()
    }

    /// Prepares the job for another submission.
    pub fn reset(&mut self) {
        assert!(!self.in_queue);
        self.memory.record.reset();
    }

    /// Returns the output of a completed job.
    pub fn output(&self) -> &[u8] {
        assert!(!self.in_queue);
        // SAFETY: the device does not write it any more.
        unsafe { &*self.memory.output.get() }
    }

    /// Returns the output of a job after its portal was closed.
    pub fn output_now(&self) -> Vec<u8> {
        // SAFETY: the portal is closed, so the device does not write it.
        unsafe { (*self.memory.output.get()).clone() }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.in_queue && self.now().is_none() {
            std::mem::forget(Rc::clone(&self.memory));
        }
    }
}
