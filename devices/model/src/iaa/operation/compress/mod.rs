//! COMPRESS: writes a block of DEFLATE, or the histogram for its codes.
//!
//! The device knows no block headers. Software puts the header's bits into the accumulator of the
//! AECS and the codes into its tables; the device writes the accumulator, the symbols and the
//! ending. So fixed, dynamic and canned compression differ only in the AECS. A dynamic block takes
//! two passes: the first, with the statistics flag, counts the symbols of a parse, and the second
//! repeats the parse exactly.
//!
//! Assumptions, where Intel's public code is silent:
//! - the histogram has one end-of-block symbol with any ending;
//! - the written AECS has all fields of the one that was read, except checksums and output;
//! - with big-endian words the number of valid bits is that of the last word, and there is no
//!   stored block;
//! - a failed compression does not change the AECS or the counts of the record.

mod codes;
mod flags;
mod parse;
mod symbols;
mod writer;

use pelton_device_iaa::hw::aecs::compress as layout;
use pelton_device_iaa::hw::{AnalyticsError, RecordView, Status};

use self::codes::Codes;
use self::flags::{End, Flags, no_code};
use self::symbols::{Coded, END_OF_BLOCK, Token};
use self::writer::{Overflow, Writer};
use super::checksums::Checksums;
use super::image::{read_u32, write_u32};
use super::{Reply, Request};
use super::{analytics, refused};

/// Compresses source 1, or counts its symbols.
pub fn compress(request: &Request<'_>, reply: Reply<'_>) -> RecordView {
    Flags::of(request.descriptor)
        .and_then(
            |flags| {
                if flags.statistics { count(request, flags, reply) } else { encode(request, flags, reply) }
            },
        )
        .unwrap_or_else(|failure| failure)
}

impl From<Overflow> for RecordView {
    fn from(_: Overflow) -> RecordView {
        analytics(AnalyticsError::UnrecoverableOverflow)
    }
}

/// Counts the symbols, in the first pass.
fn count(request: &Request<'_>, flags: Flags, reply: Reply<'_>) -> Result<RecordView, RecordView> {
    let histogram = reply.destination.get_mut(..layout::HISTOGRAM_BYTES).ok_or(Overflow)?;
    histogram.fill(0);
    let add = |histogram: &mut [u8], offset: usize| {
        let count = read_u32(histogram, offset).unwrap_or_default();
        write_u32(histogram, offset, count.saturating_add(1));
    };
    parse::parse(request.source1, flags.rules, |token| match token {
        Token::Literal(byte) => add(histogram, 4 * usize::from(byte)),
        Token::Match { length, distance } => {
            add(histogram, 4 * symbols::length(length).symbol);
            add(histogram, layout::HISTOGRAM_DISTANCES + 4 * symbols::distance(distance).symbol);
        }
    });
    add(histogram, 4 * END_OF_BLOCK);
    let sums = checksums(request);
    if let Some(image) = reply.aecs {
        write_back(request, sums, image);
    }
    Ok(success(request, sums).with_produced(layout::HISTOGRAM_BYTES as u32))
}

/// Writes the block, in the second or only pass.
fn encode(request: &Request<'_>, flags: Flags, reply: Reply<'_>) -> Result<RecordView, RecordView> {
    if request.aecs.is_empty() {
        return Err(refused(Status::InvalidOperationFlags));
    }
    let invalid = || analytics(AnalyticsError::InvalidAecs);
    let codes = Codes::of(request.aecs).ok_or_else(invalid)?;
    let mut writer = Writer::new(request.aecs, reply.destination.len()).ok_or_else(invalid)?;
    parse::try_parse(request.source1, flags.rules, |token| write(&codes, &mut writer, token))?;
    finish(&codes, &mut writer, flags.end)?;

    let (written, rest) = writer.finish(reply.destination, flags.big_endian_16, flags.flush)?;
    let sums = checksums(request);
    if let Some(image) = reply.aecs {
        write_back(request, sums, image);
        rest.store(image);
    }
    Ok(success(request, sums).with_produced(written.bytes as u32).with_output_bits(written.bits))
}

/// Writes one token.
fn write(codes: &Codes, writer: &mut Writer, token: Token) -> Result<(), RecordView> {
    match token {
        Token::Literal(byte) => writer.code(codes.literal(byte.into()).ok_or_else(no_code)?)?,
        Token::Match { length, distance } => {
            let Coded { symbol, extra, extra_bits } = symbols::length(length);
            writer.code(codes.literal(symbol).ok_or_else(no_code)?)?;
            writer.put(extra, extra_bits)?;
            let Coded { symbol, extra, extra_bits } = symbols::distance(distance);
            writer.code(codes.distance(symbol).ok_or_else(no_code)?)?;
            writer.put(extra, extra_bits)?;
        }
    }
    Ok(())
}

/// Writes the ending after the last token.
fn finish(codes: &Codes, writer: &mut Writer, end: End) -> Result<(), RecordView> {
    if end != End::Nothing {
        writer.code(codes.literal(END_OF_BLOCK).ok_or_else(no_code)?)?;
    }
    if let End::Stored { last } = end {
        // A stored block's header (RFC 1951, section 3.2.4): the final bit and the type, then, from
        // the next byte, the length and its complement.
        writer.put(last.into(), 3)?;
        writer.align()?;
        writer.put(0xFFFF_0000, 32)?;
    }
    Ok(())
}

/// Returns the checksums of the input, continuing those of the AECS.
fn checksums(request: &Request<'_>) -> Checksums {
    let from = Checksums {
        crc: read_u32(request.aecs, layout::CRC).unwrap_or_default(),
        xor: read_u32(request.aecs, layout::XOR).unwrap_or_default() as u16,
    };
    from.append(request.descriptor, request.source1)
}

/// Writes the AECS back with new checksums.
fn write_back(request: &Request<'_>, sums: Checksums, image: &mut [u8]) {
    image.iter_mut().zip(request.aecs).for_each(|(to, byte)| *to = *byte);
    write_u32(image, layout::CRC, sums.crc);
    write_u32(image, layout::XOR, sums.xor.into());
}

/// Returns the record of a compression that used all input.
fn success(request: &Request<'_>, sums: Checksums) -> RecordView {
    RecordView::new(Status::Success)
        .with_consumed(request.source1.len() as u32)
        .with_crc(sums.crc)
        .with_xor(sums.xor)
}

#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
