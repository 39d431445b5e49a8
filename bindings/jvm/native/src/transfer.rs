//! Bytes of Java to a stream and back: arrays are copied to memory of this library piece by piece,
//! direct memory is used in place.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use jni_sys::jbyteArray;
use pelton_z::api::Pool;

use crate::env::Env;
use crate::stream::{BUFFER_ERROR, Direction, NO_FLUSH, OK, Step, Stream};

/// Largest piece that is copied at once. A block of this size is compressed in one call, which is
/// faster and smaller than in several.
const MAX_PIECE: usize = 1 << 20;
/// Smallest piece of input for a compressing stream.
const MIN_PIECE: usize = 64 << 10;
/// Largest call whose copies are on the stack, in bytes of each side: programs that read or write
/// single bytes make one for each.
const SMALL: usize = 640;
/// Memory that a buffer of the pool may keep.
const MAX_KEPT: usize = 2 * MAX_PIECE;

/// Bytes that belong to Java.
#[derive(Clone, Copy)]
pub enum Bytes {
    /// A range of an array: index of its first byte, length.
    Array(jbyteArray, usize, usize),
    /// Memory outside the heap, or null with a length of 0.
    Memory(*mut u8, usize),
}

impl Bytes {
    /// Returns the bytes that a native method was given: `array` from index `at`, or, if it is
    /// null, memory at that address.
    pub fn of(array: jbyteArray, at: i64, len: i32) -> Self {
        let len = usize::try_from(len).unwrap_or(0);
        match array.is_null() {
            true => Self::Memory(at as usize as *mut u8, len),
            false => Self::Array(array, at as usize, len),
        }
    }

    /// Returns memory at an address.
    pub fn at(address: i64, len: i32) -> Self {
        Self::Memory(address as usize as *mut u8, usize::try_from(len).unwrap_or(0))
    }

    /// Copies all bytes to `copy`, which is as long.
    ///
    /// # Safety
    /// As for [`run`].
    pub unsafe fn copy_to(self, env: Env, copy: &mut [u8]) {
        match self {
            Self::Array(array, at, _) => env.read(array, at, copy),
            Self::Memory(_, 0) => {}
            // SAFETY: by this function's condition.
            Self::Memory(address, len) => unsafe {
                copy.copy_from_slice(std::slice::from_raw_parts(address, len));
            },
        }
    }

    /// Sets the first bytes to those of `bytes`, which are not more.
    ///
    /// # Safety
    /// As for [`run`].
    pub unsafe fn copy_from(self, env: Env, bytes: &[u8]) {
        match self {
            Self::Array(array, at, _) => env.write(array, at, bytes),
            // SAFETY: by this function's condition.
            Self::Memory(address, _) => unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), address, bytes.len());
            },
        }
    }

    /// Returns the number of bytes.
    pub fn len(self) -> usize {
        let (Self::Array(_, _, len) | Self::Memory(_, len)) = self;
        len
    }
}

/// Buffers for copies of arrays, which calls borrow from the pool.
#[derive(Default)]
pub struct Staging {
    pub input: Vec<u8>,
    pub output: Vec<u8>,
}

static STAGING: Pool<Staging> = Pool::new();

/// Runs `work` with a staging buffer; `None` if there is no memory.
pub fn with_staging<T>(work: impl FnOnce(&mut Staging) -> Option<T>) -> Option<T> {
    STAGING.with(Staging::default, |staging| {
        let result = work(staging);
        for buffer in [&mut staging.input, &mut staging.output] {
            if buffer.capacity() > MAX_KEPT {
                *buffer = Vec::new();
            }
        }
        result
    })?
}

/// Returns the first `len` bytes of a buffer, which grows if it is shorter; `None` if there is no
/// memory.
pub fn sized(buffer: &mut Vec<u8>, len: usize) -> Option<&mut [u8]> {
    if buffer.len() < len {
        buffer.try_reserve_exact(len - buffer.len()).ok()?;
        buffer.resize(len, 0);
    }
    Some(&mut buffer[..len])
}

/// Memory for the copies of a call.
enum Copies<'a> {
    Stack(&'a mut [u8], &'a mut [u8]),
    Pool(&'a mut Staging),
}

impl Copies<'_> {
    /// Returns the first `len` bytes for input; `None` if there is no memory.
    fn input(&mut self, len: usize) -> Option<&mut [u8]> {
        match self {
            Self::Stack(input, _) => input.get_mut(..len),
            Self::Pool(staging) => sized(&mut staging.input, len),
        }
    }

    /// As [`Self::input`], for output.
    fn output(&mut self, len: usize) -> Option<&mut [u8]> {
        match self {
            Self::Stack(_, output) => output.get_mut(..len),
            Self::Pool(staging) => sized(&mut staging.output, len),
        }
    }
}

/// Change of the stream's parameters at the start of a call.
#[derive(Clone, Copy)]
pub enum Parameters {
    /// They stay.
    Kept,
    /// Level and strategy from here on.
    Set(c_int, c_int),
}

