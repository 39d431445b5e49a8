//! Instructions of IBM's accelerators in software, for tests of the drivers' own assembly.
//!
//! Neither qemu-user nor an older processor has DFLTCC (s390x) or copy and paste. (POWER): each
//! ends in SIGILL. While a value of `Emulated` lives, a handler of that signal decodes the
//! instruction from the registers of the stopped thread, calls a function of the test, writes the
//! registers and the condition code back, and resumes behind the instruction. The function has the
//! memory of the program before it, so it can be a model of the device. Registers, clobbers,
//! alignment and the byte order of structures are then tested without the hardware.
//!
//! ```ignore
//! let emulated = pelton_emulation::emulate_dfltcc(|dfltcc| model.run(dfltcc));
//! driver.compress(page);
//! assert!(emulated.count() > 0);
//! ```
//!
//! On a processor that has the instruction nothing traps and the function is never called, which
//! `Emulated::count` shows. `make test-cross` runs the tests of s390x and powerpc64le.

pub mod copy_paste;
pub mod dfltcc;

#[cfg(all(target_os = "linux", target_arch = "powerpc64"))]
mod powerpc;
#[cfg(all(target_os = "linux", target_arch = "s390x"))]
mod s390x;
#[cfg(all(target_os = "linux", any(target_arch = "s390x", target_arch = "powerpc64")))]
mod trap;

#[cfg(all(target_os = "linux", target_arch = "powerpc64"))]
pub use powerpc::emulate_copy_paste;
#[cfg(all(target_os = "linux", target_arch = "s390x"))]
pub use s390x::emulate_dfltcc;
#[cfg(all(target_os = "linux", any(target_arch = "s390x", target_arch = "powerpc64")))]
pub use trap::Emulated;

/// Error of an instruction that cannot be carried out. A processor would stop the program too, so
/// the handler prints the error and ends the process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An instruction that is not emulated.
    #[error("instruction {0:#010x} is neither emulated nor known to this processor: remove it")]
    Unknown(u32),
    /// Register numbers that the instruction does not accept.
    #[error("instruction {word:#010x}: {rule}: change the registers of the assembly")]
    Registers {
        /// The instruction.
        word: u32,
        /// The broken rule.
        rule: &'static str,
    },
    /// An address that is not aligned as the instruction asks.
    #[error("the {operand} is at {address:#x}: align it to {alignment} bytes")]
    Misaligned {
        /// Name of the operand.
        operand: &'static str,
        /// Its address.
        address: u64,
        /// Alignment in bytes.
        alignment: u64,
    },
    /// A result that the instruction cannot have.
    #[error("the function of the test {0}: correct the function")]
    Result(&'static str),
}

/// Returns an error unless an address has an alignment in bytes.
fn aligned(operand: &'static str, address: u64, alignment: u64) -> Result<(), Fault> {
    if address.is_multiple_of(alignment) {
        return Ok(());
    }
    Err(Fault::Misaligned { operand, address, alignment })
}
