//! How far back a DEFLATE stream reaches: a decoder that keeps nothing but counts, a bit at a time, and shares no code with
//! those that it checks.
//!
//! Source: RFC 1951 (the codes of section 3.2), RFC 1950 and RFC 1952 for what is around a stream.

use pelton_codec::Format;

/// Extra bits of length symbols from 257 on (RFC 1951, section 3.2.5).
const LENGTH_EXTRA: [u32; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/// The order in which a block gives the lengths of its code of code lengths (RFC 1951, section 3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK: usize = 256;
const LONGEST_CODE: usize = 15;

/// The largest distance of any match in `packed`, one whole block of a DEFLATE format; 0 if there is no match.
///
/// # Errors
/// It is of another format, is a gzip member with optional fields other than the extra one, ends early, or is no DEFLATE.
pub fn farthest(format: Format, packed: &[u8]) -> Result<u32, String> {
    let header = match format {
        Format::Deflate => 0,
        Format::Zlib => 2,
        Format::Gzip => gzip_header(packed).ok_or("not a gzip member that this reads")?,
        _ => return Err(format!("not a {format} block that this reads")),
    };
    let mut bits = Bits { bytes: packed.get(header..).ok_or("it has no header")?, at: 0 };
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

/// The length of a gzip header: ten bytes, the fourth of which says what follows. Of that only the extra field is known here,
/// which begins with its length.
fn gzip_header(packed: &[u8]) -> Option<usize> {
    const FEXTRA: u8 = 1 << 2;
    match *packed.get(3)? {
        0 => Some(10),
        FEXTRA => Some(12 + usize::from(u16::from_le_bytes([*packed.get(10)?, *packed.get(11)?]))),
        _ => None,
    }
}

/// The length of a literal's or length's fixed code (RFC 1951, section 3.2.6).
fn fixed_length(symbol: usize) -> usize {
    match symbol {
        0..=143 | 280.. => 8,
        144..=255 => 9,
        _ => 7,
    }
}

/// The two codes in front of a dynamic block.
fn codes(bits: &mut Bits<'_>) -> Result<(Code, Code), String> {
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

/// The largest distance of a block's matches.
fn symbols(bits: &mut Bits<'_>, literals: &Code, distances: &Code) -> Result<u32, String> {
    let mut farthest = 0;
    loop {
        let symbol = literals.symbol(bits)?;
        if symbol < END_OF_BLOCK {
            continue;
        } else if symbol == END_OF_BLOCK {
            return Ok(farthest);
        }
        bits.take(*LENGTH_EXTRA.get(symbol - END_OF_BLOCK - 1).ok_or("no such length")?)?;
        // Two symbols have each number of extra bits, from the fifth on; the bases follow each other without a gap.
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

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// The next bits, the first the least significant.
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
    by_length: [Vec<usize>; LONGEST_CODE + 1],
}

impl Code {
    fn new(lengths: &[usize]) -> Code {
        let mut by_length: [Vec<usize>; LONGEST_CODE + 1] = Default::default();
        for (symbol, &length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            by_length[length].push(symbol);
        }
        Code { by_length }
    }

    fn symbol(&self, bits: &mut Bits<'_>) -> Result<usize, String> {
        // The first code of each length is the one after the last of the length before, with a zero behind it.
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
mod tests {
    use pelton_codec::Window;

    use super::*;

    /// The packed bytes of some random bytes that come again after `distance`, with zeros between.
    fn packed(format: Format, distance: usize, window: Window) -> Vec<u8> {
        let random = super::super::corpus::Shape::Random.bytes(300);
        let mut plain = random.clone();
        plain.resize(distance, 0);
        plain.extend_from_slice(&random);
        let mut packed = vec![0; pelton_codec::compress_bound(format, plain.len())];
        let level = format.default_level();
        let done = pelton_codec::Encoder::new().compress_within(format, level, window, &plain, &mut packed);
        packed.truncate(done.expect("there is room").produced);
        packed
    }

    #[test]
    fn a_match_is_found_at_its_distance() {
        for format in [Format::Deflate, Format::Zlib, Format::Gzip] {
            for distance in [300, 4096, 4097, 20_000, 32_000] {
                let found = farthest(format, &packed(format, distance, Window::FULL));
                assert_eq!(found, Ok(distance as u32), "{format}");
            }
            let near = farthest(format, &packed(format, 20_000, Window::SMALL));
            assert!(near.as_ref().is_ok_and(|near| *near <= 4096), "{near:?}");
        }
    }

    #[test]
    fn what_is_no_deflate_is_an_error() {
        let whole = packed(Format::Gzip, 5000, Window::FULL);
        // The trailer is not looked at.
        for end in 0..whole.len() - 8 {
            assert!(farthest(Format::Gzip, &whole[..end]).is_err(), "{end} of {}", whole.len());
        }
        assert!(farthest(Format::Zstd, &whole).is_err());
        assert!(farthest(Format::Deflate, &[0xff; 20]).is_err());
    }
}
