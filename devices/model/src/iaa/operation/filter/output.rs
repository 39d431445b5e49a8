//! What a filter writes: a bit vector, the indexes of its ones, or elements; and the summary of it.

use pelton_device_iaa::hw::AnalyticsError;

use super::flags::Flags;

/// The three figures at the end of a completion record. Intel's library documents them: of a bit
/// vector, whether it is written as one or as indexes, the index of the first and the last one and
/// how many there are; of elements the least, the largest and the sum.
///
/// Assumed: indexes are without the output modifier, the sum is modulo 2^32, and where there is
/// nothing the first two are those that a search begins with, which is how the library's software
/// has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Summary {
    /// First one, or least element.
    pub first: u32,
    /// Last one, or largest element.
    pub last: u32,
    /// Number of ones, or sum of elements.
    pub sum: u32,
}

impl Summary {
    const EMPTY: Summary = Summary { first: u32::MAX, last: 0, sum: 0 };

    fn add(&mut self, value: u32, count: u32) {
        self.first = self.first.min(value);
        self.last = self.last.max(value);
        self.sum = self.sum.wrapping_add(count);
    }
}

/// How elements become bits of the output.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// As they are, of so many bits.
    Array(u32),
    /// For each one its index, of so many bits, plus a constant.
    Indexes { width: u32, modifier: u32 },
}

/// The output of a filter.
pub(super) struct Output<'a> {
    to: &'a mut [u8],
    form: Form,
    big_endian: bool,
    /// The nominal output is a bit vector: elements of one bit.
    is_bit_vector: bool,
    /// XORed to each element: 1 to invert a bit vector.
    invert: u32,
    /// Elements so far: more than 32 bits can count, if they are repeated and nothing is written of
    /// them.
    position: u64,
    /// Whole bytes written.
    bytes: usize,
    /// Bits that are no whole byte yet: the first is the lowest or, big-endian, the highest.
    pending: u64,
    pending_bits: u32,
    summary: Summary,
}

/// What an output came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written {
    /// Bytes in the destination.
    pub bytes: usize,
    /// Bits that are valid in the last of them; 0 for all.
    pub bits: u8,
    /// The summary.
    pub summary: Summary,
}

impl<'a> Output<'a> {
    /// An output of elements of so many bits.
    ///
    /// # Errors
    /// They do not fit into the width that the flags ask for.
    pub(super) fn new(
        to: &'a mut [u8],
        flags: &Flags,
        nominal_width: u32,
        modifier: u32,
    ) -> Result<Output<'a>, AnalyticsError> {
        let is_bit_vector = nominal_width == 1;
        let form = match flags.output_width {
            None => Form::Array(nominal_width),
            Some(width) if is_bit_vector && !flags.force_array => Form::Indexes { width, modifier },
            Some(width) if width < nominal_width => return Err(AnalyticsError::OutputWidthTooSmall),
            Some(width) => Form::Array(width),
        };
        Ok(Output {
            to,
            form,
            big_endian: flags.output_big_endian,
            is_bit_vector,
            invert: u32::from(is_bit_vector && flags.invert),
            position: 0,
            bytes: 0,
            pending: 0,
            pending_bits: 0,
            summary: Summary::EMPTY,
        })
    }

    /// Adds an element.
    ///
    /// # Errors
    /// It does not fit.
    pub(super) fn push(&mut self, value: u32) -> Result<(), AnalyticsError> {
        let (value, position) = (value ^ self.invert, self.position);
        self.position += 1;
        match (self.is_bit_vector, value) {
            (true, 0) => {}
            (true, _) => self.summary.add(position as u32, 1),
            (false, _) => self.summary.add(value, value),
        }
        match self.form {
            Form::Array(width) => self.put(value, width),
            Form::Indexes { .. } if value == 0 => Ok(()),
            Form::Indexes { width, modifier } => {
                let index = position + u64::from(modifier);
                if index >> width != 0 {
                    return Err(AnalyticsError::OutputWidthTooSmall);
                }
                self.put(index as u32, width)
            }
        }
    }

    fn put(&mut self, value: u32, width: u32) -> Result<(), AnalyticsError> {
        self.pending = if self.big_endian {
            self.pending << width | u64::from(value)
        } else {
            self.pending | u64::from(value) << self.pending_bits
        };
        self.pending_bits += width;
        while self.pending_bits >= 8 {
            self.pending_bits -= 8;
            if self.big_endian {
                self.byte((self.pending >> self.pending_bits) as u8)?;
            } else {
                self.byte(self.pending as u8)?;
                self.pending >>= 8;
            }
        }
        Ok(())
    }

    fn byte(&mut self, byte: u8) -> Result<(), AnalyticsError> {
        // The filter's state is nowhere kept, so that there is nothing to go on with.
        *self.to.get_mut(self.bytes).ok_or(AnalyticsError::UnrecoverableOverflow)? = byte;
        self.bytes += 1;
        Ok(())
    }

    /// Writes the bits that are no whole byte.
    ///
    /// # Errors
    /// They do not fit.
    pub(super) fn finish(mut self) -> Result<Written, AnalyticsError> {
        let bits = self.pending_bits;
        if bits > 0 {
            self.put(0, 8 - bits)?;
        }
        Ok(Written { bytes: self.bytes, bits: bits as u8, summary: self.summary })
    }
}
