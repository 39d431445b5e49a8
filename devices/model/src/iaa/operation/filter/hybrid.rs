//! Parquet's hybrid of runs and packed values, after a byte with the width (Apache Parquet,
//! "RLE/Bit-Packing Hybrid").

use pelton_device_iaa::hw::AnalyticsError;

use super::packed::Packed;

/// Maximum width of an element.
const MAX_WIDTH: u8 = 32;

/// Maximum length of a run's header. Intel's library documents four bytes, which is not enough for
/// any 32-bit number.
const MAX_HEADER_BYTES: usize = 4;

/// Values in a group; a packed run has complete groups.
const GROUP: u32 = 8;

/// A reader of the values.
#[derive(Clone, Debug)]
pub(super) struct Hybrid<'a> {
    /// Bytes after the current run.
    rest: &'a [u8],
    width: u32,
    run: Run<'a>,
    /// Remaining values of the current run.
    left: u32,
}

#[derive(Clone, Debug)]
enum Run<'a> {
    Repeated(u32),
    Packed(Packed<'a>),
}

impl<'a> Hybrid<'a> {
    /// # Errors
    /// There is no width, or it is zero or too large. Parquet has width zero for a dictionary of
    /// one entry; the device's support of it is not documented, so the model has none.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Hybrid<'a>, AnalyticsError> {
        match bytes.split_first() {
            None | Some((0, _)) => Err(AnalyticsError::BadParquetRle),
            Some((width, _)) if *width > MAX_WIDTH => Err(AnalyticsError::ParquetRleTooWide),
            Some((width, rest)) => {
                Ok(Hybrid { rest, width: u32::from(*width), run: Run::Repeated(0), left: 0 })
            }
        }
    }

    /// Returns the width of a value in bits.
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    /// Returns the next value; none if the bytes end at the start of a run.
    ///
    /// # Errors
    /// A run is incomplete.
    pub(super) fn next(&mut self) -> Result<Option<u32>, AnalyticsError> {
        while self.left == 0 {
            if self.rest.is_empty() {
                return Ok(None);
            }
            self.begin_run().ok_or(AnalyticsError::BadParquetRle)?;
        }
        self.left -= 1;
        match &mut self.run {
            Run::Repeated(value) => Ok(Some(*value)),
            Run::Packed(values) => values.next().map(Some).ok_or(AnalyticsError::BadParquetRle),
        }
    }

    fn begin_run(&mut self) -> Option<()> {
        let header = self.header()?;
        if header & 1 == 0 {
            let bytes = self.width.div_ceil(8) as usize;
            let (value, rest) = self.rest.split_at_checked(bytes)?;
            (self.run, self.rest, self.left) =
                (Run::Repeated(Packed::new(value, self.width, false).next()?), rest, header >> 1);
        } else {
            let groups = header >> 1;
            // A group of 8 values has a byte for each bit of the width. The last run may be cut
            // after the needed values.
            let bytes = (groups as usize * self.width as usize).min(self.rest.len());
            let (values, rest) = self.rest.split_at(bytes);
            (self.run, self.rest, self.left) =
                (Run::Packed(Packed::new(values, self.width, false)), rest, groups * GROUP);
        }
        Some(())
    }

    /// Reads the run's header: seven bits a byte, the lowest first.
    fn header(&mut self) -> Option<u32> {
        let mut header = 0;
        for n in 0..MAX_HEADER_BYTES {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            header |= u32::from(byte & 0x7F) << (7 * n);
            if byte & 0x80 == 0 {
                return Some(header);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
