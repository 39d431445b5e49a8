//! DECOMPRESS: decodes DEFLATE (RFC 1951) with a window of 4 KB, by the descriptor's flags and the
//! AECS.
//!
//! Assumptions, where the sources are silent:
//! - Bytes with a used bit count as consumed. Remaining bits of the last one go to the input
//!   accumulator, except after a final end-of-block symbol: then only their number is in the AECS.
//! - Source 1 may be empty if an AECS is read, which may have the rest.
//! - After a stop at an end-of-block symbol that is not final, the state is "at a block's header".
//! - An image that ends before the state, such as one with the filter's parameters alone, is at the
//!   start of a stream.
//! - The state has the rest of a match (`state::own`), so that an operation can continue with any
//!   capacity.

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

/// Decompressed input of a filter operation.
pub(crate) struct Decompressed {
    /// The decompressed bytes, without those to drop by the AECS.
    pub(crate) bytes: Vec<u8>,
    /// Used bytes of source 1.
    pub(crate) consumed: u32,
    /// CRC of all decompressed bytes, of the kind that the descriptor selects.
    pub(crate) crc: u32,
    /// XOR checksum of all decompressed bytes.
    pub(crate) xor: u16,
}

/// Decompresses at most `limit` bytes of source 1 for a filter operation with
/// [`ENABLE`](own::ENABLE). Writes the state to `aecs`, if there is one.
///
/// # Errors
/// The completion record of the failure, also [`Error::UnrecoverableOverflow`] if there are more
/// than `limit` bytes.
pub(crate) fn decompress_for_filter(
    request: &Request<'_>,
    aecs: Option<&mut [u8]>,
    limit: usize,
) -> Result<Decompressed, RecordView> {
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
    Ok(Decompressed { bytes, consumed, crc, xor })
}

/// Runs a DECOMPRESS.
pub(crate) fn run(request: &Request<'_>, reply: Reply<'_>) -> RecordView {
    let flags = Flags::of(request.descriptor);
    if !flags.are_valid() {
        return RecordView::new(Status::InvalidOwnFlags);
    }
    let capacity = reply.destination.len();
    let mut index = (flags.mini_block() > 0).then(|| Index::new(&mut *reply.destination, flags.mini_block()));
    let decoded = decode(request, flags, |state| flags.limit(capacity, state), index.as_mut());
    let mut produced = index.map_or(0, |index| index.len());
    let Decoded { mut state, bytes, consumed, end } = match decoded {
        Ok(decoded) => decoded,
        Err(error) => return analytics(error),
    };
    let mut is_full = end == End::Full;
    if !flags.has(own::SUPPRESS_OUTPUT) {
        let output = [std::mem::take(&mut state.output), bytes].concat();
        produced = if flags.has(own::FLUSH_OUTPUT) { output.len() } else { output.len() / 8 * 8 };
        is_full |= produced > capacity;
        produced = produced.min(capacity);
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
