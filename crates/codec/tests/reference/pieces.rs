//! A raw stream in pieces: [`StreamInflater`] and the C zlib in lockstep. Also used by `fuzz/`.

#![allow(dead_code, reason = "each of the crates that include this file uses a part of it")]

use std::ffi::{CStr, c_int};

use libz_sys as z;
use pelton_codec::{IsaLevel, STREAM_WINDOW, StreamInflater, StreamState, StreamStop};

use super::zlib::new_stream;

/// Arguments of one call.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Bytes of input beyond those that were shown and not read.
    pub more: usize,
    /// Room for output.
    pub room: usize,
    pub stop: StreamStop,
    /// Bits that are put before the input, how many and which; none of them mostly. As many as make
    /// seven with those that are left: where zlib decodes fast it gives eight back as a byte of
    /// input, which they are not.
    pub primed: (u32, u32),
    /// Bytes that are added to the earlier input.
    pub dictionary: &'static [u8],
}

/// Result of a call, and the state after it.
#[derive(PartialEq, Debug)]
struct Call {
    /// Whether there was room for bits.
    is_primed: bool,
    code: c_int,
    message: Option<String>,
    consumed: usize,
    output: Vec<u8>,
    /// Bits left, and where the stream is, as zlib packs them.
    data_type: c_int,
    /// The rest of a stored block, or the copied part of a match.
    part: i64,
    is_sync_point: bool,
    history: Vec<u8>,
}

/// How a stream went.
#[derive(Debug, PartialEq)]
pub enum End {
    /// It ended, after this number of bytes of input.
    Ended {
        consumed: usize,
        plain: Vec<u8>,
    },
    Damaged,
    /// There was no more input, or no more room was given.
    Unfinished,
}

/// Calls in a row for which there is nothing to do, after which there will be nothing.
const IDLE: usize = 20;

/// Decodes a raw stream in a window of `1 << bits` bytes by zlib and by all kinds of ours, in the
/// same pieces. They have to read, write and say the same in every call.
pub fn agree(bits: u8, input: &[u8], most: usize, mut pieces: impl FnMut() -> Piece) -> End {
    let reach = 1 << bits;
    let mut zlib = Zlib::new(bits);
    let mut ours = [
        StreamInflater::new(reach),
        StreamInflater::limited(reach, IsaLevel::Avx2),
        StreamInflater::limited(reach, IsaLevel::Portable),
        StreamInflater::checked(reach),
    ];
    let mut windows = vec![[0xEE; STREAM_WINDOW]; ours.len()];
    let (mut at, mut shown, mut idle, mut plain) = (0, 0, 0, Vec::new());
    loop {
        let mut piece = pieces();
        piece.primed.0 = piece.primed.0.min(7_u32.saturating_sub(ours[0].bits().1));
        shown = input.len().min(shown + piece.more);
        let theirs = zlib.call(&input[at..shown], piece);
        for ((which, ours), window) in
            ["fast", "AVX2", "portable", "checked"].into_iter().zip(&mut ours).zip(&mut windows)
        {
            let call = call(ours, window, &input[at..shown], piece);
            let place = format!("{which}: {piece:?} at {at} of {}, after {}", input.len(), plain.len());
            assert_eq!(brief(&call), brief(&theirs), "{place}");
            assert!(call.output == theirs.output, "{place}: other bytes");
            // What is kept at the end and after an error is for the caller to say.
            assert!(matches!(call.code, 1 | -3) || call.history == theirs.history, "{place}: other history");
        }
        at += theirs.consumed;
        plain.extend_from_slice(&theirs.output);
        match theirs.code {
            z::Z_STREAM_END => return End::Ended { consumed: at, plain },
            z::Z_DATA_ERROR => return End::Damaged,
            z::Z_BUF_ERROR if idle == IDLE => return End::Unfinished,
            z::Z_BUF_ERROR => idle += 1,
            _ if plain.len() > most => return End::Unfinished,
            _ => idle = 0,
        }
    }
}

/// All but the bytes.
fn brief(call: &Call) -> (bool, c_int, Option<&str>, usize, usize, c_int, i64, bool) {
    let Call { is_primed, code, message, consumed, output, data_type, part, is_sync_point, .. } = call;
    (*is_primed, *code, message.as_deref(), *consumed, output.len(), *data_type, *part, *is_sync_point)
}

