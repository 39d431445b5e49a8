//! Canned tables: Huffman codes for the device, with the header of their block.

use pelton_codec::BlockCodes;

use crate::hw::aecs::compress as aecs;

/// Maximum length of a header in the accumulator. The rest stays free for the end of the block.
const HEADER_BYTES: usize = aecs::ACCUMULATOR_BYTES - aecs::ACCUMULATOR_RESERVED;

/// Codes and header of a block. Tables that were made from similar data save the first pass of a
/// compression.
#[derive(Clone, PartialEq, Eq)]
pub struct CannedTables {
    header: Vec<u8>,
    header_bits: u32,
    literals: [u32; aecs::LITERALS],
    distances: [u32; aecs::DISTANCES],
}

impl CannedTables {
    /// Returns the fixed codes of RFC 1951, section 3.2.6.
    pub fn fixed() -> CannedTables {
        let literals = std::array::from_fn(|symbol| {
            let symbol = symbol as u32;
            match symbol {
                0..=143 => entry(0x30 + symbol, 8),
                144..=255 => entry(0x190 + symbol - 144, 9),
                256..=279 => entry(symbol - 256, 7),
                _ => entry(0xC0 + symbol - 280, 8),
            }
        });
        // BFINAL, and BTYPE 1.
        CannedTables {
            header: vec![0b011],
            header_bits: 3,
            literals,
            distances: std::array::from_fn(|symbol| entry(symbol as u32, 5)),
        }
    }

    /// Returns the codes with the fewest bits for these symbol counts; none if the header does not
    /// fit in the accumulator. Every symbol to be written needs a count.
    pub fn best(
        literals: &[u32; aecs::LITERALS],
        distances: &[u32; aecs::DISTANCES],
    ) -> Option<CannedTables> {
        let codes = BlockCodes::best(literals, distances);
        let mut header = vec![0; 512];
        let bits = codes.write_header(true, &mut header)?;
        header.truncate(bits.div_ceil(8));
        (header.len() <= HEADER_BYTES).then_some(())?;
        let entries = |(word, len): (u16, u8)| entry(word.into(), len.into());
        Some(CannedTables {
            header,
            header_bits: u32::try_from(bits).ok()?,
            literals: codes.literals().map(entries),
            distances: codes.distances().map(entries),
        })
    }

    /// Writes the initial image of a compression.
    pub(super) fn write_to(&self, image: &mut [u8]) {
        image.fill(0);
        image[aecs::OUTPUT_BITS..][..4].copy_from_slice(&self.header_bits.to_le_bytes());
        image[aecs::OUTPUT_ACCUMULATOR..][..self.header.len()].copy_from_slice(&self.header);
        write(&self.literals, &mut image[aecs::LITERAL_CODES..]);
        write(&self.distances, &mut image[aecs::DISTANCE_CODES..]);
    }
}

fn write(entries: &[u32], to: &mut [u8]) {
    for (bytes, entry) in to.chunks_exact_mut(4).zip(entries) {
        bytes.copy_from_slice(&entry.to_le_bytes());
    }
}

/// Returns the entry of a code: its bits, the first one highest, and its length; zero for a symbol
/// without a code.
fn entry(word: u32, len: u32) -> u32 {
    word | len << aecs::LENGTH_SHIFT
}

/// Symbol counts of one or more histograms.
#[derive(Clone)]
pub(super) struct Counts {
    literals: [u32; aecs::LITERALS],
    distances: [u32; aecs::DISTANCES],
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { literals: [0; aecs::LITERALS], distances: [0; aecs::DISTANCES] }
    }
}

impl Counts {
    /// Adds a histogram from the device.
    pub(super) fn add(&mut self, histogram: &[u8]) {
        add(&mut self.literals, histogram);
        add(&mut self.distances, &histogram[aecs::HISTOGRAM_DISTANCES..]);
    }

    /// Returns the best codes for the counts.
    pub(super) fn tables(&self) -> Option<CannedTables> {
        CannedTables::best(&self.literals, &self.distances)
    }
}

fn add(counts: &mut [u32], from: &[u8]) {
    for (count, bytes) in counts.iter_mut().zip(from.chunks_exact(4)) {
        *count = count.saturating_add(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    }
}
