//! Compression into raw, zlib and gzip streams, and into parts of raw streams.
//!
//! The engine writes one block for each request, with the fixed table or with one from software.
//! For a table that fits the data, a first request counts the symbols; [`Choice`] says of which
//! data. Pieces after the first have the bytes before them as history. Software sets or clears
//! BFINAL, joins blocks at a byte, and stores what would not shrink.

use std::sync::Arc;

use pelton_codec::{Checksum, Container, Format, RawDecoder, checksum, checksum_append};

use super::stored::{MAX_CLOSE, close_byte, stored_len, write_stored};
use super::tables::{Table, TableCache, Uncounted};
use super::{Output, Step};
use crate::counters::{LiveCounters, count};
use crate::error::NxError;
use crate::hw::{
    BYTE_LIMIT, Checksums, Completion, Function, HISTORY_UNIT, Status, SymbolCounts, WINDOW_BYTES,
};
use crate::queue::{Parts, Request, Source};

/// Source of the table, in order of speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The table of the job before with the same affinity key. The request counts the symbols for
    /// the job after.
    Cached,
    /// Counts of the first bytes of each piece (the paper's 1.1-pass mode, section V-C).
    Sampled,
    /// Counts of all bytes (the paper's 2-pass mode).
    Counted,
}

/// Bytes that are counted in a sampled piece, and the length of such a piece.
const SAMPLE: usize = 32 << 10;
const SAMPLED_PIECE: usize = 256 << 10;
/// Length of other pieces: the engine's usual byte limit, including the history.
const PIECE: usize = BYTE_LIMIT - WINDOW_BYTES;
/// Minimum length of a halved piece, a page.
const MIN_PIECE: usize = 4096;
/// A shorter piece gets the fixed table: its own would take more bits than it saves.
const MIN_DYNAMIC: usize = 512;

/// BFINAL, the first bit of a block (RFC 1951, section 3.2.3).
const FINAL_BIT: u8 = 1;
/// An empty final block with the fixed table, which completes a part while it is verified.
const FINAL_BLOCK: [u8; 2] = [0b011, 0];

impl Choice {
    pub(crate) fn of_level(level: i32) -> Choice {
        match level {
            ..=1 => Choice::Cached,
            2..=3 => Choice::Sampled,
            _ => Choice::Counted,
        }
    }
}

/// Settings of a compression that don't depend on the data.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) container: Container,
    pub(crate) level: i32,
    /// Whether the result is a part of a stream.
    pub(crate) is_part: bool,
    /// The affinity key, for the table cache.
    pub(crate) key: Option<u64>,
    /// Whether to decompress the result on the CPU.
    pub(crate) verify: bool,
    /// Maximum bytes of a request's source, and of its target.
    pub(crate) max_bytes: usize,
    pub(crate) tables: Arc<TableCache>,
    pub(crate) counters: Arc<LiveCounters>,
}

/// Stage of a piece.
enum Stage {
    /// Counts the symbols of this many bytes.
    Count(usize),
    /// Writes with this table, or with the fixed one.
    Write(Option<Arc<Table>>),
}

/// A compression in progress.
pub(crate) struct Compress {
    settings: Settings,
    choice: Choice,
    max_piece: usize,
    /// Whether pieces have a history. A request whose pages keep missing has none, and asks for the
    /// low byte limit.
    has_history: bool,
    stage: Stage,
    /// Counts of the piece, unless its table has codes for all symbols already.
    counts: Option<Box<SymbolCounts>>,
    /// Whether the piece has a table of its own counts that has codes for all symbols.
    has_all_codes: bool,
    /// Offset of the piece, and its length.
    at: usize,
    piece: usize,
    /// Length of the history before it.
    history: usize,
    /// Offset of its output.
    out: usize,
    /// Offset of the stream, after the container's header.
    start: usize,
    /// Checksums of the bytes before the piece.
    sums: Checksums,
}

impl Compress {
    pub(crate) fn new(settings: Settings) -> Compress {
        let choice = Choice::of_level(settings.level);
        let piece = if choice == Choice::Sampled { SAMPLED_PIECE } else { PIECE };
        let limit = settings.max_bytes.saturating_sub(WINDOW_BYTES);
        Compress {
            choice,
            max_piece: piece.min(limit).max(MIN_PIECE),
            has_history: true,
            stage: Stage::Write(None),
            counts: None,
            has_all_codes: false,
            at: 0,
            piece: 0,
            history: 0,
            out: 0,
            start: 0,
            sums: Checksums::START,
            settings,
        }
    }

