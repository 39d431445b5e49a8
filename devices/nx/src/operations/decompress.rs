//! Decompression of raw, zlib and gzip streams, in one request each unless the engine suspends it.

use std::sync::Arc;

use pelton_codec::{Checksum, Container, Error, checksum};

use super::{Output, Step};
use crate::counters::{LiveCounters, count};
use crate::error::NxError;
use crate::hw::{BYTE_LIMIT, Checksums, Completion, Function, Status, StreamState, WINDOW_BYTES};
use crate::queue::{Parts, Request, Source};

/// Minimum length of a halved source. Its output has few pages even at the highest ratio.
const MIN_PIECE: usize = 256;

/// Counted reason for a job that goes to another device.
const SUSPENDED_EARLY: &str = "a stream without a checksum was suspended in its first 32 KB";

/// A decompression in progress: of one raw stream, or of all members of a gzip block in order.
///
/// The engine gets the remaining output, and as much of the remaining input as can have that many
/// bytes of output before the byte limit suspends the stream. The driver then continues it after a
/// history of output.
pub(crate) struct Decompress {
    container: Container,
    /// Whether to compute the checksum of every stream on the CPU too.
    verify: bool,
    counters: Arc<LiveCounters>,
    /// Maximum length of the data of a source, and the maximum of that length.
    piece: usize,
    max_piece: usize,
    /// Maximum length of a source with its history, and of a target.
    max_bytes: usize,
    /// Whether pages keep missing, so that requests ask for the low byte limit.
    is_halved: bool,
    /// Offset of the first source byte with unused bits.
    at: usize,
    /// Number of unused bits of that byte; zero means all.
    bits: u16,
    /// Offset of the next output byte.
    out: usize,
    /// Offset of the stream's first output byte.
    stream_out: usize,
    /// Whether the stream is suspended.
    is_suspended: bool,
    source: Source,
}

impl Decompress {
    /// Returns an operation that has not begun, whose requests have at most `max_bytes` of source
    /// and of target. Without an exact size, the checksum of a raw stream is the only check of the
    /// output.
    pub(crate) fn new(
        container: Container,
        is_exact: bool,
        verify: bool,
        max_bytes: usize,
        counters: Arc<LiveCounters>,
    ) -> Decompress {
        let verify = verify || container.checksum().is_none() && !is_exact;
        let source = Source { history: 0..0, data: 0..0 };
        let piece = BYTE_LIMIT.min(max_bytes);
        Decompress {
            container,
            verify,
            counters,
            piece,
            max_piece: piece,
            max_bytes,
            is_halved: false,
            at: 0,
            bits: 0,
            out: 0,
            stream_out: 0,
            is_suspended: false,
            source,
        }
    }

    pub(super) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, NxError> {
        self.stream(parts)
    }

    /// Returns the end of a request's target.
    fn target_end(&self, output: &[u8]) -> usize {
        output.len().min(self.out.saturating_add(self.max_bytes))
    }

    /// Returns a value that changes when bits of input or bytes of output are done.
    pub(super) fn progress(&self) -> (usize, u16, usize) {
        (self.at, self.bits, self.out)
    }

    fn truncated(&self) -> NxError {
        NxError::Container(Error::Truncated { format: self.container.format() })
    }

    /// Returns the request for the stream with this header.
    fn stream(&mut self, parts: Parts<'_>) -> Result<Step, NxError> {
        let rest = parts.input.get(self.at..).unwrap_or_default();
        self.at += self.container.header_len(rest).map_err(NxError::Container)?;
        (self.bits, self.stream_out, self.is_suspended) = (0, self.out, false);
        let mut input = parts.cpb.input_mut();
        input.clear();
        input.set_checksums(Checksums::START);
        self.request(parts).map(Step::Submit)
    }

