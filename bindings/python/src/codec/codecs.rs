//! Codecs of a thread, kept because their allocation costs more than a small buffer does.

use std::cell::RefCell;

use pelton_codec::{BatchInflater, BatchIsaLevel, Decoder, Encoder, Error, Format, Progress};
use pyo3::prelude::*;

/// Most bytes of scratch memory that a thread keeps for the next call.
const KEPT: usize = 4 << 20;

/// Largest output that is decoded with slack around it. libdeflate's fast loop reads and writes
/// ahead, so that the ends of input and output need its slow loop: a tenth of the work for a few
/// kilobytes. Copying costs less.
const WITH_SLACK: usize = 32 << 10;
/// Bytes after the input and the output: more than the fast loop needs.
const SLACK: usize = 512;
/// Ratio from which larger outputs get slack after the input: the last bytes of a dense input
/// decode to kilobytes, in the slow loop.
const DENSE: usize = 32;

/// The codecs of a thread. Each is made at its first use.
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

    /// Decompresses as [`Decoder::decompress`] does, faster for small buffers.
    pub fn decompress(&mut self, format: Format, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
        let is_deflate = matches!(format, Format::Deflate | Format::Zlib | Format::Gzip);
        let is_small = output.len() <= WITH_SLACK;
        if !is_deflate || input.len() > WITH_SLACK || !is_small && input.len() > output.len() / DENSE {
            return self.decoder.decompress(format, input, output);
        }
        if self.padded.is_empty() {
            self.padded = vec![0; 2 * (WITH_SLACK + SLACK)];
        }
        let (padded, uncompressed) = self.padded.split_at_mut(WITH_SLACK + SLACK);
        padded[..input.len()].copy_from_slice(input);
        padded[input.len()..input.len() + SLACK].fill(0);
        let padded = &padded[..input.len() + SLACK];
        let done = if is_small {
            self.decoder.decompress(format, padded, &mut uncompressed[..output.len() + SLACK])
        } else {
            self.decoder.decompress(format, padded, output)
        };
        match done {
            Ok(done) if done.consumed <= input.len() && done.produced <= output.len() => {
                if is_small {
                    output[..done.produced].copy_from_slice(&uncompressed[..done.produced]);
                }
                Ok(done)
            }
            // The decoder reports errors about the original buffers.
            _ => self.decoder.decompress(format, input, output),
        }
    }

    /// Takes memory of at least `len` bytes for results of unknown size; `None` if there is no
    /// memory.
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

    /// Returns the memory for the next call.
    pub fn give_scratch(&mut self, scratch: Vec<u8>) {
        if (self.scratch.len()..=KEPT).contains(&scratch.len()) {
            self.scratch = scratch;
        }
    }
}

thread_local! {
    static CODECS: RefCell<Codecs> = RefCell::default();
}

/// Runs `run` with the thread's codecs, or with new ones if the thread is ending.
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

/// Uncompressed bytes from which the interpreter's lock is released. The release itself costs a
/// small share of decompressing them, but another thread that takes the lock may hold it for
/// milliseconds, which a small buffer would wait for.
pub const RELEASED_FROM: usize = 8 << 10;

/// Runs `work`, without the interpreter's lock if it handles enough `uncompressed` bytes for that
/// to pay.
pub fn run<T: Send>(py: Python<'_>, uncompressed: usize, work: impl FnOnce() -> T + Send) -> T {
    if uncompressed >= RELEASED_FROM { py.detach(work) } else { work() }
}
