//! One stream's way through a lane: its blocks, and the symbols that the tables leave out.

use super::dispatch::Isa;
use super::entry::{DISTANCE_TABLE, END_OF_BLOCK, ENTRIES, TABLE_LINK, is_stop};
use super::eviction::Eviction;
use super::header::{self, Block, CodewordLengths};
use super::portable::repeat;
use super::tables::{Code, Codes};
use super::tokens::{CHUNK_INPUT, Cursor, Sequences, TOKENS, Tokens};
use crate::deflate::inflate::bit_buffer::peek_bits;
use crate::deflate::tables::{DISTANCE, LENGTH};
use crate::{Checksum, Format, checksum, checksum_append};

/// Result of a step. For invalid or unusual data it is `None` instead, and the lane gives its
/// stream up.
pub(crate) enum Step {
    /// The lane is in the symbols of a block, for which its tables are filled.
    Symbols,
    /// The last block has ended.
    End,
}

/// A raw stream that is being decoded.
pub(crate) struct Lane<'a> {
    pub(crate) input: &'a [u8],
    /// The next bit.
    pub(crate) at: usize,
    /// Start of the stream's data in the output, and the position of the next byte.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: u16,
    /// A length without its distance yet.
    pending: Option<u16>,
    last_block: bool,
    /// Checksum of the written bytes.
    pub(crate) checksum: RunningChecksum,
    /// Goes on over the members of a gzip stream.
    pub(crate) eviction: Eviction,
}

impl<'a> Lane<'a> {
    /// A lane for the raw stream that starts at byte `from` of `input`, to be written from `start`.
    pub(crate) fn new(input: &'a [u8], from: usize, start: usize, checksum: RunningChecksum) -> Self {
        let (next, pending, last_block, eviction) = (0, None, false, Eviction::default());
        Self { input, at: 8 * from, start, end: start, next, pending, last_block, checksum, eviction }
    }

    /// Returns whether the lane has read zeros beyond the input.
    pub(crate) fn is_past_input(&self) -> bool {
        self.at > 8 * self.input.len()
    }

    /// Goes through headers and stored blocks up to the next symbols.
    pub(crate) fn enter(
        &mut self,
        isa: Isa,
        entries: &mut [u16; ENTRIES],
        codes: &mut Codes,
        lengths: &mut CodewordLengths,
        output: &mut [u8],
    ) -> Option<Step> {
        while !self.last_block {
            let (last, block) = header::read(self.input, &mut self.at, lengths)?;
            self.last_block = last;
            match block {
                Block::Stored { start, len } => {
                    let bytes = self.input.get(start..start + len)?;
                    output.get_mut(self.end..self.end + len)?.copy_from_slice(bytes);
                    self.end += len;
                    self.at = 8 * (start + len);
                }
                Block::Compressed => {
                    codes.build(isa, entries, lengths.literals(), lengths.distances())?;
                    self.next = 0;
                    return (!self.is_past_input()).then_some(Step::Symbols);
                }
            }
        }
        Some(Step::End)
    }

