//! Parquet's hybrid of runs and bit-packed values (parquet-format, Encodings.md, RLE), without the
//! byte that tells the width.

use crate::Error;
use crate::packed::{Order, Packed};

/// Runs of one value, and stretches of packed values in groups of eight.
///
/// A fault in the bytes is an [`Error`] of the first operation that reaches it. Bytes after the
/// last value are not read, and a last stretch of packed values may end with the last requested
/// value.
#[derive(Debug, Clone, Copy)]
pub struct Hybrid<'a> {
    bytes: &'a [u8],
    width: u32,
    len: usize,
}

impl<'a> Hybrid<'a> {
    /// Makes a source of `len` values of `width` bits. More than 32 are an error of the first
    /// operation.
    pub fn new(bytes: &'a [u8], width: u32, len: usize) -> Self {
        Hybrid { bytes, width, len }
    }

    /// Returns the bytes, including those after the last value.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the bits of a value.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no values.
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
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Part::Packed(packed) => packed.len(),
            Part::Run { len, .. } => *len,
        }
    }
}

/// Iterator over the parts of a source; it ends after an error.
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

/// Returns the run at byte `at`, up to the missing values after the first `found`, and the start of
/// the next run.
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

/// Returns the unsigned LEB128 number at `at`, of at most 32 bits, and its end.
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
