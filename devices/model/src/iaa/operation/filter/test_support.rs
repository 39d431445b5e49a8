//! Helpers for tests of filters: packing, descriptors, and each operation on vectors.

use pelton_device_iaa::hw::aecs::decompress as layout;
use pelton_device_iaa::hw::flags::{filter as flags, operation};
use pelton_device_iaa::hw::{Descriptor, Opcode, RecordView};

use super::filter;
use crate::iaa::operation::{Reply, Request};

/// Inputs of a descriptor.
#[derive(Clone)]
pub(super) struct Inputs {
    pub(super) descriptor: Descriptor,
    pub(super) source1: Vec<u8>,
    pub(super) source2: Vec<u8>,
    pub(super) aecs: Vec<u8>,
}

/// Output of a descriptor.
pub(super) struct Done {
    pub(super) record: RecordView,
    pub(super) bytes: Vec<u8>,
}

impl Inputs {
    pub(super) fn run(&self, capacity: usize) -> Done {
        let opcode = Opcode::from_byte(self.descriptor.opcode_byte()).unwrap();
        let mut bytes = vec![0xEE; capacity];
        let request = Request {
            descriptor: &self.descriptor,
            source1: &self.source1,
            source2: &self.source2,
            aecs: &self.aecs,
        };
        let record = filter(opcode).unwrap()(&request, Reply { destination: &mut bytes, aecs: None });
        bytes.truncate(record.produced() as usize);
        Done { record, bytes }
    }
}

/// Returns an AECS with a range and an output modifier.
pub(super) fn aecs(low: u32, high: u32, modifier: u32) -> Vec<u8> {
    let mut image = vec![0; layout::FILTER_BYTES];
    image[layout::FILTER_LOW..][..4].copy_from_slice(&low.to_le_bytes());
    image[layout::FILTER_HIGH..][..4].copy_from_slice(&high.to_le_bytes());
    image[layout::OUTPUT_MODIFIER..][..4].copy_from_slice(&modifier.to_le_bytes());
    image
}

/// Layout of source 1 in a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Little,
    Big,
    Hybrid,
}

pub(super) const LAYOUTS: [Layout; 3] = [Layout::Little, Layout::Big, Layout::Hybrid];

/// Packs elements bit by bit.
pub(super) fn pack(values: &[u32], width: u32, big_endian: bool) -> Vec<u8> {
    let mut bytes = vec![0; (values.len() * width as usize).div_ceil(8)];
    for (n, value) in values.iter().enumerate() {
        for bit in 0..width {
            let at = n * width as usize + bit as usize;
            let (from, to) = if big_endian { (width - 1 - bit, 7 - at % 8) } else { (bit, at % 8) };
            bytes[at / 8] |= ((value >> from & 1) as u8) << to;
        }
    }
    bytes
}

/// Returns Parquet's hybrid encoding: runs of at least four, and groups of eight, the last one
/// padded.
pub(super) fn hybrid(values: &[u32], width: u32) -> Vec<u8> {
    let mut bytes = vec![width as u8];
    let mut at = 0;
    while at < values.len() {
        let run = values[at..].iter().take_while(|value| **value == values[at]).count();
        if run >= 4 {
            header(&mut bytes, (run as u32) << 1);
            bytes.extend(&values[at].to_le_bytes()[..width.div_ceil(8) as usize]);
            at += run;
        } else {
            let mut group = values[at..].iter().copied().take(8).collect::<Vec<u32>>();
            at += group.len();
            group.resize(8, 0);
            header(&mut bytes, 1 << 1 | 1);
            bytes.extend(pack(&group, width, false));
        }
    }
    bytes
}

