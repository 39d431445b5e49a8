//! Validation of DELTA_BINARY_PACKED integers (parquet-format, Encodings.md).

/// Checks `count` integers of 32 or 64 `bits`, and that no others follow if the count `is_exact`.
/// Returns the offset of their end.
pub(crate) fn walk(bytes: &[u8], bits: u32, count: usize, is_exact: bool) -> Result<usize, String> {
    let header = Header::read(bytes, bits).ok_or_else(|| bad_header(0))?;
    let total = header.total;
    if total < count as u64 || (is_exact && total != count as u64) {
        return Err(format!("DELTA_BINARY_PACKED: its header says {total} values, the page has {count}"));
    }
    let (mut at, mut done) = (header.end, count.min(1));
    while done < count {
        let block = Block::read(bytes, at, &header, bits).ok_or_else(|| bad_header(at))?;
        at = block.end;
        for &width in block.widths {
            if done == count {
                break;
            }
            let width = usize::from(width);
            if width > bits as usize {
                return Err(format!("DELTA_BINARY_PACKED: deltas of {width} bits are wider than the values"));
            }
            // writers may omit padding behind the last value
            let size = (header.miniblock * width / 8).min(bytes.len() - at);
            let wanted = header.miniblock.min(count - done);
            if wanted * width > size * 8 {
                let value = done + size * 8 / width;
                return Err(format!("DELTA_BINARY_PACKED: it ends before value {value}"));
            }
            done += wanted;
            at += size;
        }
    }
    Ok(at)
}

/// Iterator over 32-bit lengths in bytes that [`walk`] has checked. It continues behind the last
/// value, so callers have to count.
pub(crate) struct Lengths<'a> {
    bytes: &'a [u8],
    header: Header,
    /// The current block, and the index of its next miniblock.
    block: Option<Block<'a>>,
    next: usize,
    /// Offset of the next miniblock.
    at: usize,
    /// Packed deltas of the current miniblock, the bits of a delta, and the deltas read so far.
    packed: &'a [u8],
    width: usize,
    read: usize,
    last: i32,
    is_started: bool,
}

impl<'a> Lengths<'a> {
    /// Returns the lengths in `bytes`; `None` without a header.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let header = Header::read(bytes, 32)?;
        let (at, read, last) = (header.end, header.miniblock, header.first as i32);
        let (block, next, packed, width, is_started) = (None, 0, &[][..], 0, false);
        Some(Self { bytes, header, block, next, at, packed, width, read, last, is_started })
    }

    /// Enters the next miniblock.
    fn advance(&mut self) -> Option<()> {
        if self.block.as_ref().is_none_or(|block| block.widths.len() == self.next) {
            let block = Block::read(self.bytes, self.at, &self.header, 32)?;
            (self.at, self.next) = (block.end, 0);
            self.block = Some(block);
        }
        self.width = self.block.as_ref()?.widths.get(self.next).copied().map(usize::from)?;
        let size = (self.header.miniblock * self.width / 8).min(self.bytes.len() - self.at);
        self.packed = &self.bytes[self.at..self.at + size];
        self.at += size;
        self.next += 1;
        self.read = 0;
        Some(())
    }
}

impl Iterator for Lengths<'_> {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        if !self.is_started {
            self.is_started = true;
            return Some(self.last);
        }
        if self.read == self.header.miniblock {
            self.advance()?;
        }
        let delta = unpack(self.packed, self.read, self.width) as i64;
        let min_delta = self.block.as_ref()?.min_delta;
        self.read += 1;
        self.last = self.last.wrapping_add(min_delta.wrapping_add(delta) as i32);
        Some(self.last)
    }
}

/// Returns value `number` of `width` bits, at most 32. Bits behind the end are zeros.
fn unpack(packed: &[u8], number: usize, width: usize) -> u64 {
    let bit = number * width;
    let bytes = &packed[(bit / 8).min(packed.len())..];
    let word = match bytes.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    word >> (bit % 8) & ((1 << width.min(32)) - 1)
}

struct Header {
    /// Values of a miniblock, and miniblocks of a block.
    miniblock: usize,
    miniblocks: usize,
    total: u64,
    first: i64,
    /// Offset of the first block.
    end: usize,
}

impl Header {
    fn read(bytes: &[u8], bits: u32) -> Option<Self> {
        let mut end = 0;
        let mut next = || varint(bytes, &mut end);
        let (block, miniblocks, total, first) = (next()?, next()?, next()?, zigzag(next()?));
        let miniblock = block.checked_div(miniblocks)?;
        let is_whole = block.is_multiple_of(128) && miniblock.checked_mul(miniblocks) == Some(block);
        // a loop over empty miniblocks would not end
        let is_sound = is_whole && miniblock > 0 && miniblock.is_multiple_of(32) && fits(first, bits);
        let miniblock = usize::try_from(i32::try_from(miniblock).ok()?).ok()?;
        let miniblocks = usize::try_from(miniblocks).ok()?;
        is_sound.then_some(Self { miniblock, miniblocks, total, first, end })
    }
}

/// The header of a block.
struct Block<'a> {
    /// Minimum delta, which is added to each packed delta.
    min_delta: i64,
    /// Bits of a delta, for each miniblock.
    widths: &'a [u8],
    /// Offset of the first miniblock.
    end: usize,
}

impl<'a> Block<'a> {
    fn read(bytes: &'a [u8], at: usize, header: &Header, bits: u32) -> Option<Self> {
        let mut start = at;
        let min_delta = zigzag(varint(bytes, &mut start)?);
        let end = start.checked_add(header.miniblocks)?;
        let widths = bytes.get(start..end)?;
        fits(min_delta, bits).then_some(Self { min_delta, widths, end })
    }
}

fn bad_header(at: usize) -> String {
    format!("DELTA_BINARY_PACKED: what is at byte {at} is no header")
}

/// Reads a ULEB128 number of at most 64 bits.
fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for index in 0..10 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return (index < 9 || byte <= 1).then_some(value);
        }
    }
    None
}

fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Returns whether a signed value fits the bits of the column's type.
fn fits(value: i64, bits: u32) -> bool {
    bits == 64 || i32::try_from(value).is_ok()
}
