//! The coders that a thread keeps: to allocate and set them up costs more than a small buffer does.

use std::cell::RefCell;

use pelton_codec::{BatchInflater, BatchIsaLevel, Decoder, Encoder, Error, Format, Progress};
use pyo3::prelude::*;

/// The most bytes of scratch memory that a thread keeps for the next call.
const KEPT: usize = 4 << 20;

/// Plain bytes up to which a buffer is decoded with slack around it. libdeflate has a loop for the
/// middle of a stream, which reads and writes ahead, and a slower one for the last 300 bytes of the
/// output and the last 30 of the input: of 4 KB these are a tenth, and of a page of zeros all.
/// Copying costs a hundredth.
const WITH_SLACK: usize = 32 << 10;
/// Bytes after the input, and room after the output: more than what that loop wants.
const SLACK: usize = 512;
/// Larger ones get the slack after the input alone, if they are so many times smaller: the slower
/// loop would decode the most of them, as those 30 bytes become a kilobyte and more.
const DENSE: usize = 32;

/// See the module. Each is made when it is first used.
#[derive(Default)]
pub struct Codecs {
    decoder: Decoder,
    pub encoder: Encoder,
    inflater: Option<BatchInflater>,
    scratch: Vec<u8>,
    padded: Vec<u8>,
}

impl Codecs {
    /// Returns the decoder of batches; `None` where this processor doesn't gain from it.
    pub fn inflater(&mut self) -> Option<&mut BatchInflater> {
        match &mut self.inflater {
            Some(inflater) => Some(inflater),
            none if BatchIsaLevel::best() != BatchIsaLevel::OneByOne => {
                Some(none.insert(BatchInflater::new()))
            }
            _ => None,
        }
    }

    /// What [`Decoder::decompress`] does, faster for small buffers.
    pub fn decompress(&mut self, format: Format, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
        let is_deflate = matches!(format, Format::Deflate | Format::Zlib | Format::Gzip);
        let is_small = output.len() <= WITH_SLACK;
        if !is_deflate || input.len() > WITH_SLACK || !is_small && input.len() > output.len() / DENSE {
            return self.decoder.decompress(format, input, output);
        }
        if self.padded.is_empty() {
            self.padded = vec![0; 2 * (WITH_SLACK + SLACK)];
        }
        let (padded, plain) = self.padded.split_at_mut(WITH_SLACK + SLACK);
        padded[..input.len()].copy_from_slice(input);
        padded[input.len()..input.len() + SLACK].fill(0);
        let padded = &padded[..input.len() + SLACK];
        let done = if is_small {
            self.decoder.decompress(format, padded, &mut plain[..output.len() + SLACK])
        } else {
            self.decoder.decompress(format, padded, output)
        };
        match done {
            Ok(done) if done.consumed <= input.len() && done.produced <= output.len() => {
                if is_small {
                    output[..done.produced].copy_from_slice(&plain[..done.produced]);
                }
                Ok(done)
            }
            // Whatever is wrong, the decoder says it of the buffers as they are.
            _ => self.decoder.decompress(format, input, output),
        }
    }

    /// Takes memory of at least `len` bytes for results whose size is not known before; none if
    /// there isn't any.
    pub fn take_scratch(&mut self, len: usize) -> Option<Vec<u8>> {
        let mut scratch = std::mem::take(&mut self.scratch);
        if scratch.len() < len {
            // Fresh memory of the system is zero already; growing would copy and write.
            scratch = Vec::new();
            scratch.try_reserve_exact(len).ok()?;
            scratch.resize(len, 0);
        }
        Some(scratch)
    }

    /// Gives it back.
    pub fn give_scratch(&mut self, scratch: Vec<u8>) {
        if (self.scratch.len()..=KEPT).contains(&scratch.len()) {
            self.scratch = scratch;
        }
    }
}

thread_local! {
    static CODECS: RefCell<Codecs> = RefCell::default();
}

/// Does something with the thread's coders, and with new ones where the thread is ending and has
/// none any more.
pub fn with<T>(run: impl FnOnce(&mut Codecs) -> T) -> T {
    let mut run = Some(run);
    let done = CODECS.try_with(|codecs| match codecs.try_borrow_mut() {
        Ok(mut codecs) => run.take().map(|run| run(&mut codecs)),
        Err(_) => None,
    });
    match (done, run) {
        (Ok(Some(done)), _) => done,
        (_, Some(run)) => run(&mut Codecs::default()),
        (_, None) => unreachable!("what was run has given its result"),
    }
}

/// Bytes of plain data from which on the interpreter's lock is released. To release it and to take
/// it again costs 0.1 µs if nobody wants it, and decompressing so much takes 100 times that; but
/// where another thread of Python's takes the lock, it may keep it for five milliseconds, which a
/// small buffer would wait for in vain.
pub const RELEASED_FROM: usize = 8 << 10;

/// Runs `work` without the interpreter's lock if it is about so many bytes of plain data that this
/// pays.
pub fn run<T: Send>(py: Python<'_>, plain: usize, work: impl FnOnce() -> T + Send) -> T {
    if plain >= RELEASED_FROM { py.detach(work) } else { work() }
}
