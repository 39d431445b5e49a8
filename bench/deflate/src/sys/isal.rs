//! ISA-L's igzip, with its one-shot functions.

use isal_sys::igzip_lib as c;

/// A compressor of one level, 0 to 3, with the level buffer that ISA-L's documentation recommends.
pub struct Deflate {
    stream: Box<c::isal_zstream>,
    level: u32,
    buffer: Vec<u8>,
}

impl Deflate {
    /// Panics if there is no such level.
    pub fn new(level: i32) -> Self {
        let bytes = match level {
            0 => c::ISAL_DEF_LVL0_DEFAULT,
            1 => c::ISAL_DEF_LVL1_DEFAULT,
            2 => c::ISAL_DEF_LVL2_DEFAULT,
            3 => c::ISAL_DEF_LVL3_DEFAULT,
            _ => panic!("igzip has levels 0 to 3"),
        };
        // SAFETY: the struct has integers and pointers only, and zeros are valid for both.
        let stream = unsafe { Box::<c::isal_zstream>::new_zeroed().assume_init() };
        Deflate { stream, level: level as u32, buffer: vec![0; bytes as usize] }
    }

    /// Compresses a block into raw DEFLATE and returns its length.
    pub fn compress(&mut self, input: &[u8], output: &mut [u8]) -> usize {
        let stream = &mut *self.stream;
        // SAFETY: the call fills the struct in.
        unsafe { c::isal_deflate_stateless_init(stream) };
        stream.level = self.level;
        stream.level_buf = self.buffer.as_mut_ptr();
        stream.level_buf_size = self.buffer.len() as u32;
        stream.end_of_stream = 1;
        stream.next_in = input.as_ptr().cast_mut();
        stream.avail_in = input.len().try_into().expect("a block below 4 GB");
        stream.next_out = output.as_mut_ptr();
        stream.avail_out = output.len().try_into().expect("an output below 4 GB");
        // SAFETY: the stream is initialised; input, output and level buffer are live for the
        // lengths that are given, and ISA-L does not write to its input.
        let result = unsafe { c::isal_deflate_stateless(stream) };
        assert_eq!(result, c::COMP_OK as i32, "igzip failed");
        output.len() - stream.avail_out as usize
    }
}

/// A decompressor.
pub struct Inflate(Box<c::inflate_state>);

impl Inflate {
    /// Makes a decompressor of raw DEFLATE.
    pub fn new() -> Self {
        // SAFETY: the struct has integers and pointers only, and zeros are valid for both.
        Inflate(unsafe { Box::<c::inflate_state>::new_zeroed().assume_init() })
    }

    /// Decompresses raw DEFLATE; returns whether it was sound and filled the output exactly.
    pub fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> bool {
        let state = &mut *self.0;
        // SAFETY: the call fills the struct in.
        unsafe { c::isal_inflate_init(state) };
        state.next_in = input.as_ptr().cast_mut();
        state.avail_in = input.len().try_into().expect("a stream below 4 GB");
        state.next_out = output.as_mut_ptr();
        state.avail_out = output.len().try_into().expect("an output below 4 GB");
        // SAFETY: the state is initialised; both slices are live for the lengths that are given,
        // and ISA-L does not write to its input.
        let result = unsafe { c::isal_inflate_stateless(state) };
        result == c::ISAL_DECOMP_OK as i32 && state.total_out as usize == output.len()
    }
}
