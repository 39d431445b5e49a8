//! Little-endian fields of an AECS image.

/// Returns the u32 at `offset`; none beyond the image's end.
pub(super) fn read_u32(image: &[u8], offset: usize) -> Option<u32> {
    image.get(offset..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Sets the u32 at `offset`, if it is within the image.
pub(super) fn write_u32(image: &mut [u8], offset: usize, value: u32) {
    if let Some(bytes) = image.get_mut(offset..).and_then(|rest| rest.first_chunk_mut()) {
        *bytes = value.to_le_bytes();
    }
}

/// Returns the u16 at `offset`; none beyond the image's end.
pub(super) fn read_u16(image: &[u8], offset: usize) -> Option<u16> {
    image.get(offset..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

/// An image with little-endian fields. Fields after its end read as zeros and are not written: an
/// image may omit its history, and its codes too.
pub(crate) struct Image<T>(pub(crate) T);

impl<T: AsRef<[u8]>> Image<T> {
    pub(crate) fn bytes(&self, offset: usize, len: usize) -> &[u8] {
        self.0.as_ref().get(offset..offset + len).unwrap_or(&[])
    }

    pub(crate) fn get<const N: usize>(&self, offset: usize) -> [u8; N] {
        self.bytes(offset, N).first_chunk().copied().unwrap_or([0; N])
    }

    pub(crate) fn u16(&self, offset: usize) -> u16 {
        u16::from_le_bytes(self.get(offset))
    }

    pub(crate) fn u32(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.get(offset))
    }
}

impl<T: AsMut<[u8]>> Image<T> {
    pub(crate) fn put(&mut self, offset: usize, bytes: &[u8]) {
        if let Some(field) = self.0.as_mut().get_mut(offset..offset + bytes.len()) {
            field.copy_from_slice(bytes);
        }
    }
}
