//! Source 1 as elements, whichever way it is packed.

use pelton_device_iaa::hw::AnalyticsError;

use super::flags::Parser;
use super::hybrid::Hybrid;
use super::packed::Packed;

/// Reads the elements of source 1.
pub(super) struct Values<'a> {
    kind: Kind<'a>,
    /// What it is if they end too soon.
    end: AnalyticsError,
}

enum Kind<'a> {
    Packed(Packed<'a>),
    Hybrid(Hybrid<'a>),
}

impl<'a> Values<'a> {
    /// The elements of these bytes.
    ///
    /// Two errors say that elements are missing, and no source says when it is which. Here: packed
    /// bytes that are read as they are, whose number is known before, are a source that is too
    /// small; a stream, which ends when it ends, has too few elements.
    ///
    /// # Errors
    /// A width of Parquet's hybrid that is none.
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

    /// Bits of an element.
    pub(super) fn width(&self) -> u32 {
        match &self.kind {
            Kind::Packed(packed) => packed.width(),
            Kind::Hybrid(hybrid) => hybrid.width(),
        }
    }

    /// The next element.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    pub(super) fn next(&mut self) -> Result<u32, AnalyticsError> {
        let next = match &mut self.kind {
            Kind::Packed(packed) => packed.next(),
            Kind::Hybrid(hybrid) => hybrid.next()?,
        };
        next.ok_or(self.end)
    }
}