    /// Returns the request for the rest of the stream, up to the maximum length.
    fn request(&mut self, parts: Parts<'_>) -> Result<Request, NxError> {
        let history = if self.is_suspended { (self.out - self.stream_out).min(WINDOW_BYTES) } else { 0 };
        self.source = Source { history: self.out - history..self.out, data: self.at..self.at };
        let max = self.piece.min(self.max_bytes - self.source.history_len());
        let len = (parts.input.len() - self.at).min(max);
        if len == 0 {
            return Err(self.truncated());
        }
        self.source.data.end += len;
        if self.source.history_len() > history && self.container.checksum().is_none() {
            // A damaged stream could refer to the bytes before the history, unnoticed.
            return Err(NxError::Unsupported(SUSPENDED_EARLY));
        }
        parts.cpb.input_mut().set_history(self.source.history_len());
        let end = self.target_end(parts.output);
        Ok(Request {
            function: Function::Decompress { resume: self.is_suspended, one_block: false },
            low_limit: self.is_halved,
            source: self.source.clone(),
            target: self.out..end,
        })
    }

    pub(super) fn resume(&mut self, parts: Parts<'_>, status: &Status) -> Result<Step, NxError> {
        let function = Function::Decompress { resume: self.is_suspended, one_block: false };
        let is_done = match status.completion() {
            Some(Completion::Done) => true,
            Some(Completion::Partial) if !status.is_terminated() => false,
            // The limit of a target, and not the job's output, is full: less source fits.
            Some(Completion::TargetFull)
                if self.source.data.len() > 1 && self.target_end(parts.output) < parts.output.len() =>
            {
                self.piece = self.source.data.len() / 2;
                return self.request(parts).map(Step::Submit);
            }
            _ => return Err(NxError::of_status(status)),
        };
        let produced = status.target_bytes as usize;
        if produced > 0 && self.out == parts.output.len() {
            return Err(NxError::OutputFull);
        }
        let read = parts.cpb.source_bytes(function) as usize;
        let (given, history) = (self.source.data.len(), self.source.history_len());
        let unused = parts.cpb.output().unused_bits();
        let start = u64::from(if self.bits == 0 { 0 } else { 8 - self.bits });
        let used = read.checked_sub(history).filter(|read| *read <= given);
        let end = used.and_then(|read| (read as u64 * 8).checked_sub(unused.into()));
        let end = end.filter(|end| *end >= start);
        let (Some(end), true) = (end, produced <= parts.output.len() - self.out) else {
            return Err(NxError::Inconsistent("more or fewer bytes than it was given"));
        };
        let state = parts.cpb.output().state().ok_or(NxError::Inconsistent("a state without a meaning"))?;
        self.out += produced;
        let at = self.at;
        self.at += (end / 8) as usize;
        if state == StreamState::Ended {
            self.at += usize::from(end % 8 != 0);
            return self.ended(parts);
        }
        if is_done {
            return Err(NxError::Inconsistent("the end of a stream that did not end"));
        }
        self.bits = (8 - end % 8) as u16 % 8;
        if end == start && produced == 0 {
            if at + given == parts.input.len() {
                return Err(self.truncated());
            }
            if given >= self.max_piece.min(self.max_bytes - history) {
                return Err(NxError::Inconsistent("no progress with a whole request"));
            }
            // A block's header can be longer than a halved source.
            self.piece = given.saturating_mul(2).min(self.max_piece);
        }
        count(&self.counters.resumed);
        self.is_suspended = true;
        parts.cpb.continue_stream();
        self.request(parts).map(Step::Submit)
    }

    /// Checks the trailer after a stream, and goes on with the next member or finishes.
    fn ended(&mut self, parts: Parts<'_>) -> Result<Step, NxError> {
        let uncompressed = &parts.output[self.stream_out..self.out];
        let sums = parts.cpb.output().checksums();
        if self.verify && checksum(Checksum::Crc32, uncompressed) as u32 != sums.crc {
            return Err(NxError::Inconsistent("a checksum that is not that of its output"));
        }
        let sum = match self.container.checksum() {
            Some(Checksum::Adler32) => sums.adler,
            _ => sums.crc,
        };
        let end = self.container.check_trailer(parts.input, self.at, sum, uncompressed.len());
        self.at = end.map_err(NxError::Container)?;
        if self.container.goes_on(&parts.input[self.at..]) {
            return self.stream(parts);
        }
        Ok(Step::Done(Output { produced: self.out, consumed: self.at }))
    }

    /// Returns a request for half of the source; none if that is too short already.
    pub(super) fn halve(&mut self, parts: Parts<'_>) -> Option<Request> {
        let half = self.source.data.len() / 2;
        (half >= MIN_PIECE).then_some(())?;
        (self.piece, self.is_halved) = (half, true);
        self.request(parts).ok()
    }
}
