//! Instructions copy and paste. of the Power ISA 3.0: the copy buffer, and field 0 of the condition
//! register.
//!
//! Both have format X, with the fields RA and RB. The sum of these registers is the address, where
//! the number of RA is zero for no register. Bit L is set in the form that programs use.

use crate::{Fault, aligned};

/// Length of a block that is copied and pasted, in bytes, and its alignment.
pub const BLOCK_LEN: usize = 128;

/// Bytes of one block: a coprocessor request block, if a window of NX is pasted to.
pub type Block = [u8; BLOCK_LEN];

const COPY: u32 = 0x7c20_060c;
const PASTE: u32 = 0x7c20_070d;
/// The fields RA and RB.
const OPERANDS: u32 = 0x1f << 16 | 0x1f << 11;

/// Value of the condition register's field 0 for a paste that was accepted; for others it is zero.
/// Its last bit is a copy of the register XER's summary overflow.
pub const ACCEPTED: u8 = 0b0010;

/// Carries out a copy, which fills the thread's copy buffer, or a paste., which empties it. For
/// paste. it calls `run` with the block and the target's address, and returns whether `run`
/// accepted the block; an empty buffer is not accepted. Returns nothing for copy, which sets no
/// condition.
///
/// # Errors
/// Another instruction, and an address that is not aligned.
///
/// # Safety
/// For a copy, a block can be read at the address in the registers, unless it is misaligned.
pub unsafe fn execute(
    word: u32,
    registers: &[u64; 32],
    buffer: &mut Option<Block>,
    run: &dyn Fn(&Block, usize) -> bool,
) -> Result<Option<bool>, Fault> {
    let register = |shift: u32| (word >> shift) as usize & 0x1f;
    let base = match register(16) {
        0 => 0,
        number => registers[number],
    };
    let address = base.wrapping_add(registers[register(11)]);
    match word & !OPERANDS {
        COPY => {
            aligned("block that is copied", address, BLOCK_LEN as u64)?;
            // SAFETY: the caller's promise.
            *buffer = Some(unsafe { (address as *const Block).read() });
            Ok(None)
        }
        PASTE => {
            aligned("target of paste.", address, BLOCK_LEN as u64)?;
            Ok(Some(buffer.take().is_some_and(|block| run(&block, address as usize))))
        }
        _ => Err(Fault::Unknown(word)),
    }
}

#[cfg(test)]
mod tests;
