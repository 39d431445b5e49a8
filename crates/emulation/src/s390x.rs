//! Emulation of DFLTCC in the context of a thread of Linux on s390x.

use crate::dfltcc::{self, Dfltcc};
use crate::trap::Emulated;

/// Length of DFLTCC in bytes.
const LEN: u64 = 4;
/// Place of the two bits of the condition code in the mask of the program status word.
const CONDITION_SHIFT: u32 = 44;

/// Has `run` called for each DFLTCC of this process, until the result is dropped. `run` returns the
/// condition code.
pub fn emulate_dfltcc(run: impl Fn(&mut Dfltcc) -> u8 + Send + Sync + 'static) -> Emulated {
    Emulated::new(Box::new(move |context| {
        let context = &mut context.uc_mcontext;
        // The program status word is behind the instruction already.
        let address = context.psw.addr - LEN;
        // SAFETY: the processor has just fetched the instruction there. Instructions have even
        // addresses.
        let word = unsafe { (address as *const u32).read_unaligned() };
        let condition = dfltcc::execute(word, &mut context.gregs, &run)?;
        context.psw.mask &= !(3 << CONDITION_SHIFT);
        context.psw.mask |= u64::from(condition) << CONDITION_SHIFT;
        Ok(true)
    }))
}

#[cfg(test)]
mod tests;
