//! DECOMPRESS: DEFLATE (RFC 1951) within a history of 4 KB, from the descriptor's flags and the
//! AECS.
//!
//! Where the sources leave the hardware's ways open, this is what the model does:
//! - Bytes completed are those of which any bit was used. What is left of the last one's bits goes
//!   to the input accumulator, but for those behind a final end-of-block symbol, which nobody
//!   needs: their number is a field of the AECS.
//! - Source 1 may be empty if an AECS is read: all that is left may be in there.
//! - Stopping at an end-of-block symbol that is not final leaves the state "at a block's header".
//! - An image that ends before the state, as one with the filter's parameters alone does, is one at
//!   the start of a stream.
//! - A match that the output had no room for is remembered (`state::own`), so that any room is
//!   enough to go on.

mod bits;
mod code_tables;
mod codes;
mod decode;
mod flags;
mod header;
mod inflate;
mod state;
mod table;

use pelton_device_iaa::hw::flags::{decompress as own, operation};
use pelton_device_iaa::hw::{AnalyticsError as Error, RecordView, Status};

use self::decode::{Decoded, End, Index, decode};
use self::flags::Flags;
use super::{Reply, Request, analytics};

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

/// Decompress source 1 for a filter operation, whose descriptor has [`ENABLE`](own::ENABLE) set, to
/// at most `limit` bytes. The state goes to `aecs` if there is one to write.
///
/// # Errors
/// The completion record of what went wrong: also [`Error::UnrecoverableOverflow`] if there are
/// more than `limit` bytes.
pub(crate) fn plain(
    request: &Request<'_>,
    aecs: Option<&mut [u8]>,
    limit: usize,
) -> Result<Plain, RecordView> {
    let flags = Flags::of(request.descriptor);
    let mut decoded = decode(request, flags, |_| limit, None).map_err(analytics)?;
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
    let flags = Flags::of(request.descriptor);
    if !flags.are_valid() {
        return RecordView::new(Status::InvalidOwnFlags);
    }
    let room = reply.destination.len();
    let mut index = (flags.mini_block() > 0).then(|| Index::new(&mut *reply.destination, flags.mini_block()));
    let decoded = decode(request, flags, |state| flags.limit(room, state), index.as_mut());
    let mut produced = index.map_or(0, |index| index.len());
    let Decoded { mut state, bytes, consumed, end } = match decoded {
        Ok(decoded) => decoded,
        Err(error) => return analytics(error),
    };
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

#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