    pub(super) fn begin(&mut self, mut parts: Parts<'_>) -> Result<Step, NxError> {
        let header = stream_header(self.settings.container, self.settings.level);
        self.start = header.len();
        self.out = self.start;
        let place = parts.output.get_mut(..self.start).ok_or(NxError::OutputFull)?;
        place.copy_from_slice(&header);
        self.next_piece(&mut parts)
    }

    /// Returns the capacity for blocks: the output without the end of the stream.
    fn capacity(&self, output: &[u8]) -> usize {
        let end = if self.settings.is_part { MAX_CLOSE } else { self.trailer_len() };
        output.len().saturating_sub(end)
    }

    /// Returns the end of a request's target.
    fn target_end(&self, output: &[u8]) -> usize {
        self.capacity(output).min(self.out.saturating_add(self.settings.max_bytes))
    }

    /// Returns a value that changes when bytes of input or output are done.
    pub(super) fn progress(&self) -> (usize, u16, usize) {
        (self.at, 0, self.out)
    }

    fn trailer_len(&self) -> usize {
        self.settings.container.trailer(0, 0).len()
    }

    /// Returns the first request for the next piece.
    fn next_piece(&mut self, parts: &mut Parts<'_>) -> Result<Step, NxError> {
        self.piece = (parts.input.len() - self.at).min(self.max_piece);
        (self.counts, self.has_all_codes) = (None, false);
        let cached = match self.choice {
            Choice::Cached => self.settings.tables.get(self.settings.key),
            Choice::Sampled | Choice::Counted => None,
        };
        self.stage = match (cached, self.choice) {
            _ if self.piece < MIN_DYNAMIC => Stage::Write(None),
            (Some(table), _) => {
                count(&self.settings.counters.table_reused);
                Stage::Write(Some(table))
            }
            (None, Choice::Sampled) => Stage::Count(self.piece.min(SAMPLE)),
            (None, _) => Stage::Count(self.piece),
        };
        self.submit(parts)
    }

    /// Returns the request of the current stage. Without capacity, the piece is stored.
    fn submit(&mut self, parts: &mut Parts<'_>) -> Result<Step, NxError> {
        match self.request(parts) {
            Some(request) => Ok(Step::Submit(request)),
            None => self.store(parts),
        }
    }

    fn request(&mut self, parts: &mut Parts<'_>) -> Option<Request> {
        self.history = match self.has_history {
            true => self.at.min(WINDOW_BYTES) / HISTORY_UNIT * HISTORY_UNIT,
            false => 0,
        };
        let mut input = parts.cpb.input_mut();
        input.clear();
        input.set_checksums(self.sums);
        input.set_history(self.history);
        let len = match &self.stage {
            Stage::Count(len) => *len,
            Stage::Write(table) => {
                if let Some(table) = table {
                    input.set_table(&table.bytes, table.bits);
                }
                self.piece
            }
        };
        let end = self.target_end(parts.output);
        (end > self.out).then(|| Request {
            function: self.function(),
            low_limit: !self.has_history,
            source: Source { history: 0..0, data: self.at - self.history..self.at + len },
            target: self.out..end,
        })
    }

    fn function(&self) -> Function {
        let resume = self.at > 0;
        match &self.stage {
            Stage::Count(_) => Function::Compress { dynamic: false, count: true, resume },
            Stage::Write(table) => Function::Compress {
                dynamic: table.is_some(),
                count: table.is_some() && self.choice == Choice::Cached,
                resume,
            },
        }
    }

