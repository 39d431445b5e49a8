//! Portable implementation of the steps: a block of values at a time, in the narrowest lanes that
//! hold them, from which the compiler makes vectors.

mod lanes;

use lanes::{Lane, scan_block, unpack_block};

use crate::bitmap::Bitmap;
use crate::packed::{Order, Packed};
use crate::predicate::Within;
use crate::steps::{Steps, greatest};

/// The steps for any processor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

/// Values of a block: those of a word of results.
pub(crate) const BLOCK: usize = 64;
/// Bytes that are read past a block's end: a value's eight bytes may start with its last.
const PAST: usize = 8;
/// A block of the widest values, with them.
const LARGEST: usize = BLOCK * 32 / 8 + PAST;
/// Maximum number of values that are decoded one by one instead of with their block, which costs
/// one or two operations a value.
pub(crate) const FEW: u32 = 8;

/// Calls a function for a width and an order that are known when it is compiled, with the narrowest
/// lane for the width.
macro_rules! by_width {
    ($packed:ident, $function:ident $arguments:tt) => {
        by_width!(
            $packed, $function $arguments,
            2 u8, 3 u8, 4 u8, 5 u8, 6 u8, 7 u8, 8 u8, 9 u16, 10 u16, 11 u16, 12 u16, 13 u16, 14 u16, 15 u16, 16 u16,
            17 u32, 18 u32, 19 u32, 20 u32, 21 u32, 22 u32, 23 u32, 24 u32, 25 u32, 26 u32, 27 u32, 28 u32, 29 u32,
            30 u32, 31 u32, 32 u32
        )
    };
    ($packed:ident, $function:ident $arguments:tt, $($width:literal $lane:ident),*) => {
        match ($packed.width(), $packed.order()) {
            $(
                ($width, Order::Little) => $function::<$width, false, $lane>$arguments,
                ($width, Order::Big) => $function::<$width, true, $lane>$arguments,
            )*
            (_, Order::Little) => $function::<1, false, u8>$arguments,
            (_, Order::Big) => $function::<1, true, u8>$arguments,
        }
    };
}

impl Steps for Portable {
    fn scan(self, packed: Packed<'_>, within: Within, to: &mut [u64]) {
        if packed.width() == 1 {
            scan_bits(packed, within, to);
        } else {
            by_width!(packed, scan(packed, within, to));
        }
    }

    fn unpack(self, packed: Packed<'_>, to: &mut Vec<u32>) {
        to.reserve(packed.len());
        by_width!(packed, unpack(packed, to));
    }

    fn greatest(self, values: &[u32]) -> u32 {
        greatest(values)
    }

    fn select(self, packed: Packed<'_>, mask: &Bitmap, at: usize, to: &mut Vec<u32>) {
        by_width!(packed, select(packed, mask, at, to));
    }

    fn expand(self, values: &[u32], mask: &Bitmap, at: usize, to: &mut Vec<u32>) -> (usize, usize) {
        let (mut at, mut used) = (at, 0);
        while at < mask.len() {
            let word = mask.word_at(at);
            let Some(next) = values.get(used..used + word.count_ones() as usize) else { break };
            let mut block = [0; BLOCK];
            let mut rest = word;
            for &value in next {
                block[rest.trailing_zeros() as usize] = value;
                rest &= rest - 1;
            }
            to.extend_from_slice(&block[..BLOCK.min(mask.len() - at)]);
            used += next.len();
            at += BLOCK;
        }
        (at, used)
    }
}

/// Scans values of one bit: they are the results, or their opposites. Compiled with the
/// instructions of its caller.
#[inline(always)]
pub(crate) fn scan_bits(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    let flip = if within.passes(1) { 0 } else { u64::MAX };
    match packed.order() {
        Order::Little => each_word(packed, to, |bytes| u64::from_le_bytes(bytes) ^ flip),
        Order::Big => each_word(packed, to, |bytes| u64::from_be_bytes(bytes).reverse_bits() ^ flip),
    }
}

/// Makes a word of each eight bytes, in a loop that can be made of vectors.
#[inline(always)]
fn each_word(packed: Packed<'_>, to: &mut [u64], word: impl Fn([u8; 8]) -> u64) {
    let (whole, rest) = packed.bytes()[..packed.len().div_ceil(8)].as_chunks();
    let (to_whole, to_rest) = to.split_at_mut(whole.len());
    to_whole.iter_mut().zip(whole).for_each(|(to, &bytes)| *to = word(bytes));
    if let Some(to) = to_rest.first_mut() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        *to = word(last);
    }
}

fn scan<const W: usize, const BIG: bool, L: Lane>(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    blocks::<W, BIG, L>(packed, |values, start| to[start / BLOCK] = scan_block(values, within));
}

fn unpack<const W: usize, const BIG: bool, L: Lane>(packed: Packed<'_>, to: &mut Vec<u32>) {
    blocks::<W, BIG, L>(packed, |values, start| {
        let values = values.map(L::into);
        to.extend_from_slice(&values[..BLOCK.min(packed.len() - start)]);
    });
}

fn select<const W: usize, const BIG: bool, L: Lane>(
    packed: Packed<'_>,
    mask: &Bitmap,
    at: usize,
    to: &mut Vec<u32>,
) {
    let mut values = [L::default(); BLOCK];
    for start in (0..packed.len()).step_by(BLOCK) {
        let word = mask.word_of(at + start, packed.len() - start);
        if word.count_ones() <= FEW {
            to.extend(ones(word).map(|i| packed.value(start + i)));
        } else {
            block::<W, BIG, L>(packed, start, &mut values);
            to.extend(ones(word).map(|i| values[i].into()));
        }
    }
}

/// Returns the places of set bits.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then_some(word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        place
    })
}

/// Passes all values on, 64 at a time with the first one's number. The last block may have zeros or
/// later bits at its end.
#[inline(always)]
fn blocks<const W: usize, const BIG: bool, L: Lane>(
    packed: Packed<'_>,
    mut each: impl FnMut(&[L; BLOCK], usize),
) {
    let mut values = [L::default(); BLOCK];
    for start in (0..packed.len()).step_by(BLOCK) {
        block::<W, BIG, L>(packed, start, &mut values);
        each(&values, start);
    }
}

/// Returns the 64 values from `start` on, a multiple of 64.
#[inline(always)]
fn block<const W: usize, const BIG: bool, L: Lane>(packed: Packed<'_>, start: usize, to: &mut [L; BLOCK]) {
    let bytes = &packed.bytes()[start / 8 * W..];
    let needed = BLOCK / 8 * W + PAST;
    if bytes.len() >= needed {
        unpack_block::<W, BIG, L>(&bytes[..needed], to);
    } else {
        let mut padded = [0; LARGEST];
        padded[..bytes.len()].copy_from_slice(bytes);
        unpack_block::<W, BIG, L>(&padded[..needed], to);
    }
}