    /// Returns the cursor for the next chunk. Near the end of the input it reads a copy with zeros
    /// after it, in `tail`.
    pub(crate) fn cursor<'b>(&self, tail: &'b mut [u8; 2 * CHUNK_INPUT]) -> Cursor<'b>
    where
        'a: 'b,
    {
        Cursor::new(self.input, self.at, self.next, tail)
    }

    /// Turns a chunk's tokens into output. `at` and `next` are the cursor's afterwards.
    pub(crate) fn take(
        &mut self,
        isa: Isa,
        (at, next): (usize, u16),
        tokens: &Tokens,
        sequences: &mut Sequences,
        codes: &Codes,
        output: &mut [u8],
    ) -> Option<Step> {
        let before = self.end;
        self.write(isa, tokens, self.next, sequences, output)?;
        self.at = self.at / 8 * 8 + at;
        self.next = next;
        let stopped = is_stop(tokens.entries[TOKENS - 1]);
        let len = self.end - before;
        self.eviction.count_chunk(stopped, || sequences.wait(len))?;
        let step = if stopped { self.symbol(codes, output)? } else { Step::Symbols };
        (!self.is_past_input()).then_some(step)
    }

    /// Writes the data of a chunk's tokens up to the first stop. `next` is the cursor's table
    /// before it.
    pub(crate) fn write(
        &mut self,
        isa: Isa,
        tokens: &Tokens,
        next: u16,
        sequences: &mut Sequences,
        output: &mut [u8],
    ) -> Option<()> {
        self.partition(isa, tokens, next, sequences);
        self.copy(isa, sequences, output)
    }

    /// Sorts a chunk's tokens up to the first stop by kind. `next` is the cursor's table before it.
    pub(crate) fn partition(&self, isa: Isa, tokens: &Tokens, next: u16, sequences: &mut Sequences) {
        sequences.start(self.pending);
        isa.partition(tokens, Cursor::at_distance(next), sequences);
    }

    /// Writes the data of a chunk.
    pub(crate) fn copy(&mut self, isa: Isa, sequences: &Sequences, output: &mut [u8]) -> Option<()> {
        self.end = isa.copy(sequences, output, self.start, self.end)?;
        self.checksum.written(output, self.end);
        self.pending = sequences.pending();
        Some(())
    }

    /// Decodes the symbol that the tables have a stop for.
    pub(crate) fn symbol(&mut self, codes: &Codes, output: &mut [u8]) -> Option<Step> {
        let at_distance = Cursor::at_distance(self.next);
        let code = if at_distance { &codes.distances } else { &codes.literals };
        if self.next & TABLE_LINK != 0 {
            self.at -= code.linked as usize;
        }
        let symbol = self.codeword(code)?;
        self.next = 0;
        if at_distance {
            let distance = self.based(*DISTANCE.get(symbol)?);
            let len = usize::from(self.pending.take()?);
            self.end = repeat(len, distance, output, self.start, self.end)?;
        } else if symbol < END_OF_BLOCK {
            *output.get_mut(self.end)? = symbol as u8;
            self.end += 1;
        } else if symbol == END_OF_BLOCK {
            return Some(Step::End);
        } else {
            self.pending = Some(self.based(*LENGTH.get(symbol - END_OF_BLOCK - 1)?) as u16);
            self.next = DISTANCE_TABLE;
        }
        Some(Step::Symbols)
    }

    fn codeword(&mut self, code: &Code) -> Option<usize> {
        let (symbol, len) = code.slow(peek_bits(self.input, self.at))?;
        self.at += len as usize;
        Some(symbol)
    }

    fn based(&mut self, (base, extra): (u16, u8)) -> usize {
        let bits = peek_bits(self.input, self.at) & ((1 << extra) - 1);
        self.at += usize::from(extra);
        usize::from(base) + bits as usize
    }
}

/// Bytes that a lane writes before they are added to the checksum. With the windows of all lanes
/// they fit a second-level cache; whole streams would have left it, and smaller pieces gain
/// nothing.
const PIECE: usize = 32 << 10;

/// Checksum of the bytes that a lane writes.
pub(crate) struct RunningChecksum {
    kind: Option<Checksum>,
    value: u64,
    /// End of the bytes in the checksum.
    upto: usize,
}

impl RunningChecksum {
    /// The sum of nothing, for a stream that is written from `start`.
    pub(crate) fn new(format: Format, start: usize) -> Self {
        let kind = match format {
            Format::Zlib => Some(Checksum::Adler32),
            Format::Gzip => Some(Checksum::Crc32),
            _ => None,
        };
        Self { kind, value: kind.map_or(0, |kind| checksum(kind, &[])), upto: start }
    }

    /// Takes note that the stream is written up to `end`, where nothing is changed any more.
    pub(crate) fn written(&mut self, output: &[u8], end: usize) {
        if end - self.upto >= PIECE {
            self.add(output, end);
        }
    }

    /// The sum up to `end`; 0 for a stream without one.
    pub(crate) fn finish(&mut self, output: &[u8], end: usize) -> u32 {
        self.add(output, end);
        self.value as u32
    }

    fn add(&mut self, output: &[u8], end: usize) {
        let appended = self.kind.and_then(|kind| checksum_append(kind, self.value, &output[self.upto..end]));
        self.value = appended.unwrap_or(self.value);
        self.upto = end;
    }
}
