//! Decompression, from the state of the parameter block and back to it.

use pelton_device_nx::hw::{Checksums, Completion, Cpb, Function, StreamState};
use pelton_nxu::decompress::Limits;
use pelton_nxu::{BitReader, BitWriter, Block, Ended, Fault, Position, Table, decompress};

use super::validate::Valid;
use super::{Done, Limit, append};

/// Bytes that the engine reads beyond the end of a stream, if they are there: more than any
/// trailer, so that its unused bits are reported.
pub(super) const READ_AHEAD: usize = 64;

/// Decompresses a source, which has the history first, and suspends at the limit.
///
/// # Errors
/// The code of a request that is terminated.
pub(super) fn run(cpb: &mut Cpb, valid: &Valid, source: &[u8], limit: &Limit) -> Result<Done, Completion> {
    let Function::Decompress { resume, one_block } = valid.function else {
        return Err(Completion::UnknownFunction);
    };
    let (position, start, history_len, sums) = match resume {
        true => resumed(cpb)?,
        false => (Position::START, 0, 0, Checksums::START),
    };
    let (history, data) = source.split_at_checked(history_len).ok_or(Completion::Partial)?;
    let output = valid.target_len.min(limit.after(history_len));
    let done = decompress(&position, BitReader::new(data, start), history, Limits { output, one_block });
    let used = done.consumed_bits.div_ceil(8) as usize;
    let (code, read) = match done.ended {
        Ended::Final => {
            let read = data.len().min(used + READ_AHEAD);
            let is_end = read as u64 * 8 - done.consumed_bits < 8;
            (if is_end { Completion::Done } else { Completion::Partial }, read)
        }
        Ended::SourceEnded => (Completion::Partial, data.len()),
        Ended::BlockEnded => (Completion::Partial, used),
        Ended::LimitReached if output < valid.target_len => (Completion::Partial, used),
        Ended::LimitReached => return Err(valid.target_full()),
        Ended::Error(Fault::TooFar) => return Err(Completion::TooFar),
        Ended::Error(Fault::BadTable(_)) => return Err(Completion::InvalidTable),
        Ended::Error(Fault::BlockType | Fault::StoredLength | Fault::Undefined) => {
            return Err(Completion::InvalidCode);
        }
    };
    let unused = read as u64 * 8 - done.consumed_bits;
    let mut output = cpb.output_mut();
    output.clear();
    output.set_checksums(append(sums, &done.output));
    output.set_unused_bits(unused as u16);
    let Position { block, is_final } = done.position;
    output.set_state(match &block {
        _ if done.ended == Ended::Final => StreamState::Ended,
        Block::Header => StreamState::Header { is_final: false },
        Block::Stored { .. } => StreamState::Stored { is_final },
        Block::Fixed => StreamState::Fixed { is_final },
        Block::Dynamic(_) => StreamState::Dynamic { is_final },
    });
    match &block {
        Block::Stored { left } => output.set_remaining(*left as u16),
        Block::Dynamic(table) => {
            let mut to = BitWriter::new();
            table.write(&mut to);
            let bits = to.len_bits() as usize;
            output.set_table(&to.into_bytes(), bits);
        }
        Block::Header | Block::Fixed => {}
    }
    Ok(Done {
        code,
        is_partial: code == Completion::Partial,
        uncompressed: history_len + done.output.len(),
        output: done.output,
        source_bytes: history_len + read,
    })
}

/// Returns position, first bit, length of the history and checksums of a suspended stream.
fn resumed(cpb: &Cpb) -> Result<(Position, u64, usize, Checksums), Completion> {
    let input = cpb.input();
    let start = (8 - u64::from(input.unused_bits() % 8)) % 8;
    let (block, is_final) = match input.state().ok_or(Completion::InvalidCode)? {
        StreamState::Ended | StreamState::Header { .. } => (Block::Header, false),
        StreamState::Stored { .. } if start != 0 => return Err(Completion::InvalidCode),
        StreamState::Stored { is_final } => (Block::Stored { left: input.remaining().into() }, is_final),
        StreamState::Fixed { is_final } => (Block::Fixed, is_final),
        StreamState::Dynamic { is_final } => {
            (Block::Dynamic(Box::new(table(input.table(), input.table_bits())?)), is_final)
        }
    };
    Ok((Position { block, is_final }, start, input.history(), input.checksums()))
}

/// Returns the table of a parameter block.
///
/// # Errors
/// It is invalid, or has another length.
pub(super) fn table(bytes: &[u8], bits: usize) -> Result<Table, Completion> {
    if !Cpb::TABLE_BITS.contains(&bits) {
        return Err(Completion::InvalidTable);
    }
    let mut reader = BitReader::new(bytes, 0);
    let table = Table::parse(&mut reader).map_err(|_| Completion::InvalidTable)?;
    if reader.position() == bits as u64 { Ok(table) } else { Err(Completion::InvalidTable) }
}
