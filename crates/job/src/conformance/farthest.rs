//! Maximum match distance of a DEFLATE stream, from a bit-by-bit decoder that keeps no output and
//! shares no code with the encoders and decoders under test.
//!
//! Sources: RFC 1951 for the stream, its companions on zlib and gzip for the containers.

use pelton_codec::Format;

/// Extra bits of the length symbols (RFC 1951, section 3.2.5).
const LENGTH_EXTRA: [u32; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/// Order of the code length code's lengths in a block header (RFC 1951, section 3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK: usize = 256;
const MAX_CODE_LENGTH: usize = 15;

/// Returns the maximum match distance in one whole block of a DEFLATE format; 0 without a match.
///
/// # Errors
/// The block has another format, is truncated or malformed, or is a gzip member with optional
/// fields other than the extra field.
pub fn farthest(format: Format, compressed: &[u8]) -> Result<u32, String> {
    let header = match format {
        Format::Deflate => 0,
        Format::Zlib => 2,
        Format::Gzip => gzip_header(compressed).ok_or("not a gzip member that this reads")?,
        _ => return Err(format!("not a {format} block that this reads")),
    };
    let mut bits = BitReader { bytes: compressed.get(header..).ok_or("it has no header")?, at: 0 };
    let mut farthest = 0;
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => {
                bits.at = bits.at.next_multiple_of(8);
                let len = bits.take(16)?;
                if len ^ bits.take(16)? != 0xffff {
                    return Err("a stored length and its complement differ".into());
                }
                bits.at += 8 * len as usize;
            }
            1 => {
                let literals: Vec<usize> = (0..288).map(fixed_length).collect();
                farthest = farthest.max(symbols(&mut bits, &Code::new(&literals), &Code::new(&[5; 30]))?);
            }
            2 => {
                let (literals, distances) = codes(&mut bits)?;
                farthest = farthest.max(symbols(&mut bits, &literals, &distances)?);
            }
            _ => return Err("a block has no type".into()),
        }
        if last {
            return Ok(farthest);
        }
    }
}

/// Returns the length of a gzip header: ten bytes with flags among them, and an extra field if the
/// flags say so. The extra field begins with its length; no other optional field is supported.
fn gzip_header(compressed: &[u8]) -> Option<usize> {
    const FEXTRA: u8 = 1 << 2;
    match *compressed.get(3)? {
        0 => Some(10),
        FEXTRA => Some(12 + usize::from(u16::from_le_bytes([*compressed.get(10)?, *compressed.get(11)?]))),
        _ => None,
    }
}

/// Returns the length of a symbol's fixed code (RFC 1951, section 3.2.6).
fn fixed_length(symbol: usize) -> usize {
    match symbol {
        0..=143 | 280.. => 8,
        144..=255 => 9,
        _ => 7,
    }
}

/// Reads the two codes in the header of a dynamic block.
fn codes(bits: &mut BitReader<'_>) -> Result<(Code, Code), String> {
    let literals = 257 + bits.take(5)? as usize;
    let distances = 1 + bits.take(5)? as usize;
    let given = 4 + bits.take(4)? as usize;
    let mut lengths = [0; ORDER.len()];
    for &symbol in &ORDER[..given] {
        lengths[symbol] = bits.take(3)? as usize;
    }
    let of_lengths = Code::new(&lengths);
    let mut lengths: Vec<usize> = Vec::new();
    while lengths.len() < literals + distances {
        let (length, count) = match of_lengths.symbol(bits)? {
            16 => (*lengths.last().ok_or("nothing to repeat")?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            18 => (0, 11 + bits.take(7)?),
            length => (length, 1),
        };
        lengths.resize(lengths.len() + count as usize, length);
    }
    if lengths.len() > literals + distances {
        return Err("more code lengths than codes".into());
    }
    Ok((Code::new(&lengths[..literals]), Code::new(&lengths[literals..])))
}

/// Returns the maximum match distance of a block.
fn symbols(bits: &mut BitReader<'_>, literals: &Code, distances: &Code) -> Result<u32, String> {
    let mut farthest = 0;
    loop {
        let symbol = literals.symbol(bits)?;
        if symbol < END_OF_BLOCK {
            continue;
        } else if symbol == END_OF_BLOCK {
            return Ok(farthest);
        }
        bits.take(*LENGTH_EXTRA.get(symbol - END_OF_BLOCK - 1).ok_or("no such length")?)?;
        // From the fifth symbol on, each number of extra bits has two symbols; bases follow without
        // a gap.
        let symbol = distances.symbol(bits)? as u32;
        let distance = match symbol {
            0..=3 => 1 + symbol,
            4..=29 => {
                let extra = symbol / 2 - 1;
                1 + ((2 + symbol % 2) << extra) + bits.take(extra)?
            }
            _ => return Err("no such distance".into()),
        };
        farthest = farthest.max(distance);
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    /// Reads the next bits, the first as the least significant.
    fn take(&mut self, count: u32) -> Result<u32, String> {
        let mut value = 0;
        for place in 0..count {
            let byte = self.bytes.get(self.at / 8).ok_or("it ends early")?;
            value |= u32::from(byte >> (self.at % 8) & 1) << place;
            self.at += 1;
        }
        Ok(value)
    }
}

/// A canonical Huffman code: its symbols by length, in the order of their codes.
struct Code {
    by_length: [Vec<usize>; MAX_CODE_LENGTH + 1],
}

impl Code {
    fn new(lengths: &[usize]) -> Code {
        let mut by_length: [Vec<usize>; MAX_CODE_LENGTH + 1] = Default::default();
        for (symbol, &length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            by_length[length].push(symbol);
        }
        Code { by_length }
    }

    fn symbol(&self, bits: &mut BitReader<'_>) -> Result<usize, String> {
        // The first code of a length is the successor of the last shorter code, with a zero
        // appended.
        let (mut code, mut first) = (0, 0);
        for symbols in &self.by_length[1..] {
            code = code << 1 | bits.take(1)? as usize;
            first <<= 1;
            if let Some(symbol) = code.checked_sub(first).and_then(|index| symbols.get(index)) {
                return Ok(*symbol);
            }
            first += symbols.len();
        }
        Err("no such code".into())
    }
}

#[cfg(test)]
mod tests;
