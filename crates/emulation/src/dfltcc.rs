//! DFLTCC of z/Architecture: its operands in the registers, and its condition code.
//!
//! The format is RRF: 16 bits of opcode, then R3, M4, R1 and R2 with four bits each. GR0 has the
//! function, GR1 the address of the parameter block. R1 and R2 are pairs of an address and a
//! length.

use crate::{Fault, aligned};

/// First half of the instruction.
const OPCODE: u32 = 0xb939;
/// Bits of GR0: the function, and the type of the history.
const FUNCTION: u64 = 0x7f;
const CIRCULAR: u64 = 0x80;

/// Function code: query available functions.
pub const QAF: u8 = 0;
/// Function code: generate a dynamic Huffman table.
pub const GDHT: u8 = 1;
/// Function code: compress.
pub const CMPR: u8 = 2;
/// Function code: expand.
pub const XPND: u8 = 4;

/// Operands of one execution. The function that carries it out advances addresses and lengths as
/// the instruction does.
#[derive(Debug)]
pub struct Dfltcc {
    /// Function code, as [`CMPR`].
    pub function: u8,
    /// Whether history is a circular buffer; otherwise it precedes the data.
    pub has_circular_history: bool,
    /// Parameter block.
    pub parameter_block: *mut u8,
    /// First operand: where output goes.
    pub target: *mut u8,
    /// Capacity of the first operand in bytes.
    pub target_len: usize,
    /// Second operand: the input.
    pub source: *const u8,
    /// Length of the second operand in bytes.
    pub source_len: usize,
    /// History buffer.
    pub history: *mut u8,
}

/// Carries out a DFLTCC on the general registers of a thread by calling `run`, which returns the
/// condition code, 0 to 3. Returns that code.
///
/// # Errors
/// Another instruction, registers that it does not accept, operands that are not aligned, and
/// results of `run` that the instruction cannot have.
pub fn execute(word: u32, registers: &mut [u64; 16], run: &dyn Fn(&mut Dfltcc) -> u8) -> Result<u8, Fault> {
    if word >> 16 != OPCODE {
        return Err(Fault::Unknown(word));
    }
    let field = |shift: u32| (word >> shift) as usize & 0xf;
    let (history, first, second) = (field(12), field(4), field(0));
    check_registers(word, field(8), history, first, second)?;
    let function = (registers[0] & FUNCTION) as u8;
    let has_circular_history = registers[0] & CIRCULAR != 0;
    aligned("parameter block", registers[1], 8)?;
    if matches!(function, CMPR | XPND) && has_circular_history {
        aligned("history buffer", registers[history], 4096)?;
    }
    let ends =
        |registers: &[u64; 16]| [first, second].map(|pair| registers[pair].wrapping_add(registers[pair + 1]));
    let before = ends(registers);
    let mut operands = Dfltcc {
        function,
        has_circular_history,
        parameter_block: registers[1] as *mut u8,
        target: registers[first] as *mut u8,
        target_len: registers[first + 1] as usize,
        source: registers[second] as *const u8,
        source_len: registers[second + 1] as usize,
        history: registers[history] as *mut u8,
    };
    let condition = run(&mut operands);
    registers[first] = operands.target as u64;
    registers[first + 1] = operands.target_len as u64;
    registers[second] = operands.source as u64;
    registers[second + 1] = operands.source_len as u64;
    if ends(registers) != before {
        return Err(Fault::Result("moved the end of an operand"));
    }
    if condition > 3 {
        return Err(Fault::Result("returned a condition code above 3"));
    }
    Ok(condition)
}

/// Checks the numbers of registers. Some of the rules are stricter than the processor's: operands
/// that share registers are a mistake of the driver in any case.
fn check_registers(word: u32, m4: usize, history: usize, first: usize, second: usize) -> Result<(), Fault> {
    let pairs = [first, first + 1, second, second + 1];
    let rules = [
        (m4 == 0, "bits 20 to 23 are not zero"),
        (first.is_multiple_of(2) && second.is_multiple_of(2), "an operand is not in an even-odd pair"),
        (first > 1 && second > 1, "an operand is in the registers of function and parameter block"),
        (first != second, "both operands are in one pair"),
        (history > 1 && !pairs.contains(&history), "the history buffer is in a register of another operand"),
    ];
    match rules.into_iter().find(|&(holds, _)| !holds) {
        Some((_, rule)) => Err(Fault::Registers { word, rule }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
