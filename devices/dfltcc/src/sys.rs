//! The instruction itself, on s390x.
//!
//! DFLTCC is not privileged, and touches only its operands: the parameter block, to which general
//! register 1 points, the two operands of its register pairs, and the history buffer. It takes page
//! faults as any instruction does.
#![allow(unsafe_code)]

use std::arch::asm;

use crate::call::{Answer, Call, Condition, Operands};
use crate::hw::{AvailableFunctions, Function, ParameterBlock};

/// Number of the facility bit of DFLTCC.
const FACILITY: usize = 151;
/// Doublewords of the facility list up to that bit.
const FACILITY_WORDS: usize = FACILITY / 64 + 1;
/// Bit 56 of general register 0: the history buffer is circular.
const CIRCULAR_HISTORY: u64 = 0x80;

/// The processor of this thread.
pub struct Processor(());

impl Processor {
    /// Returns the processor if it has the instruction.
    pub fn find() -> Option<Processor> {
        is_installed().then_some(Processor(()))
    }

    /// Returns the processor without a question. The instruction raises SIGILL if the processor
    /// does not have it, which a test may handle in order to emulate the instruction.
    pub fn assumed() -> Processor {
        Processor(())
    }
}

/// Returns whether the processor has the instruction, by STFLE (store facility list extended).
fn is_installed() -> bool {
    let mut list = [0_u64; FACILITY_WORDS];
    // SAFETY: STFLE is part of every processor that Rust's s390x target has. It writes at most as
    // many doublewords as the low byte of register 0 says, plus one: the length of the list. It
    // changes register 0 and the condition code.
    unsafe {
        asm!(
            ".insn s,0xb2b00000,0({list})",
            list = in(reg_addr) list.as_mut_ptr(),
            inout("r0") (FACILITY_WORDS - 1) as u64 => _,
            options(nostack),
        );
    }
    list[FACILITY / 64] & (1 << (63 - FACILITY % 64)) != 0
}

impl Call for Processor {
    fn available(&self) -> AvailableFunctions {
        let mut available = AvailableFunctions::default();
        // SAFETY: the function writes the 32 bytes of the block, which is aligned to a doubleword
        // and exclusively borrowed, and reads no operand. Without the instruction the
        // processor raises a signal.
        unsafe {
            asm!(
                ".insn rrf,0xb9390000,%r2,%r4,%r6,0",
                in("r0") Function::QueryAvailable as u64,
                in("r1") available.bytes_mut().as_mut_ptr(),
                inout("r2") 0_u64 => _,
                inout("r3") 0_u64 => _,
                inout("r4") 0_u64 => _,
                inout("r5") 0_u64 => _,
                in("r6") 0_u64,
                options(nostack),
            );
        }
        available
    }

    fn call(&self, function: Function, block: &mut ParameterBlock, operands: Operands<'_>) -> Answer {
        let Operands { target, source, history } = operands;
        let (target_len, source_len) = (target.len(), source.len());
        let (target_left, source_left): (usize, usize);
        let code: u64;
        // `ipm` takes the condition code before anything else can change it. Without the
        // instruction the processor raises a signal.
        // SAFETY: parameter block and history have the instruction's lengths and alignments, and
        // operands are accessed within their lengths. Block, history and target are exclusively
        // borrowed; registers that the instruction advances are outputs.
        unsafe {
            asm!(
                ".insn rrf,0xb9390000,%r2,%r4,%r6,0",
                "ipm {code}",
                "srl {code},28",
                code = out(reg) code,
                in("r0") function as u64 | CIRCULAR_HISTORY,
                in("r1") block.bytes_mut().as_mut_ptr(),
                inout("r2") target.as_mut_ptr() => _,
                inout("r3") target_len => target_left,
                inout("r4") source.as_ptr() => _,
                inout("r5") source_len => source_left,
                in("r6") history.bytes_mut().as_mut_ptr(),
                options(nostack),
            );
        }
        // `srl` changes the low half of the register alone.
        let condition = Condition::of_code(code as u32 as u8);
        Answer { condition, written: target_len - target_left, read: source_len - source_left }
    }
}
