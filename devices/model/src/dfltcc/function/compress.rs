//! Function CMPR: symbols of a block that is opened, continued or closed.

use pelton_device_dfltcc::hw::{DHT_BYTES, ParameterBlock};
use pelton_device_dfltcc::{Answer, Condition, Operands};
use pelton_nxu::{BitWriter, Symbol, Table, encode};

use super::checks::{ending_code, fail};
use super::state::{self, Bits, Compressing};
use super::table::set_end_of_block;
use super::{keep, matcher, window};
use crate::dfltcc::config::Plan;

/// Uncompressed bytes that are matched at a time.
const MAX_CHUNK: usize = 256 << 10;
/// The same for a target that may soon be full.
const MIN_CHUNK: usize = 4096;
/// Assumed ratio, by which a chunk follows the target's capacity.
const RATIO: usize = 16;
/// Symbols between two looks at the target's capacity. With a header, their bits fit into the
/// continuation-state buffer.
const SYMBOLS: usize = 64;
/// Lengths of a dynamic table in bits.
const TABLE_BITS: std::ops::RangeInclusive<u16> = 42..=2283;

/// Compresses the source into the target.
pub(super) fn compress(plan: &Plan, block: &mut ParameterBlock, operands: Operands<'_>) -> Answer {
    let Operands { target, source, history } = operands;
    let answer = |condition| Answer { condition, written: 0, read: 0 };
    let table = match block.is_dynamic() {
        true => {
            TABLE_BITS.contains(&block.table_len()).then(|| state::table(block.table(), block.table_len()))
        }
        false => Some(Some(Table::fixed())),
    };
    let Some(table) = table.flatten() else { return fail(block, ending_code::TABLE) };
    let is_continued = block.is_continued() && !block.is_new_task();
    let loaded = if is_continued { Compressing::load(block) } else { Some(Compressing::default()) };
    let Some(Compressing { mut is_closed, held }) = loaded else { return fail(block, ending_code::STATE) };
    block.set_ending_code(0);
    if source.is_empty() && !is_continued {
        // Nothing to write, not even the end of the block.
        return answer(Condition::Done);
    }
    if is_closed && !source.is_empty() {
        return fail(block, ending_code::STATE);
    }
    if target.is_empty() {
        return answer(Condition::TargetFull);
    }
    if plan.amount == 0 {
        return answer(Condition::Again);
    }
    if block.is_new_task() {
        window::begin(block);
    }
    let capacity = 8 * target.len() as u64;
    let mut to = BitWriter::with_partial(target[0], block.used_bits());
    held.append_to(&mut to);
    if !is_continued && !block.is_block_open() {
        write_header(block, &table, &mut to);
    }
    let mut matcher = matcher(plan.seed);
    let mut read = 0;
    let end = source.len().min(plan.amount);
    while read < end && to.len_bits() <= capacity {
        let left = ((capacity - to.len_bits()) / 8) as usize;
        let chunk = (end - read).min(MAX_CHUNK).min((RATIO * left).max(MIN_CHUNK));
        let symbols = matcher.run(&window::contents(block, history), &source[read..read + chunk]).symbols;
        let from = read;
        for symbols in symbols.chunks(SYMBOLS) {
            if encode::encode(symbols, &table, &mut to).is_err() {
                return fail(block, ending_code::NO_CODE);
            }
            read += symbols.iter().map(len).sum::<usize>();
            if to.len_bits() > capacity {
                break;
            }
        }
        window::append(block, history, &source[from..read]);
    }
    keep(matcher);
    let is_done = read == source.len() && to.len_bits() <= capacity;
    if is_done && block.closes_block() && !is_closed {
        encode::end_block(&table, &mut to);
        is_closed = true;
    }
    let bits = to.len_bits();
    let bytes = to.into_bytes();
    let condition = match () {
        () if bits > capacity => Condition::TargetFull,
        () if is_done => Condition::Done,
        () => Condition::Again,
    };
    // A block that is open when the same call has to be made again is known from the state alone.
    let is_held = condition != Condition::Done || plan.held > 0 && !is_closed && !source.is_empty();
    let written = match condition {
        Condition::TargetFull => target.len(),
        _ if is_held => ((bits / 8) as usize).saturating_sub(plan.held),
        _ => (bits / 8) as usize,
    };
    let rest = (bits - 8 * written as u64) as u32;
    target[..written].copy_from_slice(&bytes[..written]);
    block.set_continued(false);
    if is_held && (rest >= 8 || condition == Condition::TargetFull) {
        block.set_used_bits(0);
        Compressing { is_closed, held: Bits { bytes: bytes[written..].to_vec(), count: rest } }.save(block);
    } else {
        if rest > 0 {
            target[written] = bytes[written];
        }
        block.set_used_bits(rest as u8);
        if is_held {
            Compressing { is_closed, held: Bits::default() }.save(block);
        }
    }
    Answer { condition, written, read }
}

fn len(symbol: &Symbol) -> usize {
    match symbol {
        Symbol::Literal(_) => 1,
        Symbol::Match { length, .. } => usize::from(*length),
    }
}

/// Writes a block's header, with the table's bits as they are in the parameter block.
fn write_header(block: &mut ParameterBlock, table: &Table, to: &mut BitWriter) {
    to.bits(block.is_last_block().into(), 1);
    to.bits(if block.is_dynamic() { 0b10 } else { 0b01 }, 2);
    if block.is_dynamic() {
        let bytes: [u8; DHT_BYTES] = *block.table();
        Bits { bytes: bytes.to_vec(), count: block.table_len().into() }.append_to(to);
    }
    set_end_of_block(block, table);
}