    pub(super) fn resume(&mut self, mut parts: Parts<'_>, status: &Status) -> Result<Step, NxError> {
        let read = parts.cpb.source_bytes(self.function()) as usize;
        match (&self.stage, status.completion()) {
            (_, Some(Completion::Partial)) if status.is_terminated() => Err(NxError::of_status(status)),
            (_, Some(Completion::Done | Completion::Partial | Completion::Expanded)) => {
                let used = read.checked_sub(self.history).filter(|used| (1..=self.piece).contains(used));
                let used = used.ok_or(NxError::Inconsistent("more or fewer bytes than it was given"))?;
                match self.stage {
                    Stage::Count(_) => self.counted(&mut parts, used),
                    Stage::Write(_) => self.written(&mut parts, status, used),
                }
            }
            (Stage::Count(len), Some(Completion::TargetFull)) => {
                // Nine bits for a literal are the most that the fixed table takes.
                let fitting = (self.target_end(parts.output) - self.out).saturating_sub(2) * 8 / 9;
                if fitting >= *len || fitting < MIN_DYNAMIC {
                    return self.store(&mut parts);
                }
                self.stage = Stage::Count(fitting);
                self.submit(&mut parts)
            }
            (Stage::Write(_), Some(Completion::TargetFull)) => self.store(&mut parts),
            (Stage::Write(Some(_)), Some(Completion::InvalidCode)) => self.without_code(&mut parts),
            _ => Err(NxError::of_status(status)),
        }
    }

    /// Makes the table of the counts of `used` bytes.
    fn counted(&mut self, parts: &mut Parts<'_>, used: usize) -> Result<Step, NxError> {
        let is_all = used == self.piece;
        let counts = Box::new(parts.cpb.counts());
        let uncounted = if is_all { Uncounted::Matches } else { Uncounted::All };
        let table = self.make_table((*counts).clone(), uncounted);
        if self.choice == Choice::Cached {
            self.cache((*counts).clone());
        }
        self.has_all_codes = !is_all;
        self.counts = is_all.then_some(counts);
        self.stage = Stage::Write(table);
        self.submit(parts)
    }

    fn make_table(&self, counts: SymbolCounts, uncounted: Uncounted) -> Option<Arc<Table>> {
        count(&self.settings.counters.table_made);
        Table::of(counts, uncounted).map(Arc::new)
    }

    /// Keeps a table of the counts for the next job.
    fn cache(&self, counts: SymbolCounts) {
        if let Some(table) = self.make_table(counts, Uncounted::All) {
            self.settings.tables.put(self.settings.key, table);
        }
    }

    /// Goes on after a symbol without a code: with a table that has all codes, made of the same
    /// counts, or of new ones.
    ///
    /// # Errors
    /// The table had all codes.
    fn without_code(&mut self, parts: &mut Parts<'_>) -> Result<Step, NxError> {
        if self.has_all_codes {
            return Err(NxError::Inconsistent("no code in a table that has all"));
        }
        self.stage = match self.counts.take() {
            Some(counts) => {
                self.has_all_codes = true;
                Stage::Write(self.make_table(*counts, Uncounted::All))
            }
            None => {
                self.settings.tables.forget(self.settings.key);
                Stage::Count(self.piece)
            }
        };
        self.submit(parts)
    }

    /// Goes on after a block of `used` bytes of the piece.
    fn written(&mut self, parts: &mut Parts<'_>, status: &Status, used: usize) -> Result<Step, NxError> {
        let produced = status.target_bytes as usize;
        if produced == 0 || produced > self.capacity(parts.output) - self.out {
            return Err(NxError::Inconsistent("more or fewer bytes than it had capacity for"));
        }
        let is_whole = used == self.piece;
        if status.completion() != Some(Completion::Partial) && !is_whole {
            return Err(NxError::Inconsistent("the end of a piece that did not end"));
        }
        if self.choice == Choice::Cached
            && matches!(self.stage, Stage::Write(Some(_)))
            && self.counts.is_none()
        {
            self.cache(parts.cpb.counts());
        }
        if !is_whole {
            count(&self.settings.counters.resumed);
            self.piece = used;
        }
        if produced >= stored_len(used) {
            return self.store(parts);
        }
        let (sums, last_bits) = (parts.cpb.output().checksums(), parts.cpb.output().last_bits());
        let bytes = &parts.input[self.at..self.at + used];
        let is_unchecked = self.settings.container.checksum().is_none();
        if (self.settings.verify || is_unchecked) && append(self.sums, bytes).crc != sums.crc {
            return Err(NxError::Inconsistent("a checksum that is not that of its input"));
        }
        self.sums = sums;
        self.at += used;
        let is_last = self.at == parts.input.len();
        let first = &mut parts.output[self.out];
        *first = *first & !FINAL_BIT | if is_last && !self.settings.is_part { FINAL_BIT } else { 0 };
        self.out += produced;
        match is_last {
            true => self.finish(parts, last_bits),
            false => {
                if last_bits != 0 {
                    self.close(parts, last_bits)?;
                }
                self.next_piece(parts)
            }
        }
    }

