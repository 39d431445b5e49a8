//! Huffman coder: headers and symbols of blocks.

use crate::bits::BitWriter;
use crate::symbols::{DISTANCE, LENGTH, Symbol, distance_symbol, length_symbol};
use crate::table::Table;

/// Kind of a compressed block, by its header.
#[derive(Clone, Copy, Debug)]
pub enum BlockKind<'a> {
    /// With the fixed table.
    Fixed,
    /// With a table of its own.
    Dynamic(&'a Table),
}

/// A symbol has no code in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoCode;

/// Writes the header of a block.
pub fn write_header(kind: BlockKind<'_>, is_final: bool, to: &mut BitWriter) {
    to.bits(u64::from(is_final), 1);
    match kind {
        BlockKind::Fixed => to.bits(1, 2),
        BlockKind::Dynamic(table) => {
            to.bits(2, 2);
            table.write(to);
        }
    }
}

/// Writes symbols, without the end of the block.
///
/// # Errors
/// A symbol has no code; what was written before it stays.
pub fn encode(symbols: &[Symbol], table: &Table, to: &mut BitWriter) -> Result<(), NoCode> {
    for &symbol in symbols {
        if !table.has(symbol) {
            return Err(NoCode);
        }
        match symbol {
            Symbol::Literal(byte) => {
                table.literals().write(byte.into(), to);
            }
            Symbol::Match { length, distance } => {
                let symbol = length_symbol(length);
                let (base, extra) = LENGTH[symbol - 257];
                table.literals().write(symbol, to);
                to.bits((length - base).into(), extra.into());
                let symbol = distance_symbol(distance);
                let (base, extra) = DISTANCE[symbol];
                table.distances().write(symbol, to);
                to.bits((distance - base).into(), extra.into());
            }
        }
    }
    Ok(())
}

/// Writes the end of a block.
pub fn end_block(table: &Table, to: &mut BitWriter) {
    let (code, bits) = table.end_of_block();
    to.bits(code.into(), bits);
}
