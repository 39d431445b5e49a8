//! Reference implementation of every operation, bit by bit. It shares no code with the others.

use std::ops::Range;

use crate::{Bitmap, Error, Hybrid, Order, Packed, Position, Predicate, Source};

/// Returns the first `count` values.
fn values(source: &Source<'_>, count: usize) -> Result<Vec<u32>, Error> {
    match source {
        Source::Packed(packed) => Ok((0..count).map(|i| packed_value(packed, i)).collect()),
        Source::Hybrid(hybrid) => hybrid_values(hybrid, count),
    }
}

fn packed_value(packed: &Packed<'_>, i: usize) -> u32 {
    let width = packed.width() as usize;
    (0..width).fold(0, |value, k| {
        let place = i * width + k;
        let byte = packed.bytes()[place / 8];
        match packed.order() {
            Order::Little => value | u32::from(byte >> (place % 8) & 1) << k,
            Order::Big => value << 1 | u32::from(byte >> (7 - place % 8) & 1),
        }
    })
}

fn hybrid_values(hybrid: &Hybrid<'_>, count: usize) -> Result<Vec<u32>, Error> {
    let (bytes, width) = (hybrid.bytes(), hybrid.width());
    let mut values = Vec::new();
    let mut next = 0;
    while values.len() < count {
        if width > 32 {
            return Err(Error::Width { width, least: 0, most: 32 });
        }
        let at = next;
        if at == bytes.len() {
            return Err(Error::TooFew { found: values.len(), len: hybrid.len() });
        }
        let mut header = 0u64;
        for i in 0.. {
            let byte = *bytes.get(next).ok_or(Error::Truncated { at })?;
            next += 1;
            header |= u64::from(byte & 0x7f) << (7 * i);
            if header > u64::from(u32::MAX) || (i == 4 && byte >= 0x80) {
                return Err(Error::RunHeader { at });
            }
            if byte < 0x80 {
                break;
            }
        }
        if header >> 1 == 0 {
            return Err(Error::EmptyRun { at });
        }
        if header & 1 == 1 {
            // A group of eight values has a byte for each bit of a value.
            for i in 0..(header >> 1) * 8 {
                if values.len() == hybrid.len() {
                    break;
                }
                let mut value = 0;
                for k in 0..u64::from(width) {
                    let place = i * u64::from(width) + k;
                    let byte = *bytes.get(next + (place / 8) as usize).ok_or(Error::Truncated { at })?;
                    value |= u32::from(byte >> (place % 8) & 1) << k;
                }
                values.push(value);
            }
            next = next.saturating_add(((header >> 1) * u64::from(width)) as usize).min(bytes.len());
        } else {
            let mut value = 0u64;
            for i in 0..width.div_ceil(8) {
                value |= u64::from(*bytes.get(next).ok_or(Error::Truncated { at })?) << (8 * i);
                next += 1;
            }
            if value >= 1 << width {
                return Err(Error::RunValue { at, value: value as u32, width });
            }
            for _ in 0..header >> 1 {
                if values.len() < hybrid.len() {
                    values.push(value as u32);
                }
            }
        }
    }
    values.truncate(count);
    Ok(values)
}

pub(crate) fn scan(source: &Source<'_>, predicate: Predicate, out: &mut Bitmap) -> Result<(), Error> {
    for value in values(source, source.len())? {
        out.extend_run(predicate.passes(value), 1);
    }
    Ok(())
}

pub(crate) fn members(source: &Source<'_>, set: &Bitmap, out: &mut Bitmap) -> Result<bool, Error> {
    let values = values(source, source.len())?;
    for &value in &values {
        out.extend_run(set.get(value as usize), 1);
    }
    Ok(values.iter().all(|&value| (value as usize) < set.len()))
}

pub(crate) fn greatest(values: &[u32]) -> u32 {
    values.iter().copied().max().unwrap_or(0)
}

pub(crate) fn extract(source: &Source<'_>, rows: Range<usize>, out: &mut Vec<u32>) -> Result<(), Error> {
    out.extend(&values(source, rows.end)?[rows]);
    Ok(())
}

pub(crate) fn read(
    hybrid: &Hybrid<'_>,
    position: &mut Position,
    count: usize,
    out: &mut Vec<u32>,
) -> Result<(), Error> {
    let start = position.values();
    out.extend(&hybrid_values(hybrid, start + count)?[start..]);
    hybrid.skip(position, count)
}

pub(crate) fn select(source: &Source<'_>, mask: &Bitmap, out: &mut Vec<u32>) -> Result<(), Error> {
    for (i, value) in values(source, source.len())?.into_iter().enumerate() {
        if mask.get(i) {
            out.push(value);
        }
    }
    Ok(())
}

pub(crate) fn expand(source: &Source<'_>, mask: &Bitmap, out: &mut Vec<u32>) -> Result<(), Error> {
    let mut values = values(source, source.len())?.into_iter();
    for i in 0..mask.len() {
        let value = if mask.get(i) { values.next() } else { None };
        out.push(value.unwrap_or(0));
    }
    Ok(())
}
