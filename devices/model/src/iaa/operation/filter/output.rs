//! Output of a filter: a bit vector, the indexes of its ones, or elements, with a summary.

use pelton_device_iaa::hw::AnalyticsError;

use super::flags::Flags;

/// The last three fields of a completion record, as Intel's library documents them. For a bit
/// vector, written as such or as indexes: index of the first and the last one, and the number of
/// ones. For elements: minimum, maximum and sum.
///
/// Assumptions: indexes are without the output modifier, the sum wraps around, and without elements
/// the first two fields have the initial values of a search, like the library's software.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Summary {
    /// First one, or minimum.
    pub first: u32,
    /// Last one, or maximum.
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

/// Form of the output.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Elements of this width.
    Array(u32),
    /// The index of each one, with this width, plus a constant.
    Indexes { width: u32, modifier: u32 },
}

/// The output of a filter.
pub(super) struct Output<'a> {
    to: &'a mut [u8],
    form: Form,
    big_endian: bool,
    /// Whether the nominal output is a bit vector, of elements of one bit.
    is_bit_vector: bool,
    /// XORed with each element: 1 inverts a bit vector.
    invert: u32,
    /// Elements so far. Repeated elements without output can exceed 32 bits.
    position: u64,
    /// Complete bytes written.
    bytes: usize,
    /// Bits of an incomplete byte: the first is the lowest, or the highest if big-endian.
    pending: u64,
    pending_bits: u32,
    summary: Summary,
}

/// Lengths and summary of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written {
    /// Bytes in the destination.
    pub bytes: usize,
    /// Valid bits in the last byte; 0 means all.
    pub bits: u8,
    /// The summary.
    pub summary: Summary,
}

impl<'a> Output<'a> {
    /// Returns an output of elements with a nominal width.
    ///
    /// # Errors
    /// They do not fit the output width of the flags.
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
        // The filter's state is not kept, so the operation can't be continued.
        *self.to.get_mut(self.bytes).ok_or(AnalyticsError::UnrecoverableOverflow)? = byte;
        self.bytes += 1;
        Ok(())
    }

    /// Writes the bits of an incomplete byte.
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
