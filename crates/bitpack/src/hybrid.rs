//! Parquet's hybrid of runs and bit-packed values (parquet-format, Encodings.md, RLE), without the
//! byte that tells the width.

use crate::Error;
use crate::source::{Order, Packed};

/// Runs of one value, and stretches of packed values in groups of eight.
///
/// What is wrong with the bytes is an [`Error`] of the operation that comes to it. Bytes after the
/// last value are not looked at, and a last stretch of packed values may end with the last value
/// that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Hybrid<'a> {
    bytes: &'a [u8],
    width: u32,
    len: usize,
}

impl<'a> Hybrid<'a> {
    /// `len` values of `width` bits, 0 to 32. A wider one is an error of the first operation.
    pub fn new(bytes: &'a [u8], width: u32, len: usize) -> Self {
        Hybrid { bytes, width, len }
    }

    /// The bytes that were given.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Bits of a value.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Values that belong together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    /// Packed, at least one.
    Packed(Packed<'a>),
    /// `len` times `value`.
    Run { value: u32, len: usize },
}

impl Part<'_> {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Part::Packed(packed) => packed.len(),
            Part::Run { len, .. } => *len,
        }
    }
}

/// The parts of a source; after an error there are no more.
pub(crate) enum Parts<'a> {
    Packed(Option<Packed<'a>>),
    Hybrid { of: Hybrid<'a>, at: usize, found: usize },
}

impl<'a> Parts<'a> {
    pub fn packed(packed: Packed<'a>) -> Self {
        Parts::Packed((!packed.is_empty()).then_some(packed))
    }

    pub fn hybrid(of: Hybrid<'a>) -> Self {
        Parts::Hybrid { of, at: 0, found: 0 }
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Result<Part<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Parts::Packed(packed) => packed.take().map(|packed| Ok(Part::Packed(packed))),
            Parts::Hybrid { of, found, .. } if *found == of.len => None,
            Parts::Hybrid { of, at, found } => {
                let part = run(of, *at, *found);
                match &part {
                    Ok((part, next)) => {
                        *found += part.len();
                        *at = *next;
                    }
                    Err(_) => *found = of.len,
                }
                Some(part.map(|(part, _)| part))
            }
        }
    }
}

/// The run at byte `at` as far as values are missing, of which there were `found`; and where the
/// next one starts.
pub(crate) fn run<'a>(of: &Hybrid<'a>, at: usize, found: usize) -> Result<(Part<'a>, usize), Error> {
    let &Hybrid { bytes, width, len } = of;
    if width > 32 {
        return Err(Error::Width { width, least: 0, most: 32 });
    }
    if at >= bytes.len() {
        return Err(Error::TooFew { found, len });
    }
    let (header, start) = varint(bytes, at)?;
    let count = (header >> 1) as usize;
    if count == 0 {
        return Err(Error::EmptyRun { at });
    }
    let rest = &bytes[start..];
    if header & 1 == 0 {
        let size = width.div_ceil(8) as usize;
        let value = rest.get(..size).ok_or(Error::Truncated { at })?;
        let value = value.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte));
        if u64::from(value) >> width != 0 {
            return Err(Error::RunValue { at, value, width });
        }
        return Ok((Part::Run { value, len: count.min(len - found) }, start + size));
    }
    // In 64 bits, so that no platform's usize overflows.
    let values = (count as u64 * 8).min((len - found) as u64) as usize;
    if width == 0 {
        return Ok((Part::Run { value: 0, len: values }, start));
    }
    let size = usize::try_from(count as u64 * u64::from(width)).unwrap_or(usize::MAX);
    let run = &rest[..size.min(rest.len())];
    let packed = Packed::new(run, width, values, Order::Little).map_err(|_| Error::Truncated { at })?;
    Ok((Part::Packed(packed), start + run.len()))
}

/// The unsigned LEB128 number at `at`, of at most 32 bits, and where it ends.
fn varint(bytes: &[u8], at: usize) -> Result<(u32, usize), Error> {
    let mut number = 0;
    for (i, &byte) in bytes[at..].iter().enumerate() {
        // The fifth byte has room for four bits.
        if i == 4 && byte > 0x0f {
            return Err(Error::RunHeader { at });
        }
        number |= u32::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok((number, at + i + 1));
        }
    }
    Err(Error::Truncated { at })
}
