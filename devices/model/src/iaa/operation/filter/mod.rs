//! Filter operations: from elements to a bit vector or elements, with decompression on the way if
//! the descriptor requests it.
//!
//! Intel's Query Processing Library documents the operations, the parsers, the output widths, the
//! summary in the record, the element count, and the maximum size of a set. Scan and extract take a
//! range from the AECS. The others take source 2 as their second input, so they have no AECS; find
//! unique needs neither. Software turns the eight comparisons of a scan into a range, inverted or
//! not.
//!
//! Assumptions, where the sources are silent:
//! - the CRC and XOR are of all of source 1 before it is parsed, or of the decompressed bytes;
//!   uncompressed input is consumed completely;
//! - the output modifier is added to the indexes of any operation with an AECS;
//! - an operation with too small a destination can't be continued;
//! - all bits of the output are written, with or without decompression's flush flag.

mod elements;
mod flags;
mod hybrid;
mod kind;
mod output;
mod packed;
mod source;
mod values;

use pelton_device_iaa::hw::aecs::decompress as layout;
use pelton_device_iaa::hw::flags::operation;
use pelton_device_iaa::hw::{AnalyticsError, Opcode, RecordView, Status};

use self::flags::Flags;
use self::kind::Kind;
use self::output::Output;
use self::packed::Packed;
use self::source::Source;
use self::values::Values;
use super::image::{read_u32, write_u32};
use super::{Operation, Reply, Request};
use super::{analytics, refused};

/// Returns the filter operation of an opcode; none for other operations.
pub fn filter(opcode: Opcode) -> Option<Operation> {
    match opcode {
        Opcode::Scan => Some(|request, reply| run(request, reply, Kind::Scan)),
        Opcode::SetMembership => Some(|request, reply| run(request, reply, Kind::SetMembership)),
        Opcode::Extract => Some(|request, reply| run(request, reply, Kind::Extract)),
        Opcode::Select => Some(|request, reply| run(request, reply, Kind::Select)),
        Opcode::RleBurst => Some(|request, reply| run(request, reply, Kind::RleBurst)),
        Opcode::FindUnique => Some(|request, reply| run(request, reply, Kind::FindUnique)),
        Opcode::Expand => Some(|request, reply| run(request, reply, Kind::Expand)),
        _ => None,
    }
}

/// Inputs and output of a filter.
struct Job<'a> {
    flags: Flags,
    /// The descriptor's number of elements in source 1; for expand, in the mask.
    elements: u32,
    values: Values<'a>,
    second: Packed<'a>,
    /// Range of values or positions, with both ends.
    low: u32,
    high: u32,
    output: Output<'a>,
}

fn run(request: &Request<'_>, reply: Reply<'_>, kind: Kind) -> RecordView {
    try_run(request, reply, kind).unwrap_or_else(|failure| failure)
}

fn try_run(request: &Request<'_>, reply: Reply<'_>, kind: Kind) -> Result<RecordView, RecordView> {
    let flags = Flags::of(request.descriptor, kind)?;
    let operation_flags = request.descriptor.operation_flags();
    if !kind.allows_source2(operation_flags) {
        return Err(refused(Status::InvalidOperationFlags).with_invalid_flags(operation::SOURCE2_MASK));
    }
    let has_aecs = operation_flags & operation::SOURCE2_MASK == operation::SOURCE2_AECS;
    if has_aecs && request.aecs.len() < layout::FILTER_BYTES {
        return Err(analytics(AnalyticsError::InvalidAecs));
    }
    let mut image = reply.aecs;
    let source = Source::of(request, &flags, image.as_deref_mut())?;
    let values = Values::new(&source.bytes, flags.parser, flags.decompress).map_err(analytics)?;
    kind.check_widths(&flags, values.width())?;

    let field = |offset| read_u32(request.aecs, offset).unwrap_or_default();
    let nominal = kind.nominal_width(values.width(), flags.second_width);
    let modifier = field(layout::OUTPUT_MODIFIER);
    let output = Output::new(reply.destination, &flags, nominal, modifier).map_err(analytics)?;
    let mut job = Job {
        flags,
        elements: request.descriptor.elements(),
        values,
        second: Packed::new(request.source2, flags.second_width, flags.second_big_endian),
        low: field(layout::FILTER_LOW),
        high: field(layout::FILTER_HIGH),
        output,
    };
    match kind {
        Kind::Scan => elements::scan(&mut job),
        Kind::Extract => elements::extract(&mut job),
        Kind::Select => elements::select(&mut job),
        Kind::Expand => elements::expand(&mut job),
        Kind::RleBurst => elements::burst(&mut job),
        Kind::SetMembership => elements::members(&mut job),
        Kind::FindUnique => elements::unique(&mut job),
    }
    .map_err(analytics)?;
    let written = job.output.finish().map_err(analytics)?;
    if let Some(image) = image {
        write_u32(image, layout::CRC, source.sums.crc);
        write_u32(image, layout::XOR, source.sums.xor.into());
    }
    Ok(RecordView::new(Status::Success)
        .with_consumed(source.consumed)
        .with_produced(written.bytes as u32)
        .with_output_bits(written.bits)
        .with_crc(source.sums.crc)
        .with_xor(source.sums.xor)
        .with_min_or_first(written.summary.first)
        .with_max_or_last(written.summary.last)
        .with_sum_or_count(written.summary.sum))
}

#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
