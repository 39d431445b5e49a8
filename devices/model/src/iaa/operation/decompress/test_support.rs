//! Helpers for tests of decompression.

use pelton_codec::{BitWriter, BlockEncoder, Window};
use pelton_device_iaa::hw::flags::{decompress as own, operation};
use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Opcode, RecordView, Status, aecs::decompress as at};

use super::run;
use crate::iaa::operation::{Reply, Request};

/// Returns a stream of blocks with a window of 4 KB.
pub(super) fn compress(blocks: &[&[u8]], level: i32) -> Vec<u8> {
    let uncompressed = blocks.concat();
    let mut compressed = vec![0; uncompressed.len() * 9 / 8 + 1000];
    let mut writer = BitWriter::new(&mut compressed);
    let mut encoder = BlockEncoder::new();
    encoder.set_window(Window::SMALL);
    let mut done = 0;
    for (nth, block) in blocks.iter().enumerate() {
        let is_last = nth + 1 == blocks.len();
        encoder.deflate_block(block, &uncompressed[..done], level, is_last, &mut writer).unwrap();
        done += block.len();
    }
    let len = writer.finish().unwrap();
    compressed.truncate(len);
    compressed
}

/// Returns bits in the notation of RFC 1951: each string lowest bit first, with spaces for the
/// reader.
pub(super) fn bits(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').map(|byte| byte - b'0').collect();
    digits.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, bit| sum << 1 | bit)).collect()
}

/// Runs a DECOMPRESS without an AECS.
pub(super) fn decompress(flags: u16, source1: &[u8], capacity: usize) -> (RecordView, Vec<u8>) {
    let descriptor = Descriptor::new(Opcode::Decompress).with_own_flags(flags);
    let mut out = vec![0; capacity];
    let request = Request { descriptor: &descriptor, source1, source2: &[], aecs: &[] };
    let record = run(&request, Reply { destination: &mut out, aecs: None });
    out.truncate(record.produced() as usize);
    (record, out)
}

pub(super) fn error(record: RecordView) -> Option<AnalyticsError> {
    assert_eq!(record.status(), Some(Status::AnalyticsError), "{record:?}");
    record.analytics_error()
}

/// A stream decompressed in pieces, with two images and the toggle, like software does.
pub(super) struct Chain {
    pub(super) images: [Vec<u8>; 2],
    pub(super) toggle: bool,
    pub(super) first: bool,
}

impl Chain {
    pub(super) fn new() -> Chain {
        Chain { images: [vec![0; at::BYTES], vec![0; at::BYTES]], toggle: false, first: true }
    }

    pub(super) fn step(&mut self, flags: u16, source1: &[u8], capacity: usize) -> (RecordView, Vec<u8>) {
        let operation_flags = operation::SOURCE2_AECS | operation::WRITE_AECS_ALWAYS;
        let descriptor =
            Descriptor::new(Opcode::Decompress).with_own_flags(flags).with_operation_flags(operation_flags);
        let mut out = vec![0; capacity];
        let (read, write) = (usize::from(self.toggle), usize::from(!self.toggle));
        let image = self.images[read].clone();
        let aecs = if self.first { &[][..] } else { &image };
        let request = Request { descriptor: &descriptor, source1, source2: &[], aecs };
        let reply = Reply { destination: &mut out, aecs: Some(&mut self.images[write]) };
        let record = run(&request, reply);
        if matches!(record.status(), Some(Status::Success | Status::OutputOverflow)) {
            (self.toggle, self.first) = (!self.toggle, false);
        }
        out.truncate(record.produced() as usize);
        (record, out)
    }
}

/// Decompresses a complete stream in pieces of input and output of any size. Returns the bytes and
/// the last record.
pub(super) fn in_pieces(
    compressed: &[u8],
    mut input: impl FnMut() -> usize,
    mut capacity: impl FnMut() -> usize,
) -> (Vec<u8>, RecordView) {
    let mut chain = Chain::new();
    let (mut uncompressed, mut at, mut idle) = (Vec::new(), 0, 0);
    loop {
        let end = (at + input()).min(compressed.len());
        let is_last = end == compressed.len();
        let ends = own::STOP_ON_EOB | own::SELECT_FINAL_EOB;
        let flags = own::ENABLE | ends | if is_last { own::FLUSH_OUTPUT | own::CHECK_FOR_EOB } else { 0 };
        let (record, out) = chain.step(flags, &compressed[at..end], capacity());
        uncompressed.extend_from_slice(&out);
        at += record.consumed() as usize;
        match record.status() {
            Some(Status::OutputOverflow) => {}
            Some(Status::Success) if is_last => return (uncompressed, record),
            Some(Status::Success) => assert_eq!(at, end),
            _ => return (uncompressed, record),
        }
        idle = if out.is_empty() && record.consumed() == 0 { idle + 1 } else { 0 };
        assert!(idle < 100, "no progress at {at} of {}, {} bytes", compressed.len(), uncompressed.len());
    }
}
