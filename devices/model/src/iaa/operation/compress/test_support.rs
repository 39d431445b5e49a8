//! Helpers for tests of compression: codes, headers and AECS images as software makes them.

use pelton_device_iaa::hw::aecs::compress as layout;
use pelton_device_iaa::hw::{Descriptor, Opcode, RecordView};

use super::compress;
use crate::iaa::operation::{Reply, Request};

/// Output of a descriptor.
pub(super) struct Done {
    pub(super) record: RecordView,
    pub(super) bytes: Vec<u8>,
    pub(super) aecs: Vec<u8>,
}

/// Runs a compression with these flags.
pub(super) fn run(own_flags: u16, input: &[u8], aecs: &[u8], capacity: usize) -> Done {
    run_with(Descriptor::new(Opcode::Compress).with_own_flags(own_flags), input, aecs, capacity)
}

pub(super) fn run_with(descriptor: Descriptor, input: &[u8], aecs: &[u8], capacity: usize) -> Done {
    let mut done = Done {
        record: RecordView::from_bytes([0; 64]),
        bytes: vec![0xEE; capacity],
        aecs: vec![0xEE; layout::BYTES],
    };
    let request = Request { descriptor: &descriptor, source1: input, source2: &[], aecs };
    done.record = compress(&request, Reply { destination: &mut done.bytes, aecs: Some(&mut done.aecs) });
    done.bytes.truncate(done.record.produced() as usize);
    done
}

/// Bits in DEFLATE's order, the lowest first.
#[derive(Default)]
pub(super) struct Bits(Vec<bool>);

impl Bits {
    /// Appends a number, lowest bit first.
    pub(super) fn number(&mut self, value: usize, count: usize) {
        self.0.extend((0..count).map(|bit| value >> bit & 1 == 1));
    }

    /// Appends the code of a table's entry, highest bit first.
    fn code(&mut self, entry: u32) {
        self.0.extend((0..entry >> 15).rev().map(|bit| entry >> bit & 1 == 1));
    }
}

/// Codes of both alphabets as table entries.
#[derive(Clone)]
pub(super) struct Tables {
    pub(super) literals: Vec<u32>,
    pub(super) distances: Vec<u32>,
}

impl Tables {
    /// Returns the fixed codes (RFC 1951, section 3.2.6).
    pub(super) fn fixed() -> Tables {
        // The last two of the 288 symbols never occur, but have codes.
        let lengths: Vec<u32> = [(144, 8), (112, 9), (24, 7), (8, 8)]
            .into_iter()
            .flat_map(|(count, length)| vec![length; count])
            .collect();
        let mut literals = canonical(&lengths);
        literals.truncate(layout::LITERALS);
        Tables { literals, distances: canonical(&[5; 30]) }
    }

    /// Returns the codes for a histogram from the device.
    pub(super) fn of_histogram(histogram: &[u8]) -> Tables {
        let counts = |offset: usize, symbols: usize| -> Vec<u64> {
            let field = |symbol: usize| histogram[offset + 4 * symbol..][..4].try_into().unwrap();
            (0..symbols).map(|symbol| u32::from_le_bytes(field(symbol)).into()).collect()
        };
        Tables {
            literals: canonical(&lengths(counts(0, layout::LITERALS))),
            distances: canonical(&lengths(counts(layout::HISTOGRAM_DISTANCES, layout::DISTANCES))),
        }
    }

    /// Returns an image with these codes and these bits before the first symbol.
    pub(super) fn image(&self, header: &Bits) -> Vec<u8> {
        let mut image = vec![0; layout::BYTES];
        let mut put =
            |offset: usize, value: u32| image[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        put(layout::OUTPUT_BITS, header.0.len() as u32);
        self.literals.iter().enumerate().for_each(|(n, entry)| put(layout::LITERAL_CODES + 4 * n, *entry));
        self.distances.iter().enumerate().for_each(|(n, entry)| put(layout::DISTANCE_CODES + 4 * n, *entry));
        for (n, bit) in header.0.iter().enumerate() {
            image[layout::OUTPUT_ACCUMULATOR + n / 8] |= u8::from(*bit) << (n % 8);
        }
        image
    }

    /// Returns the header of a dynamic block (RFC 1951, section 3.2.7) with equal code lengths and
    /// no run lengths.
    pub(super) fn header(&self, last: bool) -> Bits {
        let mut bits = Bits::default();
        bits.number(last.into(), 1);
        bits.number(2, 2);
        bits.number(self.literals.len() - 257, 5);
        bits.number(self.distances.len() - 1, 5);
        bits.number(19 - 4, 4);
        // The first three of the order are the run lengths, which get no code.
        (0..19).for_each(|n| bits.number(if n < 3 { 0 } else { 4 }, 3));
        for entry in self.literals.iter().chain(&self.distances) {
            bits.code(4 << 15 | entry >> 15);
        }
        bits
    }
}

/// Returns the header of a fixed block.
pub(super) fn fixed_header(last: bool) -> Bits {
    let mut bits = Bits::default();
    bits.number(last.into(), 1);
    bits.number(1, 2);
    bits
}

/// Returns the canonical codes of these lengths (RFC 1951, section 3.2.2).
fn canonical(lengths: &[u32]) -> Vec<u32> {
    let mut code = 0;
    let mut entries = vec![0; lengths.len()];
    for length in 1..=15 {
        for (entry, _) in entries.iter_mut().zip(lengths).filter(|(_, of)| **of == length) {
            *entry = length << 15 | code;
            code += 1;
        }
        code <<= 1;
    }
    entries
}

/// Returns Huffman's code lengths, of 15 bits at most: counts are flattened until the codes are
/// short enough.
fn lengths(mut counts: Vec<u64>) -> Vec<u32> {
    // A code of one symbol is incomplete, so another symbol gets a code.
    while counts.iter().filter(|count| **count > 0).count() < 2 {
        let unused = counts.iter().position(|count| *count == 0).unwrap();
        counts[unused] = 1;
    }
    loop {
        let mut lengths = vec![0; counts.len()];
        let mut trees: Vec<(u64, Vec<usize>)> =
            (0..counts.len()).filter(|n| counts[*n] > 0).map(|n| (counts[n], vec![n])).collect();
        while trees.len() > 1 {
            trees.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
            let (a, b) = (trees.pop().unwrap(), trees.pop().unwrap());
            let symbols = [a.1, b.1].concat();
            symbols.iter().for_each(|symbol| lengths[*symbol] += 1);
            trees.push((a.0 + b.0, symbols));
        }
        if lengths.iter().all(|length| *length <= 15) {
            return lengths;
        }
        counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = *count / 2 + 1);
    }
}
