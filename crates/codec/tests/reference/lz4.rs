//! The C LZ4, as the reference for raw blocks. Also used by `fuzz/`.

use lz4_sys as lz4;

/// The plain bytes, or `None` if the block is invalid or longer than `room`.
pub fn decompress(input: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut output = vec![0; room.max(1)];
    let (source, target) = (input.as_ptr().cast(), output.as_mut_ptr().cast());
    // SAFETY: both buffers are live and of the lengths that are given.
    let len = unsafe {
        lz4::LZ4_decompress_safe(source, target, input.len().try_into().ok()?, room.try_into().ok()?)
    };
    output.truncate(usize::try_from(len).ok()?);
    Some(output)
}

/// The block that LZ4's default compressor makes.
pub fn compress(input: &[u8]) -> Vec<u8> {
    let len = input.len().try_into().unwrap();
    // SAFETY: has no preconditions.
    let bound = unsafe { lz4::LZ4_compressBound(len) };
    let mut output = vec![0; bound.try_into().unwrap()];
    // SAFETY: both buffers are live and of the lengths that are given.
    let len =
        unsafe { lz4::LZ4_compress_default(input.as_ptr().cast(), output.as_mut_ptr().cast(), len, bound) };
    output.truncate(usize::try_from(len).unwrap());
    output
}
