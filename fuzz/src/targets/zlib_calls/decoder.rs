//! Decoder of a library's output so far, with the system's zlib.

use libz_rs_sys::{Z_BUF_ERROR, Z_NEED_DICT, Z_NO_FLUSH, Z_OK, Z_STREAM_END, z_stream};

use super::libraries::libraries;
use super::stream::{begin_inflate, blank, give, message, with_capacity};

/// Output is taken in pieces below the smallest windows, so that a match beyond the window is
/// found.
const CAPACITY: usize = 200;

/// A decompressing stream that goes as far as there is input.
pub struct Decoder {
    strm: Box<z_stream>,
    /// Decoded bytes.
    pub uncompressed: Vec<u8>,
    /// Number of bytes read from the compressed stream.
    pub consumed: usize,
    /// Whether the stream came to its end.
    pub ended: bool,
    dictionary: Vec<u8>,
}

impl Decoder {
    /// Makes a decoder for the output of `deflateInit2` with these `windowBits`, with the same
    /// window.
    pub fn new(bits: i32) -> Self {
        let bits = if (8..=15).contains(&bits) { 0 } else { bits };
        let (strm, code) = begin_inflate(&libraries().system, bits);
        assert_eq!(code, Z_OK, "zlib refuses {bits} window bits");
        Self { strm, uncompressed: vec![], consumed: 0, ended: false, dictionary: vec![] }
    }

    /// Gives a dictionary: at this place if the stream is raw, else when zlib requests it.
    pub fn dictionary(&mut self, dictionary: &[u8], raw: bool) {
        self.dictionary = dictionary.to_vec();
        if raw {
            assert_eq!(self.set_dictionary(), Z_OK);
        }
    }

    fn set_dictionary(&mut self) -> i32 {
        let (bytes, len) = (self.dictionary.as_ptr(), self.dictionary.len() as u32);
        // SAFETY: the stream is open, and the dictionary that long.
        unsafe { (libraries().system.inflateSetDictionary)(&mut *self.strm, bytes, len) }
    }

    /// Decodes the new bytes of `compressed`, which is the whole stream so far.
    pub fn take(&mut self, compressed: &[u8]) {
        give(&mut self.strm, &compressed[self.consumed..]);
        while !self.ended {
            let call = |strm| {
                // SAFETY: the stream is open, on buffers that are as long as it says.
                unsafe { (libraries().system.inflate)(strm, Z_NO_FLUSH) }
            };
            match with_capacity(&mut self.strm, &mut self.uncompressed, CAPACITY, call) {
                Z_OK => {}
                Z_STREAM_END => self.ended = true,
                Z_BUF_ERROR => break,
                Z_NEED_DICT => assert_eq!(self.set_dictionary(), Z_OK, "another dictionary"),
                code => panic!("zlib can't decode this: {code} {}", message(&self.strm)),
            }
        }
        self.consumed = compressed.len() - self.strm.avail_in as usize;
    }

    /// Another one, at the same place.
    pub fn copy(&mut self) -> Self {
        let mut strm = blank();
        // SAFETY: one stream is open, the other not begun.
        assert_eq!(unsafe { (libraries().system.inflateCopy)(&mut *strm, &mut *self.strm) }, Z_OK);
        let (uncompressed, dictionary) = (self.uncompressed.clone(), self.dictionary.clone());
        Self { strm, uncompressed, dictionary, ..*self }
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the stream is open, and not used again.
        unsafe { (libraries().system.inflateEnd)(&mut *self.strm) };
    }
}
