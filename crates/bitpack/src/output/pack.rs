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
