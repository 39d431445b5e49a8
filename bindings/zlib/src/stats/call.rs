//! A call on a stream, from its beginning to its end.

use std::ffi::c_int;
use std::time::Instant;

use libz_rs_sys::{Z_STREAM_END, z_stream};

use super::{Operation, Path, record, start};

/// A call that is being counted.
pub struct Call {
    started: Option<Instant>,
    total_in: u64,
    total_out: u64,
}

impl Call {
    /// Begins.
    #[inline]
    pub fn begin(strm: &z_stream) -> Self {
        Self { started: start(), total_in: strm.total_in, total_out: strm.total_out }
    }

    /// Ends, with what the call returns: as `one_shot` if the stream had not begun before it and is
    /// at its end now.
    #[inline]
    pub fn end(self, strm: &z_stream, code: c_int, stream: Operation, one_shot: Operation, path: Path) {
        let Self { started, total_in, total_out } = self;
        let whole = total_in == 0 && total_out == 0 && code == Z_STREAM_END;
        let operation = if whole { one_shot } else { stream };
        // A caller may change the totals, but hardly within a call.
        let (read, written) = (strm.total_in.wrapping_sub(total_in), strm.total_out.wrapping_sub(total_out));
        record(operation, path, read as usize, written as usize, started);
    }
}
