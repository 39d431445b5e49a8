//! Function GDHT: a dynamic table for a sample of the data.

use pelton_device_dfltcc::hw::ParameterBlock;
use pelton_device_dfltcc::{Answer, Condition, History};
use pelton_nxu::{BitWriter, Counts, Table};

use super::checks::{ending_code, fail};
use super::{keep, matcher, window};
use crate::dfltcc::config::Plan;

/// Maximum bytes of the sample: the paper's (section V-C).
const SAMPLE: usize = 32 << 10;

/// Makes a table of the source, and writes it with its end-of-block code into the block. The source
/// is not advanced.
pub(super) fn generate(plan: &Plan, block: &mut ParameterBlock, source: &[u8], history: &History) -> Answer {
    if source.is_empty() {
        return fail(block, ending_code::NO_SOURCE);
    }
    let history = if block.is_new_task() { Vec::new() } else { window::contents(block, history) };
    let sample = &source[..source.len().min(SAMPLE)];
    let mut matcher = matcher(plan.seed);
    let symbols = matcher.run(&history, sample).symbols;
    keep(matcher);
    let mut counts = Counts::of(&symbols);
    if !block.has_sampled_symbols_only() {
        counts.fill_zeros(true);
    }
    let table = Table::from_counts_in_hardware(&counts).table;
    let mut bits = BitWriter::new();
    table.write(&mut bits);
    block.set_table_len(bits.len_bits() as u16);
    let bytes = bits.into_bytes();
    block.table_mut().fill(0);
    block.table_mut()[..bytes.len()].copy_from_slice(&bytes);
    set_end_of_block(block, &table);
    block.set_ending_code(0);
    Answer { condition: Condition::Done, written: 0, read: 0 }
}

/// Writes the code for the end of a block into the parameter block.
pub(super) fn set_end_of_block(block: &mut ParameterBlock, table: &Table) {
    let (code, len) = table.end_of_block();
    // The field has the code's first bit on top of 15.
    block.set_end_of_block((code as u16).reverse_bits() >> 1);
    block.set_end_of_block_len(len as u8);
}
