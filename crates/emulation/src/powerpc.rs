//! Emulation of copy and paste. in the context of a thread of Linux on 64-bit POWER.

use std::cell::RefCell;

use crate::copy_paste::{self, ACCEPTED, Block};
use crate::trap::Emulated;

/// Registers behind the 32 general ones in a context (Linux, `asm/ptrace.h`): the address of the
/// instruction, XER, and the condition register.
const INSTRUCTION_ADDRESS: usize = 32;
const XER: usize = 37;
const CONDITION: usize = 38;
/// Bit of XER: summary overflow.
const SUMMARY_OVERFLOW: u64 = 1 << 31;
/// Place of field 0 in the condition register.
const FIELD_0_SHIFT: u32 = 28;

thread_local! {
    /// The copy buffer of a hardware thread, which Linux clears when it switches threads.
    static COPY_BUFFER: RefCell<Option<Block>> = const { RefCell::new(None) };
}

/// Has `run` called for each paste. of this process, until the result is dropped: with the block
/// that the same thread copied before, and the target's address. `run` returns whether the block
/// was accepted.
pub fn emulate_copy_paste(run: impl Fn(&Block, usize) -> bool + Send + Sync + 'static) -> Emulated {
    Emulated::new(Box::new(move |context| {
        let registers = &mut context.uc_mcontext.gp_regs;
        // SAFETY: the processor has just fetched the instruction there, aligned to its length.
        let word = unsafe { (registers[INSTRUCTION_ADDRESS] as *const u32).read() };
        let general = registers.first_chunk().expect("a context has 48 registers");
        let pasted = COPY_BUFFER.with_borrow_mut(|buffer| {
            // SAFETY: the program copies a block of its own. If it cannot be read, the program ends
            // by a signal, as it would without emulation.
            unsafe { copy_paste::execute(word, general, buffer, &run) }
        })?;
        if let Some(accepted) = pasted {
            let overflow = u64::from(registers[XER] & SUMMARY_OVERFLOW != 0);
            let field = if accepted { u64::from(ACCEPTED) } else { 0 } | overflow;
            registers[CONDITION] &= !(0xf << FIELD_0_SHIFT);
            registers[CONDITION] |= field << FIELD_0_SHIFT;
        }
        registers[INSTRUCTION_ADDRESS] += size_of::<u32>() as u64;
        Ok(pasted.is_some())
    }))
}

#[cfg(test)]
mod tests;
