//! What software does around the device: packing elements and filling descriptors.

use pelton_device_iaa::hw::flags::{filter as flags, operation};
use pelton_device_iaa::hw::{Descriptor, Opcode};

use super::Inputs;

/// How source 1 of a test is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Little,
    Big,
    Hybrid,
}

pub(super) const LAYOUTS: [Layout; 3] = [Layout::Little, Layout::Big, Layout::Hybrid];

/// Elements bit by bit.
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

/// Parquet's hybrid: runs of four and more where they are, else groups of eight, the last of them
/// filled up.
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
    /// Source 1 is these elements, and there is nothing else yet.
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

    /// Source 2 is these elements.
    pub(super) fn with_second(mut self, values: &[u32], width: u32, big_endian: bool) -> Inputs {
        self.descriptor = self.descriptor.with_operation_flags(operation::SOURCE2_FILTER);
        self.source2 = pack(values, width, big_endian);
        let order = if big_endian { flags::SOURCE2_BIG_ENDIAN } else { 0 };
        self.with_flags((width - 1) << flags::SOURCE2_WIDTH_SHIFT | order)
    }

    /// More filter flags.
    pub(super) fn with_flags(mut self, more: u32) -> Inputs {
        self.descriptor = self.descriptor.with_filter_flags(self.descriptor.filter_flags() | more);
        self
    }

    pub(super) fn with_elements(mut self, elements: usize) -> Inputs {
        self.descriptor = self.descriptor.with_elements(elements as u32);
        self
    }
}
