//! Whole raw streams without a checksum, by the streaming decoder.
//!
//! It rejects all streams that zlib rejects. libdeflate is as fast, but takes a few of them for
//! valid: it has lengths and distances for the symbols that RFC 1951 reserves, and a second word
//! for the only symbol of a code. Behind a checksum that is harmless; a damaged raw stream would be
//! decompressed to other data without an error.

use std::ops::ControlFlow;
use std::slice;

use super::diagnose::{self, Fault};
use super::speculative::BlockStart;
use super::streaming::{StreamInflater, StreamState, StreamStop, WINDOW};
use crate::deflate::isa::IsaLevel;
use crate::{Error, Format, Progress};

/// Decodes whole raw streams, and keeps its state between them.
pub(crate) struct WholeInflater {
    /// One, on the heap: it would take most of a small thread's stack.
    inflater: Vec<StreamInflater>,
    window: Box<[u8; WINDOW]>,
}

impl WholeInflater {
    /// Returns a decoder, with 76 KB of state; `None` without memory.
    pub(crate) fn new(isa_level: IsaLevel) -> Option<Self> {
        let mut window = Vec::new();
        window.try_reserve_exact(WINDOW).ok()?;
        window.resize(WINDOW, 0);
        let mut inflater = Vec::new();
        inflater.try_reserve_exact(1).ok()?;
        inflater.extend_from_slice(slice::from_ref(StreamInflater::with_isa_level(isa_level)));
        Some(Self { inflater, window: window.try_into().ok()? })
    }

    /// Decodes the stream at the start of `input`. `None` if it is incomplete, invalid or does not
    /// fit.
    pub(crate) fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Option<Progress> {
        let (done, state) = self.run(input, output);
        (state == StreamState::Ended).then_some(done)
    }

    /// The same, with a diagnosis.
    ///
    /// # Errors
    /// `Truncated`, `Corrupt`, or `OutputTooSmall` if the stream does not fit.
    pub(crate) fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
        let format = Format::Deflate;
        let (done, state) = self.run(input, output);
        match state {
            StreamState::Ended => Ok(done),
            // With input left, it is room that was missing.
            StreamState::Going if done.consumed < input.len() => {
                Err(Error::OutputTooSmall { format, room: output.len() })
            }
            _ => Err(match diagnose::diagnose(input) {
                Some(Fault::Truncated) => Error::Truncated { format },
                Some(Fault::Corrupt(what)) => Error::Corrupt { format, what },
                // The last symbols have no room.
                None => Error::OutputTooSmall { format, room: output.len() },
            }),
        }
    }

    fn run(&mut self, input: &[u8], output: &mut [u8]) -> (Progress, StreamState) {
        let (inflater, start) = (&mut self.inflater[0], BlockStart::default());
        inflater.restart(0, false);
        inflater.inflate_from(&mut self.window, input, output, start, StreamStop::Never)
    }

    /// Decodes blocks from `block` on until `enough` bytes of the output are there. Returns the
    /// block to go on with, or the end of the stream; `None` for the end if it is incomplete,
    /// invalid or does not fit.
    pub(crate) fn decode_blocks(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        mut block: BlockStart,
        enough: usize,
    ) -> ControlFlow<Option<Progress>, BlockStart> {
        let inflater = &mut self.inflater[0];
        loop {
            inflater.restart(0, false);
            let (Progress { consumed, produced }, state) =
                inflater.inflate_from(&mut self.window, input, output, block, StreamStop::Blocks);
            if state != StreamState::BeforeHeader {
                return ControlFlow::Break(None);
            }
            block = BlockStart { bit: 8 * consumed - inflater.bits().1 as usize, produced };
            if inflater.is_last() {
                return ControlFlow::Break(Some(Progress { consumed: block.bit.div_ceil(8), produced }));
            }
            if produced >= enough {
                return ControlFlow::Continue(block);
            }
        }
    }
}
