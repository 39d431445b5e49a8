//! DECOMPRESS: DEFLATE (RFC 1951) within a history of 4 KB, from the descriptor's flags and the AECS.
//!
//! Where the sources leave the hardware's ways open, this is what the model does:
//! - Bytes completed are those of which any bit was used. What is left of the last one's bits goes to the input accumulator,
//!   but for those behind a final end-of-block symbol, which nobody needs: their number is a field of the AECS.
//! - Source 1 may be empty if an AECS is read: all that is left may be in there.
//! - Stopping at an end-of-block symbol that is not final leaves the state "at a block's header".
//! - A match that the output had no room for is remembered (`state::own`), so that any room is enough to go on.

mod bits;
mod codes;
mod header;
mod inflate;
mod saved;
mod state;
mod table;

use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;
use pelton_device_iaa::hw::flags::{decompress as own, operation};
use pelton_device_iaa::hw::{AnalyticsError as Error, Descriptor, RecordView, Status};

use self::bits::{Bits, Piece};
use self::inflate::{Event, Inflater, Window};
use self::state::{INPUT_BITS, Position, State};
use super::checksums::Checksums;
use super::{Reply, Request, analytics};

/// Bytes that are decompressed at once where nobody gets them.
const SUPPRESSED_CHUNK: usize = 64 << 10;

/// What a filter operation gets of an input that it has decompressed first.
pub(crate) struct Plain {
    /// The decompressed bytes, without those that the AECS says to drop.
    pub(crate) bytes: Vec<u8>,
    /// Bytes of source 1 that were used.
    pub(crate) consumed: u32,
    /// CRC of all that was decompressed, as the descriptor asks for it.
    pub(crate) crc: u32,
    /// XOR checksum of all that was decompressed.
    pub(crate) xor: u16,
}

/// Decompress source 1 for a filter operation, whose descriptor has [`ENABLE`](own::ENABLE) set, to at most `limit` bytes.
/// The state goes to `aecs` if there is one to write.
///
/// # Errors
/// The completion record of what went wrong: also [`Error::UnrecoverableOverflow`] if there are more than `limit` bytes.
pub(crate) fn plain(
    request: &Request<'_>,
    aecs: Option<&mut [u8]>,
    limit: usize,
) -> Result<Plain, RecordView> {
    let flags = Flags::of(request);
    let mut decoded = decode(request, flags, |_| limit).map_err(analytics)?;
    if decoded.end == End::Full {
        return Err(analytics(Error::UnrecoverableOverflow));
    }
    let bytes = decoded.state.output.drain(..).chain(decoded.bytes.drain(..)).collect();
    if let Some(aecs) = aecs {
        decoded.state.write(aecs);
    }
    let (consumed, crc, xor) = (decoded.consumed, decoded.state.crc, decoded.state.xor);
    Ok(Plain { bytes, consumed, crc, xor })
}

/// Run a DECOMPRESS.
pub(crate) fn run(request: &Request<'_>, reply: Reply<'_>) -> RecordView {
    let flags = Flags::of(request);
    if !flags.are_valid() {
        return RecordView::new(Status::InvalidOwnFlags);
    }
    let room = reply.destination.len();
    let decoded = match decode(request, flags, |state| flags.limit(room, state)) {
        Ok(decoded) => decoded,
        Err(error) => return analytics(error),
    };
    let Decoded { mut state, bytes, consumed, end } = decoded;
    let mut produced = 0;
    let mut is_full = end == End::Full;
    if !flags.has(own::SUPPRESS_OUTPUT) {
        let output = [std::mem::take(&mut state.output), bytes].concat();
        produced = if flags.has(own::FLUSH_OUTPUT) { output.len() } else { output.len() / 8 * 8 };
        is_full |= produced > room;
        produced = produced.min(room);
        reply.destination[..produced].copy_from_slice(&output[..produced]);
        state.output = output[produced..].to_vec();
    }
    if let Some(aecs) = reply.aecs
        && (is_full
            || request.descriptor.operation_flags() & operation::WRITE_AECS_MASK
                == operation::WRITE_AECS_ALWAYS)
    {
        state.write(aecs);
    }
    RecordView::new(if is_full { Status::OutputOverflow } else { Status::Success })
        .with_consumed(consumed)
        .with_produced(produced as u32)
        .with_crc(state.crc)
        .with_xor(state.xor)
}

/// The flags of a decompression.
#[derive(Clone, Copy)]
struct Flags {
    own: u16,
}

impl Flags {
    fn of(request: &Request<'_>) -> Flags {
        Flags { own: request.descriptor.own_flags() }
    }

    fn has(self, flag: u16) -> bool {
        self.own & flag != 0
    }

    /// Whether these flags go together in a DECOMPRESS. Bits 13 and 15 are reserved, bit 14 is of later devices.
    fn are_valid(self) -> bool {
        let reserved = 0b111 << 13;
        let indexing = 0b111 << own::INDEXING_SHIFT;
        self.has(own::ENABLE)
            && !self.has(reserved)
            && (!self.has(indexing) || self.has(own::SUPPRESS_OUTPUT))
    }

    fn ignored_bits(self) -> u32 {
        u32::from(self.own >> own::IGNORE_END_BITS_SHIFT) & 7
    }

    /// Whether to stop behind this end-of-block symbol.
    fn stops(self, is_final: bool) -> bool {
        self.has(own::STOP_ON_EOB) && self.selects(is_final)
    }

