//! zlib-rs's streams as values: slices in, counts out.

mod deflate;
mod inflate;

pub use deflate::Deflate;
pub use inflate::Inflate;

use std::ffi::{CStr, c_int};

use libz_rs_sys as rs;
use rs::z_stream;

/// Version of the interface in use.
const VERSION: &CStr = c"1.3.1";

/// Returns the version of zlib that zlib-rs is, in its own words: "1.3.0-zlib-rs-" and its own.
pub fn version() -> String {
    // SAFETY: a text that lives for ever.
    unsafe { CStr::from_ptr(rs::zlibVersion()) }.to_string_lossy().into_owned()
}

/// Result of one call.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// zlib's own code.
    pub code: c_int,
    /// Bytes of the input that were used.
    pub consumed: usize,
    /// Bytes of the output that were written.
    pub produced: usize,
}

/// A stream of zlib-rs, which identifies it by its address.
struct Stream(Box<z_stream>);

// SAFETY: a stream is memory that this value alone points to; zlib-rs keeps nothing for a thread.
// Pointers to buffers are set by each call and not used after it.
unsafe impl Send for Stream {}

// SAFETY: the methods with a shared reference (copying the stream that decompresses, and its
// message) only read the stream.
unsafe impl Sync for Stream {}

impl Stream {
    fn new() -> Self {
        // Without an allocator zlib-rs uses malloc.
        Self(Box::new(z_stream { zalloc: None, zfree: None, ..z_stream::default() }))
    }

    /// Calls `function` with the buffers, as far as they fit into zlib's counts.
    fn call(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        function: unsafe extern "C" fn(*mut z_stream, c_int) -> c_int,
        flush: c_int,
    ) -> Status {
        let strm = &mut *self.0;
        let (given, capacity) = (clamp(input.len()), clamp(output.len()));
        (strm.next_in, strm.avail_in) = (input.as_ptr(), given);
        (strm.next_out, strm.avail_out) = (output.as_mut_ptr(), capacity);
        // SAFETY: the stream is open, of the kind that the function takes, and both buffers are
        // valid for the lengths given with them for the time of the call.
        let code = unsafe { function(strm, flush) };
        Status {
            code,
            consumed: (given - strm.avail_in) as usize,
            produced: (capacity - strm.avail_out) as usize,
        }
    }

    fn message(&self) -> Option<String> {
        // SAFETY: null, or a text of zlib-rs's that lives for ever.
        (!self.0.msg.is_null()).then(|| unsafe { CStr::from_ptr(self.0.msg) }.to_string_lossy().into_owned())
    }
}

fn clamp(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