/// A call of ours, told as zlib tells its own.
fn call(inflater: &mut StreamInflater, window: &mut [u8; STREAM_WINDOW], input: &[u8], piece: Piece) -> Call {
    const GUARD: usize = 64;
    let mut output = vec![0xAA; piece.room + GUARD];
    inflater.extend_history(window, piece.dictionary);
    let is_primed = inflater.prime(piece.primed.0, piece.primed.1);
    let (done, state) = inflater.inflate(window, input, &mut output[..piece.room], piece.stop);
    assert!(output[done.produced..].iter().all(|&byte| byte == 0xAA), "written behind the data");
    output.truncate(done.produced);
    let (code, message, told) = match state {
        StreamState::Ended => (z::Z_STREAM_END, None, 0),
        StreamState::Bad(fault) => (z::Z_DATA_ERROR, Some(fault.message()), 0),
        StreamState::Going => (z::Z_OK, None, 0),
        StreamState::BeforeHeader => (z::Z_OK, None, 128),
        StreamState::AfterHeader => (z::Z_OK, None, 256),
    };
    let is_idle = code == z::Z_OK && done.consumed == 0 && done.produced == 0;
    Call {
        is_primed,
        code: if is_idle { z::Z_BUF_ERROR } else { code },
        message: message.map(|text| text.to_string_lossy().into_owned()),
        consumed: done.consumed,
        output,
        data_type: inflater.bits().1 as c_int + 64 * c_int::from(inflater.is_last()) + told,
        part: if code == z::Z_DATA_ERROR { 0 } else { inflater.part_done() as i64 },
        is_sync_point: inflater.is_before_stored(),
        history: inflater.history(window).to_vec(),
    }
}

/// A raw stream of the C zlib.
struct Zlib(Box<z::z_stream>);

impl Zlib {
    fn new(bits: u8) -> Self {
        let mut stream = Box::new(new_stream());
        let size = size_of::<z::z_stream>() as c_int;
        // SAFETY: the stream is initialised, and stays where it is.
        let code = unsafe { z::inflateInit2_(&mut *stream, -c_int::from(bits), z::zlibVersion(), size) };
        assert_eq!(code, z::Z_OK);
        Self(stream)
    }

    fn call(&mut self, input: &[u8], piece: Piece) -> Call {
        let flush = match piece.stop {
            StreamStop::Never => z::Z_NO_FLUSH,
            StreamStop::Blocks => z::Z_BLOCK,
            StreamStop::Headers => z::Z_TREES,
        };
        // One byte more, as zlib wants an address also where there is no room.
        let mut output = vec![0; piece.room + 1];
        let mut history = vec![0; 1 << 15];
        let mut kept = 0;
        let stream = &mut *self.0;
        stream.next_in = input.as_ptr().cast_mut();
        stream.avail_in = input.len().try_into().unwrap();
        stream.next_out = output.as_mut_ptr();
        stream.avail_out = piece.room.try_into().unwrap();
        // SAFETY: the stream is open, on buffers that are as long as it says; a window fits into
        // the history. A message is a static string.
        let (is_primed, code, message, mark, is_sync_point) = unsafe {
            let (dictionary, len) = (piece.dictionary.as_ptr(), piece.dictionary.len() as u32);
            assert_eq!(z::inflateSetDictionary(stream, dictionary, len), z::Z_OK);
            let is_primed = inflatePrime(stream, piece.primed.0 as c_int, piece.primed.1 as c_int) == z::Z_OK;
            let code = z::inflate(stream, flush);
            let message =
                (code == z::Z_DATA_ERROR).then(|| CStr::from_ptr(stream.msg).to_string_lossy().into_owned());
            let mark = z::inflateMark(stream);
            assert_eq!(inflateGetDictionary(stream, history.as_mut_ptr(), &mut kept), z::Z_OK);
            (is_primed, code, message, mark, inflateSyncPoint(stream) != 0)
        };
        history.truncate(kept as usize);
        output.truncate(piece.room - stream.avail_out as usize);
        Call {
            is_primed,
            code,
            message,
            consumed: input.len() - stream.avail_in as usize,
            output,
            data_type: stream.data_type,
            part: if code == z::Z_DATA_ERROR { 0 } else { mark & 0xffff },
            is_sync_point,
            history,
        }
    }
}

impl Drop for Zlib {
    fn drop(&mut self) {
        // SAFETY: the stream is open.
        unsafe { z::inflateEnd(&mut *self.0) };
    }
}

unsafe extern "C" {
    fn inflateGetDictionary(stream: z::z_streamp, dictionary: *mut u8, len: *mut u32) -> c_int;
    fn inflatePrime(stream: z::z_streamp, bits: c_int, value: c_int) -> c_int;
    fn inflateSyncPoint(stream: z::z_streamp) -> c_int;
}
