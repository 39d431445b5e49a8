//! Parquet's hybrid of runs and packed values, behind a byte with the width (Apache Parquet,
//! "RLE/Bit-Packing Hybrid").

use pelton_device_iaa::hw::AnalyticsError;

use super::packed::Packed;

/// Widest element.
const MAX_WIDTH: u8 = 32;

/// Most bytes of a run's header. Intel's library documents four, one fewer than a 32-bit number can
/// take.
const MAX_HEADER_BYTES: usize = 4;

/// Values in a group: packed runs are so many groups.
const GROUP: u32 = 8;

/// Reads the values.
#[derive(Clone, Debug)]
pub(super) struct Hybrid<'a> {
    /// What follows the current run.
    rest: &'a [u8],
    width: u32,
    run: Run<'a>,
    /// Values that the current run still has.
    left: u32,
}

#[derive(Clone, Debug)]
enum Run<'a> {
    Repeated(u32),
    Packed(Packed<'a>),
}

impl<'a> Hybrid<'a> {
    /// # Errors
    /// No width, width 0, or a width over 32. Parquet has width 0 where a dictionary has one entry;
    /// that the device takes it is not documented, so the model does not.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Hybrid<'a>, AnalyticsError> {
        match bytes.split_first() {
            None | Some((0, _)) => Err(AnalyticsError::BadParquetRle),
            Some((width, _)) if *width > MAX_WIDTH => Err(AnalyticsError::ParquetRleTooWide),
            Some((width, rest)) => {
                Ok(Hybrid { rest, width: u32::from(*width), run: Run::Repeated(0), left: 0 })
            }
        }
    }

    /// Bits of a value.
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    /// The next value; none if the bytes end where a run could begin.
    ///
    /// # Errors
    /// A run that is not whole.
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
            // A group of 8 values has as many bytes as a value has bits. The last run may be cut
            // short behind the values that are needed.
            let bytes = (groups as usize * self.width as usize).min(self.rest.len());
            let (values, rest) = self.rest.split_at(bytes);
            (self.run, self.rest, self.left) =
                (Run::Packed(Packed::new(values, self.width, false)), rest, groups * GROUP);
        }
        Some(())
    }

    /// The run's header: seven bits a byte, the lowest first.
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
