//! Source 1 on its way to the parser.

use std::borrow::Cow;

use pelton_device_iaa::hw::RecordView;
use pelton_device_iaa::hw::aecs::decompress as layout;

use super::flags::Flags;
use crate::iaa::operation::checksums::Checksums;
use crate::iaa::operation::image::{read_u16, read_u32};
use crate::iaa::operation::{Request, decompress};

/// Most bytes that an input may decompress to. The hardware filters as it decompresses and has no
/// such limit; the model keeps what it has decompressed, and 2 MB, what a queue usually takes,
/// could become 2 GB.
const MOST_DECOMPRESSED: usize = 256 << 20;

/// Source 1 as the parser gets it.
pub(super) struct Plain<'a> {
    /// The elements, as they are packed.
    pub bytes: Cow<'a, [u8]>,
    /// Bytes of source 1 that were used.
    pub consumed: u32,
    /// Checksums of what was decompressed or, if nothing was, of source 1.
    pub sums: Checksums,
}

impl<'a> Plain<'a> {
    /// Source 1, decompressed if the flags say so, without the bytes that the AECS says to drop.
    /// What decompression needs to go on goes to `image`.
    ///
    /// # Errors
    /// The record that says why it can't be decompressed.
    pub(super) fn of(
        request: &Request<'a>,
        flags: &Flags,
        image: Option<&mut [u8]>,
    ) -> Result<Plain<'a>, RecordView> {
        if flags.decompress {
            let plain = decompress::plain(request, image, MOST_DECOMPRESSED)?;
            let sums = Checksums { crc: plain.crc, xor: plain.xor };
            return Ok(Plain { bytes: plain.bytes.into(), consumed: plain.consumed, sums });
        }
        let from = Checksums {
            crc: read_u32(request.aecs, layout::CRC).unwrap_or_default(),
            xor: read_u32(request.aecs, layout::XOR).unwrap_or_default() as u16,
        };
        let dropped = read_u16(request.aecs, layout::DROP_INITIAL_BYTES).unwrap_or_default();
        let bytes = request.source1.get(dropped.into()..).unwrap_or_default();
        Ok(Plain {
            bytes: bytes.into(),
            consumed: request.source1.len() as u32,
            sums: from.append(request.descriptor, request.source1),
        })
    }
}
