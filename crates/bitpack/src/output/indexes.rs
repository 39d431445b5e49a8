use crate::{Bitmap, Error};

/// An unsigned number of 8, 16 or 32 bits.
pub trait Index: TryFrom<u64> + Copy + private::Sealed {
    /// How many bits it has.
    const BITS: u32;
}

mod private {
    /// Keeps others from adding widths that the IAA has not.
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

impl Index for u8 {
    const BITS: u32 = 8;
}
impl Index for u16 {
    const BITS: u32 = 16;
}
impl Index for u32 {
    const BITS: u32 = 32;
}

/// Appends the place of every bit that is set, counted from `first` on. As on the IAA, one that
/// does not fit is an error (its "output width too small"), and nothing is appended.
pub fn indexes<I: Index>(bits: &Bitmap, first: u64, out: &mut Vec<I>) -> Result<(), Error> {
    let before = out.len();
    out.reserve(bits.count_ones());
    for place in bits.ones() {
        let value = first.saturating_add(place as u64);
        match I::try_from(value) {
            Ok(index) => out.push(index),
            Err(_) => {
                out.truncate(before);
                return Err(Error::OutputWidth { value, width: I::BITS });
            }
        }
    }
    Ok(())
}