fn header(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

impl Inputs {
    /// Returns inputs with these elements in source 1.
    pub(super) fn new(opcode: Opcode, values: &[u32], width: u32, layout: Layout) -> Inputs {
        let (source1, parser) = match layout {
            Layout::Little => (pack(values, width, false), flags::PARSER_LITTLE_ENDIAN),
            Layout::Big => (pack(values, width, true), flags::PARSER_BIG_ENDIAN),
            Layout::Hybrid => (hybrid(values, width), flags::PARSER_PARQUET_RLE),
        };
        let width = if layout == Layout::Hybrid { 0 } else { width - 1 };
        let descriptor = Descriptor::new(opcode)
            .with_filter_flags(parser | width << flags::SOURCE1_WIDTH_SHIFT)
            .with_elements(values.len() as u32);
        Inputs { descriptor, source1, source2: Vec::new(), aecs: Vec::new() }
    }

    pub(super) fn with_aecs(mut self, aecs: Vec<u8>) -> Inputs {
        self.descriptor = self.descriptor.with_operation_flags(operation::SOURCE2_AECS);
        self.aecs = aecs;
        self
    }

    /// Returns the inputs with these elements in source 2.
    pub(super) fn with_second(mut self, values: &[u32], width: u32, big_endian: bool) -> Inputs {
        self.descriptor = self.descriptor.with_operation_flags(operation::SOURCE2_FILTER);
        self.source2 = pack(values, width, big_endian);
        let order = if big_endian { flags::SOURCE2_BIG_ENDIAN } else { 0 };
        self.with_flags((width - 1) << flags::SOURCE2_WIDTH_SHIFT | order)
    }

    /// Returns the inputs with more filter flags.
    pub(super) fn with_flags(mut self, more: u32) -> Inputs {
        self.descriptor = self.descriptor.with_filter_flags(self.descriptor.filter_flags() | more);
        self
    }

    pub(super) fn with_elements(mut self, elements: usize) -> Inputs {
        self.descriptor = self.descriptor.with_elements(elements as u32);
        self
    }
}

/// Returns the elements of an operation before they are written.
pub(super) fn scan(values: &[u32], low: u32, high: u32) -> Vec<u32> {
    values.iter().map(|value| u32::from(low <= *value && *value <= high)).collect()
}

pub(super) fn extract(values: &[u32], low: u32, high: u32) -> Vec<u32> {
    let positions = values.iter().enumerate().filter(|(n, _)| low as usize <= *n && *n <= high as usize);
    positions.map(|(_, value)| *value).collect()
}

pub(super) fn select(values: &[u32], mask: &[u32]) -> Vec<u32> {
    values.iter().zip(mask).filter(|(_, bit)| **bit == 1).map(|(value, _)| *value).collect()
}

pub(super) fn expand(values: &[u32], mask: &[u32]) -> Vec<u32> {
    let mut values = values.iter();
    mask.iter().map(|bit| if *bit == 1 { *values.next().unwrap() } else { 0 }).collect()
}

/// Returns the position of an element in a set.
pub(super) fn place(value: u32, width: u32, low: u32, high: u32) -> usize {
    ((u64::from(value) % (1 << (width - high))) >> low) as usize
}

pub(super) fn burst(counts: &[u32], symbols: &[u32]) -> Vec<u32> {
    counts.iter().zip(symbols).flat_map(|(count, symbol)| vec![*symbol; *count as usize]).collect()
}

/// Returns the written bytes of elements, and the summary.
pub(super) fn written(elements: &[u32], width: u32, filter_flags: u32, modifier: u32) -> (Vec<u8>, [u32; 3]) {
    let invert = width == 1 && filter_flags & flags::INVERT_OUTPUT != 0;
    let elements: Vec<u32> = elements.iter().map(|value| if invert { 1 - value } else { *value }).collect();
    let big_endian = filter_flags & flags::OUTPUT_BIG_ENDIAN != 0;
    let output_width = [width, 8, 16, 32][(filter_flags >> flags::OUTPUT_WIDTH_SHIFT) as usize & 3];
    let ones: Vec<u32> = (0..elements.len() as u32).filter(|n| elements[*n as usize] == 1).collect();
    let of =
        |all: &[u32]| (all.iter().min().copied().unwrap_or(u32::MAX), all.iter().max().copied().unwrap_or(0));
    if width > 1 {
        let sum = elements.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
        return (pack(&elements, output_width, big_endian), [of(&elements).0, of(&elements).1, sum]);
    }
    let figures = [of(&ones).0, of(&ones).1, ones.len() as u32];
    if output_width == 1 {
        return (pack(&elements, 1, big_endian), figures);
    }
    let indexes: Vec<u32> = ones.iter().map(|n| n + modifier).collect();
    (pack(&indexes, output_width, big_endian), figures)
}