/// Compresses or decompresses as one call of zlib with all input and all output would. The step
/// returned counts all bytes, and has the code of the last call; `None` if there is no memory.
///
/// # Safety
/// Memory is valid for its length, and the arrays are references of this environment.
pub unsafe fn run(
    env: Env,
    stream: &mut Stream,
    source: Bytes,
    target: Bytes,
    flush: c_int,
    parameters: Parameters,
) -> Option<Step> {
    if let (Bytes::Memory(input, input_len), Bytes::Memory(output, output_len)) = (source, target) {
        // SAFETY: by this function's condition.
        return Some(unsafe { call(stream, (input, input_len), (output, output_len), flush, parameters) });
    }
    // Pieces do not get longer in the course of a call.
    let copied_in = match source {
        Bytes::Array(_, _, len) if is_compressing(stream) => len,
        Bytes::Array(_, _, len) => len.min(input_for(target.len())),
        Bytes::Memory(..) => 0,
    };
    let copied_out = if let Bytes::Array(_, _, len) = target { len } else { 0 };
    if copied_in.max(copied_out) <= SMALL {
        let (mut input, mut output) = ([MaybeUninit::uninit(); SMALL], [MaybeUninit::uninit(); SMALL]);
        let copies = Copies::Stack(zeroed(&mut input[..copied_in]), zeroed(&mut output[..copied_out]));
        // SAFETY: by this function's condition.
        return unsafe { run_copied(env, stream, source, target, flush, parameters, copies) };
    }
    // SAFETY: by this function's condition.
    with_staging(|staging| unsafe {
        run_copied(env, stream, source, target, flush, parameters, Copies::Pool(staging))
    })
}

/// Returns memory that may have been in use before as bytes.
fn zeroed(memory: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    memory.fill(MaybeUninit::new(0));
    // SAFETY: all bytes were written above.
    unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), memory.len()) }
}

/// Runs as [`run`], piece by piece.
///
/// # Safety
/// As for [`run`].
unsafe fn run_copied(
    env: Env,
    stream: &mut Stream,
    source: Bytes,
    target: Bytes,
    flush: c_int,
    parameters: Parameters,
    mut copies: Copies<'_>,
) -> Option<Step> {
    let mut done = Step { consumed: 0, produced: 0, code: BUFFER_ERROR, are_parameters_set: false };
    loop {
        let (rest_in, rest_out) = (source.len() - done.consumed, target.len() - done.produced);
        let piece_out = match target {
            Bytes::Array(..) => rest_out.min(MAX_PIECE),
            Bytes::Memory(..) => rest_out,
        };
        let piece_in = match source {
            Bytes::Array(..) => input_piece(stream, rest_in, piece_out),
            Bytes::Memory(..) => rest_in,
        };
        let input = match source {
            Bytes::Array(array, at, _) => {
                let copy = copies.input(piece_in)?;
                env.read(array, at + done.consumed, copy);
                copy.as_ptr()
            }
            Bytes::Memory(address, _) => address.wrapping_add(done.consumed).cast_const(),
        };
        let output = match target {
            Bytes::Array(..) => copies.output(piece_out)?.as_mut_ptr(),
            Bytes::Memory(address, _) => address.wrapping_add(done.produced),
        };
        let is_last = piece_in == rest_in;
        let (flush, parameters) = match is_last && (piece_out == rest_out || is_compressing(stream)) {
            true => (flush, parameters),
            false => (NO_FLUSH, Parameters::Kept),
        };
        // SAFETY: by this function's condition, or buffers of these lengths.
        let step = unsafe { call(stream, (input, piece_in), (output, piece_out), flush, parameters) };
        if let Bytes::Array(array, at, _) = target {
            env.write(array, at + done.produced, copies.output(step.produced)?);
        }
        done.consumed += step.consumed;
        done.produced += step.produced;
        let has_advanced = done.consumed + done.produced > 0;
        done.code = if step.code == BUFFER_ERROR && has_advanced { OK } else { step.code };
        done.are_parameters_set = step.are_parameters_set;
        let is_stuck = step.consumed + step.produced == 0;
        // The end of a stream may be in input behind that for its last byte of output.
        let is_full = done.produced == target.len() && (is_last || is_compressing(stream));
        let is_done = is_full || is_last && step.produced < piece_out;
        let is_over = !matches!(step.code, OK | BUFFER_ERROR) || step.are_parameters_set;
        if is_over || is_stuck || is_done || env.has_exception() {
            return Some(done);
        }
    }
}

fn is_compressing(stream: &Stream) -> bool {
    stream.direction() == Direction::Compress
}

/// Returns the input that a decompressing stream may need for this much output.
fn input_for(output: usize) -> usize {
    output + output / 8 + 64
}

/// Returns the input to copy for the next call. A decompressing stream uses little more than it
/// writes; a compressing one takes all it gets, unless it has enough output waiting.
fn input_piece(stream: &mut Stream, rest: usize, piece_out: usize) -> usize {
    match stream.direction() {
        Direction::Decompress => rest.min(MAX_PIECE).min(input_for(piece_out)),
        Direction::Compress if piece_out < MIN_PIECE && stream.pending() >= piece_out => 0,
        Direction::Compress => rest.min(MAX_PIECE).min(MIN_PIECE.max(4 * piece_out)),
    }
}

/// Calls zlib once.
///
/// # Safety
/// As for [`Stream::step`].
unsafe fn call(
    stream: &mut Stream,
    input: (*const u8, usize),
    output: (*mut u8, usize),
    flush: c_int,
    parameters: Parameters,
) -> Step {
    // SAFETY: by this function's condition.
    unsafe {
        match parameters {
            Parameters::Kept => stream.step(input, output, flush),
            Parameters::Set(level, strategy) => {
                let step = stream.set_parameters(input, output, level, strategy);
                Step { are_parameters_set: step.code == OK, ..step }
            }
        }
    }
}

/// Returns memory of Java's as a slice.
///
/// # Safety
/// The memory is valid for its length, and nothing writes to it during the slice's life.
pub unsafe fn memory<'a>(address: i64, len: i32) -> &'a [u8] {
    match usize::try_from(len) {
        // SAFETY: by this function's condition.
        Ok(len) if len > 0 => unsafe { std::slice::from_raw_parts(address as usize as *const u8, len) },
        _ => &[],
    }
}