    /// Whether this end-of-block symbol is of those that are spoken of.
    fn selects(self, is_final: bool) -> bool {
        is_final || !self.has(own::SELECT_FINAL_EOB)
    }

    /// How many bytes to decompress for so much room. Without a flush up to 7 stay behind, for which there need not be room.
    fn limit(self, room: usize, state: &State) -> usize {
        let waiting = state.output.len();
        let room = if self.has(own::FLUSH_OUTPUT) { room } else { room / 8 * 8 + 7 };
        room.saturating_sub(waiting) + state.drop
    }
}

/// How decoding ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// At the end-of-block symbol that the flags ask for.
    Stopped,
    /// At the end of the input.
    NoInput,
    /// There is more output.
    Full,
}

struct Decoded {
    state: State,
    /// What was decompressed, without what had to be dropped.
    bytes: Vec<u8>,
    consumed: u32,
    end: End,
}

/// Decompress at most as many bytes as `limit` says, given the state to start from.
fn decode(
    request: &Request<'_>,
    flags: Flags,
    limit: impl FnOnce(&State) -> usize,
) -> Result<Decoded, Error> {
    let mut state = if request.aecs.is_empty() { State::default() } else { State::read(request.aecs)? };
    let (limit, suppressed) = (limit(&state), flags.has(own::SUPPRESS_OUTPUT));
    let turned = flags.has(own::BIG_ENDIAN_16).then(|| turn_words(request.source1));
    let source = Piece { bytes: turned.as_deref().unwrap_or(request.source1), ignored: flags.ignored_bits() };
    let mut start = state.history.len();
    let chunk = if suppressed { SUPPRESSED_CHUNK } else { limit };
    let carried = std::mem::take(&mut state.input);
    let mut inflater = Inflater {
        bits: Bits::new(state::piece(&carried), source),
        position: std::mem::replace(&mut state.position, Position::Header),
        copy: state.copy,
        window: Window { bytes: std::mem::take(&mut state.history), limit: start + chunk, mini_block: None },
    };
    let mut ended = matches!(inflater.position, Position::Ended);
    let end = loop {
        if ended && inflater.copy.0 == 0 && matches!(inflater.position, Position::Ended) {
            break End::Stopped;
        }
        match inflater.step()? {
            Event::Header => ended = false,
            Event::BlockEnd { is_final, .. } => {
                ended = flags.selects(is_final);
                if flags.stops(is_final) {
                    if is_final {
                        inflater.position = Position::Ended;
                    }
                    break End::Stopped;
                }
            }
            Event::Full if suppressed => {
                state.sum(request.descriptor, &inflater.window.bytes[start..]);
                start = keep_history(&mut inflater.window.bytes);
                inflater.window.limit = start + chunk;
            }
            Event::Full => break End::Full,
            Event::NoInput if flags.has(own::CHECK_FOR_EOB) && !ended => return Err(Error::EobNotSeen),
            Event::NoInput => break End::NoInput,
        }
    };
    let Inflater { bits, position, copy, window } = inflater;
    let consumed =
        state.set_input(bits, source, end == End::Stopped && matches!(position, Position::Ended))?;
    (state.position, state.copy) = (position, copy);
    let mut history = window.bytes;
    state.sum(request.descriptor, &history[start..]);
    let mut bytes = if suppressed { Vec::new() } else { history[start..].to_vec() };
    keep_history(&mut history);
    state.history = history;
    let dropped = state.drop.min(bytes.len());
    bytes.drain(..dropped);
    state.drop -= dropped;
    Ok(Decoded { state, bytes, consumed, end })
}

/// Forget all but what matches can reach, and say how much that is.
fn keep_history(bytes: &mut Vec<u8>) -> usize {
    bytes.drain(..bytes.len().saturating_sub(HISTORY_BYTES));
    bytes.len()
}

/// A stream of 16-bit words whose first bit is the highest, as one of bytes whose first bit is the lowest. A last byte that is
/// no word is left out.
fn turn_words(bytes: &[u8]) -> Vec<u8> {
    bytes
        .as_chunks::<2>()
        .0
        .iter()
        .flat_map(|word| u16::from_le_bytes(*word).reverse_bits().to_le_bytes())
        .collect()
}

impl State {
    /// Add decompressed bytes to the checksums and the history's offset.
    fn sum(&mut self, descriptor: &Descriptor, bytes: &[u8]) {
        let sums = Checksums { crc: self.crc, xor: 0 }.append(descriptor, bytes);
        self.crc = sums.crc;
        // Behind an odd number of bytes, the high half of each word comes first.
        self.xor ^= if self.odd { sums.xor.swap_bytes() } else { sums.xor };
        self.odd ^= bytes.len() % 2 == 1;
        self.write_offset = (self.write_offset + bytes.len()) % HISTORY_BYTES;
    }

    /// Keep what is left of the bits, and say how many bytes of source 1 were used.
    fn set_input(&mut self, bits: Bits<'_>, source: Piece<'_>, is_over: bool) -> Result<u32, Error> {
        let left = bits.left();
        // Bytes of source 1 of which no bit was used.
        let untouched = ((left + source.ignored as usize) / 8).min(source.bytes.len());
        let untouched_bits = if untouched == 0 { 0 } else { untouched * 8 - source.ignored as usize };
        let rest = left - untouched_bits;
        if is_over {
            self.unused_bits = (rest % 8) as u16;
        } else if rest > INPUT_BITS {
            return Err(Error::HeaderTooLarge);
        } else {
            self.input = bits.first(rest);
        }
        Ok((source.bytes.len() - untouched) as u32)
    }
}
