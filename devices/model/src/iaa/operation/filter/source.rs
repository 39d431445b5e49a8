//! Source 1 for the parser, decompressed if necessary.

use std::borrow::Cow;

use pelton_device_iaa::hw::RecordView;
use pelton_device_iaa::hw::aecs::decompress as layout;

use super::flags::Flags;
use crate::iaa::operation::checksums::Checksums;
use crate::iaa::operation::image::{read_u16, read_u32};
use crate::iaa::operation::{Request, decompress};

/// Maximum length of a decompressed input. The hardware has no such limit, because it filters while
/// it decompresses. The model keeps the decompressed bytes, and a transfer could grow a
/// thousandfold.
const MAX_DECOMPRESSED: usize = 256 << 20;

/// Uncompressed source 1.
pub(super) struct Source<'a> {
    /// The packed elements.
    pub bytes: Cow<'a, [u8]>,
    /// Used bytes of source 1.
    pub consumed: u32,
    /// Checksums of the decompressed bytes or, without decompression, of source 1.
    pub sums: Checksums,
}

impl<'a> Source<'a> {
    /// Returns source 1, decompressed if the flags request it, without the bytes to drop by the
    /// AECS. Writes the state of decompression to `image`.
    ///
    /// # Errors
    /// The record of the failed decompression.
    pub(super) fn of(
        request: &Request<'a>,
        flags: &Flags,
        image: Option<&mut [u8]>,
    ) -> Result<Source<'a>, RecordView> {
        if flags.decompress {
            let decompressed = decompress::decompress_for_filter(request, image, MAX_DECOMPRESSED)?;
            let sums = Checksums { crc: decompressed.crc, xor: decompressed.xor };
            return Ok(Source { bytes: decompressed.bytes.into(), consumed: decompressed.consumed, sums });
        }
        let from = Checksums {
            crc: read_u32(request.aecs, layout::CRC).unwrap_or_default(),
            xor: read_u32(request.aecs, layout::XOR).unwrap_or_default() as u16,
        };
        let dropped = read_u16(request.aecs, layout::DROP_INITIAL_BYTES).unwrap_or_default();
        let bytes = request.source1.get(dropped.into()..).unwrap_or_default();
        Ok(Source {
            bytes: bytes.into(),
            consumed: request.source1.len() as u32,
            sums: from.append(request.descriptor, request.source1),
        })
    }
}
