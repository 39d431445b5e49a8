//! Instructions that not every processor has. A value of one of these types proves that this
//! processor has the instruction.
//!
//! They are written in assembly, because the compiler's intrinsics for them are not stable. Their
//! encodings are in Intel's Software Developer's Manual, volume 2.

use std::sync::atomic::AtomicU8;
use std::time::Duration;

use crate::hw::Descriptor;

/// Bits of ECX of CPUID's leaf for extended features (Intel's manual, CPUID).
#[cfg(target_arch = "x86_64")]
mod bit {
    pub const WAITPKG: u32 = 1 << 5;
    pub const MOVDIR64B: u32 = 1 << 28;
    pub const ENQCMD: u32 = 1 << 29;
}

/// Returns whether CPUID reports all bits of a mask in that register.
#[cfg(target_arch = "x86_64")]
fn has(mask: u32) -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    const LEAF: u32 = 7;
    __cpuid(0).eax >= LEAF && __cpuid_count(LEAF, 0).ecx & mask == mask
}

/// ENQCMD: submits a descriptor to a shared queue, and reports whether it was accepted.
#[derive(Clone, Copy, Debug)]
pub struct Enqcmd(());

impl Enqcmd {
    /// Returns the instruction; none if the processor lacks it.
    pub fn new() -> Option<Enqcmd> {
        #[cfg(target_arch = "x86_64")]
        return has(bit::ENQCMD).then_some(Enqcmd(()));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Submits one descriptor. Returns false if the queue is full.
    ///
    /// # Safety
    /// `slot` is 64 bytes, aligned to 64, of the mapped portal of a shared queue that this process
    /// has open.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn store(self, slot: *mut u8, descriptor: &Descriptor) -> bool {
        let refused: u8;
        // SAFETY: `self` proves the instruction, the caller the destination, and the reference the
        // bytes to read. ZF is set if the device does not accept the descriptor.
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

/// MOVDIR64B: stores 64 bytes at once, past the caches, for a dedicated queue.
#[derive(Clone, Copy, Debug)]
pub struct Movdir64b(());

impl Movdir64b {
    /// Returns the instruction; none if the processor lacks it.
    pub fn new() -> Option<Movdir64b> {
        #[cfg(target_arch = "x86_64")]
        return has(bit::MOVDIR64B).then_some(Movdir64b(()));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Stores one descriptor. A full queue is not reported.
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

/// Makes earlier stores visible to the device before its next descriptor. MOVDIR64B is not ordered
/// after earlier stores (Intel's manual).
#[cfg(target_os = "linux")]
pub(super) fn store_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SFENCE is part of SSE, which every x86-64 has.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    }
}

/// UMONITOR and UMWAIT: light sleep of a core, ended by a write to a cache line or by the
/// time-stamp counter. TPAUSE, which has no cache line, is not needed: a waiting driver has a
/// completion record to watch.
#[derive(Clone, Copy, Debug)]
pub struct WaitPkg(());

/// The lighter of the two states (C0.1), which wakes sooner.
#[cfg(target_arch = "x86_64")]
const LIGHT: u32 = 1;

impl WaitPkg {
    /// Returns the instruction; none if the processor lacks it.
    pub fn new() -> Option<WaitPkg> {
        #[cfg(target_arch = "x86_64")]
        return has(bit::WAITPKG).then_some(WaitPkg(()));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Sleeps until a write to the cell's cache line, or for `cycles` of the time-stamp counter, or
    /// shorter without a reason. Returns at once if the cell is not zero.
    #[cfg(target_arch = "x86_64")]
    pub fn sleep_while_zero(self, cell: &AtomicU8, cycles: u64) {
        use std::arch::{asm, x86_64::_rdtsc};
        // SAFETY: `self` proves the instruction, which only arms a monitor on the cell's cache
        // line.
        unsafe {
            asm!("umonitor {cell}", cell = in(reg) std::ptr::from_ref(cell),
                options(nostack, preserves_flags));
        }
        // A write before the monitor was armed would not end the sleep.
        if cell.load(std::sync::atomic::Ordering::Acquire) != 0 {
            return;
        }
        // SAFETY: every x86-64 has a time-stamp counter.
        let until = unsafe { _rdtsc() }.wrapping_add(cycles);
        // SAFETY: `self` proves the instruction, which accesses no memory. It sets CF if the
        // system's limit ended it.
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

/// An instruction that waits for a byte and leaves the core, or its power, to other threads.
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
