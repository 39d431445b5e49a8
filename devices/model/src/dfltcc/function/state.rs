//! State that the model keeps in the parameter block while the continuation flag is set.
//!
//! The buffer is opaque to software, and its contents are each machine's own. The model adds a CRC
//! of it and of the fields that software may not change meanwhile, so that a change is found.

use pelton_codec::{Checksum, checksum};
use pelton_device_dfltcc::hw::{CSB_BYTES, DHT_BYTES, ParameterBlock};
use pelton_nxu::{BitReader, BitWriter, Block, Position, Table};

/// Offset of the payload, after its CRC.
const PAYLOAD: usize = 4;
/// Offsets of the fields from the history's length to the dynamic table.
const FIELDS: std::ops::Range<usize> = 44..352;

/// State of a compression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Compressing {
    /// Whether the end of the block is written, or among the bits.
    pub(super) is_closed: bool,
    /// Compressed bits that were not written yet.
    pub(super) held: Bits,
}

/// State of an expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expanding {
    /// The place in the stream.
    pub(super) position: Position,
    /// Bytes of the source that were read and not used, and the number of used bits in the first.
    pub(super) source: Vec<u8>,
    pub(super) used_bits: u8,
    /// Uncompressed bytes that were not written yet.
    pub(super) output: Vec<u8>,
}

/// A string of bits, the first one lowest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) bytes: Vec<u8>,
    pub(super) count: u32,
}

impl Bits {
    /// Appends these bits to a writer.
    pub(super) fn append_to(&self, to: &mut BitWriter) {
        let mut reader = BitReader::new(&self.bytes, 0);
        let mut left = self.count;
        while left > 0 {
            let count = left.min(32);
            let Some(value) = reader.take(count) else { return };
            to.bits(value.into(), count);
            left -= count;
        }
    }
}

impl Compressing {
    /// Writes the state, and sets the continuation flag.
    pub(super) fn save(&self, block: &mut ParameterBlock) {
        let mut to = Vec::from([b'c', self.is_closed.into()]);
        to.extend((self.held.count as u16).to_be_bytes());
        to.extend(&self.held.bytes);
        seal(block, &to);
    }

    /// Reads the state; none if the block was changed.
    pub(super) fn load(block: &ParameterBlock) -> Option<Compressing> {
        let mut from = opened(block, b'c')?;
        let is_closed = byte(&mut from)? != 0;
        let count = number(&mut from)?;
        let bytes = from.get(..count.div_ceil(8))?.to_vec();
        Some(Compressing { is_closed, held: Bits { bytes, count: count as u32 } })
    }
}

impl Expanding {
    /// Start of a stream.
    pub(super) const START: Expanding =
        Expanding { position: Position::START, source: Vec::new(), used_bits: 0, output: Vec::new() };

    /// Writes the state, and sets the continuation flag.
    pub(super) fn save(&self, block: &mut ParameterBlock) {
        let mut to = Vec::from([b'x', self.position.is_final.into()]);
        match &self.position.block {
            Block::Header => to.push(0),
            Block::Stored { left } => {
                to.push(1);
                to.extend((*left as u16).to_be_bytes());
            }
            Block::Fixed => to.push(2),
            Block::Dynamic(table) => {
                to.push(3);
                let mut bits = BitWriter::new();
                table.write(&mut bits);
                put(&mut to, &bits.into_bytes());
            }
        }
        to.push(self.used_bits);
        put(&mut to, &self.source);
        put(&mut to, &self.output);
        seal(block, &to);
    }

    /// Reads the state; none if the block was changed.
    pub(super) fn load(block: &ParameterBlock) -> Option<Expanding> {
        let mut from = opened(block, b'x')?;
        let is_final = byte(&mut from)? != 0;
        let kind = byte(&mut from)?;
        let block = match kind {
            0 => Block::Header,
            1 => Block::Stored { left: number(&mut from)? as u32 },
            2 => Block::Fixed,
            3 => {
                let table = take(&mut from)?;
                Block::Dynamic(Box::new(Table::parse(&mut BitReader::new(&table, 0)).ok()?))
            }
            _ => return None,
        };
        let used_bits = byte(&mut from)?;
        let (source, output) = (take(&mut from)?, take(&mut from)?);
        Some(Expanding { position: Position { block, is_final }, source, used_bits, output })
    }
}

/// Reads a dynamic table of a length in bits; none if it breaks a rule.
pub(super) fn table(bytes: &[u8; DHT_BYTES], bits: u16) -> Option<Table> {
    let mut reader = BitReader::new(bytes, 0);
    let table = Table::parse(&mut reader).ok()?;
    (reader.position() == u64::from(bits)).then_some(table)
}

fn seal(block: &mut ParameterBlock, payload: &[u8]) {
    block.set_continued(true);
    let state = block.state_mut();
    state.fill(0);
    state[PAYLOAD..PAYLOAD + payload.len()].copy_from_slice(payload);
    let crc = crc(block);
    block.state_mut()[..PAYLOAD].copy_from_slice(&crc.to_be_bytes());
}

/// Returns the payload behind its first byte, which says of which function it is.
fn opened(block: &ParameterBlock, function: u8) -> Option<&[u8]> {
    let (crc_bytes, payload) = block.state().split_at(PAYLOAD);
    let (first, rest) = payload.split_first()?;
    (crc_bytes == crc(block).to_be_bytes() && *first == function).then_some(rest)
}

fn crc(block: &ParameterBlock) -> u32 {
    let fixed = [&[block.used_bits()], &block.bytes()[FIELDS], &block.state()[PAYLOAD..CSB_BYTES]].concat();
    checksum(Checksum::Crc32, &fixed) as u32
}

fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u16).to_be_bytes());
    to.extend_from_slice(bytes);
}

fn byte(from: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = from.split_first()?;
    *from = rest;
    Some(first)
}

fn number(from: &mut &[u8]) -> Option<usize> {
    Some(usize::from(u16::from_be_bytes([byte(from)?, byte(from)?])))
}

fn take(from: &mut &[u8]) -> Option<Vec<u8>> {
    let len = number(from)?;
    let (bytes, rest) = from.split_at_checked(len)?;
    *from = rest;
    Some(bytes.to_vec())
}
