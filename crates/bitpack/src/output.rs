//! Writers of packed values and of Parquet's hybrid, for seeds, benchmarks and tests.

use crate::{Error, Order};

/// Appends values in `width` bits each, 1 to 32; the last byte is filled up with zeros. A value
/// that does not fit is an error, and nothing is appended.
pub fn pack(values: &[u32], width: u32, order: Order, out: &mut Vec<u8>) -> Result<(), Error> {
    if !(1..=32).contains(&width) {
        return Err(Error::Width { width, least: 1, most: 32 });
    }
    if let Some(&value) = values.iter().find(|&&value| u64::from(value) >> width != 0) {
        return Err(Error::OutputWidth { value: value.into(), width });
    }
    out.reserve((values.len() * width as usize).div_ceil(8));
    // Bits that make no whole byte yet, fewer than 8: the low ones of `held`.
    let (mut held, mut count) = (0u64, 0);
    for &value in values {
        match order {
            Order::Little => held |= u64::from(value) << count,
            Order::Big => held = held << width | u64::from(value),
        }
        count += width;
        while count >= 8 {
            count -= 8;
            match order {
                Order::Little => {
                    out.push(held as u8);
                    held >>= 8;
                }
                Order::Big => out.push((held >> count) as u8),
            }
        }
    }
    if count > 0 {
        out.push(match order {
            Order::Little => held as u8,
            Order::Big => (held << (8 - count)) as u8,
        });
    }
    Ok(())
}

/// The least run that is written as one, after the values before it have been filled up to a group
/// of eight.
const LEAST_RUN: usize = 8;
/// Maximum groups in a stretch of packed values: its header has one byte, so that no stretch has to
/// be moved for its header.
const MOST_GROUPS: usize = 63;

/// Appends values of `width` bits, 0 to 32, as Parquet's hybrid: runs of eight and more as such. A
/// value that does not fit is an error, and nothing is appended.
pub fn hybrid(values: &[u32], width: u32, out: &mut Vec<u8>) -> Result<(), Error> {
    if width > 32 {
        return Err(Error::Width { width, least: 0, most: 32 });
    }
    if let Some(&value) = values.iter().find(|&&value| u64::from(value) >> width != 0) {
        return Err(Error::OutputWidth { value: value.into(), width });
    }
    let run_at = |at: usize| values[at..].iter().take_while(|&&value| value == values[at]).count();
    let mut at = 0;
    while at < values.len() {
        let run = run_at(at).min(u32::MAX as usize >> 1);
        if run >= LEAST_RUN {
            varint(run << 1, out);
            out.extend(&values[at].to_le_bytes()[..width.div_ceil(8) as usize]);
            at += run;
            continue;
        }
        let mut end = at;
        while end < values.len() && end - at < MOST_GROUPS * 8 && run_at(end) < LEAST_RUN {
            end += 8;
        }
        let groups = (end - at) / 8;
        varint(groups << 1 | 1, out);
        let mut group = values[at..end.min(values.len())].to_vec();
        group.resize(groups * 8, 0);
        if width > 0 {
            pack(&group, width, Order::Little, out)?;
        }
        at = end;
    }
    Ok(())
}

fn varint(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests;
