//! Elements of source 1, in any layout.

use pelton_device_iaa::hw::AnalyticsError;

use super::flags::Parser;
use super::hybrid::Hybrid;
use super::packed::Packed;

/// A reader of the elements of source 1.
pub(super) struct Values<'a> {
    kind: Kind<'a>,
    /// The error if they end too soon.
    end: AnalyticsError,
}

enum Kind<'a> {
    Packed(Packed<'a>),
    Hybrid(Hybrid<'a>),
}

impl<'a> Values<'a> {
    /// Returns the elements of these bytes.
    ///
    /// The device has two errors for missing elements, without documentation of their use. An
    /// assumption: uncompressed packed bytes, with a length that is known before, are a source that
    /// is too small; a stream has too few elements.
    ///
    /// # Errors
    /// The width of Parquet's hybrid is invalid.
    pub(super) fn new(
        bytes: &'a [u8],
        parser: Parser,
        decompressed: bool,
    ) -> Result<Values<'a>, AnalyticsError> {
        Ok(match parser {
            Parser::Packed { width, big_endian } => Values {
                kind: Kind::Packed(Packed::new(bytes, width, big_endian)),
                end: if decompressed {
                    AnalyticsError::TooFewElements
                } else {
                    AnalyticsError::Source1TooSmall
                },
            },
            Parser::Hybrid => {
                Values { kind: Kind::Hybrid(Hybrid::new(bytes)?), end: AnalyticsError::TooFewElements }
            }
        })
    }

    /// Returns the width of an element in bits.
    pub(super) fn width(&self) -> u32 {
        match &self.kind {
            Kind::Packed(packed) => packed.width(),
            Kind::Hybrid(hybrid) => hybrid.width(),
        }
    }

    /// Returns the next element.
    ///
    /// # Errors
    /// There is no element, or it is invalid.
    pub(super) fn next(&mut self) -> Result<u32, AnalyticsError> {
        let next = match &mut self.kind {
            Kind::Packed(packed) => packed.next(),
            Kind::Hybrid(hybrid) => hybrid.next()?,
        };
        next.ok_or(self.end)
    }
}
