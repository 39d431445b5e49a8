//! Instructions that only some processors have. Who holds a value of one of these types may use its
//! instruction.
//!
//! They are written as instructions in assembly, as the compiler's intrinsics for them are not
//! stable. Encodings, from Intel's Software Developer's Manual, volume 2: ENQCMD `F2 0F 38 F8 /r`,
//! MOVDIR64B `66 0F 38 F8 /r`, UMONITOR `F3 0F AE /6`, UMWAIT `F2 0F AE /6`.

use std::sync::atomic::AtomicU8;
use std::time::Duration;

use crate::hw::Descriptor;

/// Bits of ECX of CPUID leaf 7, subleaf 0 (Intel's manual, CPUID).
#[cfg(target_arch = "x86_64")]
mod bit {
    pub const WAITPKG: u32 = 1 << 5;
    pub const MOVDIR64B: u32 = 1 << 28;
    pub const ENQCMD: u32 = 1 << 29;
}

/// Whether CPUID reports all bits of a mask in ECX of leaf 7.
#[cfg(target_arch = "x86_64")]
fn has(mask: u32) -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    const LEAF: u32 = 7;
    __cpuid(0).eax >= LEAF && __cpuid_count(LEAF, 0).ecx & mask == mask
}

/// ENQCMD: hands a descriptor to a shared queue, and says whether it was taken.
#[derive(Clone, Copy, Debug)]
pub struct Enqcmd(());

impl Enqcmd {
    /// None if the processor lacks it.
    pub fn new() -> Option<Enqcmd> {
        #[cfg(target_arch = "x86_64")]
        return has(bit::ENQCMD).then_some(Enqcmd(()));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Hands in one descriptor; false if the queue had no room.
    ///
    /// # Safety
    /// `slot` is 64 bytes, aligned to 64, of the mapped portal of a shared queue that this process
    /// has open.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn store(self, slot: *mut u8, descriptor: &Descriptor) -> bool {
        let refused: u8;
        // SAFETY: `self` proves the instruction, the caller the destination, and the reference the
        // 64 bytes to read. ZF is set where the device did not take it.
        unsafe {
            std::arch::asm!(
                "enqcmd {slot}, [{source}]",
                "setz {refused}",
                slot = in(reg) slot,
                source = in(reg) descriptor,
                refused = out(reg_byte) refused,
                options(nostack),
            );
        }
        refused == 0
    }

    /// There is no value of this type on other processors.
    ///
    /// # Safety
    /// Nothing is stored.
    #[cfg(not(target_arch = "x86_64"))]
    pub unsafe fn store(self, _slot: *mut u8, _descriptor: &Descriptor) -> bool {
        false
    }
}

/// MOVDIR64B: stores 64 bytes in one piece, past the caches, which is how a dedicated queue takes a
/// descriptor.
#[derive(Clone, Copy, Debug)]
pub struct Movdir64b(());

impl Movdir64b {
    /// None if the processor lacks it.
    pub fn new() -> Option<Movdir64b> {
        #[cfg(target_arch = "x86_64")]
        return has(bit::MOVDIR64B).then_some(Movdir64b(()));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Stores one descriptor. Nobody says whether the queue had room for it.
    ///
    /// # Safety
    /// `slot` is 64 bytes, aligned to 64, that may be written: of the mapped portal of a dedicated
    /// queue that this process has open.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn store(self, slot: *mut u8, descriptor: &Descriptor) {
        // SAFETY: `self` proves the instruction, the caller the destination, and the reference the
        // 64 bytes to read.
        unsafe {
            std::arch::asm!(
                "movdir64b {slot}, [{source}]",
                slot = in(reg) slot,
                source = in(reg) descriptor,
                options(nostack, preserves_flags),
            );
        }
    }

    /// There is no value of this type on other processors.
    ///
    /// # Safety
    /// Nothing is stored.
    #[cfg(not(target_arch = "x86_64"))]
    pub unsafe fn store(self, _slot: *mut u8, _descriptor: &Descriptor) {}
}

/// Makes what was written before visible to a device that is told of it next: MOVDIR64B is not
/// ordered behind earlier stores (Intel's manual), and the data that a descriptor names has to be
/// there before it.
#[cfg(target_os = "linux")]
pub(super) fn store_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SFENCE is part of SSE, which every x86-64 has.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    }
}

/// UMONITOR and UMWAIT: light sleep of a core, ended by a write to a cache line or by the
/// time-stamp counter. (TPAUSE, the third of them, waits for no write; there is always a completion
/// record to watch.)
#[derive(Clone, Copy, Debug)]
pub struct WaitPkg(());

/// The lighter of the two states, C0.1: it wakes sooner, and a wait for a device is short.
#[cfg(target_arch = "x86_64")]
const LIGHT: u32 = 1;

impl WaitPkg {
    /// None if the processor lacks it.
    pub fn new() -> Option<WaitPkg> {
        #[cfg(target_arch = "x86_64")]
        return has(bit::WAITPKG).then_some(WaitPkg(()));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Sleeps until somebody writes the cell's cache line, or so many cycles of the time-stamp
    /// counter are over, or for no reason. Returns at once if the cell is not zero.
    #[cfg(target_arch = "x86_64")]
    pub fn sleep_while_zero(self, cell: &AtomicU8, cycles: u64) {
        use std::arch::{asm, x86_64::_rdtsc};
        // SAFETY: `self` proves the instruction, which only arms a monitor on the cell's cache
        // line.
        unsafe {
            asm!("umonitor {cell}", cell = in(reg) std::ptr::from_ref(cell),
                options(nostack, preserves_flags));
        }
        // Looked at again, as what was written before the monitor was armed would wake nobody.
        if cell.load(std::sync::atomic::Ordering::Acquire) != 0 {
            return;
        }
        // SAFETY: every x86-64 has a time-stamp counter.
        let until = unsafe { _rdtsc() }.wrapping_add(cycles);
        // SAFETY: `self` proves the instruction, which touches no memory. It sets CF if the
        // system's own limit ended it.
        unsafe {
            asm!("umwait {state:e}", state = in(reg) LIGHT, in("eax") until as u32,
                in("edx") (until >> 32) as u32, options(nostack));
        }
    }

    /// There is no value of this type on other processors.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn sleep_while_zero(self, _cell: &AtomicU8, _cycles: u64) {
        std::hint::spin_loop();
    }
}

/// An instruction that waits for a byte and leaves the core's other thread, or its power, to
/// others.
pub trait Pause: Send + Sync {
    /// Returns when the byte is not zero, after about `max` at the latest, or earlier.
    fn pause(&self, byte: &AtomicU8, max: Duration);
}

/// Maximum pause in cycles of the time-stamp counter: Linux's default limit of UMWAIT
/// (`/sys/devices/system/cpu/umwait_control/max_time`).
const MAX_CYCLES: u64 = 100_000;

impl Pause for WaitPkg {
    fn pause(&self, byte: &AtomicU8, max: Duration) {
        // A cycle for each nanosecond: processors with this instruction have a counter faster than
        // 1 GHz, so the pause is never too long.
        let cycles = u64::try_from(max.as_nanos()).unwrap_or(u64::MAX);
        self.sleep_while_zero(byte, cycles.min(MAX_CYCLES));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
