//! libdeflate, with one compressor or decompressor for all blocks.

use std::ptr::NonNull;

use libdeflate_sys as c;

/// A compressor of one level, 0 to 12.
pub struct Deflate(NonNull<c::libdeflate_compressor>);

impl Deflate {
    /// Panics if there is no such level.
    pub fn new(level: i32) -> Self {
        // SAFETY: any level may be given; a bad one gives null.
        Deflate(
            NonNull::new(unsafe { c::libdeflate_alloc_compressor(level) }).expect("a level of libdeflate"),
        )
    }

    /// Compresses a block into raw DEFLATE and returns its length.
    pub fn compress(&mut self, input: &[u8], output: &mut [u8]) -> usize {
        // SAFETY: the compressor is live, and both slices are valid for the lengths that are given.
        let produced = unsafe {
            c::libdeflate_deflate_compress(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
            )
        };
        assert_ne!(produced, 0, "libdeflate: the output is too short");
        produced
    }
}

impl Drop for Deflate {
    fn drop(&mut self) {
        // SAFETY: the compressor is live and not used again.
        unsafe { c::libdeflate_free_compressor(self.0.as_ptr()) }
    }
}

/// A decompressor.
pub struct Inflate(NonNull<c::libdeflate_decompressor>);

impl Inflate {
    /// Panics if there is no memory.
    pub fn new() -> Self {
        // SAFETY: the call has no preconditions.
        Inflate(NonNull::new(unsafe { c::libdeflate_alloc_decompressor() }).expect("memory for libdeflate"))
    }

    /// Decompresses raw DEFLATE; returns whether it was sound and filled the output exactly.
    pub fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> bool {
        // SAFETY: the decompressor is live, both slices are valid for their lengths, and null means
        // that the output has to be filled exactly.
        let result = unsafe {
            c::libdeflate_deflate_decompress(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                std::ptr::null_mut(),
            )
        };
        result == c::libdeflate_result_LIBDEFLATE_SUCCESS
    }
}

impl Drop for Inflate {
    fn drop(&mut self) {
        // SAFETY: the decompressor is live and not used again.
        unsafe { c::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}
