//! Resumable decoder: stops at any bit of the input and any byte of the output.

use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;

use super::Error;
use super::bits::{Bits, mask};
use super::codes::{Codes, extra, kind, value};
use super::header::{self, Block, Stop};
use super::state::Position;
use super::table::MAX_LENGTH;

/// Reason for a stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// A block's header was read.
    Header,
    /// A block ended. `left_before` bits of input were left before its end-of-block symbol; stored
    /// blocks have none.
    BlockEnd { is_final: bool, left_before: usize },
    /// The output is full.
    Full,
    /// The input ended.
    NoInput,
}

/// A decoder in the middle of a stream.
pub(super) struct Inflater<'a> {
    pub(super) bits: Bits<'a>,
    pub(super) position: Position,
    /// An incomplete match: remaining bytes, and distance.
    pub(super) copy: (usize, usize),
    pub(super) window: Window,
}

/// Decompressed bytes, after the history.
pub(super) struct Window {
    pub(super) bytes: Vec<u8>,
    /// Maximum length.
    pub(super) limit: usize,
    /// Start of the mini-block that matches may not leave.
    pub(super) mini_block: Option<usize>,
}

impl Window {
    fn capacity(&self) -> usize {
        self.limit.saturating_sub(self.bytes.len())
    }

    /// Checks the distance of a match.
    #[inline]
    fn check(&self, distance: usize) -> Result<(), Error> {
        let reach = self.bytes.len() - self.mini_block.unwrap_or(0);
        if distance <= reach.min(HISTORY_BYTES) {
            return Ok(());
        }
        Err(match self.mini_block {
            _ if distance > HISTORY_BYTES => Error::DistanceTooFar,
            Some(_) => Error::DistanceSpansMiniBlocks,
            None => Error::ReferenceBeforeStart,
        })
    }

    /// Copies a match as far as there is capacity. Returns the number of remaining bytes.
    #[inline]
    fn copy(&mut self, length: usize, distance: usize) -> usize {
        let now = length.min(self.capacity());
        let from = self.bytes.len() - distance;
        if distance >= now {
            self.bytes.extend_from_within(from..from + now);
        } else {
            for at in from..from + now {
                self.bytes.push(self.bytes[at]);
            }
        }
        length - now
    }
}

impl Inflater<'_> {
    /// Decodes until an event.
    pub(super) fn step(&mut self) -> Result<Event, Error> {
        if self.copy.0 > 0 {
            self.copy.0 = self.window.copy(self.copy.0, self.copy.1);
            if self.copy.0 > 0 {
                return Ok(Event::Full);
            }
        }
        let event = match &mut self.position {
            Position::Ended => return Ok(Event::NoInput),
            Position::Header => return self.header(),
            Position::Stored { left, is_final } => {
                let copied =
                    self.bits.copy(usize::from(*left).min(self.window.capacity()), &mut self.window.bytes);
                *left -= copied as u16;
                match *left {
                    0 => Event::BlockEnd { is_final: *is_final, left_before: self.bits.left() },
                    _ if self.window.capacity() == 0 => Event::Full,
                    _ => Event::NoInput,
                }
            }
            Position::Symbols { codes, is_final } => {
                symbols(&mut self.bits, codes, &mut self.window, &mut self.copy, *is_final)?
            }
        };
        if let Event::BlockEnd { .. } = event {
            self.position = Position::Header;
        }
        Ok(event)
    }

    fn header(&mut self) -> Result<Event, Error> {
        let mut ahead = self.bits.clone();
        let (block, is_final) = match header::read(&mut ahead) {
            Ok(header) => header,
            Err(Stop::NoInput) => return Ok(Event::NoInput),
            Err(Stop::Error(error)) => return Err(error),
        };
        self.bits = ahead;
        self.position = match block {
            Block::Stored(left) => Position::Stored { left, is_final },
            Block::Symbols(codes) => Position::Symbols { codes, is_final },
        };
        Ok(Event::Header)
    }
}

/// Decodes symbols. A symbol with its extra bits and distance is taken completely or not at all.
fn symbols(
    bits: &mut Bits<'_>,
    codes: &Codes,
    window: &mut Window,
    copy: &mut (usize, usize),
    is_final: bool,
) -> Result<Event, Error> {
    loop {
        // A symbol has at most 48 bits: code and extra bits of a length and of a distance.
        bits.refill();
        let (buffer, count) = (bits.buffer(), bits.count());
        let entry = codes.literal_table.look_up(buffer);
        let mut taken = entry & 0xFF;
        if taken == 0 && count >= MAX_LENGTH as u32 {
            return Err(Error::BadLiteralCode);
        }
        if taken == 0 || taken > count {
            return Ok(Event::NoInput);
        }
        match entry & kind::MASK {
            kind::LITERAL => {
                if window.capacity() == 0 {
                    return Ok(Event::Full);
                }
                window.bytes.push(value(entry) as u8);
                bits.skip(taken);
            }
            kind::END => {
                let left_before = bits.left();
                bits.skip(taken);
                return Ok(Event::BlockEnd { is_final, left_before });
            }
            kind::BAD => return Err(Error::BadLength),
            _ => {
                let length = value(entry) as usize + (buffer >> taken & mask(extra(entry))) as usize;
                taken += extra(entry);
                let entry = codes.distance_table.look_up(buffer >> taken);
                let code = entry & 0xFF;
                if code == 0 && count >= taken + MAX_LENGTH as u32 {
                    return Err(Error::BadDistanceCode);
                }
                let distance_bits = taken + code;
                taken = distance_bits + extra(entry);
                if code == 0 || taken > count {
                    return Ok(Event::NoInput);
                }
                let distance =
                    value(entry) as usize + (buffer >> distance_bits & mask(extra(entry))) as usize;
                window.check(distance)?;
                if window.capacity() == 0 {
                    return Ok(Event::Full);
                }
                bits.skip(taken);
                let left = window.copy(length, distance);
                if left > 0 {
                    *copy = (left, distance);
                    return Ok(Event::Full);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