    fn close(&mut self, parts: &mut Parts<'_>, last_bits: u8) -> Result<(), NxError> {
        self.out = close_byte(parts.output, self.out, last_bits).ok_or(NxError::OutputFull)?;
        Ok(())
    }

    /// Writes the piece as stored blocks, and goes on.
    fn store(&mut self, parts: &mut Parts<'_>) -> Result<Step, NxError> {
        count(&self.settings.counters.stored);
        let capacity = self.capacity(parts.output);
        let bytes = &parts.input[self.at..self.at + self.piece];
        let is_last = self.at + self.piece == parts.input.len();
        let place = parts.output.get_mut(self.out..capacity).unwrap_or_default();
        match write_stored(bytes, is_last && !self.settings.is_part, place) {
            Some(len) => {
                self.sums = append(self.sums, bytes);
                self.at += self.piece;
                self.out += len;
                if is_last { self.finish(parts, 0) } else { self.next_piece(parts) }
            }
            // Boundaries between blocks took the bytes.
            None if self.at > 0 => {
                (self.at, self.out, self.sums) = (0, self.start, Checksums::START);
                self.piece = parts.input.len();
                self.store(parts)
            }
            None => Err(NxError::OutputFull),
        }
    }

    /// Ends the part or the stream, and returns the result.
    fn finish(&mut self, parts: &mut Parts<'_>, last_bits: u8) -> Result<Step, NxError> {
        if self.settings.is_part {
            self.close(parts, last_bits)?;
        }
        if self.settings.verify && !self.decompresses(parts) {
            return Err(NxError::Inconsistent("output that does not decompress to its input"));
        }
        let sum = match self.settings.container.checksum() {
            Some(Checksum::Adler32) => self.sums.adler,
            _ => self.sums.crc,
        };
        let trailer = self.settings.container.trailer(sum, parts.input.len());
        let end = self.out + trailer.len();
        parts.output.get_mut(self.out..end).ok_or(NxError::OutputFull)?.copy_from_slice(&trailer);
        Ok(Step::Done(Output { produced: end, consumed: parts.input.len() }))
    }

    /// Returns whether the blocks decompress to the input.
    fn decompresses(&self, parts: &Parts<'_>) -> bool {
        let mut stream = parts.output[self.start..self.out].to_vec();
        if self.settings.is_part {
            stream.extend_from_slice(&FINAL_BLOCK);
        }
        let mut back = vec![0; parts.input.len()];
        RawDecoder::new().decompress(&stream, &mut back).is_some_and(|done| done.consumed == stream.len())
            && back == parts.input
    }

    /// Returns a request for half of the piece; none if it is too short already.
    pub(super) fn halve(&mut self, mut parts: Parts<'_>) -> Option<Request> {
        let half = self.piece / 2;
        (half >= MIN_PIECE).then_some(())?;
        (self.piece, self.max_piece, self.has_history) = (half, half, false);
        if let Stage::Count(len) = &mut self.stage {
            *len = half.min(*len);
        }
        self.request(&mut parts)
    }
}

/// Returns the checksums of bytes with the checksums `sums`, and then `bytes`.
fn append(sums: Checksums, bytes: &[u8]) -> Checksums {
    let all = |kind, sum: u32| {
        checksum_append(kind, sum.into(), bytes).unwrap_or_else(|| checksum(kind, bytes)) as u32
    };
    Checksums { adler: all(Checksum::Adler32, sums.adler), crc: all(Checksum::Crc32, sums.crc) }
}

/// Returns the container's shortest header. The matches of a stream reach as far as DEFLATE has it,
/// which needs no mark.
fn stream_header(container: Container, level: i32) -> Vec<u8> {
    match container.format() {
        // ID1, ID2, CM, no flags, no time, no XFL, unknown OS (RFC 1952, section 2.3).
        Format::Gzip => vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255],
        _ => container.header(level, 15),
    }
}
