//! A stream to compress: one of zlib-rs, or, at first, the collected input of a short stream.

use std::ffi::c_int;

use libz_rs_sys::{
    Z_BUF_ERROR, Z_DEFAULT_STRATEGY, Z_DEFLATED, Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END,
    Z_STREAM_ERROR,
};
use pelton_codec::Format;

use super::growing_output::{GrownOutput, run_growing};
use super::one_shot;
use crate::codec::sys::Deflate;

/// Bytes up to which input is collected: if the stream ends before, the faster one-shot encoder
/// compresses it. About twice the memory of a zlib stream, which is opened only afterwards.
const KEPT: usize = 512 << 10;
/// zlib's DEF_MEM_LEVEL and MAX_MEM_LEVEL; a lower level is a request to save memory.
const MEM_LEVELS: std::ops::RangeInclusive<c_int> = 8..=9;

/// Arguments of zlib's deflateInit2().
#[derive(Clone, Copy)]
pub struct Settings {
    pub level: c_int,
    pub method: c_int,
    pub wbits: c_int,
    pub mem_level: c_int,
    pub strategy: c_int,
}

impl Settings {
    /// Returns a stream of zlib-rs.
    pub fn open(self) -> Result<Deflate, c_int> {
        Deflate::new(self.level, self.method, self.wbits, self.mem_level, self.strategy)
    }

    /// Returns a stream that collects its input at first, if the one-shot encoder can write the
    /// requested format; otherwise one of zlib-rs.
    pub fn begin(self) -> Result<State, c_int> {
        let is_usual = self.method == Z_DEFLATED
            && self.strategy == Z_DEFAULT_STRATEGY
            && (-1..=9).contains(&self.level)
            && self.level != 0
            && MEM_LEVELS.contains(&self.mem_level);
        match one_shot::format(self.wbits).filter(|_| is_usual) {
            Some(format) => Ok(State::Kept { uncompressed: Vec::new(), format, settings: self }),
            None => self.open().map(State::Open),
        }
    }
}

/// State of a stream.
pub enum State {
    Kept {
        uncompressed: Vec<u8>,
        format: Format,
        settings: Settings,
    },
    Open(Deflate),
    /// The stream has ended.
    Ended,
}

/// zlib's error code and message.
pub type Wrong = (c_int, Option<String>);

impl State {
    /// Compresses `input` after the earlier input, and calls `give` with the output, in pieces.
    pub fn write(&mut self, input: &[u8], flush: c_int, mut give: impl FnMut(&[u8])) -> Result<(), Wrong> {
        if let Self::Kept { uncompressed, format, settings } = self {
            let (format, settings) = (*format, *settings);
            if flush == Z_NO_FLUSH && uncompressed.len() + input.len() <= KEPT {
                uncompressed.try_reserve(input.len()).map_err(|_| (Z_MEM_ERROR, None))?;
                uncompressed.extend_from_slice(input);
                return Ok(());
            }
            if flush == Z_FINISH && input.is_empty() {
                let (done, scratch) = one_shot::compress_buffer(uncompressed, format, settings.level);
                let len = done.map_err(|_| (Z_MEM_ERROR, None))?;
                give(&scratch[..len]);
                crate::codec::codecs::with(|codecs| codecs.give_scratch(scratch));
                *self = Self::Ended;
                return Ok(());
            }
            let mut stream = settings.open().map_err(|code| (code, None))?;
            give(run(&mut stream, uncompressed, Z_NO_FLUSH)?.bytes());
            *self = Self::Open(stream);
        }
        let Self::Open(stream) = self else { return Err((Z_STREAM_ERROR, None)) };
        let output = run(stream, input, flush)?;
        give(output.bytes());
        if output.code == Z_STREAM_END && flush == Z_FINISH {
            *self = Self::Ended;
        }
        Ok(())
    }

    /// Returns an independent copy of the stream.
    pub fn copy(&mut self) -> Result<Self, c_int> {
        match self {
            Self::Kept { uncompressed, format, settings } => {
                Ok(Self::Kept { uncompressed: uncompressed.clone(), format: *format, settings: *settings })
            }
            Self::Open(stream) => stream.copy().map(Self::Open),
            Self::Ended => Err(Z_STREAM_ERROR),
        }
    }
}

fn run(stream: &mut Deflate, input: &[u8], flush: c_int) -> Result<GrownOutput, Wrong> {
    let output =
        run_growing(input, input.len() / 2, usize::MAX, |input, buffer| stream.run(input, buffer, flush));
    match output.code {
        Z_OK | Z_BUF_ERROR | Z_STREAM_END => Ok(output),
        code => Err((code, stream.message())),
    }
}
