//! Little-endian fields of an AECS image.

/// The u32 at `offset`; none beyond the image's end.
pub(super) fn read_u32(image: &[u8], offset: usize) -> Option<u32> {
    image.get(offset..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Sets the u32 at `offset`, if the image reaches so far.
pub(super) fn write_u32(image: &mut [u8], offset: usize, value: u32) {
    if let Some(bytes) = image.get_mut(offset..).and_then(|rest| rest.first_chunk_mut()) {
        *bytes = value.to_le_bytes();
    }
}

/// The u16 at `offset`; none beyond the image's end.
pub(super) fn read_u16(image: &[u8], offset: usize) -> Option<u16> {
    image.get(offset..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}
