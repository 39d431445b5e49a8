//! The operations, and the choice of their implementation.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use crate::arch::{Avx2, Avx512, gather};
use crate::error::NAMES;
use crate::portable::Portable;
use crate::{Bitmap, Error, Hybrid, Position, Predicate, Source, naive, operations, words};

/// The environment variable that [`Kernels::from_environment`] reads.
const VARIABLE: &str = "PELTON_FILTER";

/// An implementation of the operations that this processor can run.
#[derive(Debug, Clone, Copy)]
pub struct Kernels(Which);

#[derive(Debug, Clone, Copy)]
enum Which {
    Naive,
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// Calls an operation of the chosen implementation.
macro_rules! with {
    ($kernels:expr, $operation:ident($($argument:expr),*)) => {
        match $kernels.0 {
            Which::Naive => naive::$operation($($argument),*),
            Which::Portable => operations::$operation(Portable, $($argument),*),
            #[cfg(target_arch = "x86_64")]
            Which::Avx2(steps) => operations::$operation(steps, $($argument),*),
            #[cfg(target_arch = "x86_64")]
            Which::Avx512(steps) => operations::$operation(steps, $($argument),*),
        }
    };
}

impl Kernels {
    /// Returns the fastest implementation that this processor can run.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(steps) = Avx512::new() {
            return Kernels(Which::Avx512(steps));
        } else if let Some(steps) = Avx2::new() {
            return Kernels(Which::Avx2(steps));
        }
        Kernels(Which::Portable)
    }

    /// Returns the implementation that the environment variable `PELTON_FILTER` names, or the
    /// fastest one if it is not set.
    pub fn from_environment() -> Result<Self, Error> {
        match std::env::var_os(VARIABLE) {
            Some(name) => Self::named(&name.to_string_lossy()),
            None => Ok(Self::detect()),
        }
    }

    /// Returns the implementation of this name: `naive`, `portable`, `avx2` or `avx512`. An error
    /// if there is none, or if this processor can't run it.
    pub fn named(name: &str) -> Result<Self, Error> {
        if !NAMES.contains(&name) {
            return Err(Error::UnknownKernels { name: name.to_owned() });
        }
        let mut available = Self::available().into_iter();
        available
            .find(|kernels| kernels.name() == name)
            .ok_or_else(|| Error::Unsupported { name: name.to_owned() })
    }

    /// Returns the implementations that this processor can run, the slowest one first.
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
        let mut all = vec![Kernels(Which::Naive), Kernels(Which::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(Avx2::new().map(|steps| Kernels(Which::Avx2(steps))));
            all.extend(Avx512::new().map(|steps| Kernels(Which::Avx512(steps))));
        }
        all
    }

    /// Returns its name.
    pub fn name(&self) -> &'static str {
        match self.0 {
            Which::Naive => "naive",
            Which::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Which::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Which::Avx512(_) => "avx512",
        }
    }

    /// Appends a bit for each value: whether it passes.
    pub fn scan(&self, source: &Source<'_>, predicate: Predicate, out: &mut Bitmap) -> Result<(), Error> {
        let before = out.len();
        with!(self, scan(source, predicate, out)).inspect_err(|_| out.truncate(before))
    }

    /// Appends a bit for each value `v`: whether bit `v` of the set is set. Values beyond its end
    /// are not in it; returns whether there are none of these.
    pub fn members(&self, source: &Source<'_>, set: &Bitmap, out: &mut Bitmap) -> Result<bool, Error> {
        let before = out.len();
        with!(self, members(source, set, out)).inspect_err(|_| out.truncate(before))
    }

    /// Appends all values.
    pub fn unpack(&self, source: &Source<'_>, out: &mut Vec<u32>) -> Result<(), Error> {
        self.extract(source, 0..source.len(), out)
    }

    /// Appends the values of these rows. Later ones are not read.
    pub fn extract(&self, source: &Source<'_>, rows: Range<usize>, out: &mut Vec<u32>) -> Result<(), Error> {
        if rows.start > rows.end || rows.end > source.len() {
            return Err(Error::Rows { rows, len: source.len() });
        }
        let before = out.len();
        with!(self, extract(source, rows, out)).inspect_err(|_| out.truncate(before))
    }

    /// Returns the greatest of some values; 0 if there are none.
    pub fn greatest(&self, values: &[u32]) -> u32 {
        with!(self, greatest(values))
    }

    /// Appends the dictionary's value at each index. Returns whether there is one for each; nothing
    /// is appended otherwise.
    pub fn gather<T: Copy>(&self, codes: &[u32], values: &[T], out: &mut Vec<T>) -> bool {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Which::Avx2(steps) => gather(steps, codes, values, out),
            #[cfg(target_arch = "x86_64")]
            Which::Avx512(steps) => gather(steps, codes, values, out),
            _ => {
                let are_there = codes.is_empty() || (self.greatest(codes) as usize) < values.len();
                if are_there {
                    out.extend(codes.iter().map(|&code| values[code as usize]));
                }
                are_there
            }
        }
    }

    /// Returns the bits at which `mask` has a set bit, in order. Bits beyond the end are 0.
    pub fn pick(&self, bits: &Bitmap, mask: &Bitmap) -> Bitmap {
        let len = mask.count_ones();
        let words = match self.0 {
            #[cfg(target_arch = "x86_64")]
            Which::Avx512(steps) => steps.pick(bits.words(), mask.words(), len),
            _ => words::pick(bits.words(), mask.words(), len, words::compress),
        };
        Bitmap::from_words(words, len)
    }

    /// Puts bits, in order, at the places of the set bits of a mask; all other bits are 0: the
    /// inverse of [`Kernels::pick`]. Both are words, from the least significant bit on; bits beyond
    /// the end are 0.
    pub fn deposit(&self, mask: impl Iterator<Item = u64>, bits: impl Iterator<Item = u64>) -> Vec<u64> {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Which::Avx512(steps) => steps.deposit(mask, bits),
            _ => words::deposit(mask, bits, words::expand),
        }
    }

    /// Appends the next `count` values from a position in a hybrid, and moves it behind them. Later
    /// values are not read. After an error both are unchanged.
    pub fn read(
        &self,
        hybrid: &Hybrid<'_>,
        position: &mut Position,
        count: usize,
        out: &mut Vec<u32>,
    ) -> Result<(), Error> {
        position.check(hybrid, count)?;
        let (before, from) = (out.len(), *position);
        with!(self, read(hybrid, position, count, out)).inspect_err(|_| {
            out.truncate(before);
            *position = from;
        })
    }

    /// Appends the values that the mask selects by its set bits. It has a bit for each value.
    pub fn select(&self, source: &Source<'_>, mask: &Bitmap, out: &mut Vec<u32>) -> Result<(), Error> {
        if mask.len() != source.len() {
            return Err(Error::MaskLength { mask: mask.len(), values: source.len() });
        }
        let before = out.len();
        with!(self, select(source, mask, out)).inspect_err(|_| out.truncate(before))
    }

    /// Appends, for each bit of the mask, the next value if it is set, and 0 if it is not. The mask
    /// has a set bit for each value: the inverse of [`Kernels::select`].
    pub fn expand(&self, source: &Source<'_>, mask: &Bitmap, out: &mut Vec<u32>) -> Result<(), Error> {
        let ones = mask.count_ones();
        if ones != source.len() {
            return Err(Error::MaskLength { mask: ones, values: source.len() });
        }
        let before = out.len();
        with!(self, expand(source, mask, out)).inspect_err(|_| out.truncate(before))
    }
}
