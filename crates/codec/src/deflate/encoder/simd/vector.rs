//! Vector operations of the encoder, for algorithms that are written once and compiled for vectors
//! of 256 and of 512 bits.
//!
//! Everything here is `#[inline(always)]` without features of its own: it becomes part of an entry
//! point that has them. Closures are not, so algorithms over these traits do no vector operations
//! in closures.

use std::ops::{Add, BitAnd, BitOr, Mul, Sub};

use crate::deflate::encoder::match_finder::GROUP;

/// Proof that the processor has the features of a vector width: the source of its vectors.
pub(crate) trait Simd: Copy {
    type Vector: Vector;
    /// `Vector::LANES` elements in memory.
    type Array: Array;
    /// Bytes of the positions of a vector, and those after them that are hashed.
    type Bytes: Copy;
    /// Half-width elements, or their widened copies where there are no masks for them.
    type Narrow: Copy;

    /// Bytes that [`Simd::load_bytes`] reads.
    const LOADED: usize;

    /// Returns a vector of one number.
    fn splat(self, value: i32) -> Self::Vector;

    /// Returns the elements of an array.
    fn get(self, array: &Self::Array) -> Self::Vector;

    /// Sets the elements of an array.
    fn set(self, array: &mut Self::Array, vector: Self::Vector);

    /// # Safety
    /// `Vector::LANES` elements can be read.
    unsafe fn load(self, from: *const u32) -> Self::Vector;

    /// # Safety
    /// `Vector::LANES` elements can be written.
    unsafe fn store(self, vector: Self::Vector, to: *mut u32);

    /// Loads bytes, and widens them.
    ///
    /// # Safety
    /// `Vector::LANES` bytes can be read.
    unsafe fn load_u8(self, from: *const u8) -> Self::Vector;

    /// Loads an element at each offset in units of `SCALE` bytes.
    ///
    /// # Safety
    /// Four bytes can be read at each.
    unsafe fn gather<const SCALE: i32>(self, base: *const u8, offsets: Self::Vector) -> Self::Vector;

    /// Returns the elements of a table at indices below 32.
    fn look_up(self, table: &[u32; 32], index: Self::Vector) -> Self::Vector;

    /// # Safety
    /// `LOADED` bytes can be read.
    unsafe fn load_bytes(self, from: *const u8) -> Self::Bytes;

    /// Returns the four bytes that start at each position plus `by`.
    fn four_at_each(self, bytes: Self::Bytes, by: u8) -> Self::Vector;

    /// Compares 32 bytes, and returns the mask of the equal ones.
    ///
    /// # Safety
    /// They can be read.
    unsafe fn equal_bytes(self, a: *const u8, b: *const u8) -> u32;

    /// # Safety
    /// `Vector::LANES` elements can be read.
    unsafe fn load_narrow(self, from: *const u16) -> Self::Narrow;

    /// Returns `a` in the mask, and `b` elsewhere.
    fn select_narrow(self, mask: Mask<Self>, a: Self::Narrow, b: Self::Narrow) -> Self::Narrow;

    fn widen(self, narrow: Self::Narrow) -> Self::Vector;

    /// Stores the low halves of elements below 2^16.
    ///
    /// # Safety
    /// `Vector::LANES` elements can be written.
    unsafe fn store_narrow(self, vector: Self::Vector, to: *mut u16);

    /// The same for the vectors of a group; there is one only if it has all lanes.
    fn store_group(self, vectors: [Self::Vector; 2], to: &mut [u16; GROUP]);

    /// Stores the first eight elements of two vectors in turns.
    ///
    /// # Safety
    /// Sixteen elements can be written.
    unsafe fn store_pairs(self, first: Self::Vector, second: Self::Vector, to: *mut u32);

    /// Moves the elements in the mask to the front.
    fn compress(self, vector: Self::Vector, mask: Mask<Self>) -> Self::Vector;

    /// Returns a mask of the elements that are not 0.
    fn non_zeros(self, elements: &[u16; 32]) -> u32;
}

/// The mask of a width.
pub(crate) type Mask<S> = <<S as Simd>::Vector as Vector>::Mask;

/// A vector of 32-bit elements.
pub(crate) trait Vector:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
{
    /// The elements for which a comparison holds.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;

    const LANES: usize;
    /// Added to the results of [`Vector::biased_log2`].
    const LOG2_BIAS: i32;
    /// Added to the results of [`Vector::biased_low_ones`].
    const LOW_ONES_BIAS: i32;

    /// Returns the bits that the other vector does not have.
    fn and_not(self, other: Self) -> Self;

    fn shl(self, bits: u32) -> Self;

    fn shr(self, bits: u32) -> Self;

    /// Shifts each element to the right by its own number of bits.
    fn shr_each(self, bits: Self) -> Self;

    fn min_u32(self, other: Self) -> Self;

    fn max_i32(self, other: Self) -> Self;

    fn max_u32(self, other: Self) -> Self;

    /// Multiplies elements, for products that fit half an element.
    fn mul_u16(self, other: Self) -> Self;

    /// Returns the elements of `table` at these indices, less a multiple of the lanes.
    fn permute(self, table: Self) -> Self;

    /// Returns the binary logarithms of powers of two, and of numbers that a float holds exactly
    /// rounded down, plus `LOG2_BIAS`. The logarithm of zero is below that of one.
    fn biased_log2(self) -> Self;

    /// Returns the number of ones below the lowest zero of non-negative numbers, plus
    /// `LOW_ONES_BIAS`.
    fn biased_low_ones(self) -> Self;

    /// Returns the number of ones in numbers without a zero below a one.
    fn count_low_ones(self) -> Self;

    /// Returns the number of zeros below the lowest one of numbers that are not 0.
    fn trailing_zeros(self) -> Self;

    fn equals(self, other: Self) -> Self::Mask;

    /// Compares signed numbers.
    fn greater(self, other: Self) -> Self::Mask;

    /// Compares unsigned numbers.
    fn at_most(self, other: Self) -> Self::Mask;

    /// Returns `a` in the mask, and `b` elsewhere.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// Returns the elements in the mask, and 0 elsewhere.
    fn keep(self, mask: Self::Mask) -> Self;

    /// Returns the mask as bits, the first element's lowest.
    fn bits(mask: Self::Mask) -> u32;
}

/// Elements of a vector in memory, at its alignment.
pub(crate) trait Array: Copy {
    const ZEROS: Self;

    /// Returns `Vector::LANES` elements.
    fn elements(&self) -> &[u32];

    fn elements_mut(&mut self) -> &mut [u32];
}

/// Returns the numbers of the lanes.
#[inline(always)]
pub(crate) fn lanes<S: Simd>(simd: S) -> S::Vector {
    const NUMBERS: [u32; GROUP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    const { assert!(S::Vector::LANES <= GROUP) };
    // SAFETY: no vector has more elements.
    unsafe { simd.load(NUMBERS.as_ptr()) }
}

/// Implements operators and methods of a vector by intrinsics of two operands.
macro_rules! binary {
    ($vector:ident: $($operator:ident $name:ident $intrinsic:ident),*) => {
        $(impl std::ops::$operator for $vector {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: a vector proves that the features are there.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        })*
    };
    ($($name:ident $intrinsic:ident),*) => {
        $(#[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: a vector proves that the features are there.
            Self(unsafe { $intrinsic(self.0, other.0) })
        })*
    };
}
pub(crate) use binary;
